"""What memories say that stay where some of what they were taken from is erased: what the others said of it."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any
from uuid import UUID

from pydantic import ValidationError
from sqlalchemy import Connection

from db.erasure.memories import Key, Retold, VersionRow, versions_of
from db.erasure.scopes import Part
from db.keys import LaneRef
from mosshead.embeddings import Embedder
from pipeline.embedding import embed
from pipeline.erasure import Says, Version, told_by_others
from pipeline.models import Fact


def retold(connection: Connection, lane: LaneRef, part: Part, embedder: Embedder) -> Part:
    """A part with what the memories say from here on that others bear out, too. Those of whom nothing is left go with the rest.

    Raises what the embedder raises.
    """
    rows = defaultdict[UUID, list[VersionRow]](list)
    for row in versions_of(connection, lane, part.repeated, part.messages):
        rows[row.key[0]].append(row)
    left = {memory_id: told_by_others([_version(row) for row in of_one]) for memory_id, of_one in rows.items()}
    lost = frozenset(memory_id for memory_id, versions in left.items() if not versions)
    stay = [row for memory_id in part.repeated - lost for row in rows[memory_id]]
    says = {(memory_id, number): one for memory_id, versions in left.items() for number, one in versions.items()}
    told = Retold(
        gone=[row.key for row in stay if row.key not in says],
        anew={row.key: asdict(says[row.key]) for row in stay if row.key in says and asdict(says[row.key]) != row.says},
        vectors=embed(_new_words(stay, says), embedder),
        model=embedder.name,
    )
    return replace(part, memories=part.memories | lost, repeated=part.repeated - lost, retold=told)


def _new_words(rows: Sequence[VersionRow], says: Mapping[Key, Says]) -> dict[Key, str]:
    """What versions say that have no vector of it, nor the one before them that stays."""
    words = {}
    last: tuple[UUID, str] | None = None
    for before, row in zip((None, *rows), rows, strict=False):
        if row.key not in says:
            continue
        now = (row.key[0], says[row.key].content)
        began = before is None or (before.key[0], before.says["content"]) != (row.key[0], row.says["content"])
        if now != last and not (began and now[1] == row.says["content"]):
            words[row.key] = now[1]
        last = now
    return words


def _version(row: VersionRow) -> Version:
    return Version(row.key[1], Says(**row.says), erased=row.erased, fact=_fact(row.fact))


def _fact(logged: Mapping[str, Any] | None) -> Fact | None:
    """As an earlier release may have written it: what cannot be read says nothing."""
    try:
        return Fact.model_validate(logged) if logged else None
    except ValidationError:
        return None
