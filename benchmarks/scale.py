"""What the service's own machinery costs: claims in a database of many tenants, and the writes of a batch of one message.

    python -m benchmarks.scale [--tenants 200 --tenants 2000 --tenants 20000] [--claims 640] [--batches 40] [--json]
                               [--against FOLDER]

No process of the service runs: dispatching and the tasks are called from here, so that a figure has one cause.

claims: of each tenant's ten lanes one is due, with a message, and nine rest until later, as those of users who are away. Once
with as many free slots as a few workers have, once with one, as a worker has that ended a batch. Hints go to a real Redis.
--against: the folder of another checkout, whose dispatch claims as much in turn, in a process and a database of its own. On a
machine that does other work as well, the ratio is what tells. The first dispatch of a turn is not counted, with or without
another: it waits for what the other left the disk to write.
batch: a message in a namespace that had some before, by a language model that answers at once, until its batch is done and the
next is claimed. profile: the batch after it that refreshes the profile. publish: the arrival of ten messages in one transaction.
Commits count reads, too. The pages were written since the last checkpoint, so the WAL holds hardly a whole one.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median
from typing import Annotated, Final, LiteralString
from unittest.mock import patch
from uuid import uuid4

import psycopg
import typer
from rich.console import Console
from rich.table import Table

import workers.tasks  # noqa: F401 - registers them
from benchmarks.lag import Lag, lag_of
from benchmarks.slow_model import SlowModel
from config.logging import configure_logging
from config.settings import Settings, settings
from db import inbox
from db.engine import open_engine
from db.schema.migrate import migrate
from mosshead.events import parse_event
from mosshead.ids import uuid7
from mosshead.paths import NamespacePath
from workers.celery_app import app
from workers.dependencies import check_parts, parts
from workers.local import Addresses, servers, wait_until
from workers.scheduler import dispatch

_LANES_EACH = 10
_SLOTS = 16
_NONE = timedelta(0)
_ARRIVALS = 10
_OBEY = "obey"
_ANSWER = "claimed: "
_POSTGRES = {"autovacuum": "off", "checkpoint_timeout": "1h", "max_wal_size": "16GB"}
_OWN_SETTINGS = ("MOSSHEAD_", "OPENAI_")

_SEED: Final[LiteralString] = """
    insert into mosshead.lanes (tenant_id, namespace_id, ready_at, profiles_due_at)
    select mosshead.derived_id('tenant', array[name]), mosshead.derived_id('namespace', array[name, 'away_' || number]),
           later, later
    from (
        select 'tenant_' || tenant as name, number, now() + interval '1 day' * (1 + random()) as later
        from generate_series(%(from)s::int, %(to)s::int) as tenant, generate_series(2, %(each)s::int) as number
    ) as away
"""
_GIVE_BACK: Final[LiteralString] = """
    with ended as (
        update mosshead.batches set stage = 'done', finished_at = now() where stage not in ('done', 'dead', 'split')
        returning tenant_id, namespace_id, batch_id
    ), given_back as (
        update mosshead.events as event set batch_id = null, place = null from ended
        where (event.tenant_id, event.namespace_id, event.batch_id) = (ended.tenant_id, ended.namespace_id, ended.batch_id)
    )
    update mosshead.lanes as lane set batch_id = null, ready_at = now(), first_pending_at = now() from ended
    where (lane.tenant_id, lane.namespace_id) = (ended.tenant_id, ended.namespace_id)
"""
_SLOTS_ARE: Final[LiteralString] = """
    insert into mosshead.workers (worker, slots, seen_at) values ('benchmark', %(slots)s, now() + interval '1 day')
    on conflict (worker) do update set slots = excluded.slots
"""
_AT_WORK: Final[LiteralString] = """
    select tenant_id, namespace_id, batch_id, stage from mosshead.batches where stage not in ('done', 'dead', 'split')
"""
_STAGE: Final[LiteralString] = "select stage from mosshead.batches where batch_id = %s"
_ENDED = ("done", "dead", "split")
_PUBLISHER = uuid4()
_COUNTED: Final[LiteralString] = """
    select xact_commit, tup_updated, tup_inserted, pg_current_wal_insert_lsn() - '0/0'::pg_lsn, (select wal_fpi from pg_stat_wal),
           pg_database_size(current_database())
    from pg_stat_database where datname = current_database()
