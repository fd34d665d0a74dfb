"""PARSE: what a message names, and the message without those names. Pure.

A name lies near to all memories of its bearer and tells nothing of what is asked, so it is taken out of what is embedded; its
words are still looked for, and the entity path starts from it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from recollect.kinds import EntityType
from recollect.lookup import NameMatch
from recollect.patterns import lazy_pattern
from recollect.tracking.phrases import Form, phrases
from recollect.tracking.places import Layout

_POSSESSIVE = lazy_pattern(r"['’]s?(?!\w)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Parsed:
    """A message as reading takes it.

    text: as it was said. stripped: without the names of people; as it was said where nothing else is in it.
    named: each name in it, in their order, with whom it may mean; the user is nobody's question.
    implied: who is meant by a pronoun, where the message names nobody, and the last turn that names anybody names one alone.
    """

    text: str
    stripped: str
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
    for one in others:
        if one.text == 0:
            named.setdefault(one.name, set()).add(one.entity.entity_id)
    return Parsed(
        text=message,
        stripped=_without(message, [one for one in found if one.text == 0]),
        named={name: frozenset(bearers) for name, bearers in named.items()},
        implied=frozenset() if named else _implied(message, others),
    )


def _implied(message: str, before: Sequence[NameMatch]) -> frozenset[UUID]:
    if not any(phrase.form is Form.PRONOUN for phrase in phrases(Layout(message))):
        return frozenset()
    latest = max((one.text for one in before), default=0)
    last = frozenset(one.entity.entity_id for one in before if one.text == latest)
    return last if len(last) == 1 else frozenset()


def _without(message: str, found: Sequence[NameMatch]) -> str:
    """The message without the names of people, each with its possessive ending."""
    kept, taken = [], 0
    for start, end in sorted({(one.start, one.end) for one in found if one.entity.entity_type is EntityType.PERSON}):
        if start >= taken:
            kept.append(message[taken:start])
            ending = _POSSESSIVE.match(message, end)
            taken = ending.end() if ending else end
    stripped = " ".join("".join((*kept, message[taken:])).split())
    return stripped if any(map(str.isalnum, stripped)) else message
