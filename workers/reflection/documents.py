"""Documents: formed from messages, edited by the app, and written against the version that was read."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from functools import partial
from typing import Any
from uuid import UUID

from sqlalchemy import Connection

from db import decisions, documents, namespaces
from db.decisions import LoggedDecision, Stamp
from db.documents import DocumentVersion
from db.keys import BatchRef, LaneRef
from mosshead.contrib.managers.prompts import DOCUMENT_VERSION
from mosshead.events.commands import EditDocument
from mosshead.llm import LanguageModel
from mosshead.store.connection import tenant_transaction
from pipeline.models import RecordSchema
from pipeline.reflection.documents import Changed, DocumentState, Formed, Mark, Misfit, edited, form_document, settled
from workers.dependencies import Parts, Store
from workers.reflection.kinds import Reflection, ReflectionDue, store_nothing
from workers.stages import load


def prepare(due: ReflectionDue, model: LanguageModel | None, parts: Parts) -> Store:
    """Ask for changes of a document, outside any transaction; return how to store them, if it is still as it was read."""
    lane = due.batch.lane
    with tenant_transaction(parts.engine, lane.tenant_id) as connection:
        wanted = namespaces.configuration(connection, lane)
        held = _held(connection, lane, due.subject)
    shape = _shape(wanted.profiles, due.subject)
    if shape is None or model is None:
        return store_nothing
    formed = form_document(shape, held, due.messages, model, instructions=wanted.instructions)
    load.report_refused("fields", formed.refused)
    return partial(_keep, batch=due.batch, name=shape.name, held=held, formed=formed, decided_by=model.name)


def edit(connection: Connection, *, batch: BatchRef, command: EditDocument) -> None:
    """Edit a document as the app asks, or log why not. A document without a configured schema may hold anything."""
    held = _held(connection, batch.lane, command.document)
    asked_for = _shape(namespaces.configuration(connection, batch.lane).profiles, command.document)
    shape = asked_for or RecordSchema(command.document, {"type": "object"})
    stamp = decisions.stamp_of_event(connection, command.event_id)
    change, refused = _edited(shape, held, command)
    if change is not None:
        _write(connection, batch.lane, command.document, held=held, change=change, stamp=stamp)
    told = {"document": command.document, "patch": command.patch, **({"by": command.by} if command.by else {})}
    document = documents.id_of(connection, batch.lane, command.document)
    of = {"target_id": document, "target_version": held.version}
    logged = decisions.by_app(stamp, "document", reason="the app edited it", refused=refused, fact=told, **of)
    decisions.log(connection, batch, [logged])


def _edited(shape: RecordSchema, held: DocumentState, command: EditDocument) -> tuple[Changed | None, str | None]:
    expected = command.document_version
    if expected is not None and expected != held.version:
        return None, f"version {expected} was expected, but it is at {held.version}"
    try:
        return edited(shape, held, command.patch, command.occurred_at), None
    except Misfit as error:
        return None, str(error)


def _keep(
    connection: Connection, *, batch: BatchRef, name: str, held: DocumentState, formed: Formed, decided_by: str
) -> None:
    if formed.change is None and not formed.refused:
        return
    (stamp,) = decisions.stamps(connection, 1)
    if formed.change is not None:
        _write(connection, batch.lane, name, held=held, change=formed.change, stamp=stamp)
    fact = {
        "document": name,
        "patch": formed.change.patch if formed.change else {},
        "messages": [str(one) for one in formed.sources],
    }
    refused = "; ".join(f"{why} ({count})" for why, count in sorted(formed.refused.items())) or None
    logged = LoggedDecision(
        stamp=stamp,
        action="document",
        reason="formed of what was said",
        decided_by=decided_by,
        target_id=documents.id_of(connection, batch.lane, name),
        target_version=held.version,
        refused=refused,
        fact=fact,
        prompt_version=DOCUMENT_VERSION,
        in_effect=formed.change is not None,
    )
    decisions.log(connection, batch, [logged])


def _write(
    connection: Connection, lane: LaneRef, name: str, *, held: DocumentState, change: Changed, stamp: Stamp
) -> None:
    fields = {
        pointer: {"at": mark.at.isoformat(), "hand": mark.hand, "by": str(mark.by or stamp.decision_id)}
        for pointer, mark in settled(held.marks, change.marked).items()
    }
    documents.write(connection, lane, name, read=held.version, body=change.body, fields=fields, stamp=stamp)


def _held(connection: Connection, lane: LaneRef, name: str) -> DocumentState:
    row = documents.current(connection, lane, name)
    return DocumentState() if row is None else held_in(row)


def held_in(row: DocumentVersion) -> DocumentState:
    """Return a version of a document as the pipeline sees it."""
    marks = {
        key: Mark(datetime.fromisoformat(one["at"]), one["hand"], UUID(one["by"])) for key, one in row.fields.items()
    }
    return DocumentState(body=row.body, marks=marks, version=row.version)


def _shape(profiles: Iterable[Mapping[str, Any]], name: str) -> RecordSchema | None:
    return next((RecordSchema(name, one["json_schema"]) for one in profiles if one["name"] == name), None)


DOCUMENT = Reflection(prepare)
"""The kind of reflection that keeps documents; its subjects are the names of their schemas."""
