"""Which names and numbers a text holds, so that what a model writes can be held against what people wrote.

A name is a word with a capital letter. A word that opens a sentence is capitalised whatever it is, so it only counts as doubtful.
Scripts without capitals hold no names by this rule; there, mentions alone are checked.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain

from mosshead.names import NO_FIGURE, without_accents
from pipeline.prompts.numbers import numbers, spelt_numbers

_WORD = re.compile(rf"{NO_FIGURE}+")
_WITH_A_COMMA = re.compile(r"(?<![\d.,])(?:\d{1,3}(?:[. ]\d{3})+(?:,\d+)?|\d+,(?!\d{3}(?!\d))\d+)(?![.,]?\d)")
_ARABIC = str.maketrans("٫٬", ".,")
_SENTENCE_END = frozenset(".!?:\n•-–*([\"“‘'")
_STEM = 4
_GERMAN = re.compile(r"\b(?:ich|der|die|das|und|ist|ein|eine|mein|meine|nicht|mit|wir|habe|bin|zum|zur|im|am)\b")
_GERMAN_ENDINGS = ("s", "es", "n", "en", "e")
_FUNCTION_WORDS = """
a all an and any as at before after both but by each every first finally for from her his how if in it its last many most my next
no not of on once one only or our over several she he since some that the their then there these they this those to two under
until what when where which while who whose with without you your
"""
_OPENERS = frozenset(_FUNCTION_WORDS.split())


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The words, numbers and whole text of what people wrote, folded for comparison."""

    words: frozenset[str]
    numbers: frozenset[str]
    text: str

    @classmethod
    def of(cls, texts: Iterable[str]) -> "Vocabulary":
        """All that occurs in any of the texts; number words count as their digits too ("three" is 3)."""
        text = _folded("\n".join(texts))
        words = _WORD.findall(text)
        written = (part for form in (text, _with_a_point(text)) for number in numbers(form) for part in chain(*number))
        return cls(frozenset(words), frozenset((*written, *spelt_numbers(words))), text)

    def lacks_name(self, name: str) -> bool:
        """Whether some word or number of a name does not occur."""
        folded = _folded(name)
        if _has_no_case(folded) and folded in self.text:
            return False
        return not (set(_WORD.findall(folded)) <= self.words and self._hold_numbers(folded))

    def lacks_name_or_number_of(self, content: str) -> bool:
        """Whether a name within a sentence of the content, or a number, does not occur."""
        names = {_folded(word) for word, opens in _names(content) if not opens}
        return not (self._hold(names) and self._hold_numbers(_folded(content)))

    def _hold_numbers(self, folded: str) -> bool:
        return any(
            all(any(parts <= self.numbers for parts in number) for number in numbers(text))
            for text in (folded, _with_a_point(folded))
        )

    def _hold(self, names: set[str]) -> bool:
        """German gives every noun a capital and bends it: "mein Bruder" is "des Bruders" in another sentence."""
        missing = names - self.words
        return not missing or (_is_german(self.text) and all(self.words & _german_forms(name) for name in missing))

    def lacks_part_of(self, phrase: str) -> bool:
        """The same for a phrase that is no sentence, such as a value, whose first word has no other reason for its capital."""
        return self.lacks_name_or_number_of(phrase) or not _openings(phrase) <= self.words

    def doubts_an_opening_of(self, content: str) -> bool:
        """Whether a sentence of the content opens with what may be a name that does not occur."""
        openings = _openings(content)
        stems = {word[:_STEM] for word in self.words}
        return any(word[:_STEM] not in stems for word in openings)

    def __or__(self, other: "Vocabulary") -> "Vocabulary":
        return self.with_all((other,))

    def with_all(self, others: Iterable["Vocabulary"]) -> "Vocabulary":
        """All that any of them holds, joined at once: one by one, what is held already would be copied for each."""
        every = (self, *others)
        return Vocabulary(
            frozenset[str]().union(*(one.words for one in every)),
            frozenset[str]().union(*(one.numbers for one in every)),
            "\n".join(one.text for one in every),
        )


def _folded(text: str) -> str:
    """Without case and accents, which people leave out as they type, and models put back: "Sao Paulo" is "São Paulo"."""
    folded = unicodedata.normalize("NFKC", without_accents(text.casefold())).strip().translate(_ARABIC)
    return folded if folded.isascii() else "".join(map(_figure, folded))


def _figure(character: str) -> str:
    """The figures of all scripts as those of ASCII: ٣ and ३ are 3."""
    return str(unicodedata.decimal(character)) if character.isdecimal() else character


def _openings(content: str) -> set[str]:
    return {_folded(word) for word, opens in _names(content) if opens} - _OPENERS


def _is_german(folded: str) -> bool:
    return len({match.group() for match in _GERMAN.finditer(folded)}) > 1


def _german_forms(name: str) -> set[str]:
    stems = {name, *(name.removesuffix(ending) for ending in _GERMAN_ENDINGS)}
    return {stem + ending for stem in stems if len(stem) >= _STEM for ending in ("", *_GERMAN_ENDINGS)}


def _has_no_case(folded: str) -> bool:
    """Whether the text is of a script without capitals; such scripts often part no words either."""
    return folded.upper() == folded and any(character.isalpha() for character in folded)


def _names(content: str) -> Iterator[tuple[str, bool]]:
    normal = unicodedata.normalize("NFKC", content)
    for match in _WORD.finditer(normal):
        if match.group() != match.group().lower():
            before = normal[: match.start()].rstrip(" \t")
            yield match.group(), not before or before[-1] in _SENTENCE_END


def _with_a_point(text: str) -> str:
    """A text as it reads where a comma parts the fraction, and a point or a space the thousands: 1.500,50 is 1500.50."""
    return _WITH_A_COMMA.sub(lambda match: re.sub(r"[. ]", "", match[0]).replace(",", "."), text)
