"""From the entities that an LLM proposes to mentions: what is no name, or was not said, is refused, and counted by reason.

A fact does without the entities that are refused. That an alias is somebody else's name is believed only where the messages say
so.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from itertools import chain, pairwise, permutations

from mosshead.language.names import NO_FIGURE, normalise, without_accents
from mosshead.language.wordlists import CARDINALS, TENS, TURNS, UNDER_TWENTY
from pipeline.extraction.prompt import ExtractedFact, ExtractedMention
from pipeline.models import USER, FactMention, KnownEntity

MAX_MENTIONS = 30
"""Entities that one fact may be about. Each is linked by itself, and a sentence names a handful."""

MAX_ALIASES = 10
"""Other names that one mention may give."""

_MOST_GIVEN = 100
"""Other names of one mention that are looked at."""

NAME_CHARACTERS = 200

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
    """Why an entity that a fact was said to be about, or a name of it, was not taken."""

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
    """The words, numbers and whole text of what people wrote, folded for comparison."""

    words: frozenset[str]
    numbers: frozenset[str]
    text: str

    @classmethod
    def of(cls, texts: Iterable[str]) -> "SourceVocabulary":
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
        german = len(set(_GERMAN.findall(self.text))) > 1 if missing else False
        return not missing or (german and all(self.words & _german_forms(name) for name in missing))

    def lacks_part_of(self, phrase: str) -> bool:
        """The same for a phrase that is no sentence, such as a value, whose first word has no other reason for its capital."""
        return self.lacks_name_or_number_of(phrase) or not _openings(phrase) <= self.words

    def doubts_an_opening_of(self, content: str) -> bool:
        """Whether a sentence of the content opens with what may be a name that does not occur."""
        openings = _openings(content)
        stems = {word[:_STEM] for word in self.words}
        return any(word[:_STEM] not in stems for word in openings)

    def __or__(self, other: "SourceVocabulary") -> "SourceVocabulary":
        return self.with_all((other,))

    def with_all(self, others: Iterable["SourceVocabulary"]) -> "SourceVocabulary":
        """All that any of them holds, joined at once: one by one, what is held already would be copied for each."""
        every = (self, *others)
        return SourceVocabulary(
            frozenset[str]().union(*(one.words for one in every)),
            frozenset[str]().union(*(one.numbers for one in every)),
            "\n".join(one.text for one in every),
        )


@dataclass(frozen=True, slots=True)
class Grounds:
    """What a fact is taken from. texts: its messages; grounds: the words that a name may be made of."""

    texts: tuple[str, ...]
    grounds: SourceVocabulary


NamesInPlay = Mapping[str, frozenset[str]]
"""The names of all that an answer and the background speak of, each with the other names of its bearers. Normalised."""


def names_in_play(facts: Iterable[ExtractedFact], known: Iterable[KnownEntity]) -> NamesInPlay:
    """Those of the mentions of an answer's facts, without the aliases that it claims, and those of the known entities."""
    names = {normalise(mention.name): frozenset[str]() for fact in facts for mention in fact.mentions[:MAX_MENTIONS]}
    for entity in known:
        own = frozenset(map(normalise, (entity.name, *entity.aliases)))
        names |= {name: names.get(name, frozenset()) | own for name in own}
    return names


def mentions_of(
    proposed: Sequence[ExtractedMention], said: Grounds, names: NamesInPlay, refused: Counter[EntityRefusal]
) -> dict[str, FactMention]:
    """The mentions that stand, by name in lower case, but for the user's own. refused: counts the others, by reason."""
    if len(proposed) > MAX_MENTIONS:
        refused[EntityRefusal.MENTIONS_OVER_LIMIT] += len(proposed) - MAX_MENTIONS
    mentions: dict[str, FactMention] = {}
    for given in proposed[:MAX_MENTIONS]:
        if given.name.casefold() == USER.casefold():
            continue
        name = read_name(given.name, said.grounds)
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
                parent=_parent(given.parent, (name, *aliases), said.grounds, refused),
                description=None if said.grounds.lacks_part_of(about) else about[:NAME_CHARACTERS] or None,
            )
    return mentions


def read_name(given: str, grounds: SourceVocabulary) -> str | EntityRefusal:
    """A name as it was said, without control characters and surplus space; or why it is none."""
    name = " ".join("".join(map(_visible, given)).split())
    if len(name) > NAME_CHARACTERS:
        return EntityRefusal.TOO_LONG
    plain = normalise(name)
    is_word = plain in _NO_NAMES and name not in _COUNTRY_AND_TRADE
    if not _TOKEN.search(plain) or is_word or _ID.fullmatch(name):
        return EntityRefusal.NO_NAME
    return EntityRefusal.NOT_SAID if grounds.lacks_name(name) else name


def _visible(character: str) -> str:
    """Nothing for a mark that only formats, or turns the direction of a text; a space for a control character."""
    category = unicodedata.category(character)
    if category in {"Cc", "Zl", "Zp"}:
        return " "
    return "" if category in {"Cf", "Co", "Cs"} and character not in _JOINERS else character


def _aliases(
    given: Sequence[str], name: str, said: Grounds, names: NamesInPlay, refused: Counter[EntityRefusal]
) -> tuple[str, ...]:
    aliases: dict[str, str] = {}
    for one in given[:_MOST_GIVEN]:
        alias = read_name(one, said.grounds)
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


def _parent(
    given: str | None, own: Sequence[str], grounds: SourceVocabulary, refused: Counter[EntityRefusal]
) -> str | None:
    parent = read_name(given or "", grounds)
    if isinstance(parent, EntityRefusal):
        return None
    if normalise(parent) in map(normalise, own):
        refused[EntityRefusal.OWN_PARENT] += 1
        return None
    return parent


