"""Find the named things in a text and guess their types, from known names, context and form."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from enum import Enum, auto
from functools import cached_property

from mosshead.language.verbs import AUXILIARIES, VERBS
from mosshead.language.wordlists import (
    FIRST_NAMES,
    KINSHIP,
    NATIONALITIES,
    NOT_NAMES,
    ORG_ENDINGS,
    PLACE_ENDINGS,
    PRONOUNS,
    Gender,
    gender_of,
)
from mosshead.models.kinds import EntityType
from pipeline.models import USER, KnownEntity
from pipeline.rules_en.grammar import ONE_OF, as_one, comparable

CAPITAL = r"[A-ZÀ-ÖØ-Þ]"
RUN = rf"{CAPITAL}[\w&'-]*(?:(?:\.|) (?:(?:of|de|van|von|la|le|du|del|der|den|the|&) ){{0,2}}(?:{CAPITAL}|\d)[\w&'-]*){{0,5}}"
_RUN = re.compile(rf"(?<![\w@#/]){RUN}")
_TITLE = re.compile(r'(?<!no )"([A-ZÀ-Þ][^"]{2,60})"')
_OWNED = re.compile(r"'s?$")
_DOTTED_I = "i\u0307"
_MOST_RUN_WORDS = 6
_ORG_STARTS = frozenset({"university", "institute", "bank", "ministry", "school", "college", "department"})
_PLACE_STARTS = frozenset({"lake", "mount", "mt", "san", "st", "new", "los", "las"})

_ALSO_WORDS = (
    NOT_NAMES
    | VERBS
    | AUXILIARIES
    | frozenset(
        """
        rose grace joy faith art bill jack rob pat sue grant frank dawn eve iris ivy lily amber ruby penny sunny chip max dean guy
        miles page young king bush brown white black green cherry olive angel dolly drew sky star pearl violet major
        """.split()
    )
)
"""Names that are also words, so only a capital shows a name. Fewer than `AMBIGUOUS`: "met john" means a known John."""


def _cue(pattern: str, entity_type: EntityType) -> tuple[re.Pattern[str], EntityType]:
    return re.compile(pattern), entity_type


_CUES = (
    _cue(
        r"\b(?:project|app|product|campaign|book|novel|blog|podcast|game|site|website|startup idea|"
        r"newsletter|album|band)(?:,? (?:called|named))? $",
        EntityType.PROJECT,
    ),
    _cue(
        r"\b(?:works?|working|worked|job|intern\w*|employed|hired|interview\w*|studies|studied|"
        r"studying|degree|shift|position|role)\b.{0,24}\b(?:at|for|by|with|from) $"
        r"|\b(?:company|firm|employer|client|agency|organi[sz]ation|startup|band|charity|school|"
        r"university|joined|founded|co-founded|left)(?:,? (?:called|named|is))? $",
        EntityType.ORG,
    ),
    _cue(r"\b(?:launch\w*|releas\w*|building|rewriting|prototyping) $", EntityType.PROJECT),
    _cue(
        r"\b(?:using|uses?|tool|software|platform|server|database|install(?:ed)?|migrat\w+ to|runs? on"
        r"|written in|built (?:with|in|on)) (?:called |named )?$",
        EntityType.SYSTEM,
    ),
    _cue(
        r"\b(?:live[sd]?|living|moved|moving|move|from|born|travel\w*|trip|flew|fly|flying|visit(?:ed|"
        r"ing)?|based|office|city|town|near|vacation|holiday|drove|relocat\w+|house|home|stay\w*)(?: "
        r"(?:back|out|up|down))?(?: (?:in|to|from|at|of|near))?(?: \w+ to)? $"
        r"|\b(?:in|near|from|around|outside|across) (?:the )?$",
        EntityType.PLACE,
    ),
    _cue(
        r"\b(?:with|met|meet|married|dating|friend|brother|sister|wife|husband|son|daughter|boss|"
        r"colleague|mother|father|mum|mom|dad|uncle|aunt|cousin|partner|girlfriend|boyfriend|"
        r"neighbou?r|dog|cat|puppy|kitten|baby|whippet|spaniel|labrador|terrier"
        r"|named|called|ask|told|tell|calls?|thanks|by),? $"
        rf"|\b(?:{'|'.join(sorted(KINSHIP))}|friend) [A-ZÀ-Þ]\w+(?: and|,) $",
        EntityType.PERSON,
    ),
    _cue(r"\b(?:in|from|to|near) [A-ZÀ-Þ]\w+, $", EntityType.PLACE),
    _cue(r"\bat (?:the )?$", EntityType.ORG),
    _cue(r"\bto (?:the )?$", EntityType.PLACE),
)

_PERSON_AFTER = re.compile(
    rf"^'s (?:\w+ )?(?:{'|'.join(sorted(KINSHIP))})\b|"
    r"^(?: \w+ly)? (?:said|says|told|thinks|loves|likes|hates|works|lives|lived|wants|went|married"
    r"|teaches|studies|turned|got|and I|is (?:(?:my|our|his|her|User's) (?!favou?rite)|one of|"
    r"married|a (?:nurse|doctor)))\b"
)

_FIRM_AFTER = re.compile(
    r"^ (?:is (?:based|headquartered|hiring)|hired|employs|sells|makes|is (?:an?|our|my|one of|[A-ZÀ-Þ]\w*'s) (?:[\w-]+ ){0,4}"
    r"(?:company|firm|agency|startup|business|charity|bank|supplier|client|customer|employer|vendor|competitor)s?)\b"
)


@dataclass(frozen=True)
class Gazetteer:
    """The namespace's known names, recognised in any case."""

    entities: tuple[KnownEntity, ...] = ()

    @cached_property
    def types(self) -> dict[str, EntityType]:
        """The type of each known name and alias, casefolded; if two types share a name, the first."""
        last_first = reversed(self.entities)
        return {name.casefold(): one.entity_type for one in last_first for name in (one.name, *one.aliases)}

    @cached_property
    def spellings(self) -> dict[str, str]:
        return {name.casefold(): name for entity in self.entities for name in (entity.name, *entity.aliases)}

    def canonical(self, name: str) -> str:
        """Return the main name for an alias; other names are returned unchanged."""
        return next((entity.name for entity in self.entities if name in entity.aliases), name)

    @cached_property
    def short_forms(self) -> frozenset[str]:
        """The first words of longer organisation names: "Acme" for "Acme Logistics"."""
        orgs = (one.name.casefold().split() for one in self.entities if one.entity_type is EntityType.ORG)
        return frozenset(words[0] for words in orgs if len(words) > 1) - _ALSO_WORDS - FIRST_NAMES

    @cached_property
    def _looked_for(self) -> tuple[str, ...]:
        names = [name for name in self.spellings if len(name) > 1 and name not in _ALSO_WORDS]
        return tuple(sorted(names, key=len, reverse=True))

    def pattern_for(self, text: str) -> re.Pattern[str] | None:
        """Return a pattern of the known names that a text may contain.

        A pattern of all names would take longer to compile than a message to read, and change with every new person.
        """
        folded = text.casefold()
        folded = f"{folded}\n{folded.replace(_DOTTED_I, 'i')}"  # patterns match "İ" as "i"
        names = [re.escape(name) for name in self._looked_for if name in folded]
        return re.compile(rf"(?<!\w)(?:{'|'.join(names)})(?!\w)", re.IGNORECASE) if names else None


