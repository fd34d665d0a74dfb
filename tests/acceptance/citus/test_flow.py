"""From publish to recall, resolve, undo and erase on a Citus cluster; no tenant sees another's rows."""

from concurrent.futures import ThreadPoolExecutor
from uuid import UUID, uuid4

import psycopg
import pytest
from sqlalchemy import create_engine

from mosshead import Namespace
from mosshead.store.connection import Sql, in_one_trip, tenant_transaction
from mosshead.urls import sqlalchemy_url
from tests.acceptance.running import Running

TENANTS, MESSAGES = 4, 6
TOWNS = ("Leeds", "York", "Hull", "Bath", "Derby", "Poole", "Truro", "Wells", "Ripon", "Ely", "Durham", "Exeter")
LONG_ENOUGH = 300.0


@pytest.fixture(scope="module")
def towns(on_citus: Running) -> dict[str, Namespace]:
    """A namespace for each town, in a few tenants, whose user lives there and says some more; all of it has taken effect."""
    run = uuid4().hex[:8]
    users = {
        town: on_citus.memory.namespace(f"tenant-{run}-{number % TENANTS}", f"user-{number}")
        for number, town in enumerate(TOWNS)
    }
    for number in range(MESSAGES):
        for town, namespace in users.items():
            text = f"I live in {town}" if number == 0 else f"My friend Anna of {town} gave me {number} books"
            namespace.publish(role="user", content=text, conversation="tea")
    for namespace in users.values():
        namespace.wait(timeout=LONG_ENOUGH)
    return users


def stored(url: str, namespace: Namespace, columns: str, condition: str = "true") -> list[tuple[object, ...]]:
    """Events of a namespace as the administrator sees them, in the order of their arrival."""
    statement = f"""
        select {columns} from mosshead.events
        where namespace_id = %s and {condition} order by position
    """
    with psycopg.connect(url) as connection:
        return connection.execute(statement.encode(), [namespace.path.namespace_id]).fetchall()


def test_nothing_is_lost_doubled_or_out_of_order(citus_url: str, towns: dict[str, Namespace]) -> None:
    for namespace in towns.values():
        events = stored(citus_url, namespace, "publisher_sequence, state", "type = 'message'")
        assert events == [(number, "done") for number in range(1, MESSAGES + 1)]
        effective = stored(citus_url, namespace, "effective_at", "type = 'message'")
        assert effective == sorted(effective)


def test_each_user_finds_its_own_town_and_no_other(towns: dict[str, Namespace]) -> None:
    def faults(town: str) -> list[str]:
        namespace = towns[town]
        said = namespace.context("Where do I live?").text + str(namespace.query("Where do I live?", limit=20))
        return (
            [] if town in said and not any(other in said for other in TOWNS if other != town) else [f"{town}: {said}"]
        )

    with ThreadPoolExecutor(8) as pool:
        assert [one for found in pool.map(faults, [*TOWNS] * 3) for one in found] == []


def test_name_is_resolved_within_its_namespace(towns: dict[str, Namespace]) -> None:
    found = {town: namespace.resolve("Anna") for town, namespace in towns.items()}
    assert {one.status for one in found.values()} == {"resolved"}
    assert len({one.entity.id for one in found.values() if one.entity}) == len(TOWNS)


def test_decision_is_undone(towns: dict[str, Namespace]) -> None:
    namespace = towns["Leeds"]
    added = next(one for one in namespace.decisions.latest(action="add") if one.memory_id)
    namespace.undo(added.id)
    namespace.wait(timeout=LONG_ENOUGH)
    assert added.memory_id not in {one.id for one in namespace.memories()}


@pytest.mark.parametrize("trips", ["in one trip", "in a transaction"])
def test_pooled_connection_shows_each_tenant_its_own_rows(
    citus_url: str, on_citus: Running, towns: dict[str, Namespace], trips: str
) -> None:
    """One connection, all tenants in turn, and one that is nobody's: the setting reaches the workers and outlasts no turn."""
    engine = create_engine(
        sqlalchemy_url(on_citus.addresses.database_url, "MOSSHEAD_DATABASE_URL"), pool_size=1, max_overflow=0
    )
    asked = Sql("select distinct tenant_id from mosshead_read_v1.messages")

    def tenants(tenant_id: UUID) -> set[UUID]:
        if trips == "in one trip":
            return {row.tenant_id for row in in_one_trip(engine, tenant_id, [asked])[0]}
        with tenant_transaction(engine, tenant_id) as connection:
            return set(asked.scalars(connection))

    own = {one.path.tenant_id for one in towns.values()}
    for tenant_id in [*own, *own]:
        assert tenants(tenant_id) == {tenant_id}
        assert tenants(uuid4()) == set()
    with engine.connect() as connection:
        assert asked.scalars(connection) == []
    engine.dispose()


def test_reader_of_tables_without_content_sees_its_tenant_alone(on_citus: Running, towns: dict[str, Namespace]) -> None:
    own = towns["York"].path.tenant_id
    with psycopg.connect(on_citus.addresses.database_url) as connection:
        connection.execute("set local citus.propagate_set_commands = 'local'")
        connection.execute(f"set local mosshead.tenant_id = '{own}'".encode())
        for table in ("lanes", "publishers", "scopes"):
            found = connection.execute(f"select distinct tenant_id from mosshead.{table}".encode()).fetchall()
            assert found == [(own,)], table


def test_erased_conversation_is_gone(citus_url: str, on_citus: Running, towns: dict[str, Namespace]) -> None:
    namespace = towns["York"]
    erasure = namespace.erase(conversation="tea")
    on_citus.eventually(
        lambda: bool((receipt := namespace.erasures.get(erasure)) and receipt.erased_at), "the erasure", LONG_ENOUGH
    )
    assert namespace.memories() == []
    assert stored(citus_url, namespace, "type", "type = 'message'") == []
    assert towns["Hull"].query("Where do I live?").hits
