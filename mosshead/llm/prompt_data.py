"""Show people's texts in prompts so that none can imitate the prompt's own words.

Each line of a text is prefixed with a bar. The prompt's own lines never are, so no text can forge a header, number or end mark.
Nothing needs escaping, and quotes stay intact.
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
    """Prefix each line of a text with a bar."""
    return "\n".join(f"{BAR}{line}" for line in text.splitlines()) or BAR.rstrip()


def block(name: str, lines: Iterable[str]) -> str:
    """Enclose lines in marks for the beginning and end of data."""
    return "\n".join((f"BEGIN {name}", *lines, f"END {name}"))


def label(name: str) -> str:
    """Make a name fit for a header: on one line, short, without quotes."""
    return " ".join(_QUOTES.sub(" ", one_line(name)).split())[:_LABEL_CHARACTERS]


def local_time(moment: datetime) -> str:
    """Format a time in its speaker's zone, with weekday and offset: "Thursday 2023-01-05T14:02+01:00"."""
    return f"{_WEEKDAYS[moment.weekday()]} {moment.isoformat(timespec='minutes')}"


def local_day(moment: datetime) -> str:
    """Format a day in its speaker's zone, with the weekday: "Thursday 2023-01-05"."""
    return f"{_WEEKDAYS[moment.weekday()]} {moment.date().isoformat()}"