@dataclass(frozen=True, slots=True)
class NamedEntity:
    """A name in its stored form, its type, and its position in the text."""

    name: str
    entity_type: EntityType
    start: int
    end: int


def find_names(text: str, gazetteer: Gazetteer, *, first_counts: bool) -> list[NamedEntity]:
    """Return the distinct names in a text by first occurrence.

    first_counts: whether a capital at the very start marks a name rather than a sentence.
    """
    known = gazetteer.pattern_for(text)
    found: list[NamedEntity] = []
    for match in known.finditer(text) if known else ():
        folded = match[0].casefold()
        entity_type = gazetteer.types.get(folded, EntityType.CONCEPT)
        found.append(NamedEntity(gazetteer.spellings.get(folded, match[0]), entity_type, *match.span()))
    for start, name in _runs(text):
        end = start + len(name)
        here = (EntityType.PERSON, start)  # "Sarah" may be known where "Sarah Okafor" stands
        found = [n for n in found if (n.entity_type, n.start) != here or not name.startswith(f"{n.name} ")]
        if (start == 0 and not first_counts) or any(n.start < end and start < n.end for n in found):
            continue
        entity_type = guess_type(name, text[:start], text[end:], gazetteer)
        if entity_type is not EntityType.CONCEPT or not _only_says_which(text, start, end):
            found.append(NamedEntity(name, entity_type, start, end))
    unique: dict[str, NamedEntity] = {}
    for named in sorted(found, key=lambda n: n.start):
        unique.setdefault(named.name.casefold(), named)
    return list(unique.values())


