"""Find where known names occur in a text, ignoring case, accents, articles, titles, hyphens, possessives and a plural s."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from mosshead.language.names import AFTER, INSIDE, LETTER, name_key, normalise, spelled_out
from mosshead.language.wordlists import (
    AMBIGUOUS,
    BEFORE_DAYS,
    BEFORE_NAMES,
    CALENDAR,
    DONE_BY_PEOPLE,
    GRAMMAR,
    SURELY_BEFORE_DAYS,
)
from mosshead.patterns import lazy_pattern, remembered


@dataclass(frozen=True, slots=True, kw_only=True)
class Name:
    """A name from the registry. Two entities with the same name have one each.

    full: for a person, the words of the longest name, if it has several.
    """

    normalised: str
    is_person: bool
    written_small: bool = False
    full: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class NamePlace:
    """Where a name stands in a text. whole: the full name, rather than a part or initials."""

    name: Name
    start: int
    end: int
    whole: bool
    exact: bool = True


@dataclass(frozen=True, slots=True)
class TextWord:
    """A word of a text.

    plain: normalised like names; start, end: its position. capital: capitalised. opens: it begins a sentence, so its capital is
    no evidence. joined: only a space, a hyphen or a title's dot separates it from the word before. initialed: only an initial's
    dot does.
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
        """Whether it is written like a name."""
        return self.capital and not self.opens

    @property
    def goes_on(self) -> bool:
        """Whether it may continue a name, like "Haas" in "Peter J. Haas"."""
        return self.joined or self.initialed

    @property
    def possessive(self) -> bool:
        """Whether it is possessive: "Peter's"."""
        return _POSSESSIVE.search(self.written) is not None

    @property
    def stop(self) -> int:
        """Where it ends, without its possessive."""
        return self.end - len(self.written) + len(_POSSESSIVE.sub("", self.written))


def keys_of(texts: Iterable[str], *, are_names: bool = False) -> set[str]:
    """Return the lookup keys of texts, matching first_word, last_word and initials of the view ``aliases``."""
    found: set[str] = set()
    for word in (word for one in texts for word in words_of(one, is_name=are_names)):
        if word.plain not in GRAMMAR or (word.named and word.plain != "i"):
            found.update(map(name_key, _forms(word)))
        found.update(plain for plain, _, _ in _unspaced(word))
    return found - {""}


def places(words: Sequence[TextWord], names: Iterable[Name]) -> list[NamePlace]:
    """Find the names among a text's words, except inside a longer name."""
    by_key: dict[str, list[int]] = {}
    pieces: dict[str, list[tuple[int, int]]] = {}
    for number, word in enumerate(words):
        for form in _forms(word):
            by_key.setdefault(name_key(form), []).append(number)
        for plain, start, end in _unspaced(word):
            if (start, end) != (word.start, word.end):
                pieces.setdefault(plain, []).append((start, end))
    text = _Text(words, by_key, pieces, small=not any(word.named and word.plain != "i" for word in words))
    return _outermost([place for name in names for place in _places(text, name)])


@dataclass(frozen=True, slots=True)
class _Text:
    """The words of a text, with indexes.

    by_key: the words that may spell the name with a key. pieces: where parts of unspaced words start and end. small: no word is
    written like a name.
    """

    words: Sequence[TextWord]
    by_key: Mapping[str, Sequence[int]]
    pieces: Mapping[str, Sequence[tuple[int, int]]]
    small: bool


def _places(text: _Text, name: Name) -> Iterator[NamePlace]:
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
            if _speaks(words, first, last, name, whole=whole, surname=at > 0, small=text.small):
                exact = all(_same(word.plain, part) for word, part in zip(run, parts[begin:], strict=False))
                yield NamePlace(name=name, start=run[0].start, end=run[-1].stop, whole=whole, exact=exact)
    yield from _initials(text, name, spelled)
    if len(parts) == 1:
        for start, end in text.pieces.get(parts[0], ()):
            yield NamePlace(name=name, start=start, end=end, whole=True)


