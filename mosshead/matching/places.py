"""Where names stand among the words of a text."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from mosshead.matching.speaking import Name, speaks
from mosshead.matching.words import Word, forms, same, says, unspaced
from mosshead.names import name_key, spelled_out
from mosshead.wordlists import GRAMMAR

_SHORTEST_INITIALS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a name stands in a text. whole: all of the name, not a part of it or its initials."""

    name: Name
    start: int
    end: int
    whole: bool
    exact: bool = True


def keys(words: Sequence[Word]) -> set[str]:
    """What to look names up by that may stand among the words."""
    found: set[str] = set()
    for word in words:
        if word.plain not in GRAMMAR or (word.named and word.plain != "i"):
            found.update(map(name_key, forms(word)))
        found.update(plain for plain, _, _ in unspaced(word))
    return found - {""}


def places(words: Sequence[Word], names: Iterable[Name]) -> list[Place]:
    """Where the names stand among the words of a text; what stands inside a longer name is not told."""
    text = _indexed(words)
    return _outermost([place for name in names for place in _places(text, name)])


@dataclass(frozen=True, slots=True)
class _Text:
    """The words of a text, and where they stand.

    by_key: the numbers of the words that may say what has such a key. pieces: where the pieces of words without spaces start
    and end. small: no word is written as a name is.
    """

    words: Sequence[Word]
    by_key: Mapping[str, Sequence[int]]
    pieces: Mapping[str, Sequence[tuple[int, int]]]
    small: bool


def _indexed(words: Sequence[Word]) -> _Text:
    by_key: dict[str, list[int]] = {}
    pieces: dict[str, list[tuple[int, int]]] = {}
    for number, word in enumerate(words):
        for form in forms(word):
            by_key.setdefault(name_key(form), []).append(number)
        for plain, start, end in unspaced(word):
            if (start, end) != (word.start, word.end):
                pieces.setdefault(plain, []).append((start, end))
    return _Text(words, by_key, pieces, small=not any(word.named and word.plain != "i" for word in words))


def _places(text: _Text, name: Name) -> Iterator[Place]:
    words, spelled = text.words, spelled_out(name.normalised).split()
    parts = ["and" if part == "&" else part for part in spelled]
    if not parts:
        return
    seen: set[tuple[int, int]] = set()
    for at in dict.fromkeys((0, len(parts) - 1)):
        for number in text.by_key.get(name_key(parts[at]), ()):
            first, last, begin = _extent(words, parts, at, number)
            if last < first or (first, last) in seen:
                continue
            seen.add((first, last))
            run = words[first : last + 1]
            whole = len(run) == len(parts)
            if speaks(words, first, last, name, whole=whole, surname=at > 0, small=text.small):
                exact = all(same(word.plain, part) for word, part in zip(run, parts[begin:], strict=False))
                yield Place(name=name, start=run[0].start, end=run[-1].stop, whole=whole, exact=exact)
    yield from _initials(text, name, spelled)
    if len(parts) == 1:
        for start, end in text.pieces.get(parts[0], ()):
            yield Place(name=name, start=start, end=end, whole=True)


def _extent(words: Sequence[Word], parts: Sequence[str], at: int, number: int) -> tuple[int, int, int]:
    """The longest run of words around one that says the same as the run of a name around one of its parts.

    Its first and its last word, and where in the name it begins; none where the last is before the first.
    """
    if not says(words[number], parts[at]):
        return 0, -1, 0
    first = last = number
    back, ahead = at, at
    while back > 0 and first > 0 and words[first].goes_on and says(words[first - 1], parts[back - 1]):
        first, back = first - 1, back - 1
    while (
        ahead + 1 < len(parts)
        and last + 1 < len(words)
        and words[last + 1].goes_on
        and says(words[last + 1], parts[ahead + 1])
    ):
        last, ahead = last + 1, ahead + 1
    while first < number and words[first].plain == "and":
        first, back = first + 1, back + 1
    while last > number and words[last].plain == "and":
        last -= 1
    return first, last, back


def _initials(text: _Text, name: Name, parts: Sequence[str]) -> Iterator[Place]:
    initials = "".join(part[0] for part in parts)
    if name.is_person or len(parts) < _SHORTEST_INITIALS:
        return
    for number in text.by_key.get(name_key(initials), ()):
        word = text.words[number]
        if word.written[: len(initials)].isupper() and word.plain == initials:
            yield Place(name=name, start=word.start, end=word.stop, whole=False)


def _outermost(found: Sequence[Place]) -> list[Place]:
    """Without what stands inside a longer one, and without a plural where the same place is a name as it stands."""
    exact = {(place.start, place.end) for place in found if place.exact}
    inside: set[tuple[int, int]] = set()
    reached = -1
    for start, end in sorted({(place.start, place.end) for place in found}, key=lambda span: (span[0], -span[1])):
        if end <= reached:  # by one that begins no later
            inside.add((start, end))
        reached = max(reached, end)
    return [
        place
        for place in found
        if (place.exact or (place.start, place.end) not in exact) and (place.start, place.end) not in inside
    ]