"""


@dataclass(frozen=True, slots=True)
class Claims:
    """Claiming among so many tenants. one_ms: of dispatches for one free slot. times_other: as fast as the other."""

    tenants: int
    per_second: float
    one_ms: Lag
    times_other: float | None = None


@dataclass(frozen=True, slots=True)
class Writes:
    """What something wrote, each time. pages: written as a whole; kb: by which the database grew, with dead rows.

    cpu_ms: of this process and of Postgres's sessions.
    """

    commits: float
    updates: float
    inserts: float
    wal_kb: float
    pages: float
    kb: float
    ms: float
    cpu_ms: float


@dataclass(frozen=True, slots=True)
class Result:
    """What a run shows."""

    claims: Sequence[Claims]
    publish: Writes
    batch: Writes
    profile: Writes

    @property
    def flat(self) -> float:
        """How many times slower claims are at the most tenants than at the fewest."""
        rates = [one.per_second for one in self.claims]
        return round(rates[0] / rates[-1], 2)


def main(
    tenants: Annotated[list[int], typer.Option(min=20, help="Ascending, each once.")] = [200, 2_000, 20_000],  # noqa: B006
    claims: Annotated[int, typer.Option(min=20, help="Among each number of tenants, half of them one by one.")] = 640,
    batches: Annotated[int, typer.Option(min=10)] = 40,
    against: Annotated[Path | None, typer.Option(exists=True, help="Another checkout, which claims in turn.")] = None,
    json_only: Annotated[bool, typer.Option("--json", help="Print nothing but the JSON object.")] = False,
) -> None:
    """Count and time."""
    with SlowModel(least=0, most=0) as model, _database(model.base_url) as database:
        writes = _Writing(database, batches).run()
        database.execute("update mosshead.lanes set ready_at = null, profiles_due_at = null, reflections_due_at = null")
        with _elsewhere(against) as other:
            claimed = [_claimed(Claiming(database), other, one, claims) for one in tenants]
    result = Result(claimed, *writes)
    _show(result, Console(stderr=True, quiet=json_only))
    print(json.dumps({**asdict(result), "flat": result.flat}))


@contextmanager
def _database(model_url: str) -> Iterator[psycopg.Connection]:
    """A connection as the superuser to a migrated database of a service, whose settings are this process's inside the block."""
    folder = Path(tempfile.mkdtemp(prefix="sb-"))  # short: a socket's path has a limit
    own = _environment()
    try:
        with servers(Settings(data_dir=folder, flower_port=0), _POSTGRES) as addresses:
            assert addresses.admin_url is not None
            migrate(addresses.admin_url, {})
            with patch.dict("os.environ", own | _logins(addresses, model_url), clear=True):
                settings.cache_clear()
                configure_logging(settings().model_copy(update={"log_level": "error"}))
                app.conf.broker_url = addresses.broker_url
                check_parts()
                with psycopg.connect(addresses.admin_url, autocommit=True) as connection:
                    yield connection
                parts().engine.dispose()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _environment() -> dict[str, str]:
    """Without settings."""
    return {name: value for name, value in os.environ.items() if not name.startswith(_OWN_SETTINGS)}


def _logins(addresses: Addresses, model_url: str) -> dict[str, str]:
    return {
        "MOSSHEAD_WORKER_URL": addresses.worker_url,
        "MOSSHEAD_INGEST_URL": addresses.ingest_url,
        "MOSSHEAD_BROKER_URL": addresses.broker_url,
        "OPENAI_BASE_URL": model_url,
    }


class Claiming:
    """Dispatching in a database of more and more tenants."""

    def __init__(self, database: psycopg.Connection) -> None:
        self._database = database

    def fill(self, tenants: int) -> None:
        """Have a lane due of each of so many tenants."""
        count: LiteralString = "select count(distinct tenant_id) from mosshead.lanes where profiles_due_at is not null"
        before = (self._database.execute(count).fetchone() or (0,))[0]
        self._database.execute(_SEED, {"from": before + 1, "to": tenants, "each": _LANES_EACH})
        _publish(
            [NamespacePath((f"tenant_{number}", "present")) for number in range(before + 1, tenants + 1)], each=200
        )
        self._database.execute("vacuum analyze")

    def dispatch(self, slots: int) -> float:
        """Dispatch for so many free slots; return how many seconds it took. Then give all events back."""
        self._database.execute(_SLOTS_ARE, {"slots": slots})
        begun = time.perf_counter()
        dispatch(parts().engine, settings())
        took = time.perf_counter() - begun
        if (claimed := len(self._database.execute(_AT_WORK).fetchall())) != slots:
            raise RuntimeError(f"{claimed} claims for {slots} free slots")
        self._database.execute(_GIVE_BACK)
        return took


