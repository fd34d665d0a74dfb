"""Takes cases through the service's own stages, one session after the other, in this process.

What a session says is checked as `Namespace.publish` checks it and goes straight into the inbox; the claim, the leases and the
five tasks are the service's. Only the queues are left out.
"""

import os
import shutil
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from unittest.mock import patch
from uuid import uuid4

from sqlalchemy import Connection, Engine, text

from benchmarks.extraction.cases import Case, Session
from benchmarks.extraction.matching import Proposal
from benchmarks.extraction.scoring import CaseRun
from config.logging import configure_logging
from config.settings import Settings, settings
from db import inbox, lanes
from db.engine import open_engine
from db.keys import BatchRef, LaneRef
from db.schema.migrate import migrate
from mosshead.paths import NamespacePath
from mosshead.publishing.publishers import check_events, numbered
from mosshead.store.connection import tenant_transaction
from workers import scheduler, tasks
from workers.celery_app import app
from workers.dependencies import check_parts, parts
from workers.local import servers
from workers.tasks import StageFailed

_OWN_SETTINGS = ("MOSSHEAD_", "OPENAI_")
_NOW = timedelta(0)
_PATIENCE_SECONDS = 300.0
_POLL_SECONDS = 0.1
_GIVEN_UP = ("dead", "split")
_ACTIVE = text("""
    select content from mosshead.memories
    where tenant_id = :tenant_id and namespace_id = :namespace_id and state = 'active' and known_to is null
""")

# Past versions too: what a memory must never hold, none may ever have held.
_TEXTS = text(r"""
    select words from (
        select tenant_id, namespace_id, concat_ws(E'\n', content, value, record::text) from mosshead.memories
        union all select tenant_id, namespace_id, concat_ws(E'\n', name, description) from mosshead.entities
        union all select tenant_id, namespace_id, alias from mosshead.entity_aliases
        union all select tenant_id, namespace_id, predicate from mosshead.relations
        union all select tenant_id, namespace_id, summary from mosshead.profiles
    ) as kept (tenant_id, namespace_id, words)
    where tenant_id = :tenant_id and namespace_id = :namespace_id
""")

_QUOTES = text("""
    select quote from mosshead.memory_sources where tenant_id = :tenant_id and namespace_id = :namespace_id
""")

_DECISIONS = text("""
    select fact, action, memory_id, target_id, decided_by, reason from mosshead.decisions
    where tenant_id = :tenant_id and namespace_id = :namespace_id and batch_id = :batch_id and fact is not null
      and action not in ('refuse', 'forget')
    order by position
""")

_STANDING = text("""
    select stage, due_at <= now() as due from mosshead.batches
    where tenant_id = :tenant_id and namespace_id = :namespace_id and batch_id = :batch_id
""")


class TookTooLong(TimeoutError):
    """A batch was put off again and again; says at which stage."""


@dataclass(frozen=True, slots=True)
class Service:
    """What the cases run on: the parts of this process (`workers.dependencies`).

    tenant: theirs, new to the database. patience: seconds that one batch may take. admin_url: of the superuser, who sees all.
    """

    ingest: Engine
    tenant: str
    patience: float = _PATIENCE_SECONDS
    admin_url: str | None = None

    def run(self, case: Case) -> CaseRun:
        """Take a case through all stages, in a namespace of its own. Raises TookTooLong."""
        return _Lane(self, case).run()


@contextmanager
def open_service(model: Mapping[str, str], *, patience: float = _PATIENCE_SECONDS) -> Iterator[Service]:
    """A Postgres and a Redis in a folder of their own, migrated, with this process as their only worker."""
    with ExitStack() as stack:
        folder = Path(tempfile.mkdtemp(prefix="rx-"))  # short: a socket's path has a limit
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        own = {name: value for name, value in os.environ.items() if not name.startswith(_OWN_SETTINGS)}
        stack.enter_context(patch.dict("os.environ", {**own, **model}, clear=True))
        configure_logging(Settings(log_level="error"))
        addresses = stack.enter_context(servers(Settings(data_dir=folder, flower_port=0)))
        assert addresses.admin_url is not None
        migrate(addresses.admin_url, {})
        os.environ.update(addresses.environment())
        settings.cache_clear()
        parts.cache_clear()
        app.conf.broker_url = addresses.broker_url
        check_parts()
        ingest = open_engine(addresses.ingest_url, setting="MOSSHEAD_INGEST_URL")
        stack.callback(ingest.dispose)
        stack.callback(parts().engine.dispose)
        yield Service(ingest, "extraction", patience, addresses.admin_url)


