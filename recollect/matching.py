"""Where the names that a registry holds stand in a text: whole, or in part.

Pure. `recollect.lookup` fetches the names that share a word with the text, this module says which of them the text speaks. A
capital letter counts for much: "Point" is Henderson Point where "point" is not.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from recollect.names import AFTER, INSIDE, LETTER, name_key, normalise, spelled_out
from recollect.patterns import lazy_pattern
from recollect.wordlists import (
    AMBIGUOUS,
    BEFORE_DAYS,
    BEFORE_NAMES,
    CALENDAR,
    DONE_BY_PEOPLE,
    GRAMMAR,
    SURELY_BEFORE_DAYS,
)
from recollect.words import remembered

_WORD = lazy_pattern(rf"{LETTER}+(?:(?:[.'’ʼ&]|{INSIDE}){LETTER}+)*(?:{AFTER})?'?")
_UNSPACED = lazy_pattern("[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")
_LONGEST_UNSPACED = 8
_ENDS_SENTENCE = lazy_pattern(r"[.!?:;\n…]")
_TITLES = frozenset("mr mrs ms miss dr prof professor sir st".split())
_INDEFINITE = frozenset("a an any another every some each no".split())
_DEFINITE = _INDEFINITE | frozenset("the my your our his her its their this that".split())
_POSSESSIVE = lazy_pattern(r"['’][sS]?$")
_SPACE = lazy_pattern(r"[^\S\t\n\v\f\r\x1c-\x1f\x85\u2028\u2029]")
_SHORTEST_FOLDED = 5
_SHORTEST_PLURAL = 4
_SHORTEST_INITIALS = 3
_BESIDE_A_MONTH = lazy_pattern(r"(?:0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th)?|(?:19|20)\d\d")


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a text. plain: as names are compared; start, end: its place in the text.

    capital: written with one. opens: it begins a sentence, so that its capital says nothing. joined: nothing but a space, a
    hyphen or the dot of a title stands between it and the word before. initialed: nothing but the dot of an initial does.
    """

    written: str
    plain: str
    start: int
    end: int
    capital: bool
    opens: bool
    joined: bool
    initialed: bool = False

    @property
    def named(self) -> bool:
        """Whether it is written as a name is."""
        return self.capital and not self.opens


