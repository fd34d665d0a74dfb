"""Expansions of a world that somebody wrote from its memories alone, stored as if the service's LLM had answered with them."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError
from sqlalchemy import create_engine, text

from benchmarks.entities.world import WorldError
from benchmarks.rig import Rig
from db.expansions import keep
from db.keys import LaneRef
from mosshead.paths import NamespacePath
from mosshead.urls import sqlalchemy_url
from pipeline.expansion import VERSION

Phrases = Mapping[str, Sequence[str]]
"""What one would mention when talking about a memory, by the world's id of that."""


class _Line(BaseModel):
    model_config = ConfigDict(frozen=True)

    id: str
    phrases: tuple[str, ...]


def read_expansions(file: Path) -> Phrases:
    """JSON Lines of ``{"id", "phrases"}``. Raises WorldError."""
    try:
        lines = [
            TypeAdapter(_Line).validate_json(line)
            for line in file.read_text(encoding="utf-8").splitlines()
            if line.strip()
        ]
    except ValidationError as error:
        raise WorldError(f"{file}: {error.errors(include_url=False)[0]['msg']}") from None
    return {line.id: line.phrases for line in lines}


def store_expansions(service: Rig, path: NamespacePath, phrases: Phrases) -> None:
    """phrases: by the memory's key in the namespace."""
    lane = LaneRef(path.tenant_id, path.namespace_id)
    assert service.addresses.admin_url is not None
    engine = create_engine(sqlalchemy_url(service.addresses.admin_url, "MOSSHEAD_ADMIN_URL"))
    with engine.begin() as connection:
        rows = connection.execute(
            text("""
                select memory_id, key, content from mosshead.memories
                where tenant_id = :tenant_id and namespace_id = :namespace_id and known_to is null
            """),
            lane.scope,
        ).all()
        found = {row.memory_id: phrases[row.key] for row in rows if row.key in phrases}
        contents = {row.memory_id: row.content for row in rows}
        keep(connection, lane, found, contents, version=VERSION, model="a person")
    engine.dispose()
