"""PARSE: what a message names, and the message with nobody's name in it. Pure.

A name lies near to all memories of its bearer and tells nothing of what is asked, so "someone" stands for it in what is embedded;
its words are still looked for, and the entity path starts from it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from mosshead.entities.disambiguation import STAND_IN
from mosshead.entities.lookup import NameMatch
from mosshead.language.names import normalise
from mosshead.language.references import Layout, ReferenceForm, phrases
from mosshead.models.kinds import EntityType


@dataclass(frozen=True, slots=True, kw_only=True)
class Parsed:
    """A message as reading takes it.

    text: as it was said. unnamed: with "someone" for the names of people; as it was said where nothing else is in it.
    named: each name in it, as it is written first, in their order, with whom it may mean; the user is nobody's question.
    implied: who is meant by a pronoun, where the message names nobody, and the last turn that names anybody names one alone.
    """

    text: str
    unnamed: str
    named: Mapping[str, frozenset[UUID]]
    implied: frozenset[UUID] = frozenset()

    @property
    def contested(self) -> tuple[str, ...]:
        """The names that several bear."""
        return tuple(name for name, bearers in self.named.items() if len(bearers) > 1)


def parse(message: str, found: Sequence[NameMatch]) -> Parsed:
    """Parse a message. found: the names in it, as text 0, and in the turns before it, as texts 1 and on, oldest first."""
    others = [one for one in found if not one.entity.is_user]
    named: dict[str, set[UUID]] = {}
    written: dict[str, str] = {}
    for one in others:
        if one.text == 0:
            name = written.setdefault(normalise(one.name), one.name)
            named.setdefault(name, set()).add(one.entity.entity_id)
    return Parsed(
        text=message,
        unnamed=_unnamed(message, [one for one in found if one.text == 0]),
        named={name: frozenset(bearers) for name, bearers in named.items()},
        implied=_implied(others) if refers_back(message, found) else frozenset(),
    )


def refers_back(message: str, found: Sequence[NameMatch]) -> bool:
    """Whether the turns before may tell whom a message means: it has a pronoun and names nobody. found: as for `parse`."""
    names_nobody = not any(one.text == 0 and not one.entity.is_user for one in found)
    return names_nobody and any(phrase.form is ReferenceForm.PRONOUN for phrase in phrases(Layout(message)))


def _implied(before: Sequence[NameMatch]) -> frozenset[UUID]:
    latest = max((one.text for one in before), default=0)
    last = frozenset(one.entity.entity_id for one in before if one.text == latest)
    return last if len(last) == 1 else frozenset()


def _unnamed(message: str, found: Sequence[NameMatch]) -> str:
    """The message with "someone" for each name of a person, as who is meant is weighed by it too (`disambiguation.telling`)."""
    kept, taken = [], 0
    for start, end in sorted({(one.start, one.end) for one in found if one.entity.entity_type is EntityType.PERSON}):
        if start >= taken:
            kept.append(message[taken:start])
            taken = end
    kept.append(message[taken:])
    return " ".join(STAND_IN.join(kept).split()) if any(map(str.isalnum, "".join(kept))) else message
