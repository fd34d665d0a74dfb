"""Check which figure of a sentence the fact's words stand beside: of "rent 720, gym 45", the rent is 720."""

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from mosshead.language.lexicon import Word, every_lexicon, is_unit
from mosshead.language.passage import Passage
from pipeline.extraction.alignment import says_the_same
from pipeline.extraction.doubts.interpretation import Interpretation
from pipeline.extraction.doubts.segments import LEADING, LONGEST_NUMBER, YEAR, date_of, names_a_day, segment_of

_BOUNDARY: Final = 3
"""How many words the end of a clause counts as."""


@dataclass(frozen=True)
class _Figure:
    """A number, day or weekday of a sentence, by its position. kind: what it counts, if the next word says so."""

    at: int
    value: int
    is_day: bool = False
    is_weekday: bool = False
    is_spelt: bool = False
    kind: str = ""


_Group = tuple[_Figure, ...]
"""Figures with only function words between: "2 and a half", "from 2 to 11", "Mon 6-8"."""

_Placed = tuple[Word, int]
"""A word of a sentence, and the number of its clause."""


def labels_another(compared: Interpretation, passage: Passage) -> bool:
    """Whether the fact's words in a sentence stand beside other figures of the same kind than the fact's own."""
    content = compared.content
    verbs = {word.key for word in content.words if any(one.has("finite", word.key) for one in content.lexicons[:1])}
    labels = [word for word in content.words if content.counts(word) and word.key not in verbs]
    things = [word for word in labels if not compared.is_person(word, content)]
    used = _UsedFigures.by(content)
    for _, clauses in groupby(passage.clauses, key=lambda clause: clause.sentence):
        placed = [(word, number) for number, clause in enumerate(clauses) for word in clause.words]
        words = [word for word, _ in placed]
        if passage.tells("mends", [word.key for word in words]):
            continue  # "I lift 80, wait no 75"
        figures = list(_figures(passage, words))
        for same in ([one for one in figures if one.is_day], [one for one in figures if not one.is_day]):
            groups = _grouped(same, passage, words)
            own = [one for one in groups if any(map(used.holds, one))]
            others = [one for one in groups if one not in own and _is_comparable(one, used.kinds_of(own))]
            every = [*own, *others] if own and others else []
            beside = every and (_beside(things, placed, every) or _beside(labels, placed, every))
            if beside and not any(one in own for one in beside):
                return True
    return False


@dataclass(frozen=True)
class _UsedFigures:
    """The figures of a fact. kinds: what each number counts."""

    days: frozenset[int]
    weekdays: frozenset[int]
    numbers: frozenset[str]
    kinds: Mapping[int, str]

    @classmethod
    def by(cls, content: Passage) -> "_UsedFigures":
        segments = [segment_of(content, clause.words) for clause in content.clauses]
        dates = [day for one in segments if (day := date_of(one))]
        return cls(
            days=frozenset(day for one in segments for day in one.plain_days),
            weekdays=frozenset(day for one in segments for day in one.weekdays) | {day.weekday() for day in dates},
            numbers=frozenset(number for one in segments for number in one.numbers),
            kinds={one.value: one.kind for one in _figures(content, content.words)},
        )

    def holds(self, figure: _Figure) -> bool:
        if figure.is_weekday:
            return figure.value in self.weekdays
        return figure.value in self.days or str(figure.value) in self.numbers

    def kinds_of(self, groups: Sequence[_Group]) -> set[str]:
        """Return what figures count, by the sentence and by the fact."""
        said = {group[-1].kind for group in groups}
        return said | {self.kinds.get(figure.value, "") for group in groups for figure in group}


def _figures(passage: Passage, words: Sequence[Word]) -> Iterator[_Figure]:
    """Yield the days and the numbers among some words."""
    lexicons = passage.lexicons[:1] or every_lexicon()
    for at, word in enumerate(words):
        if not at and passage.text[word.end : word.end + 1] in {".", ")"}:
            continue  # the number of a list's line
        leading = LEADING.match(word.key)
        weekday = next((one.weekdays[word.key] for one in lexicons if word.key in one.weekdays), None)
        spelt = next((one.numbers[word.key] for one in lexicons if word.key in one.numbers.keys() - one.articles), 0)
        kind = _kind(passage, word, words[at + 1 : at + 2])
        if weekday is not None:
            yield _Figure(at, weekday, is_day=True, is_weekday=True)
        elif leading and names_a_day(passage, words, at, lexicons):
            yield _Figure(at, int(leading[0]), is_day=True)
        elif leading and len(leading[0]) <= LONGEST_NUMBER and not YEAR.fullmatch(word.text):
            yield _Figure(at, int(leading[0]), kind=kind)
        elif spelt >= 1:
            yield _Figure(at, int(spelt), is_spelt=True, kind=kind)


def _kind(passage: Passage, word: Word, after: Sequence[Word]) -> str:
    """Return what a number counts: "kg" of "8kg", "tetras" of "14 tetras"."""
    attached = LEADING.sub("", word.key, count=1) if word.key[:1].isdecimal() else ""
    if attached or not after or passage.text[word.end : after[0].start] != " ":
        return attached
    timed = any(after[0].key in one.spans for one in passage.lexicons)
    return after[0].key if timed or is_unit(after[0].key) or passage.counts(after[0]) else ""


def _grouped(figures: Sequence[_Figure], passage: Passage, words: Sequence[Word]) -> list[_Group]:
    groups: list[_Group] = []
    for figure in figures:
        if groups and not any(map(passage.counts, words[groups[-1][-1].at + 1 : figure.at])):
            groups[-1] = (*groups[-1], figure)
        else:
            groups.append((figure,))
    return groups


def _is_comparable(group: _Group, kinds: Set[str]) -> bool:
    """Whether figures may count the same things, and are not one number written in several words."""
    whole = len(group) == 1 or not any(one.is_spelt for one in group)
    return whole and (not group[-1].kind or group[-1].kind in kinds)


def _beside(labels: Sequence[Word], placed: Sequence[_Placed], groups: Sequence[_Group]) -> list[_Group]:
    """Return the groups nearest to some words. A word that occurs twice, or halfway between two, is ignored."""
    found = []
    for label in labels:
        places = [at for at, (word, _) in enumerate(placed) if says_the_same(word.key, label.key)]
        apart = [min(_distance(placed, places[0], one.at) for one in group) for group in groups if places]
        if len(places) == 1 and apart.count(min(apart)) == 1:
            found.append(groups[apart.index(min(apart))])
    return found


def _distance(placed: Sequence[_Placed], one: int, other: int) -> int:
    return abs(one - other) + _BOUNDARY * abs(placed[one][1] - placed[other][1])