def _only_says_which(text: str, start: int, end: int) -> bool:
    """Whether a name only specifies a thing, "the Leeds half marathon", or is a quoted word."""
    before, after = text[:start], text[end:]
    quoted = before.endswith('"') and after.startswith('"') and " " not in text[start:end]
    return quoted or (before.endswith(" the ") and re.match(r" [a-z]", after) is not None)


def _runs(text: str) -> Iterator[tuple[int, str]]:
    if text.upper() == text:
        return
    titles = list(_TITLE.finditer(text))
    for title in titles:
        yield title.start(1), title[1]
    for match in _RUN.finditer(text):
        if any(title.start() < match.start() < title.end() for title in titles):
            continue
        words = match[0].split(" ")[:_MOST_RUN_WORDS]
        offset = match.start()
        while words and _is_no_name(words[0]):
            offset += len(words[0]) + 1
            words = words[1:]
        while words and (_is_no_name(words[-1]) or not re.match(rf"{CAPITAL}|\d", words[-1])):
            words = words[:-1]
        cut = next((i + 1 for i, word in enumerate(words[:-1]) if _OWNED.search(word)), len(words))
        name = _OWNED.sub("", " ".join(words[:cut])).rstrip("-&.'")
        if re.match(CAPITAL, name):
            yield offset, name


def _is_no_name(word: str) -> bool:
    bare = _OWNED.sub("", word.lower()).rstrip(".")
    written_so = re.match(rf"{CAPITAL}|\d|of|de|van|von|la|le|du|del|der|den|the|&", word)
    return bare in NOT_NAMES or bare in NATIONALITIES or len(bare) == 1 or not written_so


def guess_type(name: str, before: str, after: str, gazetteer: Gazetteer) -> EntityType:
    """Guess a name's type from known names, its own words, and the words around it."""
    known = gazetteer.types.get(name.casefold())
    if known is None and name.casefold() in gazetteer.short_forms:
        return EntityType.ORG
    own = known or _own_type(name.lower().split())
    if own is not None:
        return own
    if not before and _FIRM_AFTER.match(after):
        return EntityType.ORG
    tail = before[-60:]
    cued = next((entity_type for pattern, entity_type in _CUES if pattern.search(tail)), None)
    return cued or (EntityType.PERSON if _PERSON_AFTER.match(after) else EntityType.CONCEPT)


def _own_type(words: list[str]) -> EntityType | None:
    """Return the type that a name's words show by themselves: "Blue Lake", "Acme Ltd", "Anna Berg"."""
    if words[-1] in ORG_ENDINGS or words[0] in _ORG_STARTS:
        return EntityType.ORG
    if words[-1] in PLACE_ENDINGS or words[0] in _PLACE_STARTS:
        return EntityType.PLACE
    return EntityType.PERSON if words[0] in FIRST_NAMES and len(words) <= 3 else None


def looks_like_name(text: str) -> bool:
    """Whether a text is one to three capitalised words that may be a name."""
    words = text.split()
    return 0 < len(words) <= 3 and all(re.match(CAPITAL, w) and not _is_no_name(w) for w in words)


def titled(text: str) -> str:
    """Capitalise a lowercase name, such as "new york"; one with a capital is kept."""
    if any(c.isupper() for c in text):
        return text
    small = {"of", "the", "and", "de", "van", "von", "on", "upon"}
    return " ".join(w if i and w in small else w[:1].upper() + w[1:] for i, w in enumerate(text.split(" ")))


_MOST_PEOPLE = 12
"""How many people a conversation keeps track of."""


class Sort(Enum):
    """The kind of a statement's subject."""

    SELF = auto()
    GROUP = auto()
    PERSON = auto()
    NAMED = auto()
    THING = auto()


@dataclass(frozen=True, slots=True)
class Subject:
    """The subject of a statement.

    text: as used in the fact ("User's brother Peter"). name: the entity's name; None if unnamed.
    noun: its relation to the owner ("brother", "team meeting"). owner: the name before the possessive, or None.
    """

    text: str
    sort: Sort
    name: str | None = None
    entity_type: EntityType = EntityType.PERSON
    noun: str = ""
    owner: str | None = None


