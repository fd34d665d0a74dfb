"""How prompts show what people wrote, so that no text can pass for the prompt's own words.

Every line of a text is led by a bar. The prompt's own lines never are, so a text cannot forge a header, a number or an end mark,
whatever it holds; nothing needs escaping, and a quote stays a quote.
"""

from collections.abc import Iterable
from datetime import datetime

from mosshead.fencing import one_line
from mosshead.patterns import lazy_pattern

BAR = "| "

_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_LABEL_CHARACTERS = 60
_QUOTES = lazy_pattern(r'["“”„‟«»＂]')


def barred(text: str) -> str:
    """The text with a bar before each of its lines."""
    return "\n".join(f"{BAR}{line}" for line in text.splitlines()) or BAR.rstrip()


def block(name: str, lines: Iterable[str]) -> str:
    """Lines between marks that say where the data begins and ends."""
    return "\n".join((f"BEGIN {name}", *lines, f"END {name}"))


def label(name: str) -> str:
    """A name as it may stand in a header: on one line, short, without quotes."""
    return " ".join(_QUOTES.sub(" ", one_line(name)).split())[:_LABEL_CHARACTERS]


def local_time(moment: datetime) -> str:
    """The time as its speaker's clock showed it, with weekday and offset: "Thursday 2023-01-05T14:02+01:00"."""
    return f"{_WEEKDAYS[moment.weekday()]} {moment.isoformat(timespec='minutes')}"


def local_day(moment: datetime) -> str:
    """The day that it was on its speaker's calendar, with the weekday: "Thursday 2023-01-05"."""
    return f"{_WEEKDAYS[moment.weekday()]} {moment.date().isoformat()}"