class Elsewhere:
    """The same by the code of another checkout."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def fill(self, tenants: int) -> None:
        """Have a lane due of each of so many tenants."""
        self._asked("fill", tenants)

    def dispatch(self, slots: int) -> float:
        """Dispatch for so many free slots; returns how many seconds it took."""
        return self._asked("dispatch", slots)

    def _asked(self, what: str, number: int) -> float:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(what, number, file=self._process.stdin, flush=True)
        for line in self._process.stdout:
            if line.startswith(_ANSWER):  # between log lines
                return float(line.removeprefix(_ANSWER))
        raise RuntimeError(f"the other checkout ended with {self._process.wait()}")


@contextmanager
def _elsewhere(folder: Path | None) -> Iterator[Elsewhere | None]:
    """Another checkout, with this file in place of its own."""
    if folder is None:
        yield None
        return
    command = [sys.executable, "-P", __file__, _OBEY]
    own = _environment() | {"PYTHONPATH": str(folder.resolve())}
    with subprocess.Popen(
        command, cwd=folder, env=own, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        yield Elsewhere(process)
        assert process.stdin is not None
        process.stdin.close()


def _obey() -> None:
    """Claim as `Elsewhere` says."""
    with SlowModel(least=0, most=0) as model, _database(model.base_url) as database:
        claiming = Claiming(database)
        for line in sys.stdin:
            what, number = line.split()
            print(f"{_ANSWER}{getattr(claiming, what)(int(number)) or 0.0}", flush=True)


def _claimed(own: Claiming, other: Elsewhere | None, tenants: int, claims: int) -> Claims:
    """Fill up to so many tenants, and claim. The other goes first in every second turn."""
    both: list[Claiming | Elsewhere] = [own, other] if other else [own]
    for one in both:
        one.fill(tenants)
        for slots in (_SLOTS, 1) * 6:  # a dispatcher runs for long: its driver prepares a statement that ran five times
            one.dispatch(slots)
    took: list[list[float]] = [[] for _ in both]
    alone: list[list[float]] = [[] for _ in both]
    for turn in range(claims // 4 // _SLOTS):
        for place in range(len(both))[:: -1 if turn % 2 else 1]:
            both[place].dispatch(_SLOTS)  # not counted
            took[place] += [both[place].dispatch(_SLOTS) for _ in range(2)]
            alone[place] += [both[place].dispatch(1) for _ in range(_SLOTS)]
    return Claims(
        tenants,
        round(_SLOTS / median(took[0]), 1),
        lag_of([1000 * one for one in alone[0]]),
        round(median(took[1]) / median(took[0]), 2) if other else None,
    )


class _Writing:
    """The writes of batches of one message, each in a namespace of a tenant of its own, one after the other."""

    def __init__(self, database: psycopg.Connection, count: int) -> None:
        self._database = database
        self._count = count
        self._paths = [NamespacePath((f"writer_{number}", "me")) for number in range(count)]
        self._said = 0

    def run(self) -> tuple[Writes, Writes, Writes]:
        """Those of the arrival, of the batch, and of the refresh of the profiles."""
        for text in ("I like coffee.", "I have a dog."):
            self._say(text)
            self._work_off(self._count)
            self._await_profiles()
            self._work_off(self._count)
            self._database.execute("checkpoint")
        self._say("I play the violin.")  # by this and its like the pages are written whole
        self._work_off(self._count)
        self._await_profiles()
        self._work_off(self._count)
        publish = self._counted(lambda: self._say("I live in Leeds."), each=self._count / _ARRIVALS)
        batch = self._counted(lambda: self._work_off(self._count))
        self._await_profiles()
        profile = self._counted(lambda: self._work_off(self._count))
        return publish, batch, profile

    def _say(self, text: str) -> None:
        self._said += 1
        _publish(self._paths, each=_ARRIVALS, number=self._said, text=text)

    def _work_off(self, count: int) -> None:
        """End so many batches; the end of each but the last claims the next."""
        self._database.execute(_SLOTS_ARE, {"slots": 1})
        dispatch(parts().engine, settings())
        with psycopg.connect(
            self._database.info.dsn
        ) as watching:  # in one transaction, which adds nothing to the commits
            for left in range(count, 0, -1):
                if left == 1:
                    self._database.execute("delete from mosshead.workers")
                (*ids, stage), *others = watching.execute(_AT_WORK).fetchall()
                if others:
                    raise RuntimeError("two batches are at work at once")
                while stage not in _ENDED:
                    app.tasks[f"mosshead.{stage}"].apply(args=[str(one) for one in ids], throw=True)
                    (stage,) = watching.execute(_STAGE, [ids[2]]).fetchone() or ("",)

    def _await_profiles(self) -> None:
        due: LiteralString = "select count(*) from mosshead.lanes where ready_at <= now()"
        wait_until(lambda: self._database.execute(due).fetchone() == (self._count,), 10, "the debounce of the profiles")

    def _counted(self, work: Callable[[], None], *, each: float | None = None) -> Writes:
        before, cpu, begun = self._counts(), self._cpu_seconds(), time.perf_counter()
        work()
        took = time.perf_counter() - begun
        each = each or self._count
        commits, updates, inserts, wal, pages, size = (
            round((after - other) / each, 2) for after, other in zip(self._counts(), before, strict=True)
        )
        kilobytes = [round(count / 1000, 1) for count in (wal, size)]
        milliseconds = [round(1000 * one / each, 1) for one in (took, self._cpu_seconds() - cpu)]
        return Writes(commits, updates, inserts, kilobytes[0], pages, kilobytes[1], *milliseconds)

    def _cpu_seconds(self) -> float:
        """Of this process, and of Postgres's sessions that have ended, as its first process counts them."""
        _, first, *_ = _of_process(self._database.info.backend_pid)
        ended = _of_process(int(first))[13:15]
        return time.process_time() + sum(map(int, ended)) / os.sysconf("SC_CLK_TCK")

    def _counts(self) -> Sequence[int]:
        """The server's counts, once the sessions that are to be counted have ended: until then they keep some to themselves."""
        parts().engine.dispose()
        others: LiteralString = (
            "select count(*) from pg_stat_activity where usename in ('mosshead_worker', 'mosshead_ingest')"
        )
        wait_until(lambda: self._database.execute(others).fetchone() == (0,), 10, "the end of the sessions")
        self._database.execute("select pg_stat_force_next_flush()")
        row = self._database.execute(_COUNTED).fetchone()
        assert row is not None
        return [int(one) for one in row]


