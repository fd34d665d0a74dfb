"""The pages of entities: lists, relations, merge and split."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal
from uuid import UUID

from mosshead import EntityType
from mosshead.store.entities import Neighbour
from workers.console.formatting import waiting_of
from workers.console.handlers import OfNamespace, Page, Published


def entities(request: OfNamespace) -> Page:
    """List the filtered entities, those with the most memories first."""
    said, kind = request.given("q").strip(), request.given("type")
    found = [
        one
        for one in request.namespace.entities.list()
        if kind in {"", one.entity_type}
        and any(said.casefold() in name.casefold() for name in (one.name, *one.aliases, one.description or ""))
    ]
    return Page("entities.html", entities=found, said=said, kind=kind, types=list(EntityType))


def entity(request: OfNamespace, entity_id: str) -> Page:
    """Show an entity: its profile, memories and neighbours; merge and split. Raises NotFound."""
    namespace = request.namespace
    profile = namespace.entities.profile(UUID(entity_id))
    own = profile.entity
    others = [one for one in namespace.entities.list() if one.id != own.id]
    near = namespace.entities.neighbours(own.id, depth=2, fan_out=12)
    part = request.part(lambda most: namespace.memories(about=own, limit=most), 200)
    waiting = waiting_of(namespace.entities.questions(), own.id)
    return Page(
        "entity.html",
        profile=profile,
        entity=own,
        others=sorted(others, key=lambda one: (one.entity_type != own.entity_type, one.name.casefold())),
        part=part,
        known=[one for one in part.shown if one.content not in waiting],
        perhaps=[one for one in part.shown if one.content in waiting],
        edges=[one for one in near if one.distance == 1],
        drawing=draw(near, own.id),
        width=WIDTH,
        height=HEIGHT,
        letters=LETTERS,
    )


def merge(request: OfNamespace, entity_id: str) -> Published:
    """Merge one entity into another. Raises NotFound, or InvalidEvent if both are the same or the first is the user."""
    event_id = request.namespace.entities.merge(entity_id, request.given("into"))
    return event_id, f"entities/{UUID(request.given('into'))}"


def split(request: OfNamespace, entity_id: str) -> Published:
    """Move memories to a new entity. Raises NotFound, or InvalidEvent if none of them is about the entity."""
    chosen = request.get_arguments("memory")
    if not chosen:
        raise ValueError("memory: select the memories to move")
    name, description = request.given("name") or None, request.given("description") or None
    event_id = request.namespace.entities.split(entity_id, chosen, name=name, description=description)
    return event_id, f"entities/{entity_id}"


def erase_entity(request: OfNamespace, entity_id: str) -> Published:
    """Delete an entity for good, with everything ever linked to it. Raises NotFound, or InvalidEvent if it is the user."""
    return request.namespace.erase(entity=entity_id), "entities"


WIDTH, HEIGHT = 760, 460
_CENTRE = (WIDTH / 2, HEIGHT / 2)
_RADII = {1: (170.0, 110.0), 2: (270.0, 195.0)}
_LABEL = 14.0
_LEANING = 0.3  # this near to the vertical, a label goes below or above its dot
LETTERS = 17
"""Letters of a neighbour's name that fit at every dot, even on a small sheet with large letters."""


@dataclass(frozen=True, slots=True)
class Dot:
    """A neighbour, its position, and the side of its label."""

    one: Neighbour
    x: float
    y: float
    text_x: float
    text_y: float
    anchor: Literal["start", "middle", "end"]


@dataclass(frozen=True, slots=True)
class Line:
    """An edge, from the nearer end; its predicate is written on it, closer to the farther end."""

    x1: float
    y1: float
    x2: float
    y2: float
    predicate: str


@dataclass(frozen=True, slots=True)
class Drawing:
    """A drawing of ``WIDTH`` by ``HEIGHT``, with the entity in the middle. left_out: neighbours without room."""

    dots: tuple[Dot, ...]
    lines: tuple[Line, ...]
    left_out: int


def draw(found: Sequence[Neighbour], centre: UUID) -> Drawing:
    """Draw the first few neighbours within two edges of an entity, nearest first."""
    nearest: dict[UUID, Neighbour] = {}
    for one in found:
        if one.distance in _RADII:
            nearest.setdefault(one.id, one)
    shown = dict(list(nearest.items())[:24])
    angles = _angles(shown, centre)
    places = {centre: _CENTRE} | {key: _at(angles[key], one.distance) for key, one in shown.items()}
    dots = tuple(_dot(one, angles[key], places[key]) for key, one in shown.items())
    edges = {(one.via, one.id): one for one in reversed(found) if one.id in shown and one.via in places}
    ends = ((*places[via], *places[to], one.predicate.replace("_", " ")) for (via, to), one in edges.items())
    return Drawing(dots, tuple(Line(*one) for one in ends), len(nearest) - len(shown))


def _angles(shown: Mapping[UUID, Neighbour], centre: UUID) -> dict[UUID, float]:
    """Compute angles: a sector's width depends on a neighbour's children, which share it on the second ring."""
    below: dict[UUID, list[UUID]] = {}
    for key, one in shown.items():
        below.setdefault(one.via, []).append(key)
    inner = below.get(centre, [])
    widths = {key: max(1, len(below.get(key, ()))) for key in inner}
    whole = 2 * math.pi / max(1, sum(widths.values()))
    angles: dict[UUID, float] = {}
    begin = -math.pi / 2 - (widths[inner[0]] * whole / 2 if inner else 0)
    for key in inner:
        width = widths[key] * whole
        angles[key] = begin + width / 2
        outer = below.get(key, [])
        for place, far in enumerate(outer):
            angles[far] = begin + width * (place + 0.5) / len(outer)
        begin += width
    return angles


def _at(angle: float, distance: int) -> tuple[float, float]:
    wide, high = _RADII[distance]
    return round(_CENTRE[0] + wide * math.cos(angle), 1), round(_CENTRE[1] + high * math.sin(angle), 1)


def _dot(one: Neighbour, angle: float, place: tuple[float, float]) -> Dot:
    x, y = place
    across = math.cos(angle)
    anchor: Literal["start", "middle", "end"] = "middle"
    text_x, text_y = x, y + (_LABEL + 6 if math.sin(angle) > 0 else -_LABEL + 2)
    if abs(across) > _LEANING and one.distance == 1:  # there is no room beside the outer ring
        anchor = "start" if across > 0 else "end"
        text_x, text_y = x + math.copysign(_LABEL - 2, across), y + 4
    return Dot(one, x, y, round(text_x, 1), round(text_y, 1), anchor)
