"""Where words stand in a message: in which sentence and clause, and with which part in it. Pure; English, by closed lists."""

import re
from bisect import bisect_right
from dataclasses import dataclass
from enum import StrEnum

from mosshead.patterns import lazy_pattern
from mosshead.tracking import vocabulary as english

_WORD = lazy_pattern(r"[^\W_]+(?:['’\-.][^\W_]+)*['’]?")
_SENTENCE_END = lazy_pattern(r"[.!?…]+[\"')\]]*(?:\s+|$)|:\s|\n+")
_CLAUSE_END = lazy_pattern(r"[.!?…,;:()—–\n]| - |\b(?:and|but|so|because|then)\b", re.IGNORECASE)
_CLOSING = " \n\"')]"
_POSSESSIVE = lazy_pattern(r"['’]s?")
_ENDS_POSSESSIVE = lazy_pattern(r"['’]s?$")
_PLURAL_POSSESSIVE = lazy_pattern(r"s['’]$")


class Part(StrEnum):
    """Which part words have in their clause, the most prominent first (centering: subject before object before other)."""

    SUBJECT = "subject"
    OBJECT = "object"
    OWNER = "owner"
    OTHER = "other"


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where something stands in a message.

    start, end: its characters. sentence: counted from the last, which is 0; clause: from the first. part: in its clause.
    reports: it is the one who says what follows ("Ann said …").
    """

    start: int
    end: int
    sentence: int
    clause: int
    part: Part
    reports: bool = False


class Layout:
    """A message with its words, clauses and sentences."""

    def __init__(self, text: str) -> None:
        """Find them."""
        self.text = text
        self.words = list(_WORD.finditer(text))
        self.starts = [word.start() for word in self.words]
        self._clauses = [0, *(found.end() for found in _CLAUSE_END.finditer(text))]
        ends = [found for found in _SENTENCE_END.finditer(text) if found.end() < len(text.rstrip())]
        self._sentences = [found.start() for found in ends]
        self._asked = [text[end : end + 1] == "?" for end in [*self._sentences, len(text.rstrip(_CLOSING)) - 1]]

    def place(self, start: int, end: int) -> Place:
        """Where the characters from start to end stand."""
        sentence = bisect_right(self._sentences, end - 1)
        behind = [bare(word[0]) for word in self.words_from(end, 2)]
        return Place(
            start=start,
            end=end,
            sentence=len(self._sentences) - sentence,
            clause=bisect_right(self._clauses, start),
            part=self._part(start, end),
            reports=not self._asked[sentence] and any(word in english.REPORTING for word in behind),
        )

    def words_from(self, start: int, count: int) -> list[re.Match[str]]:
        """The next words from a character on."""
        first = bisect_right(self.starts, start - 1)
        return self.words[first : first + count]

    def _part(self, start: int, end: int) -> Part:
        word = bare(self.text[start:end])
        if word in english.SUBJECTS:
            return Part.SUBJECT
        if word in english.OWNERS and self._before_noun(end):
            return Part.OWNER
        if word not in english.PRONOUNS and self._owns(start, end):
            return Part.OWNER
        clause = self._clauses[bisect_right(self._clauses, start) - 1]
        before = self.words[bisect_right(self.starts, clause - 1) : bisect_right(self.starts, start - 1)]
        said = [one[0].lower() for one in before]
        if said and said[-1] in english.PREPOSITIONS:
            return Part.OTHER
        led = all(one in english.BEFORE_SUBJECT or bare(one) in english.BEFORE_SUBJECT for one in said)
        return Part.SUBJECT if led and word not in english.OBJECTS else Part.OBJECT

    def _owns(self, start: int, end: int) -> bool:
        """Whether a name has a possessive mark, in it or behind it, and a noun follows: "Otto's boat", not "Otto's late"."""
        marked = _POSSESSIVE.match(self.text, end)
        if marked is None and _ENDS_POSSESSIVE.search(self.text[start:end]) is None:
            return False
        return self._before_noun(marked.end() if marked else end)

    def _before_noun(self, end: int) -> bool:
        following = _WORD.match(self.text, end + 1)
        return following is not None and bare(following[0]) not in english.FUNCTION


def bare(word: str) -> str:
    """A word in lower case without what is joined to it: "He's" is "he", "the Finches'" ends in "finches"."""
    lowered = word.lower().replace("’", "'")
    return _PLURAL_POSSESSIVE.sub("s", lowered).split("'")[0] if not lowered.endswith("n't") else lowered
