"""A small world for the tests of tracking: a boatyard, a theatre, and the people of both."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID, uuid5

from mosshead.contrib.focus import FocusKnowledge, FocusState, FocusTurn, NameInMessage, TrackedEntity, track
from mosshead.language.wordlists import Gender
from mosshead.models.kinds import EntityType

HE, SHE = Gender.HE, Gender.SHE


def key(name: str) -> UUID:
    """Return the id of an entity of the small world."""
    return uuid5(UUID(int=7), name)


def _entity(name: str, kind: str, *, parent: str = "", kin: tuple[str, ...] = (), **given: Any) -> TrackedEntity:
    homes = {key(parent)} if parent else set()
    return TrackedEntity(
        entity_id=key(name),
        entity_type=EntityType(kind),
        names=(name.lower(),),
        parent_id=key(parent) if parent else None,
        homes=frozenset(homes),
        kin=frozenset(map(key, kin)) | homes,
        **given,
    )


ENTITIES = {
    one.entity_id: one
    for one in (
        _entity("Brightwater", "org"),
        _entity("Lamplight", "org"),
        _entity("Nora Finch", "person", parent="Brightwater", gender=SHE, kin=("Otto Reiss",)),
        _entity("Otto Reiss", "person", parent="Brightwater", gender=HE, kin=("Nora Finch",)),
        _entity("Ivan Brook", "person", parent="Lamplight", gender=HE),
        _entity("Kit Marlow", "person", parent="Lamplight"),
        _entity("Kit Sorel", "person", gender=SHE),
        _entity("Spring Regatta", "project", parent="Brightwater"),
        _entity("How to launch a boat", "process", parent="Brightwater"),
    )
}
CALLED = {
    "Brightwater": ("Brightwater",),
    "Lamplight": ("Lamplight",),
    "Nora": ("Nora Finch",),
    "Otto": ("Otto Reiss",),
    "Ivan": ("Ivan Brook",),
    "Marlow": ("Kit Marlow",),
    "Sorel": ("Kit Sorel",),
    "Kit": ("Kit Marlow", "Kit Sorel"),
    "Regatta": ("Spring Regatta",),
}


def known(text: str, **given: Any) -> FocusKnowledge:
    """Return the small world's knowledge for a message: the names in it, and what is given."""
    names = [
        NameInMessage(
            start=text.index(called), end=text.index(called) + len(called), entity_ids=tuple(map(key, bearers))
        )
        for called, bearers in CALLED.items()
        if called in text
    ]
    return FocusKnowledge(entities=ENTITIES, names=tuple(sorted(names, key=lambda one: one.start)), **given)


def near(**cosines: float) -> dict[UUID, float]:
    """Return cosines by name, with _ for the spaces."""
    return {key(name.replace("_", " ")): cosine for name, cosine in cosines.items()}


def said(
    *messages: str, state: FocusState | None = None, knowing: Mapping[str, FocusKnowledge] | None = None
) -> FocusState:
    """Return the state after some messages of the user; one that begins with ">" is the assistant's. knowing: by message."""
    now = state or FocusState()
    for message in messages:
        text = message.removeprefix(">")
        turn = FocusTurn(text=text, by_user=text == message)
        now = track(now, turn, (knowing or {}).get(message) or known(text))
    return now


def meant(state: FocusState) -> dict[str, set[str]]:
    """Return the entities that the words of the latest turn refer to, by name."""
    return {one.text: names(one.entity_ids) for one in state.references}


def names(ids: Any) -> set[str]:
    """Return the names of small-world entities, by their ids or by the items of a layer."""
    by_key = {key(name): name for bearers in CALLED.values() for name in bearers} | {
        key("How to launch a boat"): "How to launch a boat"
    }
    return {by_key[getattr(one, "entity_id", one)] for one in ids}
