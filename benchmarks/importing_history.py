"""Years of history go in beside a live chat: what memory the import takes, and how long the chat waits.

    python -m benchmarks.importing_history [--messages 100000] [--whole] [--json]

`mosshead import` reads a made-up export of ChatGPT, its latest conversation first, in a process of its own. One person chats in
the namespace that it goes into, and one in another of the tenant, each every eight seconds: first alone, then from when the
import begins to publish. The service has default settings, a Celery worker of four processes, and an LLM of 150 to 250 ms.
An import is no faster than the service, so it stops when the chat ends, after some minutes. --whole: the chat continues until
all of the export has taken effect, an hour for 100,000 messages. Prints one JSON object last, and ends with 1 where the chat's
lag (p95) beside the import is more than three times what it is alone.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Annotated, Any, LiteralString

import typer
from rich.console import Console

from benchmarks.lag import Lag, lag_of
from benchmarks.rig import Rig, rig
from benchmarks.sentences import sentences
from mosshead import Memory
from mosshead.paths import NamespacePath
from workers.local import wait_until

_PROCESSES = 4
_PAUSE = (0.15, 0.25)
_EVERY_SECONDS = 8.0
_LOOK_SECONDS = 0.05
_OF_A_CONVERSATION = 40
_FIRST = datetime(2020, 1, 1, tzinfo=UTC)
_SAME, _OTHER = NamespacePath.of(("family", "sarah")), NamespacePath.of(("family", "bo"))
_MOST_TIMES = 3.0
_PATIENCE_SECONDS = 300.0


@dataclass(frozen=True, slots=True)
class Talk:
    """Seconds from publish until it took effect, in the namespace of the import and in another."""

    same: Lag
    other: Lag


@dataclass(frozen=True, slots=True)
class Result:
    """What a run shows.

    small_mb, checked_mb, peak_mb: the most that the importer held of an export of 100 messages, while it
    checked this one, and in all. published, effective: before the chat ended. kb_a_message: on disk, with memories and indexes.
    """

    messages: int
    export_mb: float
    checking_seconds: float
    small_mb: float
    checked_mb: float
    peak_mb: float
    published: int
    effective: int
    publishing_seconds: float
    kb_a_message: float
    alone: Talk
    beside: Talk

    @property
    def times(self) -> dict[str, float]:
        """How many times as long the chat waits beside the import, by p95."""
        return {
            "same": round(self.beside.same.p95 / self.alone.same.p95, 2),
            "other": round(self.beside.other.p95 / self.alone.other.p95, 2),
        }


def main(
    messages: Annotated[int, typer.Option(min=1_000, help="Of the export.")] = 100_000,
    seconds: Annotated[float, typer.Option(min=30, help="Of the chat beside the import; alone, it lasts half.")] = 300,
    whole: Annotated[bool, typer.Option("--whole", help="Chat until all of the export has taken effect.")] = False,
    embedder: Annotated[str, typer.Option(help="MOSSHEAD_EMBEDDER.")] = "openai:fake@256",
    json_only: Annotated[bool, typer.Option("--json", help="Print nothing but the JSON object.")] = False,
) -> None:
    """Chat alone, then beside an import."""
    console = Console(stderr=True, quiet=json_only)
    with (
        tempfile.TemporaryDirectory(prefix="rb-") as folder,
        rig(concurrency=_PROCESSES, pause=_PAUSE, settings={"MOSSHEAD_EMBEDDER": embedder}) as made,
        made.memory() as memory,
    ):
        small, large = Path(folder) / "small.json", Path(folder) / "large.json"
        write_export(small, 100)
        write_export(large, messages)
        made.warm_up(memory)
        alone = _talked(made, memory, "alone", _for(seconds / 2))
        console.print(f"alone: {alone}", soft_wrap=True)
        with _importing(made, small, "--dry-run") as importing:
            importing.wait()
            small_mb = importing.peak_mb
        with _importing(made, large) as importing:
            while not _imported(made)[0]:
                importing.look()
            checked_mb, checking = importing.peak_mb, time.monotonic() - importing.started
            console.print(f"checked after {checking:.0f} s, {checked_mb} MB", soft_wrap=True)
            started = time.monotonic()
            lasts = _until_in(made, importing, messages) if whole else _for(seconds)
            beside = _talked(made, memory, "beside", lasts)
            importing.look()
            published, effective = _imported(made)
            result = Result(
                messages=messages,
                export_mb=round(large.stat().st_size / 1e6, 1),
                checking_seconds=round(checking, 1),
                small_mb=small_mb,
                checked_mb=checked_mb,
                peak_mb=importing.peak_mb,
                published=published,
                effective=effective,
                publishing_seconds=round(time.monotonic() - started, 1),
                kb_a_message=_kb_a_message(made),
                alone=alone,
                beside=beside,
            )
    console.print(f"beside: {beside}; {result.times} times as long", soft_wrap=True)
    print(json.dumps({**asdict(result), "times": result.times}))
    sys.exit(0 if max(result.times.values()) <= _MOST_TIMES else 1)


def _for(seconds: float) -> Callable[[], bool]:
    ends = time.monotonic() + seconds
    return lambda: time.monotonic() < ends


def _until_in(made: Rig, importing: "_Importing", messages: int) -> Callable[[], bool]:
    def goes_on() -> bool:
        importing.look()
        return _imported(made)[1] < messages

    return goes_on


def write_export(file: Path, messages: int) -> None:
    """An export of ChatGPT, the latest conversation first, written piece by piece."""
    conversations = -(-messages // _OF_A_CONVERSATION)
    with file.open("w", encoding="utf-8") as opened:
        opened.write("[")
        for number in reversed(range(conversations)):
            count = min(_OF_A_CONVERSATION, messages - number * _OF_A_CONVERSATION)
            opened.write(json.dumps(_conversation(number, count)) + ("," if number else "]"))


def _conversation(number: int, count: int) -> dict[str, Any]:
    began = _FIRST + timedelta(hours=8 * number)
    mapping: dict[str, Any] = {"root": {"id": "root", "parent": None, "children": ["0"], "message": None}}
    for place, text in enumerate(islice(sentences(f"history/{number}"), count)):
        mapping[str(place)] = {
            "parent": str(place - 1) if place else "root",
            "children": [str(place + 1)] if place + 1 < count else [],
            "message": {
                "id": f"{number}-{place}",
                "author": {"role": "assistant" if place % 2 else "user"},
                "create_time": (began + timedelta(seconds=30 * place)).timestamp(),
                "content": {"content_type": "text", "parts": [text]},
                "metadata": {},
                "recipient": "all",
            },
        }
    return {
        "title": "A talk",
        "conversation_id": f"talk-{number}",
        "create_time": began.timestamp(),
        "current_node": str(count - 1),
        "mapping": mapping,
    }


class _Importing:
    """`mosshead import` in a process of its own. peak_mb: the most that it held, when it was looked at."""

    def __init__(self, made: Rig, file: Path, *options: str) -> None:
        addresses = {
            "MOSSHEAD_DATABASE_URL": made.addresses.database_url,
            "MOSSHEAD_BROKER_URL": made.addresses.broker_url,
        }
        run = "from mosshead.cli.main import main; main()"
        self.process = subprocess.Popen(
            [sys.executable, "-c", run, "import", str(file), "--namespace", str(_SAME), *options],
            env={**os.environ, **addresses},
            stdout=subprocess.DEVNULL,
        )
        self.started, self.peak_mb = time.monotonic(), 0.0

    def look(self) -> None:
        """See what memory it holds; takes a moment. Raises RuntimeError where it failed."""
        if self.process.poll():
            raise RuntimeError("the import failed")
        if self.process.returncode is None:
            status = Path(f"/proc/{self.process.pid}/status").read_text(encoding="utf-8")
            if found := re.search(r"VmHWM:\s+(\d+) kB", status):  # none of a process that ended
                self.peak_mb = round(int(found.group(1)) / 1024, 1)
        time.sleep(_LOOK_SECONDS)

    def wait(self) -> None:
        """Look until it ended."""
        while self.process.poll() is None:
            self.look()


@contextmanager
def _importing(made: Rig, file: Path, *options: str) -> Iterator[_Importing]:
    """An import within the block."""
    importing = _Importing(made, file, *options)
    try:
        yield importing
    finally:
        importing.process.kill()
        importing.process.wait()


def _talked(made: Rig, memory: Memory, conversation: str, goes_on: Callable[[], bool]) -> Talk:
    """Chat while something goes on, then wait until all that was said took effect."""
    people = {path: sentences(f"{conversation}/{path}") for path in (_SAME, _OTHER)}
    said = 0
    while goes_on():
        for path, texts in people.items():
            memory.namespace(*path.parts).publish(next(texts), conversation=conversation)
            time.sleep(_EVERY_SECONDS / 2)
        said += 1
    for path in people:
        done = partial(lambda path: len(_lags(made, path, conversation)) >= said, path)
        wait_until(done, _PATIENCE_SECONDS, "the effect of the chat")
    same, other = (lag_of(_lags(made, path, conversation)) for path in people)
    return Talk(same, other)


def _lags(made: Rig, path: NamespacePath, conversation: str) -> list[float]:
    """Seconds from publish until it took effect, of what did. One machine has one clock."""
    rows = made.rows(
        """
        select extract(epoch from batch.applied_at - event.occurred_at)::float
        from mosshead.events as event join mosshead.batches as batch using (tenant_id, namespace_id, batch_id)
        where event.namespace_id = %s and event.conversation_id = %s and event.state = 'done'
        """,
        path.namespace_id,
        conversation,
    )
    return [lag for (lag,) in rows]


def _imported(made: Rig) -> tuple[int, int]:
    """How many messages of the export are in the inbox, and how many of these have taken effect."""
    statement: LiteralString = """
        select count(*), count(*) filter (where state = 'done')
        from mosshead.events where namespace_id = %s and conversation_id like 'talk-%%'
    """
    (found,) = made.rows(statement, _SAME.namespace_id)
    return int(found[0]), int(found[1])


def _kb_a_message(made: Rig) -> float:
    """The size of all tables, in kB for each message."""
    statement: LiteralString = """
        select sum(pg_total_relation_size(tables.oid))::float / (select count(*) from mosshead.messages) / 1000
        from pg_class as tables where relnamespace = 'mosshead'::regnamespace and relkind = 'r'
    """
    ((size,),) = made.rows(statement)
    return round(float(size), 1)


if __name__ == "__main__":
    cli = typer.Typer(pretty_exceptions_enable=False, add_completion=False)
    cli.command()(main)
    cli()
