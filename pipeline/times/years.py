"""When a year that stands beside a day, a month, a season or a holiday says which one is meant: "in May last year"."""

import re
from datetime import timedelta

from mosshead.kinds import Granularity
from pipeline.models import Occurrence
from pipeline.times.words import HOLIDAYS, MONTH, SEASON_STARTS, YEAR

_LONGEST_YEAR = timedelta(days=366)
_COMES_EACH_YEAR = re.compile(
    rf"\b(?:{MONTH}|(?:{'|'.join((*SEASON_STARTS, *HOLIDAYS))})\b)".replace("'", "['’]?"), re.IGNORECASE
)
_SAYS_ITS_YEAR = re.compile(rf"{YEAR}|\b(?:last|past|previous|this|next|coming|following|every|each)\b", re.IGNORECASE)
_JOINS = re.compile(r",?(?: (?:back|of|in|on|at|around|during|over|for|from|the))* ?", re.IGNORECASE)


def is_a_year(occurred: Occurrence) -> bool:
    """Whether it is one year: "a few years ago" is several."""
    return occurred.granularity is Granularity.YEAR and occurred.end - occurred.start <= _LONGEST_YEAR


def leaves_its_year_open(words: str) -> bool:
    """Whether a time phrase comes again each year, and does not say which one it means."""
    return _COMES_EACH_YEAR.search(words) is not None and _SAYS_ITS_YEAR.search(words) is None


def joins(text: str, end: int, start: int) -> bool:
    """Whether what stands between the end of one time phrase and the start of the next makes one time of them."""
    ends_sentence = text[end - 1] == "." and text[start].isupper()  # the stop of "Dec." belongs to the phrase
    return not ends_sentence and _JOINS.fullmatch(text, end, start) is not None
