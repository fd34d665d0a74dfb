"""The spool's file: numbers without gaps, all or nothing, even if it is copied, full, broken or removed."""

import gc
import json
import os
import shutil
import sqlite3
import stat
import time
from collections import defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event, Thread
from typing import Any
from uuid import UUID, uuid4

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from sqlalchemy import make_url

from mosshead import fork_safety
from mosshead.errors import SpoolFull, SpoolUnavailable
from mosshead.events import parse_event
from mosshead.paths import NamespacePath
from mosshead.publishing.publishers import CheckedEvent, check_events, numbered
from mosshead.publishing.queue import EventQueue
from mosshead.publishing.shipper import SpoolPublisher, erasures_among
from mosshead.publishing.spool import Changes, Spool

SARAH, BO = NamespacePath.of(("acme", "sarah")), NamespacePath.of(("acme", "bo"))
ROOMY = 10**6


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "spool" / "one.spool"


@pytest.fixture
def spool(file: Path) -> Iterator[Spool]:
    opened = Spool(file, most_bytes=ROOMY)
    yield opened
    opened.close()


def contents(spool: Spool) -> dict[NamespacePath, list[tuple[int, str]]]:
    """Return the waiting events by namespace."""
    changes = spool.changes(0)
    return {
        one.path: spool.read(changes.publisher, one.key, one.received_up_to + 1, one.newest) for one in changes.waiting
    }


def cut(spool: Spool, path: NamespacePath, up_to: int) -> None:
    changes = spool.changes(0)
    (key,) = [one.key for one in changes.waiting if one.path == path]
    spool.receive(changes.publisher, key, up_to)


def test_trimmed_log_does_not_stay_large(file: Path) -> None:
    spool = Spool(file, most_bytes=100 * ROOMY)
    log = file.with_name(f"{file.name}-wal")
    spool.append(SARAH, ["x" * ROOMY] * 20)
    full = log.stat().st_size
    spool.trim()
    spool.append(SARAH, ["what begins the log anew"])
    assert log.stat().st_size < full / 10
    spool.close()


def publisher(spool: Spool) -> UUID:
    return spool.changes(0).publisher


class TestNumbers:
    def test_each_namespace_is_numbered_from_one(self, spool: Spool) -> None:
        for path, bodies in ((SARAH, ["a", "b"]), (BO, ["c"]), (SARAH, ["d"])):
            spool.append(path, bodies)
        assert contents(spool) == {BO: [(1, "c")], SARAH: [(1, "a"), (2, "b"), (3, "d")]}
        assert spool.newest(SARAH) == (publisher(spool), 3)
        assert spool.newest(NamespacePath.of(("acme", "nobody"))) == (publisher(spool), 0)

    def test_counter_survives_a_cut_and_a_restart(self, spool: Spool, file: Path) -> None:
        spool.append(SARAH, ["a", "b"])
        cut(spool, SARAH, 2)
        before = publisher(spool)
        spool.close()
        again = Spool(file, most_bytes=ROOMY)
        again.append(SARAH, ["c"])
        assert (contents(again), publisher(again)) == ({SARAH: [(3, "c")]}, before)
        again.close()

    def test_many_threads_leave_no_gap_and_keep_each_append_together(self, spool: Spool) -> None:
        with ThreadPoolExecutor(8) as threads:
            list(threads.map(lambda number: spool.append(SARAH, [f"{number}.1", f"{number}.2"]), range(50)))
        (events,) = contents(spool).values()
        assert [number for number, _ in events] == list(range(1, 101))
        pairs = [(one, other) for (_, one), (_, other) in zip(events[::2], events[1::2], strict=True)]
        assert all(one.split(".")[0] == other.split(".")[0] for one, other in pairs)

    def test_changes_list_only_namespaces_published_to_since(self, spool: Spool) -> None:
        spool.append(SARAH, ["a"])
        first = spool.changes(0)
        spool.append(BO, ["b"])
        second = spool.changes(first.point)
        assert [one.path for one in first.waiting] == [SARAH]
        assert [one.path for one in second.waiting] == [BO]
        assert spool.changes(second.point).waiting == ()

    def test_text_in_any_language_is_read_back_unchanged(self, spool: Spool) -> None:
        spool.append(SARAH, ["wörter 言葉 🙂"])
        assert contents(spool) == {SARAH: [(1, "wörter 言葉 🙂")]}


