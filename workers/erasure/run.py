"""Erase at once what an app asks for, ahead of everything that waits in the lane or is being processed.

Erasure takes two transactions: the short fence, and the work that may take a while (`db.erasure.erasures`). If a worker dies
between or in them, the next one finishes its work.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from itertools import groupby
from operator import attrgetter
from typing import Any
from uuid import UUID

import structlog
from pydantic import ValidationError
from sqlalchemy import Connection

from db import decisions, documents, entities, namespaces, reflections, summaries
from db.erasure import erasures, scopes
from db.erasure.memories import Key, Retold, VersionRow, versions_of
from db.erasure.scopes import run_counted
from db.keys import BatchRef, LaneRef
from db.replay import generations
from mosshead.embeddings import Embedder
from mosshead.events.commands import Erase
from mosshead.store.connection import tenant_transaction
from pipeline.embedding import embed
from pipeline.erasure import Says, Version, told_by_others
from pipeline.extraction.records import closed, fits
from pipeline.models import Fact
from pipeline.reflection.documents import unformed
from workers.dependencies import Parts
from workers.failures import describe
from workers.reflection.documents import held_in

_log = structlog.get_logger()

Rows = Mapping[str, int]


class ErasureFailed(Exception):
    """An erasure failed; it will be retried. Holds no text of a conversation."""


def erase(lane: LaneRef, parts: Parts) -> None:
    """Carry out a lane's oldest waiting erasure, if any. Raises ErasureFailed."""
    failed = None
    try:
        _erase(lane, parts)
    except Exception as error:  # noqa: BLE001 - what it says may be what was to be erased
        failed = describe(error)
    if failed is not None:
        _log.error("erasure_failed", error=failed)
        raise ErasureFailed(failed)


def _erase(lane: LaneRef, parts: Parts) -> None:
    wanted = _fenced(lane, parts)
    if wanted is None:
        return
    with tenant_transaction(parts.engine, lane.tenant_id) as connection:
        # Another worker may have finished it, or be at work on it.
        next_one = erasures.next_in(connection, lane) if erasures.alone(connection, lane) else None
        if next_one is None or next_one[0] != wanted.event_id:
            return
        erasures.take_time(connection)
        # The namespace's other generation holds it too, under its own ids. It can be rebuilt from what stays.
        if generation := generations.lock(connection, lane):
            generations.drop(connection, generation)
            _log.warning("replay_dropped", namespace_id=str(lane.namespace_id), why="something was erased")
        if wanted.everything:
            parameters = {**lane.scope, "erasure_id": wanted.event_id}
            gone = scopes.erase_everything(connection, parameters)
            erasures.lock_lane(connection, lane)
            rows: Rows = gone | run_counted(connection, scopes.NAMES, parameters)
        else:
            rows = _part(connection, lane, wanted, parts)
        told = {table: number for table, number in rows.items() if number}
        erasures.done(connection, lane, wanted.event_id, told)
    _log.info("erased", erasure_id=str(wanted.event_id), scope=wanted.scope, rows=told)


def _fenced(lane: LaneRef, parts: Parts) -> Erase | None:
    """Fence and return a lane's oldest waiting erasure; None if none can be read."""
    with tenant_transaction(parts.engine, lane.tenant_id) as connection:
        # First, or events published now would be missed, and a finished erasure would be started again.
        erasures.lock_lane(connection, lane)
        asked = erasures.next_in(connection, lane)
        if asked is None:
            erasures.nothing_waits(connection, lane)
            return None
        erasure_id, payload = asked
        try:
            wanted = Erase.model_validate(payload)
        except ValidationError as error:
            erasures.bury(connection, lane, erasure_id, f"erase: {describe(error)}")
            _log.error("erasure_refused", erasure_id=str(erasure_id), error=describe(error))
            return None
        erasures.put_up(
            connection,
            lane,
            wanted.event_id,
            wanted.scope,
            conversation=wanted.conversation,
            events=wanted.single_events,
        )
        return wanted