@dataclass(frozen=True, slots=True, kw_only=True)
class Name:
    """A name as the registry holds it. full: of a person, the words of its longest name, where it is
    more than one.

    Two entities of one name have two of these.
    """

    normalised: str
    is_person: bool
    written_small: bool = False
    full: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a name stands in a text. whole: all of the name, not a part of it or its initials."""

    name: Name
    start: int
    end: int
    whole: bool
    exact: bool = True


def words_of(text: str, *, is_name: bool = False) -> list[Word]:
    """The words of a text, in order; those of scripts without spaces stay unbroken.

    is_name: the text is a name and no sentence, so that how it is written says nothing.
    """
    found: list[Word] = []
    end = 0
    for match in _WORD.finditer(text):
        between = text[end : match.start()]
        if not between.isascii():  # one that breaks no line is one as well
            between = _SPACE.sub(" ", between)
        after_title = bool(found) and found[-1].plain in _TITLES
        ends = bool(_ENDS_SENTENCE.search(between)) and not (after_title and between == ". ")
        initialed = bool(found) and between == ". " and len(found[-1].plain) == 1 and found[-1].capital
        capital, opens = match[0][0].isupper(), not found or ends
        joined = bool(found) and not ends and between in {" ", "-", "‐", "‑", ". ", "  ", " & "}
        if joined and between == " & ":
            found.append(Word("&", "and", end + 1, end + 2, capital=False, opens=False, joined=True))
        for plain in _plain(match[0]):
            found.append(
                Word(
                    written=match[0],
                    plain=plain,
                    start=match.start(),
                    end=match.end(),
                    capital=capital or is_name,
                    opens=opens and not is_name,
                    joined=joined,
                    initialed=initialed and not joined,
                )
            )
            joined = True
        end = match.end()
    return found


@remembered
def _plain(written: str) -> tuple[str, ...]:
    """What a word is compared as: mostly one word."""
    return tuple(name_words(normalise(written)))


def name_words(normalised: str) -> list[str]:
    """The words of a normalised name as they are compared, article and title included."""
    kept = spelled_out("x " + normalised).split()  # behind another word nothing is an article
    return kept[1:]


def keys(words: Sequence[Word]) -> set[str]:
    """What to look names up by that may stand among the words."""
    found: set[str] = set()
    for word in words:
        if word.plain not in GRAMMAR or (word.named and word.plain != "i"):
            found.update(map(name_key, _forms(word)))
        found.update(plain for plain, _, _ in _unspaced(word))
    return found - {""}


def places(words: Sequence[Word], names: Iterable[Name]) -> list[Place]:
    """Where the names stand among the words of a text; what stands inside a longer name is not told."""
    by_key: dict[str, list[int]] = {}
    for number, word in enumerate(words):
        for form in _forms(word):
            by_key.setdefault(name_key(form), []).append(number)
    small = not any(word.named and word.plain != "i" for word in words)
    pieces: dict[str, list[tuple[int, int]]] = {}
    for word in words:
        for plain, start, end in _unspaced(word):
            if (start, end) != (word.start, word.end):
                pieces.setdefault(plain, []).append((start, end))
    found = [place for name in names for place in _places(words, by_key, pieces, name, small)]
    return _outermost(found)


def _places(
    words: Sequence[Word],
    by_key: Mapping[str, Sequence[int]],
    pieces: Mapping[str, Sequence[tuple[int, int]]],
    name: Name,
    small: bool,
) -> Iterator[Place]:
    spelled = spelled_out(name.normalised).split()
    parts = ["and" if part == "&" else part for part in spelled]
    if not parts:
        return
    seen: set[tuple[int, int]] = set()
    for at in dict.fromkeys((0, len(parts) - 1)):
        for number in by_key.get(name_key(parts[at]), ()):
            first, last, begin = _extent(words, parts, at, number)
            if last < first or (first, last) in seen:
                continue
            seen.add((first, last))
            run = words[first : last + 1]
            whole = len(run) == len(parts)
            if _speaks(words, first, last, name, whole=whole, surname=at > 0, small=small):
                exact = all(_same(word.plain, part) for word, part in zip(run, parts[begin:], strict=False))
                yield Place(name=name, start=run[0].start, end=_stop(run[-1]), whole=whole, exact=exact)
    yield from _initials(words, by_key, name, spelled)
    if len(parts) == 1:
        for start, end in pieces.get(parts[0], ()):
            yield Place(name=name, start=start, end=end, whole=True)


def _extent(words: Sequence[Word], parts: Sequence[str], at: int, number: int) -> tuple[int, int, int]:
    """The longest run of words around one that says the same as the run of a name around one of its parts.

    Its first and its last word, and where in the name it begins; none where the last is before the first.
    """
    if not _says(words[number], parts[at]):
        return 0, -1, 0
    first = last = number
    back, ahead = at, at
    while back > 0 and first > 0 and _goes_on(words[first]) and _says(words[first - 1], parts[back - 1]):
        first, back = first - 1, back - 1
    while (
        ahead + 1 < len(parts)
        and last + 1 < len(words)
        and _goes_on(words[last + 1])
        and _says(words[last + 1], parts[ahead + 1])
    ):
        last, ahead = last + 1, ahead + 1
    while first < number and words[first].plain == "and":
        first, back = first + 1, back + 1
    while last > number and words[last].plain == "and":
        last -= 1
    return first, last, back


def _speaks(
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
    acts = name.is_person and run[-1].capital and (_possessive(run[-1]) or _followed(words, last, DONE_BY_PEOPLE))
    if first == last and not acts and _is_a_month(words, first):
        return False
    if not (whole or acts) and all(word.plain in CALENDAR for word in run):
        return name.is_person and run[0].named and not _preceded(words, first, BEFORE_DAYS)
    return (
        len(run) > 1
        or run[0].named
        or acts
        or _speaks_alone(words, first, name, whole=whole, surname=surname, small=small)
    )


def _is_a_month(words: Sequence[Word], place: int) -> bool:
    """ "In May", "3 May" and "May 2019" are a month, whoever is called May; "I owe May 50" is about her."""
    if words[place].plain not in CALENDAR or _possessive(words[place]):
        return False
    after = words[place + 1] if place + 1 < len(words) and words[place + 1].joined else None
    return _preceded(words, place, SURELY_BEFORE_DAYS) or any(
        beside is not None and _BESIDE_A_MONTH.fullmatch(beside.written) is not None
        for beside in (words[place - 1] if place and words[place].joined else None, after)
    )


def _speaks_alone(words: Sequence[Word], first: int, name: Name, *, whole: bool, surname: bool, small: bool) -> bool:
    """The same of one word that is written small or at the start of a sentence."""
    run = words[first : first + 1]
    if run[0].plain in AMBIGUOUS and not (run[0].capital and _possessive(run[0])):
        return whole and name.written_small and not _preceded(words, first, _INDEFINITE)
    if whole:
        return not _preceded(words, first, _INDEFINITE)
    return name.is_person and not _preceded(words, first, _DEFINITE) and (run[0].capital or not surname or small)


def _named_otherwise(words: Sequence[Word], first: int, last: int, name: Name, *, whole: bool) -> bool:
    """Whether the name goes on in the text as another's: "Peter Lindqvist" is not Peter Haas, nor "Henderson Point" a firm."""
    if whole and not name.full:
        return False
    known = name.full or tuple(spelled_out(name.normalised).split())
    after = words[last + 1] if last + 1 < len(words) and words[last + 1].joined else None
    if (
        after
        and not _possessive(words[last])
        and not _says(words[last], known[-1])
        and _is_more(after, words[last], known)
    ):
        return True
    before = words[first - 1] if first > 0 and words[first].joined else None
    return bool(
        before
        and not _possessive(before)
        and not _says(words[first], known[0])
        and before.plain not in BEFORE_NAMES
        and _is_more(before, words[first], known)
    )


