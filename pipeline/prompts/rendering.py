"""How prompts show the messages of a batch; see `mosshead.language_model.data` for how texts are told from a prompt."""

from collections.abc import Sequence

from mosshead.kinds import Role
from mosshead.language_model.data import BAR, barred, block, label, local_day, local_time
from pipeline.facts import Message

__all__ = ["BAR", "barred", "block", "conversation_labels", "label", "local_day", "local_time", "shown_message"]

_MACHINES = frozenset({Role.SYSTEM, Role.TOOL})
_MACHINE_CHARACTERS = 500


def conversation_labels(messages: Sequence[Message]) -> dict[str, str]:
    """A short local label for each conversation, in order of appearance: the app's own label may be an id."""
    names = dict.fromkeys(message.conversation for message in messages if message.conversation is not None)
    return {name: f"conversation {number}" for number, name in enumerate(names, start=1)}


def shown_message(
    message: Message,
    mark: str,
    conversations: dict[str, str],
    *,
    part: str | None = None,
    before: Message | None = None,
) -> str:
    """A header (mark, role, speaker, time, conversation, which part of it this is), and the text under bars.

    before: the message shown before it; what the two share of day, zone, time and conversation is not said again.
    What a tool or the system said only explains and can be very long: the first 500 characters of it are shown.
    """
    speaker = f' "{label(message.speaker)}"' if message.speaker else ""
    said = (
        f"{mark} {message.role.value}{speaker}",
        _when(message, before),
        _where(message, before, conversations),
        part,
    )
    header = ", ".join(one for one in said if one)
    return f"{header}\n{barred(_shortened(message))}"


def _when(message: Message, before: Message | None) -> str:
    now, then = message.occurred_at, before.occurred_at if before else None
    if then is None or (now.date(), now.utcoffset()) != (then.date(), then.utcoffset()):
        return local_time(now)
    return "" if (now.hour, now.minute) == (then.hour, then.minute) else f"{now:%H:%M}"


def _where(message: Message, before: Message | None, conversations: dict[str, str]) -> str:
    if message.conversation == (before.conversation if before else None):
        return ""
    return "no conversation" if message.conversation is None else conversations[message.conversation]


def _shortened(message: Message) -> str:
    if message.role not in _MACHINES or len(message.content) <= _MACHINE_CHARACTERS:
        return message.content
    return f"{message.content[:_MACHINE_CHARACTERS]} […]"
