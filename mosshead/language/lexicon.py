"""Words of seven languages by grammatical role, and texts split into comparable words.

``lexicons/`` has one file per language; ``equal.txt`` there lists synonyms, and ``first_names.txt`` first names.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final, NamedTuple

from mosshead.language.names import LETTER, NO_FIGURE, name_key, without_accents
from mosshead.language.wordlists import FIRST_NAMES
from mosshead.patterns import lazy_pattern

_FOLDER: Final = Path(__file__).with_name("lexicons")
_LANGUAGES: Final = ("en", "de", "es", "fr", "pt", "it", "nl")
_KEPT = 256
_UNPARTED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff"
"""Scripts without spaces between words: each letter counts as a word."""

_WORDS = lazy_pattern(rf"[{_UNPARTED}]|{NO_FIGURE}+n['’]t\b|(?:(?![{_UNPARTED}]){LETTER})+")
_LONGEST_ENTRY = 6
_LATIN = "\u024f"
"""The last Latin letter, except those of Vietnamese."""
_JUDGED, _MANY_WORDS = 4_000, 20
_LEAST_KNOWN = 10
"""At least one word in this many must be a function word for a language to be identified; chance gives fewer."""


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a text: its spelling, position and comparison key."""

    text: str
    start: int
    end: int
    key: str


@dataclass(frozen=True, slots=True, eq=False)
class Lexicon:
    """A language's words and phrases by role. numbers: the values of number words, multipliers included."""

    language: str
    entries: Mapping[str, frozenset[str]]
    numbers: Mapping[str, float]
    articles: frozenset[str]
    months: Mapping[str, int]
    weekdays: Mapping[str, int]
    days: Mapping[str, int]
    spans: Mapping[str, int]
    holidays: Mapping[str, str]
    past: tuple[tuple[str, str], ...]
    clock: tuple[tuple[tuple[str, ...], str], ...]
    compound: re.Pattern[str]

    def has(self, role: str, word: str) -> bool:
        """Whether a key has a role."""
        return word in self.entries[role]


@lru_cache(_KEPT)
def words_of(text: str) -> tuple[Word, ...]:
    """Split a text into words, in order; "can't" is one word, "dell'Aquila" two."""
    return tuple(Word(one[0], one.start(), one.end(), key_of(one[0])) for one in _WORDS.finditer(text))


@lru_cache(_KEPT)
def keys_of(text: str) -> frozenset[str]:
    """Return the comparison keys of a text's words."""
    return frozenset(word.key for word in words_of(text))


def key_of(word: str) -> str:
    """Return a word's comparison key: without case, accents and apostrophes; "Muenchen" equals "München"."""
    return name_key(without_accents(word.casefold()).replace("ł", "l").replace("'", "").replace("’", ""))


@lru_cache(_KEPT)
def lexicons_of(text: str) -> tuple[Lexicon, ...]:
    """Return the languages a text may be in, likeliest first; empty if its words identify none."""
    keys = {word.key for word in words_of(text[:4_000])}
    scores = {one: len(keys & one.entries["function"]) for one in every_lexicon()}
    best = max(scores.values())
    known = best and _LEAST_KNOWN * best >= len(keys)
    return tuple(one for one in sorted(scores, key=lambda one: -scores[one]) if known and 3 * scores[one] > 2 * best)


def is_english(text: str) -> bool | None:
    """Whether a text is in English; None if unknown."""
    letters = [letter for letter in text[:_JUDGED] if letter.isalpha()]
    if 2 * sum(letter > _LATIN for letter in letters) > len(letters):
        return False
    likely = lexicons_of(text)
    if likely:
        return likely[0].language == "en"
    # An English text this long has function words; other languages may share one with English by chance.
    return False if len(keys_of(text[:_JUDGED])) >= _MANY_WORDS else None


@lru_cache(1)
def every_lexicon() -> tuple[Lexicon, ...]:
    """Return the lexicons of all known languages."""
    return tuple(map(_lexicon, _LANGUAGES))


def phrases_in(keys: Sequence[str], phrases: frozenset[str] | Mapping[str, object]) -> Iterator[tuple[int, str]]:
    """Yield the positions and texts of phrases in a sequence of keys."""
    for start in range(len(keys)):
        for length in range(1, _LONGEST_ENTRY + 1):
            phrase = " ".join(keys[start : start + length])
            if start + length <= len(keys) and phrase in phrases:
                yield start, phrase