def _is_more(word: Word, beside: Word, known: Sequence[str]) -> bool:
    shouted = len(beside.plain) > 1 and word.written.isupper() and beside.written.isupper()
    ordinary = shouted or word.plain in GRAMMAR or word.plain in CALENDAR
    return word.named and not ordinary and not any(_same(word.plain, part) for part in known)


def _initials(
    words: Sequence[Word], by_key: Mapping[str, Sequence[int]], name: Name, parts: Sequence[str]
) -> Iterator[Place]:
    initials = "".join(part[0] for part in parts)
    if name.is_person or len(parts) < _SHORTEST_INITIALS:
        return
    for number in by_key.get(name_key(initials), ()):
        word = words[number]
        if word.written[: len(initials)].isupper() and word.plain == initials:
            yield Place(name=name, start=word.start, end=_stop(word), whole=False)


def _unspaced(word: Word) -> Iterator[tuple[str, int, int]]:
    """The pieces of a word in a script without spaces."""
    if not _UNSPACED.search(word.written):
        return
    for start in range(len(word.written)):
        for end in range(start + 2, min(len(word.written), start + _LONGEST_UNSPACED) + 1):
            yield normalise(word.written[start:end]), word.start + start, word.start + end


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


def _forms(word: Word) -> tuple[str, ...]:
    plural = word.capital and len(word.plain) > _SHORTEST_PLURAL and word.plain.endswith("s")
    return (word.plain, word.plain[:-1]) if plural else (word.plain,)


def _says(word: Word, part: str) -> bool:
    return any(_same(form, part) for form in _forms(word))


def _same(one: str, other: str) -> bool:
    """ "mueller" is "muller", and "joe" is not "jo"."""
    if one == other:
        return True
    return min(len(one), len(other)) >= _SHORTEST_FOLDED and name_key(one) == name_key(other)


def _possessive(word: Word) -> bool:
    return _POSSESSIVE.search(word.written) is not None


def _goes_on(word: Word) -> bool:
    """Whether a name may go on with a word: "Haas" of "Peter J. Haas", too."""
    return word.joined or word.initialed


def _stop(word: Word) -> int:
    """Where a word ends without its possessive."""
    return word.end - len(word.written) + len(_POSSESSIVE.sub("", word.written))


def _followed(words: Sequence[Word], last: int, by: frozenset[str]) -> bool:
    return last + 1 < len(words) and words[last + 1].joined and words[last + 1].plain in by


def _preceded(words: Sequence[Word], first: int, by: frozenset[str]) -> bool:
    return first > 0 and words[first].joined and words[first - 1].plain in by
