"""Whom or what a sentence is about, and what the words before it explain: who speaks, for whom, and whom a pronoun can mean."""

from dataclasses import dataclass, field, replace
from enum import Enum, auto

from mosshead.genders import PRONOUNS, Gender, gender_of
from mosshead.kinds import EntityType
from pipeline.facts import USER
from pipeline.offline.grammar import ONE_OF, as_one, comparable

_MOST_PEOPLE = 12
"""How many people a conversation keeps in sight."""


class Sort(Enum):
    """What sort of subject a statement has."""

    SELF = auto()
    GROUP = auto()
    PERSON = auto()
    NAMED = auto()
    THING = auto()


@dataclass(frozen=True, slots=True)
class Subject:
    """Whom or what a statement is about.

    text: as it stands in the content ("User's brother Peter"). name: the entity's name, None for an unnamed one.
    noun: what it is to its owner ("brother", "team meeting"). owner: the name before the possessive, or None.
    bare: it stood without article and owner ("rent", "hotfixes"), and so may be meant in general.
    """

    text: str
    sort: Sort
    name: str | None = None
    entity_type: EntityType = EntityType.PERSON
    noun: str = ""
    owner: str | None = None
    bare: bool = False


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody who was spoken of.

    described: what the messages called him by, the first of it telling him from his namesakes. parent: his firm.
    short: what he
    was called before his full name came.
    gender: by the pronouns that were used of him, else by his name. fresh: he came up in the message at hand.
    """

    subject: Subject
    described: tuple[str, ...] = ()
    parent: str | None = None
    gender: Gender | None = None
    short: str | None = None
    fresh: bool = True

    @property
    def tie(self) -> str | None:
        """What he is to somebody: "User's brother", "one of User's writers at WOBS"."""
        return self.described[0] if self.described and "'s " in self.described[0] else None

    @property
    def epithet(self) -> str | None:
        """The tie as it reads before his name: "User's brother", "User's writer"."""
        return as_one(self.tie) if self.tie and self.tie.startswith(ONE_OF) else self.tie


@dataclass(frozen=True, slots=True)
class Discourse:
    """What the words before explain: who speaks, for which firm, and whom a pronoun can mean.

    me: "User", or the speaker's name. you: the other one of two human speakers. firm: what "we" speaks for.
    own_firm: the firm that the batch gave as the speaker's own, in this conversation or another.
    people: those spoken of, the latest last. org: the organisation named last. expected: what an unnamed newcomer
    is to the speaker ("client"), whose name the next sentence may give.
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

    def meant_by(self, pronoun: str) -> Person | None:
        """The latest one whom the pronoun can mean."""
        gender = PRONOUNS.get(pronoun.lower())
        return next((p for p in reversed(self.people) if p.gender is None or p.gender is gender), None)

    def called(self, name: str, described: str | None = None) -> Person | None:
        """The latest one of this name, of whom the description was said, where one is given."""
        return next(
            (
                p
                for p in reversed(self.people)
                if _same_name(p.subject.name, name) and (described is None or _so_described(p, described))
            ),
            None,
        )

    def with_person(self, person: Person) -> "Discourse":
        """The person spoken of last."""
        others = tuple(p for p in self.people if not _same_one(p, person))
        return replace(self, people=(*others, person)[-_MOST_PEOPLE:])


def spoken_of(subject: Subject, discourse: Discourse, said: str | None = None, pronoun: str = "") -> Person:
    """The subject as a person, with what was known of him; said: what this sentence describes him by."""
    noun = subject.noun if subject.owner else ""
    known = discourse.called(subject.name, said) if subject.name else None
    if known is None and subject.name and (said is None or not noun):
        known = discourse.called(subject.name)
        if known and said and not pronoun and bears_another_tie(known, said):
            known = None
    described = known.described if known else ()
    if said and said not in described:
        described = (*described, said)
    gender = (
        PRONOUNS.get(pronoun.lower())
        or (known.gender if known else None)
        or gender_of(subject.name, noun or said or "")
    )
    short = replace(subject, text=subject.name, owner=None, noun="") if subject.name else subject
    if known is None:
        return Person(short, described, None, gender)
    before = known.subject.name
    first_name = before if before and (subject.name or "").startswith(f"{before} ") else known.short
    return Person(short, described, known.parent, gender, first_name, known.fresh)


def bears_another_tie(person: Person, said: str) -> bool:
    """Whether somebody is known as another relative or friend of the same person: "User's mother" and "User's daughter"."""
    said, tie = comparable(said, person.tie or "")
    owner, possessive, relation = said.partition("'s ")
    known_owner, _, known = tie.partition("'s ")
    if not possessive or not relation.strip() or not known.strip() or owner != known_owner:
        return False
    return relation.partition(",")[0].split()[-1:] != known.partition(",")[0].split()[-1:]


def _so_described(person: Person, description: str) -> bool:
    """Whether he was called so, alone or as somebody's: "baker" fits "User's baker"."""
    return any(known == description or known.endswith(f" {description}") for known in person.described)


def _same_name(one: str | None, other: str) -> bool:
    return one is not None and (one == other or one.split()[0] == other or other.split(maxsplit=1)[0] == one)


def _same_one(one: Person, other: Person) -> bool:
    if one.subject.name is None or other.subject.name is None:
        return one.subject.text == other.subject.text
    same = _same_name(one.subject.name, other.subject.name)
    return same and (not one.described or not other.described or one.described[0] == other.described[0])