def _part(connection: Connection, lane: LaneRef, wanted: Erase, parts: Parts) -> Rows:
    part = _retold(connection, lane, _chosen(connection, lane, wanted), parts.embedder)
    stamp = decisions.stamp_of_event(connection, wanted.event_id)
    decisions.log(connection, BatchRef(lane, wanted.event_id), [decisions.by_app(stamp, "erase")])
    summed_up = summaries.of_messages(connection, lane, part.messages)
    rows = {"documents": _documents(connection, lane, part)}
    gone, touched = scopes.erase_part(connection, lane, part, stamp)
    rows |= gone
    entities.touch_profiles(connection, lane, entities.existing(connection, lane, touched))
    debounce = parts.settings.profile_debounce
    entities.set_profiles_timer(connection, lane, least=debounce.least, most=debounce.most)
    for conversation in summed_up:
        summaries.delete(connection, lane, conversation)
        if conversation != wanted.conversation:
            summaries.ask_for(connection, lane, conversation)
    erasures.lock_lane(connection, lane)
    if wanted.conversation is not None:
        parameters = {
            "erasure_id": wanted.event_id,
            "conversation": wanted.conversation,
            "kinds": list(reflections.OF_CONVERSATIONS),
        }
        also = run_counted(connection, scopes.CONVERSATION, lane.scope | parameters)
        rows |= {table: rows.get(table, 0) + number for table, number in also.items()}
    return rows


def _chosen(connection: Connection, lane: LaneRef, wanted: Erase) -> scopes.ErasureScope:
    if wanted.conversation is not None:
        return scopes.of_conversation(connection, lane, wanted.event_id, wanted.conversation)
    if wanted.message is not None:
        return scopes.of_message(connection, lane, wanted.message)
    if wanted.entity is not None:
        found = scopes.of_entity(connection, lane, wanted.entity)
    else:
        found = scopes.of_memories(connection, lane, wanted.memories)
    return scopes.with_sources(connection, lane, found, wanted.sources)


def _documents(connection: Connection, lane: LaneRef, part: scopes.ErasureScope) -> int:
    """Remove what messages contributed from all versions of documents; delete versions that no longer fit their schema."""
    formed = documents.formed_of(connection, lane, part.messages)
    if not formed:
        return 0
    shapes = {one["name"]: one["json_schema"] for one in namespaces.configuration(connection, lane).profiles}
    said, rows = documents.said_to(connection, lane), 0
    for name, versions in groupby(documents.all_versions(connection, lane), key=attrgetter("name")):
        of_one = list(versions)
        all_left, trimmed = unformed([held_in(one) for one in of_one], formed, said)
        documents.trim(connection, lane, trimmed)
        for one, left in zip(of_one, all_left, strict=True):
            if left == held_in(one):
                continue
            rows += 1
            if name in shapes and not fits(left.body, closed(shapes[name])):
                documents.delete(connection, lane, one.document_id)
                continue
            kept = {key: mark for key, mark in one.fields.items() if key in left.marks}
            documents.rewrite(connection, lane, replace(one, body=left.body, fields=kept))
    return rows


def _retold(
    connection: Connection, lane: LaneRef, part: scopes.ErasureScope, embedder: Embedder
) -> scopes.ErasureScope:
    """Return the scope with new wordings of memories that other messages support, too; the others are erased with the rest.

    Raises what the embedder raises.
    """
    rows = versions_of(connection, lane, part.repeated, part.messages)
    says: dict[Key, Says] = {}
    for memory_id, of_one in groupby(rows, key=lambda row: row.key[0]):
        versions = [Version(one.key[1], Says(**one.says), one.erased, _fact(one.fact)) for one in of_one]
        says |= {(memory_id, number): one for number, one in told_by_others(versions).items()}
    lost = frozenset(row.key[0] for row in rows) - {memory_id for memory_id, _ in says}
    stay = [row for row in rows if row.key[0] not in lost]
    told = Retold(
        gone=[row.key for row in stay if row.key not in says],
        anew={row.key: asdict(says[row.key]) for row in stay if row.key in says and asdict(says[row.key]) != row.says},
        vectors=embed(_new_words(stay, says), embedder),
        model=embedder.name,
    )
    return replace(part, memories=part.memories | lost, repeated=part.repeated - lost, retold=told)


def _new_words(rows: Sequence[VersionRow], says: Mapping[Key, Says]) -> dict[Key, str]:
    """Return the new wordings that need a vector: all but those that repeat the version before them."""
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


def _fact(logged: Mapping[str, Any] | None) -> Fact | None:
    """Read a fact as an earlier release may have written it; return nothing if it cannot be read."""
    try:
        return Fact.model_validate(logged) if logged else None
    except ValidationError:
        return None
