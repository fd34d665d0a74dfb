"""How a prompt tells which names are known, so that whom a message means is called by them."""

from collections.abc import Sequence, Set

from mosshead.kinds import EntityType
from pipeline.facts import KnownEntity


def known_names(entities: Sequence[KnownEntity], speakers: Set[str | None]) -> list[str]:
    """A line for each entity of which the messages' headers do not tell all: they name the speakers."""
    return [_line(entity) for entity in entities if not _is_told(entity, speakers)]


def _is_told(entity: KnownEntity, speakers: Set[str | None]) -> bool:
    """Whether the headers say of an entity all that its line would: a speaker who has one name and belongs to nobody."""
    plain = entity.entity_type is EntityType.PERSON and not entity.parent
    return plain and entity.name in speakers and not _other_names(entity)


def _line(entity: KnownEntity) -> str:
    others = _other_names(entity)
    aliases = f", also {', '.join(others)}" if others else ""
    parent = f", part of {entity.parent}" if entity.parent else ""
    return f"{entity.name} ({entity.entity_type.value}){aliases}{parent}"


def _other_names(entity: KnownEntity) -> list[str]:
    """Its aliases but its name, which the registry counts among them."""
    return [alias for alias in entity.aliases if alias != entity.name]
