"""A text prepared for checking claims: its languages, words, sentences and clauses."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Final

from mosshead.language.lexicon import Lexicon, Word, is_unit, key_of, keys_of, lexicons_of, phrases_in, words_of

TITLES: Final = ("Dr", "Mr", "Fr", "Sr", "Dra", "Sra", "Mrs", "Prof", "St")
"""Abbreviations whose full stop ends no sentence."""
_SENTENCE_END: Final = re.compile(
    r"(?<=[.!?…;])(?<!\b\d\.)(?<!\b\d\d\.)"
    + "".join(rf"(?<!\b{title}\.)" for title in TITLES)
    + r"[\s\"”»)]+|\n+|(?<=[。！？])"
)
_CLAUSE_END: Final = re.compile(r"[,:()–—]|\s-\s")
_AROUND = 400
"""How many characters around the quote in a long message are examined."""

_BEFORE_QUESTION = 3
_ASKING: Final = frozenset("is are was were does do did will would can could should has have".split())
_ASKED_ABOUT: Final = frozenset("he she it they we you i this that these those anyone anybody someone".split())
_ALONE, _CLEAR = 60, 2
"""The length from which a text identifies its language by itself, and the function words that a shorter one needs."""


@dataclass(frozen=True, slots=True)
class PassageClause:
    """A clause of a sentence. sentence: its number. words: without those before and after."""

    sentence: int
    words: tuple[Word, ...]
    asks: bool

    @property
    def keys(self) -> list[str]:
        return [word.key for word in self.words]


@dataclass(frozen=True)
class Passage:
    """A text prepared for checking claims: its languages, words and clauses."""

    text: str
    lexicons: tuple[Lexicon, ...]
    span: tuple[int, int] = (0, 0)
    speaker: str = ""
    whole: str = ""

    @classmethod
    def of(cls, text: str, beside: str = "", span: tuple[int, int] = (0, 0), speaker: str | None = None) -> "Passage":
        """Prepare a text. beside: other text of the conversation, to identify the language. span: the part that matters most."""
        own = lexicons_of(text[: 10 * _AROUND])
        own = own if len(text) > _ALONE or _is_clear(text, own, beside) else ()
        left = max(span[0] - _AROUND, 0)
        near = text[left : max(span[1], left + _AROUND) + _AROUND]
        placed = (span[0] - left, span[1] - left)
        return cls(
            near, own or lexicons_of(f"{text[:_AROUND]} {beside[:_AROUND]}"), placed, key_of(speaker or ""), text
        )

    @property
    def language(self) -> str:
        """The likeliest language; empty if unknown."""
        return self.lexicons[0].language if self.lexicons else ""

    def has(self, role: str, key: str) -> bool:
        """Whether a word has a role in a language of the text."""
        return any(lexicon.has(role, key) for lexicon in self.lexicons)

    def is_negation(self, key: str) -> bool:
        """Whether a word negates. Spanish "no" does not count in a Portuguese text, where it is a function word."""
        other = any(one.has("function", key) and not one.has("negation", key) for one in self.lexicons[:1])
        return not other and self.has("negation", key)

    def tells(self, role: str, keys: Sequence[str]) -> bool:
        """Whether an entry of a role occurs in a sequence of keys."""
        return any(next(phrases_in(keys, one.entries.get(role, frozenset())), None) for one in self.lexicons)

    def opens(self, role: str, keys: Sequence[str]) -> bool:
        """Whether a sequence of keys begins with an entry of a role."""
        found = (at for one in self.lexicons for at, _ in phrases_in(keys, one.entries.get(role, frozenset())))
        return 0 in found

    @cached_property
    def words(self) -> tuple[Word, ...]:
        return words_of(self.text)

    def claims(self, word: Word) -> bool:
        """Whether a word is a number or part of a date."""
        known = (
            held for one in self.lexicons for held in (one.months, one.weekdays, one.numbers.keys() - one.articles)
        )
        return word.key[:1].isdecimal() or any(word.key in held for held in known)

    def is_timed(self, word: Word) -> bool:
        """Whether a word is a number, or names a day, month or span of time."""
        return any(
            word.key in held
            for one in self.lexicons
            for held in (one.months, one.weekdays, one.days, one.spans, one.numbers)
        )

    def counts(self, word: Word) -> bool:
        """Whether a word is a content word: no number, time or function word."""
        key = word.key
        roles = ("function", "user", "negation", "affirm", "first")
        return (
            bool(key)
            and not key[0].isdecimal()
            and not self.is_timed(word)
            and not is_unit(key)
            and not any(self.has(role, key) for role in roles)
        )

    @cached_property
    def content(self) -> tuple[Word, ...]:
        return tuple(word for word in self.words if self.counts(word))

    @cached_property
    def sentences(self) -> tuple[tuple[int, int], ...]:
        cuts = [0, *(match.end() for match in _SENTENCE_END.finditer(self.text)), len(self.text)]
        return tuple((start, end) for start, end in pairwise(cuts) if end > start)

    @cached_property
    def clauses(self) -> tuple[PassageClause, ...]:
        return tuple(clause for number, span in enumerate(self.sentences) for clause in self._clauses(number, *span))

    @cached_property
    def quoted(self) -> tuple[PassageClause, ...]:
        """The clauses that overlap the span."""
        start, end = self.span
        return tuple(one for one in self.clauses if any(word.start < end and word.end > start for word in one.words))

    def _clauses(self, number: int, start: int, end: int) -> Iterator[PassageClause]:
        text = self.text[start:end]
        cuts = [start + match.start() for match in _CLAUSE_END.finditer(text)]
        words = [word for word in self.words if start <= word.start < end]
        cuts += [word.start for word in words[1:] if self.joins(word)]
        cuts = [start, *sorted(cuts), end]
        parts = [tuple(w for w in words if left <= w.start < right) for left, right in pairwise(cuts)]
        parts = [part for part in parts if part]
        asked = "?" in text[-4:] or "？" in text or "؟" in text
        unmarked = not asked and text.rstrip()[-1:] != "!" and self._asks_unmarked(words)
        opens = [at for at, part in enumerate(parts) if self._opens(part)]
        first = opens[0] if opens else len(parts) - 1
        greets = [all(self.has("greets", word.key) for word in part) for part in parts]
        head = greets.index(False) if False in greets else 0
        for at, part in enumerate(parts):
            yield PassageClause(number, part, (asked and at >= first) or (unmarked and at == head))

    def _asks_unmarked(self, words: Sequence[Word]) -> bool:
        """Whether a sentence without a question mark begins like a question: "hey what's the best way to get there"."""
        ahead = [word for word in words[:_BEFORE_QUESTION] if not self.has("greets", word.key)]
        words = words[len(words[:_BEFORE_QUESTION]) - len(ahead) :]
        heads = [word.key for word in words]
        english = self.language == "en"
        subject = any(word.key in _ASKED_ABOUT or (word.text.istitle() and heads[0] != "will") for word in words[1:2])
        if english and subject and heads[0] in _ASKING:
            return True
        return any(
            0 in {at for at, _ in phrases_in(heads, one.entries.get("asks", frozenset()))} for one in self.lexicons[:1]
        )

    def until(self, clause: PassageClause) -> list[Word]:
        """Return the words of a clause and of earlier ones in its sentence; a condition after it concerns something else."""
        held = [
            one
            for one in self.clauses
            if one.sentence == clause.sentence and one.words[0].start <= clause.words[0].start
        ]
        return [word for one in held for word in one.words]

    def joins(self, word: Word) -> bool:
        """Whether a word is a conjunction, unlike "é" and "è"."""
        kin = any(one.has("persons", word.key) for one in self.lexicons[:1])  # "mãe" is not Italian "ma"
        return self.has("conjunctions", word.key) and not kin and word.text.casefold() not in {"é", "è"}

    def parts(self, first: int, second: int) -> bool:
        """Whether two words, given by position, are in different clauses."""
        ends = (self.words[first].start, self.words[second].start)
        here = [at for at, clause in enumerate(self.clauses) for word in clause.words if word.start in ends]
        return len(set(here)) > 1

    def before(self, clause: PassageClause, word: Word) -> list[Word]:
        """Return a clause's words before a given one, with a preceding clause that only names somebody."""
        at = self.clauses.index(clause)
        named = self.clauses[at - 1].words if at and len(self.clauses[at - 1].words) <= 2 else ()
        same = at and self.clauses[at - 1].sentence == clause.sentence
        same = same and not any(self.is_negation(word.key) for word in named)
        return [*(named if same else ()), *(one for one in clause.words if one.start < word.start)]

    def _opens(self, part: Sequence[Word]) -> bool:
        heads = [word for word in part if not self.has("conjunctions", word.key)][:1]
        return any(self.has("openers", word.key) for word in heads)


def _is_clear(text: str, lexicons: Sequence[Lexicon], beside: str) -> bool:
    """Whether a short text identifies its language: it has enough function words, and the conversation uses no rival language."""
    several = len(lexicons) > 1 and any(one in lexicons for one in lexicons_of(beside[:_AROUND]))
    return bool(lexicons) and not several and len(keys_of(text) & lexicons[0].entries["function"]) >= _CLEAR
