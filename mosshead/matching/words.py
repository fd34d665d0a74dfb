"""The words of a text, and when two of them say the same."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from mosshead.names import AFTER, INSIDE, LETTER, name_key, normalise, spelled_out
from mosshead.patterns import lazy_pattern
from mosshead.words import remembered

_WORD = lazy_pattern(rf"{LETTER}+(?:(?:[.'’ʼ&]|{INSIDE}){LETTER}+)*(?:{AFTER})?'?")
_UNSPACED = lazy_pattern("[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")
_LONGEST_UNSPACED = 8
_ENDS_SENTENCE = lazy_pattern(r"[.!?:;\n…]")
_TITLES = frozenset("mr mrs ms miss dr prof professor sir st".split())
_POSSESSIVE = lazy_pattern(r"['’][sS]?$")
_SPACE = lazy_pattern(r"[^\S\t\n\v\f\r\x1c-\x1f\x85\u2028\u2029]")
_SHORTEST_FOLDED = 5
_SHORTEST_PLURAL = 4


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

    @property
    def goes_on(self) -> bool:
        """Whether it may go on with a name: "Haas" of "Peter J. Haas", too."""
        return self.joined or self.initialed

    @property
    def possessive(self) -> bool:
        """Whether it says that something is owned: "Peter's"."""
        return _POSSESSIVE.search(self.written) is not None

    @property
    def stop(self) -> int:
        """Where it ends without its possessive."""
        return self.end - len(self.written) + len(_POSSESSIVE.sub("", self.written))


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


def unspaced(word: Word) -> Iterator[tuple[str, int, int]]:
    """The pieces of a word in a script without spaces."""
    if not _UNSPACED.search(word.written):
        return
    for start in range(len(word.written)):
        for end in range(start + 2, min(len(word.written), start + _LONGEST_UNSPACED) + 1):
            yield normalise(word.written[start:end]), word.start + start, word.start + end


def forms(word: Word) -> tuple[str, ...]:
    """What a word may say: itself, and the one of which it may be the plural: "the Haases"."""
    plural = word.capital and len(word.plain) > _SHORTEST_PLURAL and word.plain.endswith("s")
    return (word.plain, word.plain[:-1]) if plural else (word.plain,)


def says(word: Word, part: str) -> bool:
    """Whether a word says a part of a name, in any of its forms."""
    return any(same(form, part) for form in forms(word))


def same(one: str, other: str) -> bool:
    """ "mueller" is "muller", and "joe" is not "jo"."""
    if one == other:
        return True
    return min(len(one), len(other)) >= _SHORTEST_FOLDED and name_key(one) == name_key(other)


def word_before(words: Sequence[Word], place: int) -> Word | None:
    """The word that a word is joined to."""
    return words[place - 1] if place > 0 and words[place].joined else None


def word_after(words: Sequence[Word], place: int) -> Word | None:
    """The word that is joined to a word."""
    return words[place + 1] if place + 1 < len(words) and words[place + 1].joined else None