@lru_cache(_KEPT * 64)
def classes_of(key: str) -> frozenset[int]:
    """Return the lines of ``equal.txt`` that contain a word."""
    whole, begun = _equals().whole, _equals().begun
    return whole.get(key, frozenset()) | frozenset(
        line for length in range(2, len(key) + 1) for line in begun.get(key[:length], ())
    )


@lru_cache(_KEPT * 64)
def proper_classes_of(key: str) -> frozenset[int]:
    """Return those lines that identify a place, person or organisation."""
    return frozenset(line for line in classes_of(key) if not _equals().topics < line < _equals().units)


@lru_cache(1)
def first_names() -> frozenset[str]:
    """Return first names as comparison keys: capitalised, such a word is a person."""
    lines = (_FOLDER / "first_names.txt").read_text(encoding="utf-8").splitlines()
    return FIRST_NAMES | {key_of(name) for line in lines if not line.startswith("#") for name in line.split()}


@lru_cache(_KEPT * 64)
def is_unit(key: str) -> bool:
    """Whether a word is a unit: money, length, weight, time."""
    return any(line > _equals().units for line in classes_of(key))


class _Equals(NamedTuple):
    """The lines by word and by prefix, and the lines where common words and units begin."""

    whole: dict[str, frozenset[int]]
    begun: dict[str, frozenset[int]]
    topics: int
    units: int


@lru_cache(1)
def _equals() -> _Equals:
    whole: dict[str, frozenset[int]] = {}
    begun: dict[str, frozenset[int]] = {}
    lines = (_FOLDER / "equal.txt").read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines):
        for word in () if line.startswith("#") else line.split():
            held = begun if word.endswith("*") else whole
            key = key_of(word.rstrip("*"))
            held[key] = held.get(key, frozenset()) | {number}
    return _Equals(whole, begun, lines.index("# Common words"), lines.index("# Units, which belong to a number"))


@lru_cache(len(_LANGUAGES))
def _lexicon(language: str) -> Lexicon:
    given: dict[str, str] = tomllib.loads((_FOLDER / f"{language}.toml").read_text(encoding="utf-8"))
    numbers: dict[str, float] = {_phrase(word): value for value, word in enumerate(given["units"].split())}
    numbers |= {_phrase(word): 10 * value for value, word in enumerate(given["tens"].split(), 2)}
    numbers |= _valued(given["numbers"].split())
    pieces = "|".join(sorted((word for word in numbers if len(word) > 1), key=len, reverse=True))
    joiner = "|".join(given["joiners"].split())
    entries = {role: text for role, text in given.items() if role not in _VALUED}
    return Lexicon(
        language=language,
        entries={role: frozenset(map(_phrase, _parted(text))) for role, text in entries.items()},
        numbers=numbers | _valued(given["counts"].split()),
        articles=frozenset(map(_phrase, given["articles"].split())) | _valued(given["counts"].split()).keys(),
        months=_numbered(given["months"], 1),
        weekdays=_numbered(given["weekdays"], 0),
        days={word: int(value) for word, value in _valued(_parted_days(given["days"])).items()},
        holidays=dict(map(_halves, given["holidays"].split("|"))),
        spans={word: int(value) for word, value in _valued(given["spans"].split()).items()},
        past=tuple(map(_halves, given["past_pairs"].split())),
        clock=tuple((tuple(form.split()), value) for form, value in map(_halves, given["clock"].split("|"))),
        compound=re.compile(rf"(?:{pieces})(?:(?:{joiner})?(?:{pieces}))+"),
    )


_VALUED: Final = frozenset(
    {
        "units",
        "tens",
        "numbers",
        "counts",
        "articles",
        "months",
        "weekdays",
        "days",
        "spans",
        "clock",
        "past_pairs",
        "holidays",
    }
)


def _parted(text: str) -> list[str]:
    """Split entries at bars if some are phrases, else at spaces."""
    return text.split("|") if "|" in text else text.split()


def _parted_days(text: str) -> list[str]:
    single, *phrases = text.split("|")
    return [*single.split(), *phrases]


def _phrase(text: str) -> str:
    return " ".join(word.key for word in words_of(text))


def _halves(entry: str) -> tuple[str, str]:
    before, _, after = entry.partition("=")
    return before, after


def _valued(entries: Sequence[str]) -> dict[str, float]:
    return {_phrase(word): float(value) for word, value in map(_halves, entries)}


def _numbered(text: str, first: int) -> dict[str, int]:
    return {_phrase(form): number for number, forms in enumerate(text.split("|"), first) for form in forms.split()}