def _extent(words: Sequence[TextWord], parts: Sequence[str], at: int, number: int) -> tuple[int, int, int]:
    """Return the longest run of words around one that matches a run of a name's parts around one of them.

    These are its first and last word, and where in the name it begins; nothing matches if the last is before the first.
    """
    if not _says(words[number], parts[at]):
        return 0, -1, 0
    first = last = number
    back, ahead = at, at
    while back > 0 and first > 0 and words[first].goes_on and _says(words[first - 1], parts[back - 1]):
        first, back = first - 1, back - 1
    while (
        ahead + 1 < len(parts)
        and last + 1 < len(words)
        and words[last + 1].goes_on
        and _says(words[last + 1], parts[ahead + 1])
    ):
        last, ahead = last + 1, ahead + 1
    while first < number and words[first].plain == "and":
        first, back = first + 1, back + 1
    while last > number and words[last].plain == "and":
        last -= 1
    return first, last, back


_SHORTEST_INITIALS = 3


def _initials(text: _Text, name: Name, parts: Sequence[str]) -> Iterator[NamePlace]:
    initials = "".join(part[0] for part in parts)
    if name.is_person or len(parts) < _SHORTEST_INITIALS:
        return
    for number in text.by_key.get(name_key(initials), ()):
        word = text.words[number]
        if word.written[: len(initials)].isupper() and word.plain == initials:
            yield NamePlace(name=name, start=word.start, end=word.stop, whole=False)


def _outermost(found: Sequence[NamePlace]) -> list[NamePlace]:
    """Drop names inside longer ones, and plural readings where another name matches exactly."""
    exact = {(place.start, place.end) for place in found if place.exact}
    inside: set[tuple[int, int]] = set()
    reached = -1
    for start, end in sorted({(place.start, place.end) for place in found}, key=lambda span: (span[0], -span[1])):
        if end <= reached:  # inside one that begins no later
            inside.add((start, end))
        reached = max(reached, end)
    return [
        place
        for place in found
        if (place.exact or (place.start, place.end) not in exact) and (place.start, place.end) not in inside
    ]


_INDEFINITE = frozenset("a an any another every some each no".split())
_DEFINITE = _INDEFINITE | frozenset("the my your our his her its their this that".split())
_BESIDE_A_MONTH = lazy_pattern(r"(?:0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th)?|(?:19|20)\d\d")


def _speaks(
    words: Sequence[TextWord], first: int, last: int, name: Name, *, whole: bool, surname: bool, small: bool
) -> bool:
    """Whether words that spell a name, or part of one, are used as a name."""
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
        and (run[-1].possessive or _is_one_of(_word_after(words, last), DONE_BY_PEOPLE))
    )
    if first == last and not acts and _is_a_month(words, first):
        return False
    if not (whole or acts) and all(word.plain in CALENDAR for word in run):
        return name.is_person and run[0].named and not _is_one_of(_word_before(words, first), BEFORE_DAYS)
    return (
        len(run) > 1
        or run[0].named
        or acts
        or _speaks_alone(words, first, name, whole=whole, surname=surname, small=small)
    )


def _is_a_month(words: Sequence[TextWord], place: int) -> bool:
    """Whether a word is a month: in "In May", "3 May" and "May 2019" it is; "I owe May 50" is about a person."""
    if words[place].plain not in CALENDAR or words[place].possessive:
        return False
    before, after = _word_before(words, place), _word_after(words, place)
    return _is_one_of(before, SURELY_BEFORE_DAYS) or any(
        beside is not None and _BESIDE_A_MONTH.fullmatch(beside.written) is not None for beside in (before, after)
    )


def _speaks_alone(
    words: Sequence[TextWord], place: int, name: Name, *, whole: bool, surname: bool, small: bool
) -> bool:
    """Decide as `_speaks` for a single word that is lowercase or begins a sentence."""
    word, before = words[place], _word_before(words, place)
    if word.plain in AMBIGUOUS and not (word.capital and word.possessive):
        return whole and name.written_small and not _is_one_of(before, _INDEFINITE)
    if whole:
        return not _is_one_of(before, _INDEFINITE)
    return name.is_person and not _is_one_of(before, _DEFINITE) and (word.capital or not surname or small)


def _named_otherwise(words: Sequence[TextWord], first: int, last: int, name: Name, *, whole: bool) -> bool:
    """Whether the text continues with another name: "Peter Lindqvist" is not Peter Haas, and "Henderson Point" is not a firm."""
    if whole and not name.full:
        return False
    known = name.full or tuple(spelled_out(name.normalised).split())
    after = _word_after(words, last)
    if (
        after
        and not words[last].possessive
        and not _says(words[last], known[-1])
        and _is_more(after, words[last], known)
    ):
        return True
    before = _word_before(words, first)
    return bool(
        before
        and not before.possessive
        and not _says(words[first], known[0])
        and before.plain not in BEFORE_NAMES
        and _is_more(before, words[first], known)
    )


