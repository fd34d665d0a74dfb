"""Convert the entities an LLM proposes to mentions; refuse and count what is no name or was not said.

A fact simply loses refused entities. An alias that is somebody else's name is accepted only if the messages say so.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain, permutations

from mosshead.language.lexicon import lexicons_of
from mosshead.language.names import NO_FIGURE, normalise, without_accents
from mosshead.language.numbers import numbers, spelt_numbers
from pipeline.extraction.prompt import ExtractedFact, ExtractedMention
from pipeline.models import USER, FactMention, KnownEntity

MAX_MENTIONS = 30
"""The most entities per fact. Each is linked separately, and a sentence names only a handful."""

MAX_ALIASES = 10
"""The most aliases per mention."""

_MOST_GIVEN = 100
"""The most aliases examined per mention."""

NAME_CHARACTERS = 200

MOST_NAME_WORDS = 12
"""A longer name, or parent, is a sentence."""

_TOKEN = re.compile(r"\w")
_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{21,}|(?=\w*\d)[0-9a-f]{12,}|[\W\d_]+", re.IGNORECASE)
_JOINERS = "\u200c\u200d"

_NO_NAMES = frozenset(
    """
    user assistant system i me my mine myself we us our ours you your yours he him his she her hers it its they them their
    theirs himself herself itself themselves this that these those who whom someone somebody something anyone anybody
    everyone everybody everything nobody nothing one ones unknown none null n/a na undefined
    """.split()
)

_COUNTRY_AND_TRADE = frozenset({"US", "IT"})

_CUES = (
    r"(?:aka|a\.k\.a\.?|alias|(?:also|better|otherwise|formerly|previously)\s+(?:known|called|named)(?:\s+as)?|known\s+as"
    r"|nicknamed?|goes\s+by|short\s+for|stands?\s+for|renamed(?:\s+to)?|now\s+called|née|genannt|dit)"
)


class EntityRefusal(StrEnum):
    """Why an entity that a fact was said to be about, or a name of it, was refused."""

    NO_NAME = "no_name"
    TOO_LONG = "name_too_long"
    NOT_SAID = "name_not_said"
    UNKNOWN_TYPE = "unknown_type"
    REPEATED = "repeated"
    ALIAS_REFUSED = "alias_no_name"
    ALIAS_OF_ANOTHER = "alias_of_another"
    MENTIONS_OVER_LIMIT = "mentions_over_limit"
    ALIASES_OVER_LIMIT = "aliases_over_limit"
    OWN_PARENT = "own_parent"


@dataclass(frozen=True, slots=True)
class SourceVocabulary:
    """The words, numbers and full text of what people wrote, normalised for comparison."""

    words: frozenset[str]
    numbers: frozenset[str]
    text: str

    @classmethod
    def of(cls, texts: Iterable[str]) -> "SourceVocabulary":
        """Collect the vocabulary of texts; number words also count as digits ("three" is 3)."""
        whole = "\n".join(texts)
        text = _folded(whole)
        written = (part for form in (text, _with_a_point(text)) for number in numbers(form) for part in chain(*number))
        spelt = (one for lexicon in lexicons_of(whole) or lexicons_of("the") for one in spelt_numbers(text, lexicon))
        return cls(frozenset(_WORD.findall(text)), frozenset((*written, *spelt)), text)

    def lacks_name(self, name: str) -> bool:
        """Whether a word or number of a name is missing."""
        folded = _folded(name)
        if _has_no_case(folded) and folded in self.text:
            return False
        return not (set(_WORD.findall(folded)) <= self.words and self._hold_numbers(folded))

    def lacks_name_or_number_of(self, content: str) -> bool:
        """Whether a number, or a name inside a sentence, is missing."""
        names = {_folded(word) for word, opens in _names(content) if not opens}
        return not (self._hold(names) and self._hold_numbers(_folded(content)))

    def missing_numbers(self, content: str, others: Set[str] = frozenset()) -> list[str]:
        """Return the missing numbers written in digits, in the most favourable reading. others: numbers that count as said."""
        held = self.numbers | others
        folded = _folded(content.translate(_RAISED))
        ways = (numbers(form) for form in (folded, _with_a_point(folded)))
        missing = [[min(number[0]) for number in way if not any(parts <= held for parts in number)] for way in ways]
        return min(missing, key=len)

    def _hold_numbers(self, folded: str) -> bool:
        return any(
            all(any(parts <= self.numbers for parts in number) for number in numbers(text))
            for text in (folded, _with_a_point(folded))
        )

    def _hold(self, names: set[str]) -> bool:
        """Check names, allowing German inflection, since German capitalises every noun: "mein Bruder", "des Bruders"."""
        missing = names - self.words
        german = len(set(_GERMAN.findall(self.text))) > 1 if missing else False
        return not missing or (german and all(self.words & _german_forms(name) for name in missing))

    def lacks_part_of(self, phrase: str) -> bool:
        """Check a phrase that is no sentence, such as a value, whose first word has no other reason for a capital."""
        return self.lacks_name_or_number_of(phrase) or not _openings(phrase) <= self.words

    def doubts_an_opening_of(self, content: str) -> bool:
        """Whether a sentence begins with a possible name that is missing."""
        openings = _openings(content)
        stems = {word[:_STEM] for word in self.words}
        return any(word[:_STEM] not in stems for word in openings)

    def __or__(self, other: "SourceVocabulary") -> "SourceVocabulary":
        return self.with_all((other,))

    def with_all(self, others: Iterable["SourceVocabulary"]) -> "SourceVocabulary":
        """Join several vocabularies in one step: one by one, earlier ones would be copied each time."""
        every = (self, *others)
        return SourceVocabulary(
            frozenset[str]().union(*(one.words for one in every)),
            frozenset[str]().union(*(one.numbers for one in every)),
            "\n".join(one.text for one in every),
        )


@dataclass(frozen=True, slots=True)
class Grounds:
    """What a fact is taken from.

    texts: its messages. grounds: the words allowed in names. holds_name: whether a name was said in another spelling.
    """

    texts: tuple[str, ...]
    grounds: SourceVocabulary
    holds_name: Callable[[str], bool] = lambda _: False


NamesInPlay = Mapping[str, frozenset[str]]
"""All names in an answer and its background, each with its bearer's other names. Normalised."""