@dataclass(frozen=True, slots=True)
class Person:
    """A person mentioned in the conversation.

    described: descriptions in the messages, the first distinguishing namesakes. parent: their firm.
    short: what they were called before the full name came. fresh: mentioned in the current message.
    gender: by pronouns used, else by name.
    """

    subject: Subject
    described: tuple[str, ...] = ()
    parent: str | None = None
    gender: Gender | None = None
    short: str | None = None
    fresh: bool = True

    @property
    def tie(self) -> str | None:
        """Their relation to somebody: "User's brother", "one of User's writers at WOBS"."""
        return self.described[0] if self.described and "'s " in self.described[0] else None

    @property
    def epithet(self) -> str | None:
        """The relation as it precedes the name: "User's brother", "User's writer"."""
        return as_one(self.tie) if self.tie and self.tie.startswith(ONE_OF) else self.tie


@dataclass(frozen=True, slots=True)
class Discourse:
    """The context of later words: the speaker, their firm, and the possible referents of pronouns.

    me: "User", or the speaker's name. you: the other of two human speakers. firm: what "we" means.
    own_firm: the speaker's own firm according to the batch, in any conversation.
    people: those mentioned, latest last. org: the organisation named last.
    expected: the relation of an unnamed newcomer ("client"), whom the next sentence may name.
    unnamed: those that the latest such clause mentioned without a name, coordinated ones grouped; unnamed_fresh: it is in the
        current message.
    """

    me: str = USER
    you: str | None = None
    firm: str | None = None
    firm_age: int = 0
    own_firm: str | None = None
    people: tuple[Person, ...] = field(default=())
    thing: Subject | None = None
    org: str | None = None
    expected: str | None = None
    unnamed: tuple[tuple[Subject, ...], ...] = ()
    unnamed_fresh: bool = False

    def meant_by(self, pronoun: str) -> Person | None:
        """Return the latest person the pronoun can mean."""
        gender = PRONOUNS.get(pronoun.lower())
        return next((p for p in reversed(self.people) if p.gender is None or p.gender is gender), None)

    def called(self, name: str, described: str | None = None) -> Person | None:
        """Return the latest person with this name and, if given, description: "baker" fits "User's baker"."""
        for person in reversed(self.people):
            so_described = any(one == described or one.endswith(f" {described}") for one in person.described)
            if _same_name(person.subject.name, name) and (described is None or so_described):
                return person
        return None

    def with_person(self, person: Person) -> "Discourse":
        """Return the discourse with a person as the latest mentioned."""
        others = tuple(p for p in self.people if not _same_one(p, person))
        return replace(self, people=(*others, person)[-_MOST_PEOPLE:])


def spoken_of(subject: Subject, discourse: Discourse, said: str | None = None, pronoun: str = "") -> Person:
    """Return the subject as a person, with known details. said: this sentence's description."""
    noun = subject.noun if subject.owner else ""
    known = discourse.called(subject.name, said) if subject.name else None
    if known is None and subject.name and (said is None or not noun):
        known = discourse.called(subject.name)
        if known and said and not pronoun and bears_another_tie(known, said):
            known = None
    described = known.described if known else ()
    if said and said not in described:
        described = (*described, said)
    known_gender = known.gender if known else None
    gender = PRONOUNS.get(pronoun.lower()) or known_gender or gender_of(subject.name, noun or said or "")
    short = replace(subject, text=subject.name, owner=None, noun="") if subject.name else subject
    if known is None:
        return Person(short, described, None, gender)
    before = known.subject.name
    first_name = before if before and (subject.name or "").startswith(f"{before} ") else known.short
    return Person(short, described, known.parent, gender, first_name, known.fresh)


def bears_another_tie(person: Person, said: str) -> bool:
    """Whether a person is known with another relation to the same person: "User's mother" and "User's daughter"."""
    said, tie = comparable(said, person.tie or "")
    owner, possessive, relation = said.partition("'s ")
    known_owner, _, known = tie.partition("'s ")
    if not possessive or not relation.strip() or not known.strip() or owner != known_owner:
        return False
    return relation.partition(",")[0].split()[-1:] != known.partition(",")[0].split()[-1:]


def _same_name(one: str | None, other: str) -> bool:
    return one is not None and (one == other or one.split()[0] == other or other.split(maxsplit=1)[0] == one)


def _same_one(one: Person, other: Person) -> bool:
    if one.subject.name is None or other.subject.name is None:
        return one.subject.text == other.subject.text
    same = _same_name(one.subject.name, other.subject.name)
    return same and (not one.described or not other.described or one.described[0] == other.described[0])
