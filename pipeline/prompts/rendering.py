"""How prompts show the messages of a batch; see `recollect.language_model.data` for how texts are told from a prompt."""

from collections.abc import Sequence

from pipeline.facts import Message
from recollect.kinds import Role
from recollect.language_model.data import BAR, barred, block, label, local_time

__all__ = ["BAR", "barred", "block", "conversation_labels", "local_time", "shown_message"]

_MACHINES = frozenset({Role.SYSTEM, Role.TOOL})
_MACHINE_CHARACTERS = 500


def conversation_labels(messages: Sequence[Message]) -> dict[str, str]:
    """A short local label for each conversation, in order of appearance: the app's own label may be an id."""
    names = dict.fromkeys(message.conversation for message in messages if message.conversation is not None)
    return {name: f"conversation {number}" for number, name in enumerate(names, start=1)}


def shown_message(message: Message, number: str, conversations: dict[str, str], part: str | None = None) -> str:
    """A header (number, role, speaker, time, conversation, which part of it this is), and the text under bars.

    What a tool or the system said only explains and can be very long: the first 500 characters of it are shown.
    """
    speaker = f' "{label(message.speaker)}"' if message.speaker else ""
    conversation = f", {conversations[message.conversation]}" if message.conversation is not None else ""
    header = f"{number} {message.role.value}{speaker}, {local_time(message.occurred_at)}{conversation}"
    header = f"{header}, {part}" if part else header
    return f"{header}\n{barred(_shortened(message))}"


def _shortened(message: Message) -> str:
    if message.role not in _MACHINES or len(message.content) <= _MACHINE_CHARACTERS:
        return message.content
    return f"{message.content[:_MACHINE_CHARACTERS]} […]"