def _are_two(name: str, alias: str, said: Grounds, names: NamesInPlay) -> bool:
    """Whether an alias is the name of somebody else, as far as anything that was said goes."""
    plain, other = normalise(name), normalise(alias)
    if other not in names or plain in names[other] or _alike(plain, other):
        return False
    return not any(_says_one_is_the_other(text, name, alias) for text in said.texts)


def _alike(one: str, other: str) -> bool:
    """Whether one name is a part of the other, its beginning ("Pete" for "Peter"), or its initials."""
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


Number = tuple[frozenset[str], ...]
"""What a number may be, each as parts that must all have been said: "3:30" is half past three, or three and thirty."""

_FACTORS = {"dozen": 12, "hundred": 100, "thousand": 1000, "million": 1_000_000, "billion": 1_000_000_000}
_SHORT_FACTORS = {"k": "thousand", "m": "million", "mn": "million", "mio": "million", "bn": "billion"}

_NUMBER_WORDS = CARDINALS | {"once": 1, "twice": 2, "first": 1, "second": 2, "third": 3} | _FACTORS

_NOON = 12

_THOUSANDS = re.compile(r"(?<=\d)(?:[,'’_](?=\d{3}(?!\d))|,(?=(?:\d\d,){1,5}\d{3}(?!\d)))")

_NUMBER = re.compile(
    r"(?<!\d)(?P<hour>\d{1,2})(?:[:.](?P<minute>[0-5]\d))? ?(?P<half>[ap])\.?m\b"
    r"|\b(?P<on_clock>\d{1,2})(?::|\.(?=\d\d ?uhr\b))(?P<past>[0-5]\d)\b"
    rf"|\b(?P<before>{'|'.join(TURNS)}) (?P<spoken>\d{{1,2}}|{'|'.join(UNDER_TWENTY[1:13])})\b"
    rf"|(?P<number>\d+(?:\.\d+)?)(?: ?(?P<factor>{'|'.join((*_FACTORS, *_SHORT_FACTORS))})\b)?"
)


def numbers(text: str) -> Iterator[Number]:
    """The numbers that are written with figures, and the times of day."""
    for match in _NUMBER.finditer(_THOUSANDS.sub("", text)):
        if match["number"]:
            yield _counted(match["number"], match["factor"])
        elif match["half"]:
            yield _of_half_a_day(match["hour"], match["minute"] or "", match["half"])
        elif match["before"]:
            yield _spoken(match["before"], match["spoken"])
        else:
            hour, minute = match["on_clock"], match["past"]
            alone = () if int(minute) else (_parts(hour),)
            yield (*_on_a_dial(int(hour), int(minute)), _parts(hour, minute), *alone)


def spelt_numbers(words: Sequence[str]) -> Iterator[str]:
    """The numbers that some words say: three is 3, twenty one is 21, two dozen is 24."""
    yield from (str(_NUMBER_WORDS[word]) for word in words if word in _NUMBER_WORDS)
    for one, other in pairwise(words):
        if one in TENS and other in UNDER_TWENTY[1:10]:
            yield str(_NUMBER_WORDS[one] + _NUMBER_WORDS[other])
        elif one in _NUMBER_WORDS and other in _FACTORS:
            yield str(_NUMBER_WORDS[one] * _FACTORS[other])


def _counted(number: str, factor: str | None) -> Number:
    if factor is None:
        return (_parts(number),)
    return _parts(number), _parts(f"{Decimal(number) * _FACTORS[_SHORT_FACTORS.get(factor, factor)]:f}")


def _of_half_a_day(hour: str, minute: str, half: str) -> Number:
    time = _time(int(hour) % _NOON + (_NOON if half == "p" else 0), int(minute or 0))
    return time, _parts(hour, *([minute] if minute else []))


def _spoken(before: str, hour: str) -> Number:
    hours, minute = TURNS[before]
    number = int(hour) if hour.isdigit() else CARDINALS[hour]
    return *_on_a_dial(number + hours, minute), _parts(str(number))


def _on_a_dial(hour: int, minute: int) -> Number:
    """A time of day whose half is not told: half past three is at night, or in the afternoon; 15:30 is in the afternoon."""
    halves = (hour,) if hour > _NOON else (hour % _NOON, hour % _NOON + _NOON)
    return tuple(_time(one, minute) for one in halves)


def _time(hour: int, minute: int) -> frozenset[str]:
    return frozenset({f"{hour}:{minute:02}"})


def _parts(*written: str) -> frozenset[str]:
    return frozenset(map(_in_one_form, written))


def _in_one_form(number: str) -> str:
    """05 is 5, 3.50 is 3.5. As text, because digits can be many."""
    whole, _, fraction = number.partition(".")
    whole, fraction = whole.lstrip("0") or "0", fraction.rstrip("0")
    return f"{whole}.{fraction}" if fraction else whole


_WORD = re.compile(rf"{NO_FIGURE}+")
_WITH_A_COMMA = re.compile(r"(?<![\d.,])(?:\d{1,3}(?:[. ]\d{3})+(?:,\d+)?|\d+,(?!\d{3}(?!\d))\d+)(?![.,]?\d)")
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
    """Without case and accents, which people leave out as they type, and models put back: "Sao Paulo" is "São Paulo"."""
    folded = unicodedata.normalize("NFKC", without_accents(text.casefold())).strip().translate(_ARABIC)
    # The figures of all scripts become those of ASCII: ٣ and ३ are 3.
    return folded if folded.isascii() else "".join(str(unicodedata.decimal(one, one)) for one in folded)


def _openings(content: str) -> set[str]:
    return {_folded(word) for word, opens in _names(content) if opens} - _OPENERS


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
