"""Whether words that say a name are meant as one."""

from collections.abc import Sequence
from dataclasses import dataclass

from mosshead.matching.words import Word, same, says, word_after, word_before
from mosshead.names import spelled_out
from mosshead.patterns import lazy_pattern
from mosshead.wordlists import (
    AMBIGUOUS,
    BEFORE_DAYS,
    BEFORE_NAMES,
    CALENDAR,
    DONE_BY_PEOPLE,
    GRAMMAR,
    SURELY_BEFORE_DAYS,
)

_INDEFINITE = frozenset("a an any another every some each no".split())
_DEFINITE = _INDEFINITE | frozenset("the my your our his her its their this that".split())
_BESIDE_A_MONTH = lazy_pattern(r"(?:0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th)?|(?:19|20)\d\d")


@dataclass(frozen=True, slots=True, kw_only=True)
class Name:
    """A name as the registry holds it. full: of a person, the words of its longest name, where it is more than one.

    Two entities of one name have two of these.
    """

    normalised: str
    is_person: bool
    written_small: bool = False
    full: tuple[str, ...] = ()


def speaks(
    words: Sequence[Word], first: int, last: int, name: Name, *, whole: bool, surname: bool, small: bool
) -> bool:
    """Whether a run of words that says a name, or a part of it, is meant as one."""
    run = words[first : last + 1]
    if all(word.plain in GRAMMAR for word in run) and not (
        all(word.named for word in run) and (whole or name.is_person)
    ):
        return False
    if _named_otherwise(words, first, last, name, whole=whole):
        return False
    acts = (
        name.is_person
        and run[-1].capital
        and (run[-1].possessive or _is_one_of(word_after(words, last), DONE_BY_PEOPLE))
    )
    if first == last and not acts and _is_a_month(words, first):
        return False
    if not (whole or acts) and all(word.plain in CALENDAR for word in run):
        return name.is_person and run[0].named and not _is_one_of(word_before(words, first), BEFORE_DAYS)
    return (
        len(run) > 1
        or run[0].named
        or acts
        or _speaks_alone(words, first, name, whole=whole, surname=surname, small=small)
    )


def _is_a_month(words: Sequence[Word], place: int) -> bool:
    """ "In May", "3 May" and "May 2019" are a month, whoever is called May; "I owe May 50" is about her."""
    if words[place].plain not in CALENDAR or words[place].possessive:
        return False
    before, after = word_before(words, place), word_after(words, place)
    return _is_one_of(before, SURELY_BEFORE_DAYS) or any(
        beside is not None and _BESIDE_A_MONTH.fullmatch(beside.written) is not None for beside in (before, after)
    )


def _speaks_alone(words: Sequence[Word], place: int, name: Name, *, whole: bool, surname: bool, small: bool) -> bool:
    """The same of one word that is written small or at the start of a sentence."""
    word, before = words[place], word_before(words, place)
    if word.plain in AMBIGUOUS and not (word.capital and word.possessive):
        return whole and name.written_small and not _is_one_of(before, _INDEFINITE)
    if whole:
        return not _is_one_of(before, _INDEFINITE)
    return name.is_person and not _is_one_of(before, _DEFINITE) and (word.capital or not surname or small)


def _named_otherwise(words: Sequence[Word], first: int, last: int, name: Name, *, whole: bool) -> bool:
    """Whether the name goes on in the text as another's: "Peter Lindqvist" is not Peter Haas, nor "Henderson Point" a firm."""
    if whole and not name.full:
        return False
    known = name.full or tuple(spelled_out(name.normalised).split())
    after = word_after(words, last)
    if (
        after
        and not words[last].possessive
        and not says(words[last], known[-1])
        and _is_more(after, words[last], known)
    ):
        return True
    before = word_before(words, first)
    return bool(
        before
        and not before.possessive
        and not says(words[first], known[0])
        and before.plain not in BEFORE_NAMES
        and _is_more(before, words[first], known)
    )


def _is_more(word: Word, beside: Word, known: Sequence[str]) -> bool:
    shouted = len(beside.plain) > 1 and word.written.isupper() and beside.written.isupper()
    ordinary = shouted or word.plain in GRAMMAR or word.plain in CALENDAR
    return word.named and not ordinary and not any(same(word.plain, part) for part in known)


def _is_one_of(word: Word | None, these: frozenset[str]) -> bool:
    return word is not None and word.plain in these
