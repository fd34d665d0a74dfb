"""How prompts show what people wrote, so that no text can pass for the prompt's own words.

Every line of a text is led by a bar. The prompt's own lines never are, so a text cannot forge a header, a number or an end mark,
whatever it holds; nothing needs escaping, and a quote stays a quote.
"""

import re
from collections.abc import Iterable, Sequence
from datetime import datetime

from pipeline.facts import Message
from recollect.kinds import Role

BAR = "| "
_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MACHINES = frozenset({Role.SYSTEM, Role.TOOL})
_MACHINE_CHARACTERS = 500
_LABEL_CHARACTERS = 60
_NOT_IN_A_LABEL = re.compile(r'[\x00-\x1f\x7f-\x9f"]')


def barred(text: str) -> str:
    """The text with a bar before each of its lines."""
    return "\n".join(f"{BAR}{line}" for line in text.splitlines()) or BAR.rstrip()


def block(name: str, lines: Iterable[str]) -> str:
    """Lines between marks that say where the data begins and ends."""
    return "\n".join((f"BEGIN {name}", *lines, f"END {name}"))


def local_time(moment: datetime) -> str:
    """The time as its speaker's clock showed it, with weekday and offset: "Thursday 2023-01-05T14:02+01:00"."""
    return f"{_WEEKDAYS[moment.weekday()]} {moment.isoformat(timespec='minutes')}"


def local_day(moment: datetime) -> str:
    """The day that it was on its speaker's calendar, with the weekday: "Thursday 2023-01-05"."""
    return f"{_WEEKDAYS[moment.weekday()]} {moment.date().isoformat()}"


def conversation_labels(messages: Sequence[Message]) -> dict[str, str]:
    """A short local label for each conversation, in order of appearance: the app's own label may be an id."""
    names = dict.fromkeys(message.conversation for message in messages if message.conversation is not None)
    return {name: f"conversation {number}" for number, name in enumerate(names, start=1)}


def shown_message(
    message: Message,
    label: str,
    conversations: dict[str, str],
    *,
    part: str | None = None,
    before: Message | None = None,
) -> str:
    """A header (label, role, speaker, time, conversation, which part of it this is), and the text under bars.

    before: the message shown before it; what the two share of day, zone, time and conversation is not said again.
    What a tool or the system said only explains and can be very long: the first 500 characters of it are shown.
    """
    speaker = f' "{_label(message.speaker)}"' if message.speaker else ""
    said = (
        f"{label} {message.role.value}{speaker}",
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


def _label(name: str) -> str:
    return " ".join(_NOT_IN_A_LABEL.sub(" ", name).split())[:_LABEL_CHARACTERS]