def _is_more(word: TextWord, beside: TextWord, known: Sequence[str]) -> bool:
    shouted = len(beside.plain) > 1 and word.written.isupper() and beside.written.isupper()
    ordinary = shouted or word.plain in GRAMMAR or word.plain in CALENDAR
    return word.named and not ordinary and not any(_same(word.plain, part) for part in known)


def _is_one_of(word: TextWord | None, these: frozenset[str]) -> bool:
    return word is not None and word.plain in these


_WORD = lazy_pattern(rf"{LETTER}+(?:(?:[.'’ʼ&]|{INSIDE}){LETTER}+)*(?:{AFTER})?'?")
_UNSPACED = lazy_pattern("[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")
_LONGEST_UNSPACED = 8
_ENDS_SENTENCE = lazy_pattern(r"[.!?:;\n…]")
_TITLES = frozenset("mr mrs ms miss dr prof professor sir st".split())
_POSSESSIVE = lazy_pattern(r"['’][sS]?$")
_SPACE = lazy_pattern(r"[^\S\t\n\v\f\r\x1c-\x1f\x85\u2028\u2029]")
_SHORTEST_FOLDED = 5
_SHORTEST_PLURAL = 4


def words_of(text: str, *, is_name: bool = False) -> list[TextWord]:
    """Split a text into words, in order; unspaced scripts stay unsplit.

    is_name: the text is a name rather than a sentence, so capitals are no evidence.
    """
    found: list[TextWord] = []
    end = 0
    for match in _WORD.finditer(text):
        between = text[end : match.start()]
        if not between.isascii():  # a non-breaking space also counts as a space
            between = _SPACE.sub(" ", between)
        after_title = bool(found) and found[-1].plain in _TITLES
        ends = bool(_ENDS_SENTENCE.search(between)) and not (after_title and between == ". ")
        initialed = bool(found) and between == ". " and len(found[-1].plain) == 1 and found[-1].capital
        capital, opens = match[0][0].isupper(), not found or ends
        joined = bool(found) and not ends and between in {" ", "-", "‐", "‑", ". ", "  ", " & "}
        if joined and between == " & ":
            found.append(TextWord("&", "and", end + 1, end + 2, capital=False, opens=False, joined=True))
        for plain in _plain(match[0]):
            found.append(
                TextWord(
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
    """Return a word's normalised form, usually one word."""
    return tuple(spelled_out("x " + normalise(written)).split()[1:])  # after another word, nothing counts as an article


def _unspaced(word: TextWord) -> Iterator[tuple[str, int, int]]:
    """Yield the substrings of a word in an unspaced script."""
    if not _UNSPACED.search(word.written):
        return
    for start in range(len(word.written)):
        for end in range(start + 2, min(len(word.written), start + _LONGEST_UNSPACED) + 1):
            yield normalise(word.written[start:end]), word.start + start, word.start + end


def _forms(word: TextWord) -> tuple[str, ...]:
    """Return the word, and its singular if it may be a plural: "the Haases"."""
    plural = word.capital and len(word.plain) > _SHORTEST_PLURAL and word.plain.endswith("s")
    return (word.plain, word.plain[:-1]) if plural else (word.plain,)


def _says(word: TextWord, part: str) -> bool:
    """Whether a word spells a part of a name, in any of its forms."""
    return any(_same(form, part) for form in _forms(word))


def _same(one: str, other: str) -> bool:
    """Whether two spellings match: "mueller" is "muller", but "joe" is not "jo"."""
    if one == other:
        return True
    return min(len(one), len(other)) >= _SHORTEST_FOLDED and name_key(one) == name_key(other)


def _word_before(words: Sequence[TextWord], place: int) -> TextWord | None:
    """Return the word that a word is joined to."""
    return words[place - 1] if place > 0 and words[place].joined else None


def _word_after(words: Sequence[TextWord], place: int) -> TextWord | None:
    """Return the word joined to a word."""
    return words[place + 1] if place + 1 < len(words) and words[place + 1].joined else None