def names_in_play(facts: Iterable[ExtractedFact], known: Iterable[KnownEntity]) -> NamesInPlay:
    """Collect the names of an answer's mentions, without the claimed aliases, and of known entities."""
    names = {normalise(mention.name): frozenset[str]() for fact in facts for mention in fact.mentions[:MAX_MENTIONS]}
    for entity in known:
        own = frozenset(map(normalise, (entity.name, *entity.aliases)))
        names |= {name: names.get(name, frozenset()) | own for name in own}
    return names


def mentions_of(
    proposed: Sequence[ExtractedMention], said: Grounds, names: NamesInPlay, refused: Counter[EntityRefusal]
) -> dict[str, FactMention]:
    """Return the accepted mentions by lowercase name, without the user. refused: counts the others by reason."""
    if len(proposed) > MAX_MENTIONS:
        refused[EntityRefusal.MENTIONS_OVER_LIMIT] += len(proposed) - MAX_MENTIONS
    mentions: dict[str, FactMention] = {}
    for given in proposed[:MAX_MENTIONS]:
        if given.name.casefold() == USER.casefold():
            continue
        name = read_name(given.name, said)
        if isinstance(name, EntityRefusal):
            refused[name] += 1
        elif given.entity_type is None:
            refused[EntityRefusal.UNKNOWN_TYPE] += 1
        elif name.casefold() in mentions:
            refused[EntityRefusal.REPEATED] += 1
        else:
            aliases = _aliases(given.aliases, name, said, names, refused)
            about = given.description or ""
            mentions[name.casefold()] = FactMention(
                name=name,
                entity_type=given.entity_type,
                role=given.role,
                aliases=aliases,
                parent=_parent(given.parent, (name, *aliases), said, refused),
                description=None if said.grounds.lacks_part_of(about) else about[:NAME_CHARACTERS] or None,
            )
    return mentions


def read_name(given: str, said: Grounds) -> str | EntityRefusal:
    """Return a name as it was said, without control characters and extra spaces; or why it is refused."""
    name = " ".join("".join(map(_visible, given)).split())
    if len(name) > NAME_CHARACTERS or len(name.split()) > MOST_NAME_WORDS:
        return EntityRefusal.TOO_LONG
    plain = normalise(name)
    is_word = plain in _NO_NAMES and name not in _COUNTRY_AND_TRADE
    if not _TOKEN.search(plain) or is_word or _ID.fullmatch(name):
        return EntityRefusal.NO_NAME
    return EntityRefusal.NOT_SAID if said.grounds.lacks_name(name) and not said.holds_name(name) else name


def _visible(character: str) -> str:
    """Drop formatting and bidirectional marks; replace control characters by spaces."""
    category = unicodedata.category(character)
    if category in {"Cc", "Zl", "Zp"}:
        return " "
    return "" if category in {"Cf", "Co", "Cs"} and character not in _JOINERS else character