class _Lane:
    def __init__(self, service: Service, case: Case) -> None:
        self._path = NamespacePath.of((service.tenant, case.id))
        self._lane = LaneRef(self._path.tenant_id, self._path.namespace_id)
        self._ingest = service.ingest
        self._patience = service.patience
        self._case = case
        self._publisher, self._published = uuid4(), 0
        self._failed = 0

    def run(self) -> CaseRun:
        sessions = [list(self._session(session)) for session in self._case.sessions]
        with self._transaction() as connection:
            store, texts, quotes = (
                connection.execute(one, self._lane.scope).scalars().all() for one in (_ACTIVE, _TEXTS, _QUOTES)
            )
        return CaseRun(sessions, store, texts, quotes, self._failed)

    def _session(self, session: Session) -> Iterator[Proposal]:
        self._publish(session)
        place = 0
        while (batch := self._claim()) is not None:
            with self._transaction() as connection:
                size = len(inbox.events_of_batch(connection, batch))
            stage = self._finish(batch)
            if stage in _GIVEN_UP:
                self._failed += 1
            if stage != "split":
                with self._transaction() as connection:
                    rows = [row._asdict() for row in connection.execute(_DECISIONS, batch.scope)]
                yield from (_proposal(row, place) for row in rows)
                place += size

    def _publish(self, session: Session) -> None:
        said = [
            {
                "type": "message",
                "conversation": session.conversation,
                "role": message.role.value,
                "content": message.content,
                "occurred_at": message.at.isoformat(),
                **({"speaker": message.speaker} if message.speaker else {}),
            }
            for message in session.messages
        ]
        checked = check_events(self._path, [{**one, "event_id": str(uuid4()), "version": 1} for one in said])
        first, self._published = self._published + 1, self._published + len(checked)
        bodies = [numbered(one.body, self._publisher, number) for number, one in enumerate(checked, first)]
        with self._ingest.begin() as connection:
            inbox.publish(connection, bodies, quiet=_NOW, most=_NOW)

    def _claim(self) -> BatchRef | None:
        with self._transaction() as connection:
            return next((batch for batch, _ in scheduler.claim(connection, [self._lane], parts().settings)), None)

    def _finish(self, batch: BatchRef) -> str:
        """Run the stages that are due until the batch ends; a provider that is down is waited for."""
        deadline = time.monotonic() + self._patience
        while True:
            stage, due = self._standing(batch)
            if stage in (lanes.DONE, *_GIVEN_UP):
                return stage
            if time.monotonic() > deadline:
                raise TookTooLong(f"{self._case.id}: {stage} was put off for {self._patience:g} s")
            if due:
                _run(stage, batch)
            else:
                time.sleep(_POLL_SECONDS)

    def _standing(self, batch: BatchRef) -> tuple[str, bool]:
        with self._transaction() as connection:
            row = connection.execute(_STANDING, batch.scope).one()
        return row.stage, row.due

    @contextmanager
    def _transaction(self) -> Iterator[Connection]:
        with tenant_transaction(parts().engine, self._lane.tenant_id) as connection:
            yield connection


def _run(stage: str, batch: BatchRef) -> None:
    ids = (batch.lane.tenant_id, batch.lane.namespace_id, batch.batch_id)
    result = getattr(tasks, stage).apply(args=[str(one) for one in ids])
    if result.failed() and not isinstance(
        result.result, StageFailed
    ):  # after that one, what follows stands in the batch
        raise result.result


def _proposal(row: Mapping[str, Any], place: int) -> Proposal:
    fact = row["fact"]
    occurred = fact["occurred"]
    return Proposal(
        content=fact["content"],
        kind=fact["kind"],
        sources=frozenset(place + number for number in fact["sources"]),
        occurred=_interval(occurred) if occurred else None,
        action=row["action"],
        memory_id=row["memory_id"],
        target_id=row["target_id"],
        decided_by=row["decided_by"],
        reason=row["reason"],
    )


def _interval(occurred: Mapping[str, str]) -> tuple[datetime, datetime]:
    return datetime.fromisoformat(occurred["start"]), datetime.fromisoformat(occurred["end"])
