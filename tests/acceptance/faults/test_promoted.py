"""A replica that lags is promoted: what was erased meanwhile does not come back. Reads from one say how fresh they are."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import UUID

import pytest

from benchmarks.faults.cluster import Cluster, Replica, addresses, cluster
from mosshead import Memory, Namespace, Receipt
from tests.machine_given import put_database
from workers.local import wait_until

PATIENCE_SECONDS = 90


@pytest.fixture(scope="module")
def running() -> Iterator[Cluster]:
    """A service of its own, whose processes are told of two servers."""
    with cluster(put_database=put_database) as made:
        yield made


def test_reads_from_a_replica_say_how_fresh_they_are_and_writes_go_to_the_primary(
    running: Cluster, tmp_path: Path
) -> None:
    with running.replica() as replica:
        second = addresses([running.second], "mosshead_reader")
        preferred = (
            f"{addresses([running.socket, running.second], 'mosshead_reader')}&target_session_attrs=prefer-standby"
        )
        with (
            connected(running, tmp_path / "primary") as primary,
            connected(running, tmp_path / "second", database_url=second) as reading,
            connected(running, tmp_path / "preferred", database_url=preferred) as preferring,
        ):
            there = reading.namespace("reading", "sarah")
            assert there.progress().behind_seconds is not None, "also of a namespace that nobody published to"
            there.publish("I need a bicycle")
            there.wait(PATIENCE_SECONDS)
            for fresh in (there.query("bicycle").progress, there.context("A bicycle?")):
                assert fresh.behind_seconds is not None
                assert 0 <= fresh.behind_seconds < PATIENCE_SECONDS
            (memory,) = there.memories()
            there.forget(memory)
            there.wait(PATIENCE_SECONDS)
            assert not there.query("bicycle")

            replica.fall_behind()
            here = primary.namespace("reading", "sarah")
            here.publish("I need a canoe")
            here.wait(PATIENCE_SECONDS)
            assert [hit.content for hit in here.query("canoe")] == ["User needs a canoe"]
            assert here.query("canoe").progress.behind_seconds is None
            for behind in (there, preferring.namespace("reading", "sarah")):
                late = behind.query("canoe")
                assert not late
                assert late.progress.behind_seconds is not None
                assert late.progress.behind_seconds > 0
            running.postgres.hold()  # so that the replica, which hears nothing more, takes its place
            replica.promote()


@contextmanager
def connected(cluster: Cluster, spool: Path, **more: str) -> Iterator[Memory]:
    url = addresses([cluster.socket, cluster.second], "mosshead_reader")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MOSSHEAD_EMBEDDING_URL", cluster.llm.base_url)
        with Memory.connect(
            database_url=more.get("database_url", url),
            broker_url=cluster.broker_url,
            embedder="openai:fake@256",
            spool_dir=spool,
            read_timeout=30.0,
        ) as memory:
            yield memory


def everywhere(cluster: Cluster, words: str) -> dict[str, int]:
    """In how many rows of which tables some words are."""
    tables = cluster.rows(
        "select relname from pg_class where relnamespace = 'mosshead'::regnamespace and relkind = 'r'"
    )
    found = {
        table: cluster.rows(f"select count(*) from mosshead.{table} as one where one::text ilike %s", f"%{words}%")[0][
            0
        ]
        for (table,) in tables
    }
    return {table: count for table, count in found.items() if count}


def in_files(folder: Path, words: bytes) -> list[Path]:
    return [one for one in folder.iterdir() if words in one.read_bytes()]


def lose_by_promotion(cluster: Cluster, replica: Replica) -> None:
    cluster.postgres.hold()
    replica.promote()


def by_conversation(sarah: Namespace, _message: UUID) -> UUID:
    return sarah.erase(conversation="talk")


def by_memory(sarah: Namespace, message: UUID) -> UUID:
    return sarah.erase(sarah.messages.memories(message))


def by_message(sarah: Namespace, message: UUID) -> UUID:
    return sarah.messages.erase(message)


def by_waiting_memory(sarah: Namespace, message: UUID) -> UUID:
    """Remembered and erased before it is in effect: no read knows where it came from."""
    sarah.messages.erase(message)
    return sarah.erase(sarah.remember("I need quuxhere as well"))


def by_everything(sarah: Namespace, _message: UUID) -> UUID:
    return sarah.erase(everything=True)


def test_what_was_erased_and_lost_by_promotion_does_not_come_back(running: Cluster, tmp_path: Path) -> None:
    """Said, erased and lost, all within the lag; and said through another host's spool, which sends it again, too."""
    ways: dict[str, Callable[[Namespace, UUID], UUID]] = {
        "conversation": by_conversation,
        "memory": by_memory,
        "message": by_message,
        "waiting memory": by_waiting_memory,
        "everything": by_everything,
    }
    with connected(running, tmp_path / "one") as here, connected(running, tmp_path / "other") as there:
        people = {name: here.namespace("erasing", name) for name in ways}
        for person in people.values():
            person.publish("I need to stay", conversation="other")
            person.wait(PATIENCE_SECONDS)
        with running.replica() as replica:
            replica.fall_behind()
            for name, person in people.items():
                away = there.namespace("erasing", name)
                mine = person.publish(f"I need quuxhere {name}", conversation="talk")
                theirs = away.publish(f"I need quuxthere {name}", conversation="talk")
                person.wait(PATIENCE_SECONDS)
                away.wait(PATIENCE_SECONDS)
                for message in (mine,) if name in {"conversation", "everything"} else (mine, theirs):
                    receipt = carried_out(person, ways[name](person, message))
                    assert receipt.final_at > receipt.erased_at
            assert everywhere(running, "quux") == {}
            wait_until(
                lambda: not in_files(tmp_path / "one", b"quuxhere"), timeout=PATIENCE_SECONDS, what="an empty spool"
            )
            done = "select count(*) from mosshead.erasures where erased_at is not null"
            carried = running.rows(done)
            known = running.rows("select count(*) from mosshead.events")
            lose_by_promotion(running, replica)
            assert running.rows("select count(*) from mosshead.events") < known
            assert running.rows(done) == [(0,)]
            wait_until(lambda: running.rows(done) == carried, timeout=PATIENCE_SECONDS, what="all erasures, again")
            for name, person in people.items():
                person.wait(PATIENCE_SECONDS)
                there.namespace("erasing", name).wait(PATIENCE_SECONDS)
            at_rest = "select count(*) from mosshead.lanes where pending > 0 or batch_id is not null or erase_due_at is not null"
            wait_until(lambda: running.rows(at_rest) == [(0,)], timeout=PATIENCE_SECONDS, what="all is at rest")
            assert everywhere(running, "quux") == {}
            kept = {name: [one.content for one in person.memories()] for name, person in people.items()}
            assert kept == {name: [] if name == "everything" else ["User needs to stay"] for name in people}


def carried_out(person: Namespace, erasure: UUID) -> Receipt:
    wait_until(lambda: person.erasures.get(erasure) is not None, timeout=PATIENCE_SECONDS, what="the erasure")
    receipt = person.erasures.get(erasure)
    assert receipt is not None
    return receipt