def _aliases(
    given: Sequence[str], name: str, said: Grounds, names: NamesInPlay, refused: Counter[EntityRefusal]
) -> tuple[str, ...]:
    aliases: dict[str, str] = {}
    for one in given[:_MOST_GIVEN]:
        alias = read_name(one, said)
        if isinstance(alias, EntityRefusal):
            refused[EntityRefusal.ALIAS_REFUSED] += 1
        elif _are_two(name, alias, said, names):
            refused[EntityRefusal.ALIAS_OF_ANOTHER] += 1
        elif alias.casefold() != name.casefold():
            aliases.setdefault(alias.casefold(), alias)
    over = max(len(aliases) - MAX_ALIASES, 0) + max(len(given) - _MOST_GIVEN, 0)
    if over:
        refused[EntityRefusal.ALIASES_OVER_LIMIT] += over
    return tuple(aliases.values())[:MAX_ALIASES]


def _parent(given: str | None, own: Sequence[str], said: Grounds, refused: Counter[EntityRefusal]) -> str | None:
    parent = read_name(given or "", said)
    if len((given or "").split()) > MOST_NAME_WORDS:
        parent = EntityRefusal.TOO_LONG
    if isinstance(parent, EntityRefusal):
        return None
    if normalise(parent) in map(normalise, own):
        refused[EntityRefusal.OWN_PARENT] += 1
        return None
    return parent


def _are_two(name: str, alias: str, said: Grounds, names: NamesInPlay) -> bool:
    """Whether an alias is somebody else's name, as far as the messages show."""
    plain, other = normalise(name), normalise(alias)
    if other not in names or plain in names[other] or _alike(plain, other):
        return False
    return not any(_says_one_is_the_other(text, name, alias) for text in said.texts)


def _alike(one: str, other: str) -> bool:
    """Whether one name is part of the other, its beginning ("Pete" for "Peter"), or its initials."""
    short, long = sorted((one, other), key=len)
    words = long.split()
    initials = "".join(word[0] for word in words)
    return short in words or (len(short) > 2 and long.startswith(short)) or (len(words) > 1 and short == initials)


def _says_one_is_the_other(text: str, name: str, alias: str) -> bool:
    gap = r"\W+(?:[\w'’-]+\W+){0,4}?"
    return any(
        re.search(rf"{one}(?:{gap}{_CUES}{gap}{other}|(?:['’]s)?\s*\(\s*{other}\s*\))", text, re.IGNORECASE)
        for one, other in permutations((re.escape(name), re.escape(alias)))
    )


_WORD = re.compile(rf"{NO_FIGURE}+")
_WITH_A_COMMA = re.compile(r"(?<![\d.,])(?:\d{1,3}(?:[. ]\d{3})+(?:,\d+)?|\d+,(?!\d{3}(?!\d))\d+)(?![.,]?\d)")
_RAISED = str.maketrans({"²": "", "³": "", "¼": ".25", "½": ".5", "¾": ".75"})
_ARABIC = str.maketrans("٫٬", ".,")
_SENTENCE_END = frozenset(".!?:\n•-–*([\"“‘'")
_STEM = 4
_GERMAN = re.compile(r"\b(?:ich|der|die|das|und|ist|ein|eine|mein|meine|nicht|mit|wir|habe|bin|zum|zur|im|am)\b")
_GERMAN_ENDINGS = ("s", "es", "n", "en", "e")

_OPENERS = frozenset(
    """
    a all an and any as at before after both but by each every first finally for from her his how if in it its last many most
    my next no not of on once one only or our over several she he since some that the their then there these they this those
    to two under until what when where which while who whose with without you your
    """.split()
)


def _folded(text: str) -> str:
    """Drop case and accents, which people omit and models restore: "Sao Paulo" is "São Paulo"."""
    folded = unicodedata.normalize("NFKC", without_accents(text.casefold())).strip().translate(_ARABIC)
    # Digits of all scripts become ASCII: ٣ and ३ are 3.
    return folded if folded.isascii() else "".join(str(unicodedata.decimal(one, one)) for one in folded)


def _openings(content: str) -> set[str]:
    return {_folded(word) for word, opens in _names(content) if opens} - _OPENERS


def _german_forms(name: str) -> set[str]:
    stems = {name, *(name.removesuffix(ending) for ending in _GERMAN_ENDINGS)}
    return {stem + ending for stem in stems if len(stem) >= _STEM for ending in ("", *_GERMAN_ENDINGS)}


def _has_no_case(folded: str) -> bool:
    """Whether the script has no capitals; such scripts often have no word separators either."""
    return folded.upper() == folded and any(character.isalpha() for character in folded)


def _names(content: str) -> Iterator[tuple[str, bool]]:
    normal = unicodedata.normalize("NFKC", content)
    for match in _WORD.finditer(normal):
        if match.group() != match.group().lower():
            before = normal[: match.start()].rstrip(" \t")
            yield match.group(), not before or before[-1] in _SENTENCE_END


def _with_a_point(text: str) -> str:
    """Convert decimal commas with points or spaces for thousands: 1.500,50 becomes 1500.50."""
    return _WITH_A_COMMA.sub(lambda match: re.sub(r"[. ]", "", match[0]).replace(",", "."), text)
