"""The walk of one message from `publish` to memory: the product's files in which a function runs.

The ground floor does not count: modules directly in `mosshead`, such as ids and paths, its models, its words, and the settings. A
package used through one function counts as one file: redaction, embeddings, the client of the LLM, the doubts of a fact, the
rules for English, and the search for messages that steer a model.
"""

import inspect
import re
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from kombu.messaging import Consumer
from sqlalchemy import Engine, text

from config.settings import Settings, settings
from mosshead import Memory
from mosshead.embeddings import CachedEmbedder, MiniLM
from mosshead.paths import NamespacePath
from tests.fake_openai import FakeOpenAI
from tests.given import nothing_at_work, workers_with
from workers import dependencies, scheduler, tasks
from workers.celery_app import app
from workers.dependencies import parts
from workers.intake import run_intake
from workers.scheduler import dispatch
from workers.transport import QUEUES

ROOT = Path(__file__).parents[3]
PRODUCT = ("config", "db", "mosshead", "pipeline", "workers")
GROUND_FLOOR = ("config", "mosshead", "mosshead/language", "mosshead/language/dates", "mosshead/models")
"""Folders whose own modules do not count."""

ROOMS = (
    "mosshead/embeddings",
    "mosshead/llm",
    "mosshead/redaction",
    "pipeline/extraction/doubts",
    "pipeline/rules_en",
    "mosshead/safety",
)
"""Folders that count as one file, with everything below them."""

MOST = 60
"""The most files allowed. docs/explanation/architecture.md lists them; whoever reduces them lowers this."""


def counted(files: Iterable[str]) -> list[str]:
    """Return the files that count, in order."""
    rooms = (next((room for room in ROOMS if file.startswith(f"{room}/")), file) for file in files)
    return [one for one in dict.fromkeys(rooms) if Path(one).parent.as_posix() not in GROUND_FLOOR or one in ROOMS]


class Walk:
    """The product's files in which a function runs, in order, in threads started while it is installed.

    Code that runs during an import does not count.
    """

    def __init__(self) -> None:
        self.files: dict[str, None] = {}
        self.recording = False
        self._places: dict[str, str | None] = {}
        self._thread = threading.local()

    @contextmanager
    def installed(self) -> Iterator[None]:
        threading.setprofile(self._note)
        sys.setprofile(self._note)
        try:
            yield
        finally:
            sys.setprofile(None)
            threading.setprofile(None)

    def _note(self, frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        if code.co_name == "<module>":
            imports = getattr(self._thread, "imports", 0)
            self._thread.imports = imports + {"call": 1, "return": -1}.get(event, 0)
        elif event == "call" and self.recording and code.co_flags & inspect.CO_OPTIMIZED:
            place = self._place(code.co_filename)
            if place is not None and not getattr(self._thread, "imports", 0):
                self.files.setdefault(place)

    def _place(self, file: str) -> str | None:
        if file not in self._places:
            path = Path(file)
            place = path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else ""
            self._places[file] = place if place.split("/")[0] in PRODUCT else None
        return self._places[file]


def wait_for(condition: Callable[[], object], what: str) -> None:
    """Replaces the product's own function, which would count."""
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline, f"not in time: {what}"
        time.sleep(0.02)


@pytest.fixture
def warm(fake: FakeOpenAI, monkeypatch: pytest.MonkeyPatch) -> None:
    """Return the parts of a working worker, with nothing in its cache from other tests."""
    monkeypatch.setattr(dependencies, "open_embedder", lambda spec, **_: CachedEmbedder(MiniLM()))
    monkeypatch.setenv("MOSSHEAD_PROFILE_DEBOUNCE_SECONDS", "0")  # otherwise its profile is another batch
    settings.cache_clear()
    parts.cache_clear()
    parts().embedder.embed(["Good morning."])


def received(engine: Engine, path: NamespacePath) -> int:
    statement = text("select count(*) from mosshead.events where tenant_id = :id and namespace_id = :namespace_id")
    with engine.connect() as connection:
        scope = {"id": path.tenant_id, "namespace_id": path.namespace_id}
        return int(connection.execute(statement, scope).scalar_one())


def carry_out_hints() -> None:
    """Take each task from Redis as a worker does, and run it, through the last stage."""
    taken: list[Any] = []
    with app.connection_for_read() as connection, connection.channel() as channel:
        queues = [app.amqp.queues[name] for name in QUEUES.values()]
        with Consumer(channel, queues, on_message=taken.append):
            done = ""
            while done != "mosshead.refresh_profiles":
                connection.drain_events(timeout=30)
                for message in taken:
                    done = message.headers["task"]
                    app.tasks[done].apply(args=message.payload[0], task_id=message.headers["id"], throw=True)
                    message.ack()
                taken.clear()


def test_one_message_runs_through_few_files_on_its_way_to_memory(  # noqa: PLR0917 - fixtures
    warm: None,
    service: Settings,
    memory: Memory,
    fresh_namespace: NamespacePath,
    admin_engine: Engine,
    worker_engine: Engine,
) -> None:
    """In running processes: what an app, an intake and a worker do once, when they start, is not part of the walk."""
    assert tasks.refresh_profiles.name in app.tasks
    settings = parts().settings
    sarah, before = (memory.namespace(*fresh_namespace.parts, *more) for more in ((), ("before",)))
    walk, stopped = Walk(), threading.Event()
    intake = threading.Thread(target=run_intake, args=(settings, stopped.is_set))
    with walk.installed():
        intake.start()
        try:
            before.publish("Good morning.")
            wait_for(lambda: received(admin_engine, before.path), "the first message")
            nothing_at_work(admin_engine)
            workers_with(worker_engine, 1)
            walk.recording = True

            sarah.publish("I live in Leeds.", conversation="c1")
            wait_for(lambda: received(admin_engine, sarah.path), "the message")
            scheduler._sweep({"dispatch": partial(dispatch, parts().engine, settings)})
            carry_out_hints()
        finally:
            walk.recording = False
            stopped.set()
            intake.join(timeout=60)

    assert [one.content for one in sarah.memories()] == ["User lives in Leeds."]
    count = counted(walk.files)
    listed = "\n".join(count)
    assert len(count) <= MOST, f"one message runs through {len(count)} files that count, at most {MOST}:\n{listed}"
    page = (ROOT / "docs/explanation/architecture.md").read_text(encoding="utf-8")
    _, told = page.split("### The walk, file by file")
    rows = re.findall(r"^\| [^|]+ \| (`[^|]+) \|$", told.split("\n### ")[0], re.MULTILINE)
    assert sorted(count) == sorted(re.findall(r"`([\w/.]+)`", " ".join(rows))), f"{len(walk.files)} in all"
