"""A fact's text beside its sources: which words were said, and in which clauses."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Final

from mosshead.language.lexicon import Word, first_names, keys_of
from mosshead.language.passage import TITLES, Passage, PassageClause
from pipeline.extraction.alignment import says_the_same, written_out


class Doubt(StrEnum):
    """Why a fact stays a hypothesis."""

    NAME = "a word of it has a capital, and nobody said it"
    FIGURE = "its sources lack a number or date of it, or use it for something else"
    NO_QUOTE = "no message of a user says its quote"
    NO_SENTENCE = "its content is no sentence"
    WORDING = "it speaks as on the day it was said: I, you, yesterday"
    UNRELATED = "its words share too little with its sources"
    DETAIL = "nobody said a part of it"
    COURTESY = "its sources only greet, thank or praise"
    FEELING = "nobody said the feeling"
    NEGATION = "it negates something else than its sources"
    QUESTION = "its sources only ask"
    UNREAL = "its sources only suppose it"
    CANCELLED = "its sources call it off"
    PAST = "its sources tell it of the past"
    REPORTED = "its sources give it as somebody else's claim"
    PEOPLE = "its sources tell it of somebody else"
    ASSISTANT = "only the assistant said it"


Taken = tuple[Passage, PassageClause, list[Word]]
"""A source clause, and its words that the fact uses."""


@dataclass(frozen=True)
class Interpretation:
    """A fact's text beside its sources.

    said: the users' source messages.
    heard: the assistant's, and those just before.
    known: what was said earlier.
    confirmed: the user said yes to the assistant's words.
    names, things: words of the names of mentioned people, and of other names.
    speakers: everyone who speaks.
    after: users' messages after the first source.
    corrects: it corrects something, so calling that off is no doubt.
    cited: the number of cited messages.
    """

    content: Passage
    said: Sequence[Passage]
    heard: Sequence[Passage]
    known: Passage
    confirmed: bool
    names: frozenset[str] = frozenset()
    things: frozenset[str] = frozenset()
    speakers: frozenset[str] = frozenset()
    after: Sequence[Passage] = ()
    corrects: bool = False
    cited: int = 1

    @cached_property
    def beside(self) -> Sequence[Passage]:
        """Everything said besides the users' words."""
        return [*self.heard, self.known]

    def meets(self, word: Word, passage: Passage) -> bool:
        keys = keys_of(passage.whole)
        return word.key in keys or word.key in self._written_out or any(says_the_same(word.key, one) for one in keys)

    @cached_property
    def is_of_one_language(self) -> bool:
        """Whether fact and sources may be in the same language."""
        said = {one for passage in self.said for one in passage.lexicons}
        return not said or not self.content.lexicons or bool(said.intersection(self.content.lexicons))

    def writes_out(self, word: Word) -> bool:
        """Whether a word is abbreviated in the sources."""
        return word.key in self._written_out

    @cached_property
    def _written_out(self) -> frozenset[str]:
        ours, theirs = self.content.words, [word for one in (*self.said, *self.beside) for word in one.words]
        short = {word.key for word in ours if word.text.isupper() and len(word.key) > 1 and written_out(theirs, [word])}
        return written_out(ours, theirs) | short

    def _matched(self, passage: Passage) -> list[Word]:
        """Return a source's words that the fact uses."""
        keys = [word.key for word in self.content.content]
        return [word for word in passage.content if any(says_the_same(word.key, key) for key in keys)]

    @cached_property
    def touched(self) -> list[Taken]:
        """The users' clauses that the fact draws on; with a quote, those of the quote."""
        found = []
        for passage in self.said:
            matched = set(self._matched(passage))
            for clause in passage.quoted if passage.span[1] else passage.clauses:
                held = [word for word in clause.words if word in matched]
                if held:
                    found.append((passage, clause, held))
        return found

    @cached_property
    def aligned(self) -> list[Taken]:
        """The clauses that the fact draws on most."""
        quoted = [one for one in self.said if one.span[1]]
        touched = [one for one in self.touched if not quoted or one[0] in quoted]
        most = max((len(held) for _, _, held in touched), default=0)
        return [one for one in touched if 2 * len(one[2]) >= most]

    @cached_property
    def speakers_heard(self) -> frozenset[str]:
        """The speakers of the sources."""
        return frozenset(passage.speaker for passage in self.said if passage.speaker)

    def taken(self, held: Sequence[Word]) -> set[str]:
        """Return the fact's words that match some source words."""
        return {one.key for one in self.content.content for word in held if says_the_same(word.key, one.key)}

    def opens_with_user(self) -> bool:
        return any(self.content.has("user", word.key) for word in self.content.words[:2]) and not _possesses(
            self.content
        )

    def is_person(self, word: Word, passage: Passage) -> bool:
        if not any(says_the_same(word.key, one) for one in self.things) and is_name(word, passage, self.names):
            return True
        before = [one for one in passage.words if one.end <= word.start][-1:]
        heads = not before or any(passage.has("function", one.key) for one in before)
        return passage.has("persons", word.key) and heads

    @cached_property
    def named(self) -> frozenset[str]:
        """Words that are names somewhere in the texts; a capital at the start of a sentence is no evidence."""
        texts = (self.content, *self.said)
        return self.names | {word.key for one in texts for word in one.words if is_name(word, one, frozenset())}


_TITLE: Final = re.compile(rf"\b(?:{'|'.join(TITLES)})\.$")
_LONGEST_TITLE: Final = 6


def is_name(word: Word, passage: Passage, names: frozenset[str]) -> bool:
    if word.text == word.text.lower() or any(
        word.key in one.months or word.key in one.weekdays for one in passage.lexicons[:1]
    ):
        return False
    plain = any(one.has("function", word.key) for one in passage.lexicons[:1]) and word.key not in names & first_names()
    if passage.has("user", word.key) or plain:
        return False
    before = passage.text[: word.start].rstrip(" ")
    opens = (not before or before[-1] in ".!?:\n") and not _TITLE.search(before[-_LONGEST_TITLE:])
    marks_names = passage.language not in {"", "de"}
    capital = marks_names and not opens and word.text.istitle() and word.text.isalpha()
    return word.key in names or word.key in first_names() or capital


def _possesses(content: Passage) -> bool:
    return any(
        word.text.casefold() in {"s", "des", "del", "de", "dell", "do", "da", "van"} for word in content.words[1:4]
    )