def _of_process(pid: int) -> list[str]:
    """What the kernel tells of a process, from its state on."""
    return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()


def _publish(paths: Sequence[NamespacePath], *, each: int, number: int = 1, text: str = "I like coffee.") -> None:
    """A message in each namespace, due at once, so many in a transaction."""
    events = [
        parse_event(
            {
                "type": "message",
                "version": 1,
                "event_id": str(uuid7()),
                "namespace": list(path.parts),
                "conversation": "c1",
                "publisher": str(_PUBLISHER),
                "publisher_sequence": number,
                "occurred_at": datetime.now(UTC).isoformat(),
                "role": "user",
                "content": text,
            }
        ).model_dump_json(exclude_none=True)
        for path in paths
    ]
    engine = open_engine(settings().login("ingest"), setting="MOSSHEAD_INGEST_URL")
    for start in range(0, len(events), each):
        with engine.begin() as connection:
            inbox.publish(connection, events[start : start + each], quiet=_NONE, most=_NONE)
    engine.dispose()


def _show(result: Result, console: Console) -> None:
    table = Table(title=f"Claims: {result.flat:g} times slower at the most tenants than at the fewest")
    for column in ("tenants", "claims/s", "times the other", "one, ms p50", "p95"):
        table.add_column(column, justify="right")
    for one in result.claims:
        times = "" if one.times_other is None else f"{one.times_other:g}"
        table.add_row(f"{one.tenants:,}", f"{one.per_second:,g}", times, f"{one.one_ms.p50:g}", f"{one.one_ms.p95:g}")
    console.print(table)
    table = Table(title="What is written")
    table.add_column("")
    for column in Writes.__dataclass_fields__:
        table.add_column(column, justify="right")
    for name, writes in (("publish", result.publish), ("batch", result.batch), ("profile", result.profile)):
        table.add_row(name, *(f"{figure:g}" for figure in asdict(writes).values()))
    console.print(table)


if __name__ == "__main__" and sys.argv[1:] == [_OBEY]:
    _obey()
elif __name__ == "__main__":
    cli = typer.Typer(pretty_exceptions_enable=False, add_completion=False)
    cli.command()(main)
    cli()