class TestCut:
    def test_cut_removes_events_only_up_to_the_number(self, spool: Spool) -> None:
        spool.append(SARAH, ["a", "b", "c"])
        cut(spool, SARAH, 2)
        assert contents(spool) == {SARAH: [(3, "c")]}
        cut(spool, SARAH, 1)
        assert contents(spool) == {SARAH: [(3, "c")]}

    def test_another_publishers_numbers_cut_nothing(self, spool: Spool) -> None:
        spool.append(SARAH, ["a"])
        (waiting,) = spool.changes(0).waiting
        spool.receive(uuid4(), waiting.key, 1)
        assert contents(spool) == {SARAH: [(1, "a")]}
        assert spool.read(uuid4(), waiting.key, 1, 1) == []

    def test_number_never_given_means_a_copy_and_renumbers_waiting_events(self, spool: Spool) -> None:
        """Another spool of the same publisher is ahead. Without a new publisher, events waiting here would count as received."""
        spool.append(SARAH, ["a", "b", "c"])
        spool.append(BO, ["d"])
        cut(spool, SARAH, 1)
        before = publisher(spool)
        cut(spool, SARAH, 9)
        assert publisher(spool) != before
        assert contents(spool) == {SARAH: [(1, "b"), (2, "c")], BO: [(1, "d")]}
        spool.append(SARAH, ["e"])
        assert contents(spool)[SARAH][-1] == (3, "e")

    def test_waiting_events_are_renumbered_only_once(self, spool: Spool) -> None:
        spool.append(SARAH, ["a", "b", "c"])
        cut(spool, SARAH, 1)
        before = publisher(spool)
        spool.begin_anew(before)
        after = publisher(spool)
        assert after != before
        assert contents(spool) == {SARAH: [(1, "b"), (2, "c")]}
        spool.begin_anew(before)
        assert publisher(spool) == after, "another process did it already"

    def test_long_run_is_cut_completely(self, spool: Spool) -> None:
        spool.append(SARAH, [str(number) for number in range(450)])
        cut(spool, SARAH, 449)
        assert contents(spool) == {SARAH: [(450, "449")]}


