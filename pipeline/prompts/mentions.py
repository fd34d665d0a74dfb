"""From the entities that an LLM proposes to mentions: what is no name, or was not said, is refused, and counted by reason.

A fact does without the entities that are refused. That an alias is somebody else's name is believed only where the messages say
so.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from mosshead.names import normalise
from pipeline.facts import USER, KnownEntity, Mention
from pipeline.prompts.extraction import ExtractedFact, ExtractedMention
from pipeline.prompts.vocabulary import Vocabulary

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
class Said:
    """What a fact is taken from. texts: its messages; grounds: the words that a name may be made of."""

    texts: tuple[str, ...]
    grounds: Vocabulary


@dataclass(frozen=True, slots=True)
class NamesInPlay:
    """The names of all that an answer and the background speak of, each with the other names of its bearers. Normalised."""

    beside: Mapping[str, frozenset[str]]

    @classmethod
    def of(cls, facts: Iterable[ExtractedFact], known: Iterable[KnownEntity]) -> "NamesInPlay":
        """Those of the mentions of an answer's facts, without the aliases that it claims, and those of the known entities."""
        beside: dict[str, frozenset[str]] = {}
        for fact in facts:
            beside |= {normalise(mention.name): frozenset() for mention in fact.mentions[:MAX_MENTIONS]}
        for entity in known:
            own = frozenset(map(normalise, (entity.name, *entity.aliases)))
            beside |= {name: beside.get(name, frozenset()) | own for name in own}
        return cls(beside)

    def are_two(self, name: str, alias: str, said: "Said") -> bool:
        """Whether an alias is the name of somebody else, as far as anything that was said goes."""
        plain, other = normalise(name), normalise(alias)
        if other not in self.beside or plain in self.beside[other] or _alike(plain, other):
            return False
        return not any(_says_one_is_the_other(text, name, alias) for text in said.texts)


def mentions_of(
    proposed: Sequence[ExtractedMention], said: Said, names: NamesInPlay
) -> tuple[dict[str, Mention], Counter[EntityRefusal]]:
    """The mentions that stand, by name in lower case, but for the user's own; and what was refused."""
    refused: Counter[EntityRefusal] = Counter()
    if len(proposed) > MAX_MENTIONS:
        refused[EntityRefusal.MENTIONS_OVER_LIMIT] += len(proposed) - MAX_MENTIONS
    mentions: dict[str, Mention] = {}
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
            mentions[name.casefold()] = Mention(
                name=name,
                entity_type=given.entity_type,
                role=given.role,
                aliases=aliases,
                parent=_parent(given.parent, (name, *aliases), said.grounds, refused),
                description=_description(given.description or "", said.grounds),
            )
    return mentions, refused


def read_name(given: str, grounds: Vocabulary) -> str | EntityRefusal:
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
    given: Sequence[str], name: str, said: Said, names: NamesInPlay, refused: Counter[EntityRefusal]
) -> tuple[str, ...]:
    aliases: dict[str, str] = {}
    for one in given[:_MOST_GIVEN]:
        alias = read_name(one, said.grounds)
        if isinstance(alias, EntityRefusal):
            refused[EntityRefusal.ALIAS_REFUSED] += 1
        elif names.are_two(name, alias, said):
            refused[EntityRefusal.ALIAS_OF_ANOTHER] += 1
        elif alias.casefold() != name.casefold():
            aliases.setdefault(alias.casefold(), alias)
    over = max(len(aliases) - MAX_ALIASES, 0) + max(len(given) - _MOST_GIVEN, 0)
    if over:
        refused[EntityRefusal.ALIASES_OVER_LIMIT] += over
    return tuple(aliases.values())[:MAX_ALIASES]


def _parent(given: str | None, own: Sequence[str], grounds: Vocabulary, refused: Counter[EntityRefusal]) -> str | None:
    parent = read_name(given or "", grounds)
    if isinstance(parent, EntityRefusal):
        return None
    if normalise(parent) in map(normalise, own):
        refused[EntityRefusal.OWN_PARENT] += 1
        return None
    return parent


def _description(given: str, grounds: Vocabulary) -> str | None:
    return None if grounds.lacks_part_of(given) else given[:NAME_CHARACTERS] or None


def _alike(one: str, other: str) -> bool:
    """Whether one name is a part of the other, its beginning ("Pete" for "Peter"), or its initials."""
    short, long = sorted((one, other), key=len)
    words = long.split()
    initials = "".join(word[0] for word in words)
    return short in words or (len(short) > 2 and long.startswith(short)) or (len(words) > 1 and short == initials)


def _says_one_is_the_other(text: str, name: str, alias: str) -> bool:
    one, other = re.escape(name), re.escape(alias)
    gap = r"\W+(?:[\w'’-]+\W+){0,4}?"
    patterns = (rf"{first}{gap}{_CUES}{gap}{second}" for first, second in ((one, other), (other, one)))
    bracketed = (rf"{first}(?:['’]s)?\s*\(\s*{second}\s*\)" for first, second in ((one, other), (other, one)))
    return any(re.search(pattern, text, re.IGNORECASE) for pattern in (*patterns, *bracketed))
