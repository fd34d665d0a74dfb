"""What the facts of one batch say of those that they are surely about: in no table yet, it tells the next fact who is meant."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from uuid import UUID

import numpy as np

from mosshead.disambiguation import Evidence
from mosshead.names import possible_names
from mosshead.registry import RegisteredEntity
from pipeline.linking.bearers import folded, names
from pipeline.linking.values import Around, ToLink, Vector
from pipeline.wording import telling


@dataclass(slots=True)
class _Said:
    """Of one entity: the vectors and the words of the facts about it, and whom else they are about."""

    vectors: list[Vector] = field(default_factory=list)
    words: set[str] = field(default_factory=set)
    others: set[UUID] = field(default_factory=set)


class BatchEvidence:
    """Grows with each link that is sure, and adds to what was known before."""

    def __init__(self) -> None:
        self._said: defaultdict[UUID, _Said] = defaultdict(_Said)

    def note(self, entity_id: UUID, *, content: str, vector: Vector, others: set[UUID]) -> None:
        """A fact is surely about an entity. others: whom it is about beside."""
        said = self._said[entity_id]
        said.vectors.append(vector)
        said.words |= telling(content)
        said.others |= others

    def weighed(
        self,
        candidates: Sequence[RegisteredEntity],
        to_link: ToLink,
        around: Around,
        registry: Mapping[UUID, RegisteredEntity],
    ) -> dict[UUID, Evidence]:
        """By candidate, what speaks for it: what was known before the batch, and what the batch's facts say."""
        return {one.entity_id: self._of(one, to_link, around, registry) for one in candidates}

    def _of(
        self, candidate: RegisteredEntity, to_link: ToLink, around: Around, registry: Mapping[UUID, RegisteredEntity]
    ) -> Evidence:
        known = around.evidence.get(candidate.entity_id, Evidence(nearest=(0.0,) * len(around.asked.texts)))
        said = self._said.get(candidate.entity_id, _Said())
        parent = {candidate.parent_id} if candidate.parent_id else set()
        words = said.words | telling(f"{candidate.description or ''} {candidate.parent or ''}")
        return replace(
            known,
            nearest=_nearest(known.nearest, around.texts, said.vectors),
            words=known.words
            | {word for word in (*around.asked.words, *around.asked.scene_words) if telling(word) & words},
            named=known.named | _named(said.others | parent, candidate, to_link.said, registry),
            scene_named=known.scene_named | _named(said.others | parent, candidate, " ".join(to_link.before), registry),
        )


def _nearest(known: tuple[float, ...], texts: Vector, vectors: Sequence[Vector]) -> tuple[float, ...]:
    if not vectors:
        return known
    return tuple(
        max(before, float(now)) for before, now in zip(known, (texts @ np.stack(vectors).T).max(axis=1), strict=True)
    )


def _named(
    others: set[UUID], candidate: RegisteredEntity, said: str, registry: Mapping[UUID, RegisteredEntity]
) -> set[UUID]:
    """Those of the others that a text names; the user and namesakes tell nobody apart."""
    if not others:
        return set()
    spoken = {folded(name) for name in possible_names(said)}
    telling_apart = (registry[key] for key in others if key in registry and not registry[key].is_user)
    return {one.entity_id for one in telling_apart if names(one) & spoken and not names(one) & names(candidate)}