class TestKept:
    """Received events are kept for a while, in case the database loses its last seconds."""

    @pytest.fixture
    def keeping(self, file: Path) -> Iterator[Spool]:
        opened = Spool(file, most_bytes=10, keep_seconds=60.0)
        yield opened
        opened.close()

    def test_received_events_are_kept_and_no_longer_wait(self, keeping: Spool) -> None:
        keeping.append(SARAH, ["a", "b", "c"])
        cut(keeping, SARAH, 2)
        (kept,) = keeping.kept(0, 9)
        assert (kept.path, kept.received_up_to, kept.due_up_to) == (SARAH, 2, None)
        assert contents(keeping) == {SARAH: [(3, "c")]}
        held = keeping.held()
        assert (held.events, held.kept, held.bytes, held.namespaces) == (1, 2, 3, ((SARAH, 1),))

    def test_events_lost_by_the_database_wait_again_under_their_numbers(self, keeping: Spool) -> None:
        keeping.append(SARAH, ["a", "b", "c"])
        cut(keeping, SARAH, 3)
        since = keeping.changes(0).point
        (kept,) = keeping.kept(0, 9)
        assert keeping.take_back(publisher(keeping), kept.key, 1)
        assert not keeping.take_back(publisher(keeping), kept.key, 1), "it waits already"
        (waiting,) = keeping.changes(since).waiting
        assert (waiting.path, waiting.received_up_to, waiting.newest) == (SARAH, 1, 3)
        assert contents(keeping) == {SARAH: [(2, "b"), (3, "c")]}

    def test_only_kept_events_are_taken_back(self, keeping: Spool) -> None:
        keeping.append(SARAH, ["a", "b", "c"])
        cut(keeping, SARAH, 3)
        (kept,) = keeping.kept(0, 9)
        keeping.cut(publisher(keeping), kept.key, 2)
        assert not keeping.take_back(uuid4(), kept.key, 0), "another publisher's number"
        assert keeping.take_back(publisher(keeping), kept.key, 0)
        assert contents(keeping) == {SARAH: [(3, "c")]}
        keeping.begin_anew(publisher(keeping))
        assert contents(keeping) == {SARAH: [(1, "c")]}

    def test_new_publisher_also_sends_kept_events(self, keeping: Spool) -> None:
        keeping.append(SARAH, ["a", "b"])
        cut(keeping, SARAH, 1)
        keeping.begin_anew(publisher(keeping))
        assert contents(keeping) == {SARAH: [(1, "a"), (2, "b")]}
        assert keeping.kept(0, 9) == []

    def test_kept_events_are_due_after_the_configured_time(
        self, keeping: Spool, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        keeping.append(SARAH, ["a", "b"])
        cut(keeping, SARAH, 1)
        now = time.time()
        monkeypatch.setattr(time, "time", lambda: now + 59)
        cut(keeping, SARAH, 2)
        (kept,) = keeping.kept(0, 9)
        assert kept.due_up_to is None
        monkeypatch.setattr(time, "time", lambda: now + 61)
        (kept,) = keeping.kept(0, 9)
        assert kept.due_up_to == 1
        monkeypatch.setattr(time, "time", lambda: now - 10_000)
        (kept,) = keeping.kept(0, 9)
        assert kept.due_up_to == 2, "the clock was put back; it would be kept for hours"

    def test_kept_events_make_room_for_new_ones(self, keeping: Spool) -> None:
        keeping.append(SARAH, ["12", "34"])
        cut(keeping, SARAH, 1)
        keeping.append(BO, ["56"])
        cut(keeping, BO, 1)
        keeping.append(SARAH, ["123456"])
        assert [(one.path, one.received_up_to) for one in keeping.kept(0, 9)] == [(BO, 1)]
        with pytest.raises(SpoolFull):
            keeping.append(SARAH, ["1234567"])
        assert len(keeping.kept(0, 9)) == 1, "nothing is given up for what does not fit"
        assert contents(keeping) == {SARAH: [(2, "34"), (3, "123456")]}


class TestErasure:
    """Events that an erasure covers lose their content; the numbers and the erasure itself stay."""

    @pytest.fixture
    def keeping(self, file: Path) -> Iterator[Spool]:
        opened = Spool(file, most_bytes=ROOMY, keep_seconds=60.0)
        yield opened
        opened.close()

    def published(self, spool: Spool, *events: dict[str, Any]) -> list[CheckedEvent]:
        checked = check_events(SARAH, events)
        spool.append(SARAH, [one.body for one in checked], erasures_among(checked))
        return checked

    def said(self, content: str, conversation: str = "c") -> dict[str, Any]:
        return {"type": "message", "role": "user", "content": content, "conversation": conversation}

    def in_file(self, spool: Spool) -> list[tuple[str, str | None]]:
        with spool._reading() as connection:
            bodies = connection.execute("select body from events order by namespace, number").fetchall()
        events = [json.loads(body) for (body,) in bodies]
        assert spool.held().bytes == sum(len(body) for (body,) in bodies)
        return [(event["type"], event.get("content")) for event in events]

    def test_erased_conversation_is_emptied_whether_kept_or_waiting(self, keeping: Spool) -> None:
        self.published(keeping, self.said("quetzal"), self.said("other", "d"))
        cut(keeping, SARAH, 1)
        self.published(keeping, self.said("quetzal"), {"type": "erase", "conversation": "c"}, self.said("after"))
        empty = ("import", None)
        erased = ("erase", None)
        assert self.in_file(keeping) == [empty, ("message", "other"), empty, erased, ("message", "after")]
        keeping.append(BO, check_bodies(BO, self.said("of another")))
        self.published(keeping, {"type": "erase", "everything": True})
        assert self.in_file(keeping) == [empty, empty, empty, erased, empty, erased, ("message", "of another")]

    def test_erased_sources_of_memories_are_emptied_and_stay_events(self, keeping: Spool) -> None:
        first, second = self.published(keeping, self.said("quetzal"), self.said("other"))
        self.published(keeping, {"type": "erase", "memories": [uuid4()], "sources": [first.event_id]})
        assert [kind for kind, _ in self.in_file(keeping)] == ["import", "message", "erase"]
        (events,) = contents(keeping).values()
        again = [parse_event(json.loads(numbered(body, publisher(keeping), number))) for number, body in events]
        assert [one.event_id for one in again][:2] == [first.event_id, second.event_id]
        assert [number for number, _ in keeping.waiting_erasures(publisher(keeping), 1)] == [3]
        assert keeping.waiting_erasures(uuid4(), 1) == []


def check_bodies(path: NamespacePath, *events: dict[str, Any]) -> list[str]:
    return [one.body for one in check_events(path, events)]


class TestSize:
    def test_append_that_does_not_fit_is_refused_completely(self, file: Path) -> None:
        spool = Spool(file, most_bytes=10)
        spool.append(SARAH, ["12345"])
        with pytest.raises(SpoolFull, match=r"^MOSSHEAD_SPOOL_BYTES: .* holds 5 of at most 10 bytes.*mosshead spool"):
            spool.append(SARAH, ["1", "23456"])
        spool.append(SARAH, ["67890"])
        assert contents(spool) == {SARAH: [(1, "12345"), (2, "67890")]}
        spool.close()

    def test_cut_events_free_room(self, file: Path) -> None:
        spool = Spool(file, most_bytes=10)
        for _ in range(5):
            spool.append(SARAH, ["öäüßé"])  # ten bytes
            newest = spool.newest(SARAH)[1]
            cut(spool, SARAH, newest)
        assert spool.held().bytes == 0
        spool.close()

    def test_held_describes_the_contents(self, spool: Spool) -> None:
        spool.append(SARAH, ["1", "22"])
        spool.append(BO, ["333"])
        held = spool.held()
        assert (held.events, held.bytes, held.namespaces) == (3, 6, ((SARAH, 2), (BO, 1)))
        assert held.oldest is not None


class TestFile:
    def test_only_the_owner_may_read_the_file(self, spool: Spool, file: Path) -> None:
        old = os.umask(0)
        try:
            spool.append(SARAH, ["a"])
        finally:
            os.umask(old)
        assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
        assert {stat.S_IMODE(one.stat().st_mode) for one in file.parent.iterdir()} == {0o600}

    def test_file_is_created_by_the_first_append(self, spool: Spool, file: Path) -> None:
        assert (spool.exists(), file.parent.exists()) == (False, False)
        spool.append(SARAH, ["a"])
        assert spool.exists()

    def test_copy_gets_a_new_publisher_and_numbers_from_one(self, spool: Spool, file: Path) -> None:
        spool.append(SARAH, ["a", "b", "c"])
        cut(spool, SARAH, 1)
        original = publisher(spool)
        spool.close()
        for place in (file.with_name("copy.spool"), file.parent / "moved" / file.name):
            place.parent.mkdir(exist_ok=True)
            shutil.copy(file, place)
            copy = Spool(place, most_bytes=ROOMY)
            assert publisher(copy) != original
            assert contents(copy) == {SARAH: [(1, "b"), (2, "c")]}
            first = publisher(copy)
            copy.close()
            again = Spool(place, most_bytes=ROOMY)
            assert publisher(again) == first
            again.close()

    def test_restored_copy_gets_a_new_publisher(self, spool: Spool, file: Path) -> None:
        """A restored backup may be behind the inbox."""
        spool.append(SARAH, ["a"])
        original = publisher(spool)
        spool.close()
        shutil.copy(file, file.with_name("backup"))
        file.with_name("backup").replace(file)
        restored = Spool(file, most_bytes=ROOMY)
        assert publisher(restored) != original
        restored.close()

    def test_file_removed_while_in_use_is_created_again(
        self, spool: Spool, file: Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        spool.append(SARAH, ["a"])
        original = publisher(spool)
        shutil.rmtree(file.parent)
        spool.append(SARAH, ["b"])
        assert (contents(spool), publisher(spool) != original) == ({SARAH: [(1, "b")]}, True)
        assert "MOSSHEAD_SPOOL_DIR" in caplog.text
        with sqlite3.connect(file) as connection:
            assert connection.execute("select count(*) from events").fetchone() == (1,)
        connection.close()

    def test_cut_text_is_not_left_in_the_file(self, spool: Spool, file: Path) -> None:
        for number in range(50):
            spool.append(SARAH, ["quetzalcoatlus" * 500])
            cut(spool, SARAH, number + 1)
        spool.append(SARAH, ["b"])
        spool.tidy()
        assert b"quetzal" not in b"".join(one.read_bytes() for one in file.parent.iterdir())
        assert file.stat().st_size < 100_000
        assert contents(spool) == {SARAH: [(51, "b")]}

    def test_log_is_emptied_when_idle(self, spool: Spool, file: Path) -> None:
        for _ in range(4):
            spool.append(SARAH, ["x" * 10**5] * 2)
            cut(spool, SARAH, spool.newest(SARAH)[1])
        log = file.with_name(f"{file.name}-wal")
        spool.tidy()
        assert not log.stat().st_size

    def test_closed_spool_says_that_it_is_closed(self, spool: Spool) -> None:
        spool.append(SARAH, ["a"])
        spool.close()
        with pytest.raises(SpoolUnavailable, match="the memory is closed; connect again"):
            spool.append(SARAH, ["b"])


class TestForksAndCollections:
    def test_spool_stays_usable_after_threads_fork_at_once(self, file: Path) -> None:
        spool = Spool(file, most_bytes=ROOMY)
        spool.append(SARAH, ["a"])

        def fork() -> None:
            fork_safety._before()
            fork_safety._in_parent()

        threads = [Thread(target=fork, daemon=True) for _ in range(3)]
        with spool._in_use.use():  # all of them wait for this operation
            for thread in threads:
                thread.start()
            time.sleep(0.2)
        for thread in threads:
            thread.join(10)
        assert not any(thread.is_alive() for thread in threads)
        another = Thread(target=spool.append, args=(SARAH, ["b"]), daemon=True)
        another.start()
        another.join(10)
        assert not another.is_alive()
        spool.close()

    def test_publisher_collected_by_its_own_thread_ends(self, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        spool = Spool(file, most_bytes=ROOMY)
        database_url = make_url("postgresql+psycopg://nobody@127.0.0.1:1/none")
        publisher = SpoolPublisher(
            spool=spool, queue=EventQueue("redis://127.0.0.1:1/0"), database_url=database_url, key=None
        )
        changes, dropped = spool.changes, Event()

        def looked_at(since: int) -> Changes:
            with spool._reading():
                if dropped.is_set():
                    gc.collect()  # like an automatic collection during a use
            return changes(since)

        monkeypatch.setattr(spool, "changes", looked_at)
        publisher.publish(SARAH, check_events(SARAH, [{"type": "message", "role": "user", "content": "a"}]))
        thread = publisher._shipper._thread
        assert thread is not None
        gc.disable()
        try:
            publisher.itself = publisher  # type: ignore[attr-defined]  # a cycle, as in many apps' objects
            del publisher
            dropped.set()
            thread.join(10)
        finally:
            gc.enable()
        assert not thread.is_alive()
        with pytest.raises(SpoolUnavailable, match="the memory is closed"):
            spool.append(SARAH, ["b"])


class InterruptedAtBegin:
    """A connection with a Ctrl-C right after a transaction has begun."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def execute(self, statement: str, *parameters: Any) -> sqlite3.Cursor:
        done = self._connection.execute(statement, *parameters)
        if statement.startswith("begin"):
            raise KeyboardInterrupt
        return done


def test_interrupt_leaves_no_transaction_open(file: Path) -> None:
    spool = Spool(file, most_bytes=ROOMY)
    spool.append(SARAH, ["a"])
    connection = spool._connection
    assert connection is not None
    spool._connection = InterruptedAtBegin(connection)  # type: ignore[assignment]
    with pytest.raises(KeyboardInterrupt):
        spool.append(SARAH, ["b"])
    spool._connection = connection
    spool.append(SARAH, ["c"])
    assert spool.held().events == 2
    spool.close()


class TestTrouble:
    """Each case raises a clear error that names the setting, and leaves nothing half done."""

    def refused(self, spool: Spool, says: str) -> None:
        with pytest.raises(SpoolUnavailable, match=rf"^MOSSHEAD_SPOOL_DIR: the spool {spool.path}.*{says}") as error:
            spool.append(SARAH, ["quetzalcoatlus"])
        assert "quetzal" not in str(error.value)

    def test_file_that_is_not_a_spool_is_refused(self, spool: Spool, file: Path) -> None:
        file.parent.mkdir()
        file.write_text("quetzalcoatlus " * 1000)
        self.refused(spool, "not a database.*move the file away")
        file.unlink()
        spool.append(SARAH, ["a"])

    def test_corrupt_file_is_refused(self, spool: Spool, file: Path) -> None:
        spool.append(SARAH, ["a"] * 1000)
        spool.close()
        with file.open("r+b") as broken:
            broken.seek(4096)
            broken.write(os.urandom(file.stat().st_size - 4096))
        again = Spool(file, most_bytes=ROOMY)
        self.refused(again, "malformed.*move the file away")
        again.close()

    @pytest.mark.parametrize(("version", "age"), [(1, "an older"), (3, "a newer")])
    def test_file_of_another_version_is_refused(self, spool: Spool, file: Path, version: int, age: str) -> None:
        spool.append(SARAH, ["a"])
        spool.close()
        with sqlite3.connect(file) as connection:
            connection.execute(f"pragma user_version = {version}")
        connection.close()
        again = Spool(file, most_bytes=ROOMY)
        with pytest.raises(SpoolUnavailable, match=f"written by {age} version"):
            again.append(SARAH, ["b"])
        again.close()

    def test_folder_that_cannot_be_created_is_refused(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("")
        self.refused(Spool(tmp_path / "file" / "folder" / "one.spool", most_bytes=ROOMY), "Not a directory")

    def test_unreadable_folder_is_reported_on_use(self, spool: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
        def refused(_: Path, **__: object) -> os.stat_result:
            raise PermissionError(13, "Permission denied")

        monkeypatch.setattr(Path, "stat", refused)  # root may read any folder
        assert spool.exists()
        for use in (spool.held, lambda: spool.newest(SARAH)):
            with pytest.raises(SpoolUnavailable, match="Permission denied"):
                use()
        monkeypatch.undo()

    def test_full_disk_is_reported_and_nothing_is_lost(self, spool: Spool) -> None:
        spool.append(SARAH, ["a"])
        with spool._reading() as connection:  # the closest to a full disk without root
            pages = connection.execute("pragma page_count").fetchone()[0]
            connection.execute(f"pragma max_page_count = {pages}")
        with pytest.raises(SpoolUnavailable, match=r"^MOSSHEAD_SPOOL_DIR: .*disk is full.*free some space"):
            spool.append(BO, ["b"] * 10_000)
        spool.append(SARAH, ["c"])
        assert contents(spool) == {SARAH: [(1, "a"), (2, "c")]}

    def test_interrupted_write_is_rolled_back(self, spool: Spool) -> None:
        spool.append(SARAH, ["a"])
        with suppress(KeyboardInterrupt), spool._writing() as connection:
            connection.execute("update spool set bytes = 99")
            raise KeyboardInterrupt
        spool.append(SARAH, ["b"])
        assert (contents(spool), spool.held().bytes) == ({SARAH: [(1, "a"), (2, "b")]}, 2)


class Spooling(RuleBasedStateMachine):
    """Compares a spool with a model of it, through receipts, losses, cuts, restarts and new publishers."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = TemporaryDirectory()
        self.spool = self.open()
        self.stored: defaultdict[NamespacePath, list[tuple[int, str]]] = defaultdict(list)
        self.received: defaultdict[NamespacePath, int] = defaultdict(int)
        self.newest: defaultdict[NamespacePath, int] = defaultdict(int)
        self.receipts: list[tuple[NamespacePath, int]] = []
        self.texts = 0

    def open(self) -> Spool:
        return Spool(Path(self.folder.name) / "one.spool", most_bytes=200, keep_seconds=3600)

    @rule(path=st.sampled_from([SARAH, BO]), sizes=st.lists(st.integers(1, 40), min_size=1, max_size=8))
    def append(self, path: NamespacePath, sizes: list[int]) -> None:
        bodies = [f"{self.texts + place}".ljust(size, ".") for place, size in enumerate(sizes)]
        self.texts += len(sizes)
        size = sum(map(len, bodies))
        if sum(len(body) for one in (SARAH, BO) for _, body in self.waiting(one)) + size > 200:
            with pytest.raises(SpoolFull):
                self.spool.append(path, bodies)
            return
        self.spool.append(path, bodies)
        while self.bytes() + size > 200:
            self.drop(*self.receipts[0])
        for body in bodies:
            self.newest[path] += 1
            self.stored[path].append((self.newest[path], body))

    @rule(path=st.sampled_from([SARAH, BO]), events=st.integers(0, 9))
    def receive(self, path: NamespacePath, events: int) -> None:
        if waiting := self.waiting(path):
            self.received[path] = waiting[: events + 1][-1][0]
            self.receipts.append((path, self.received[path]))
            cut(self.spool, path, self.received[path])

    @rule(path=st.sampled_from([SARAH, BO]), events=st.integers(0, 9))
    def lose(self, path: NamespacePath, events: int) -> None:
        if kept := self.kept(path):
            up_to = max(kept[0][0] - 1, self.received[path] - events)
            assert self.spool.take_back(publisher(self.spool), self.key(path), up_to) == (up_to < self.received[path])
            self.received[path] = up_to
            later = [place for place, one in enumerate(self.receipts) if one[0] == path and one[1] > up_to]
            if later:  # the remaining events were received with the lost ones
                self.receipts.insert(later[0], (path, up_to))
            self.receipts = [one for one in self.receipts if one[0] != path or one[1] <= up_to]

    @rule(path=st.sampled_from([SARAH, BO]), events=st.integers(0, 9))
    def cut(self, path: NamespacePath, events: int) -> None:
        if kept := self.kept(path):
            up_to = kept[: events + 1][-1][0]
            self.spool.cut(publisher(self.spool), self.key(path), up_to)
            self.drop(path, up_to)

    @rule(path=st.sampled_from([SARAH, BO]))
    def learn_of_a_copy(self, path: NamespacePath) -> None:
        if self.waiting(path):
            cut(self.spool, path, self.newest[path] + 1)
            for one, events in self.stored.items():
                self.stored[one] = [(number, body) for number, (_, body) in enumerate(events, 1)]
                self.newest[one], self.received[one] = len(events), 0
            for one in {*self.newest} - {*self.stored}:
                self.newest[one] = self.received[one] = 0
            self.receipts = []

    @rule()
    def restart(self) -> None:
        self.spool.close()
        self.spool = self.open()

    @rule()
    def tidy(self) -> None:
        self.spool.tidy()

    @invariant()
    def it_holds_what_the_model_holds(self) -> None:
        assert contents(self.spool) == {path: self.waiting(path) for path in (SARAH, BO) if self.waiting(path)}
        assert {path: self.spool.newest(path)[1] for path in (SARAH, BO)} == {
            path: self.newest[path] for path in (SARAH, BO)
        }
        kept = {one.path: one.received_up_to for one in self.spool.kept(0, 9)}
        assert kept == {path: self.received[path] for path in (SARAH, BO) if self.kept(path)}
        held = self.spool.held()
        assert (held.bytes, held.kept) == (self.bytes(), sum(len(self.kept(path)) for path in (SARAH, BO)))

    def waiting(self, path: NamespacePath) -> list[tuple[int, str]]:
        return [one for one in self.stored[path] if one[0] > self.received[path]]

    def kept(self, path: NamespacePath) -> list[tuple[int, str]]:
        return [one for one in self.stored[path] if one[0] <= self.received[path]]

    def bytes(self) -> int:
        return sum(len(body) for events in self.stored.values() for _, body in events)

    def key(self, path: NamespacePath) -> int:
        return next(one.key for one in self.spool.kept(0, 9) if one.path == path)

    def drop(self, path: NamespacePath, up_to: int) -> None:
        self.stored[path] = [one for one in self.stored[path] if one[0] > up_to]
        self.receipts = [one for one in self.receipts if one[0] != path or one[1] > up_to]

    def teardown(self) -> None:
        self.spool.close()
        self.folder.cleanup()


TestSpooling = Spooling.TestCase
TestSpooling.settings = settings(stateful_step_count=25)


@given(
    st.lists(
        st.text(st.characters(codec="utf-8", exclude_characters="\x00"), min_size=1, max_size=20),
        min_size=2,
        max_size=4,
    )
)
def test_namespace_of_any_name_keeps_its_events(parts: list[str]) -> None:
    path = NamespacePath(tuple(parts))
    with TemporaryDirectory() as folder:
        spool = Spool(Path(folder) / "one.spool", most_bytes=ROOMY)
        spool.append(path, ["a"])
        assert contents(spool) == {path: [(1, "a")]}
        spool.close()
