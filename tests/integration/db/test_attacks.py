"""What someone with arbitrary SQL as reader or worker learns about another tenant: nothing it holds.

Two tenants have equal ids in every table, so that only the tenant distinguishes their rows; each has its own words.
docs/explanation/security.md lists what such a login can still learn.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any, NamedTuple
from uuid import UUID, uuid4

import pytest
from sqlalchemy import Connection, Engine, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import QueuePool

from mosshead import Memory, Namespace
from tests.integration.db.test_security import WITHOUT_POLICY, fill, relations, tables_of_tenants
from workers.local import Addresses

OURS, THEIRS = "teapot", "zanzibar"
ROLES = ("reader", "worker")
OF_NO_TENANT = ("alembic_version", "breakers", "llm_manners", "models", "refused_tasks", "workers")

WORDLESS = {
    *(
        "model",
        "formed_by",
        "extracted_by",
        "decided_by",
        "made_by",
        "conversation_id",
        "subject",
        "key",
        "schema_name",
    ),
    *("kind", "tier", "state", "granularity", "attribute", "record_name", "stance", "role", "certainty", "predicate"),
    *("entity_type", "owner_kind", "scanned", "type", "action", "refused", "syntax", "optimizer", "factors", "reason"),
    *("put_off_for", "skipped_for", "prompt", "llm_model", "stage", "digest", "scope", "conversation", "rows"),
    *("endpoint", "mode"),
}
"""Columns with names by the service or ids by the app, which never contain conversation text."""


class Pair(NamedTuple):
    """Two tenants. row: all ids of both."""

    ours: UUID
    theirs: UUID
    row: UUID


@pytest.fixture(scope="module")
def pair(admin_engine: Engine) -> Pair:
    """Two tenants with a row in every table, and words in text columns."""
    made = Pair(uuid4(), uuid4(), uuid4())
    with admin_engine.begin() as connection:
        connection.exec_driver_sql("set local session_replication_role = replica")  # foreign keys do not matter here
        for tenant_id, word in ((made.ours, OURS), (made.theirs, THEIRS)):
            for table in tables_of_tenants(connection):
                fill(connection, table.relname, tenant_id, made.row)
            for statement in _WORDS.split(";"):
                connection.execute(text(statement), {"tenant": tenant_id, "word": word})
        connection.execute(_VOCABULARY, {"tenant": made.theirs, "row": made.row, "word": THEIRS})
    return made


@pytest.fixture(scope="module", params=ROLES)
def engine(request: pytest.FixtureRequest) -> Engine:
    """The logins of an app and of a stage."""
    found: Engine = request.getfixturevalue(f"{request.param}_engine")
    return found


@pytest.fixture
def attacker(engine: Engine, pair: Pair) -> Iterator[Connection]:
    """A transaction of our tenant that may write as far as its role allows."""
    with engine.connect() as connection, connection.begin() as transaction:
        connection.exec_driver_sql("set transaction read write")
        _be(connection, str(pair.ours))
        yield connection
        transaction.rollback()


def _be(connection: Connection, tenant: str | None) -> None:
    if tenant is not None:
        connection.execute(text("select set_config('mosshead.tenant_id', :tenant, true)"), {"tenant": tenant})


def told(connection: Connection) -> list[str]:
    """Collect notices from here on."""
    heard: list[str] = []
    driver: Any = connection.connection.driver_connection
    driver.add_notice_handler(lambda notice: heard.append(notice.message_primary))
    return heard


def test_custom_function_sees_only_own_rows(attacker: Connection, engine: Engine, admin_engine: Engine) -> None:
    """A cheap function runs before any policy if Postgres is free to choose, and could report all rows."""
    attacker.exec_driver_sql(_TELLING)
    for way in ("indexscan", "bitmapscan", "indexonlyscan"):
        attacker.exec_driver_sql(f"set local enable_{way} = off")
    with admin_engine.connect() as connection:
        shown = relations(connection, "mosshead_read_v1")
        if "mosshead_worker" in str(engine.url):
            tables = relations(connection, "mosshead")
            shown += [name for name in tables if name.split(".")[1] not in WITHOUT_POLICY]
        columns = {name: list(connection.execute(_COLUMNS, {"name": name}).scalars()) for name in shown}

    heard = told(attacker)
    for name, of_it in columns.items():
        tells = " and ".join(f'pg_temp.tell("{column}")' for column in of_it)
        rows = attacker.exec_driver_sql(f"select count(*) from {name} where {tells}").scalar_one()
        assert (rows, len(heard)) == (1, len(of_it)), name
        assert THEIRS not in str(heard)
        heard.clear()


@pytest.mark.parametrize("session", [None, "", "ours", "theirs or all"])
def test_word_search_covers_only_own_rows(engine: Engine, pair: Pair, session: str | None) -> None:
    """With any arguments; without a tenant, it finds nothing, and an invalid tenant is an error that names it."""
    tenant = str(pair.ours) if session == "ours" else session
    found: dict[str, int] = {}
    errors: list[str] = []
    for arguments in _CALLS:
        with engine.connect() as connection, connection.begin():
            _be(connection, tenant)
            call = text(f"select holding from mosshead_read_v1.holding({arguments})")
            try:
                rows = connection.execute(call, {"row": pair.row, "theirs": THEIRS, "ours": OURS}).all()
            except DBAPIError as error:
                errors.append(str(error.orig))
            else:
                found |= {arguments: len(rows)} if rows else {}
    assert found == ({one: 1 for one in _CALLS if ":ours" in one} if session == "ours" else {})
    assert len(errors) >= _WRONG
    assert str(pair.theirs) not in str(errors)


def test_objects_shadowed_by_the_attackers_schema_are_not_used(attacker: Connection, pair: Pair) -> None:
    for statement in _SHADOWS.split(";"):
        attacker.exec_driver_sql(statement.replace("THEIRS", str(pair.theirs)))
    assert attacker.exec_driver_sql("select count(*) from mosshead_read_v1.memories").scalar_one() == 1
    for words, count in ((OURS, 1), (THEIRS, 0)):
        call = text("select count(*) from mosshead_read_v1.holding('memories', :row, 'x', array[:words], 10, 10)")
        assert attacker.execute(call, {"row": pair.row, "words": words}).scalar_one() == count


@pytest.mark.parametrize(
    "statement",
    [
        *("set role mosshead_words", "set role mosshead_owner", "set role mosshead_backup"),
        *("set session authorization mosshead_words", "grant mosshead_words to current_user"),
        *("alter role current_user bypassrls", "create role mine", "alter role mosshead_words login"),
        *("create schema mine", "create function public.f() returns int language sql return 1"),
        "create function mosshead_read_v1.f() returns int language sql return 1",
        "alter function mosshead_read_v1.holding owner to current_user",
        "alter function mosshead_read_v1.holding reset all",
        "create or replace function mosshead.current_tenant() returns uuid language sql return gen_random_uuid()",
        "alter view mosshead_read_v1.memories set (security_invoker)",
        "alter view mosshead_read_v1.scopes reset (security_barrier)",
        *("alter table mosshead.memories disable row level security", "drop policy of_tenant on mosshead.memories"),
        *(
            "copy mosshead.tenants to program 'true'",
            "select pg_read_file('PG_VERSION')",
            "select lo_import('/dev/null')",
        ),
        *("select * from pg_statistic", "select * from pg_statistic_ext_data", "select * from pg_authid"),
        *("select * from pg_largeobject", "select last_value from mosshead.events_position_seq"),
        *("create foreign data wrapper mine", "load 'auto_explain'", "set log_statement = 'all'"),
        *("set session_replication_role = replica", "select * from mosshead_read_v1.memories for update"),
        *("lock mosshead_read_v1.memories in access exclusive mode", "delete from mosshead_read_v1.memories"),
        *("set row_security = off; select * from mosshead_read_v1.memories",),
        "set row_security = off; select mosshead_read_v1.holding('memories', null, 'x', '{x}', 1, 1)",
    ],
)
def test_forbidden_statement_is_refused(attacker: Connection, statement: str) -> None:
    *before, last = statement.split("; ")
    for one in before:
        attacker.exec_driver_sql(one)
    with pytest.raises(DBAPIError) as caught:
        attacker.exec_driver_sql(last)
    assert getattr(caught.value.orig, "sqlstate", None) == "42501", "refused, and not for another reason"


def test_planner_estimates_reveal_no_words(attacker: Connection, admin_engine: Engine, pair: Pair) -> None:
    """Otherwise a binary search would spell out the texts of all tenants."""
    with admin_engine.begin() as connection:
        connection.exec_driver_sql("analyze")

    def expected(view: str, word: str) -> Any:
        statement = text(f"explain (format json) select from mosshead_read_v1.{view} and tenant_id = :theirs")
        plan = attacker.execute(statement, {"word": word, "theirs": pair.theirs}).scalar_one()
        return plan[0]["Plan"]["Plan Rows"]

    for view in ("vocabulary where lexeme < :word", "turns where words @@ cast(:word as tsquery)"):
        assert expected(view, f"{THEIRS}200") == expected(view, f"{THEIRS}900") > 1
    hidden = "select distinct tablename from pg_stats where schemaname = 'mosshead' and tablename <> all(:open)"
    assert attacker.execute(text(hidden), {"open": [*WITHOUT_POLICY, *OF_NO_TENANT]}).scalars().all() == []


def test_text_columns_have_no_statistics(admin_engine: Engine) -> None:
    with admin_engine.connect() as connection:
        gathered = connection.execute(_GATHERED, {"open": [*WITHOUT_POLICY, *OF_NO_TENANT]})
        words = {(row.relname, row.attname) for row in gathered if row.attname not in WORDLESS}
    assert words == {("prompts", "name"), ("prompt_feedback", "name")}, "the app's own names, and nothing else"


def test_functions_are_callable_only_if_granted(admin_engine: Engine) -> None:
    """Functions are executable by everyone unless that is revoked."""
    with admin_engine.connect() as connection:
        assert connection.exec_driver_sql(_OF_EVERYONE).scalars().all() == []
        loose = connection.exec_driver_sql(_LOOSE_DEFINERS).scalars().all()
    assert loose == [], "a function that runs as its owner must not look for names where its caller says"


def test_statements_contain_no_conversation_text(addresses: Addresses) -> None:
    """Everyone with the same role sees the text of other sessions' statements, without parameters."""
    reads: list[Callable[[Namespace], object]] = [
        lambda sarah: sarah.query(THEIRS),
        lambda sarah: sarah.context(f"Does {THEIRS} know Peter?", history=[{"role": "user", "content": f"{THEIRS}!"}]),
        lambda sarah: sarah.messages.search(THEIRS),
        lambda sarah: sarah.resolve(f"Ask {THEIRS}", mention=THEIRS),
    ]
    statements: set[str] = set()
    for read in reads:
        with Memory.connect(database_url=addresses.database_url, read_timeout=60) as memory:
            read(memory.namespace("acme", f"sarah {uuid4()}"))
            prepared = prepared_by(memory._engine)
        assert prepared - statements, "a read has statements of its own"
        statements |= prepared
    assert not [one for one in statements if THEIRS in one.casefold()]


def prepared_by(engine: Engine) -> set[str]:
    """Return the statements prepared by any connection of an engine; each sees only its own."""
    assert isinstance(engine.pool, QueuePool)
    statement = "select statement from pg_prepared_statements"
    with ExitStack() as stack:
        connections = [stack.enter_context(engine.connect()) for _ in range(engine.pool.checkedin())]
        return {sql for one in connections for sql in one.exec_driver_sql(statement).scalars()}


_TELLING = """
    create function pg_temp.tell(anyelement) returns boolean language plpgsql cost 0.000001
    as $$ begin raise notice '%%', $1; return true; end $$
"""

_COLUMNS = text("""
    select attname from pg_attribute where attrelid = cast(:name as regclass) and attnum > 0 and not attisdropped order by attnum
""")

_WORDS = """
    update mosshead.embeddings set words = to_tsvector('simple', :word) where tenant_id = :tenant;
    update mosshead.turns set words = to_tsvector('simple', :word) where tenant_id = :tenant;
    update mosshead.memories set content = :word where tenant_id = :tenant;
    update mosshead.messages set content = :word where tenant_id = :tenant
"""

_VOCABULARY = text("""
    with words as (select :word || number as word from generate_series(100, 999) as number),
    counted as (
        insert into mosshead.vocabulary (tenant_id, namespace_id, model, scanned, lexeme, holders)
        select :tenant, :row, 'x', 'memories', word, 1 from words
    )
    insert into mosshead.turns
        (tenant_id, namespace_id, model, message_id, conversation_id, said_at, role, embedding, with_before, words)
    select :tenant, gen_random_uuid(), 'x', gen_random_uuid(), 'x', now(), 'user', '[1]', '[1]',
           to_tsvector('simple', :word || '900') from words
""")
"""Enough rows to affect statistics, in namespaces that nobody uses."""

_CALLS = (
    "'memories', :row, 'x', array[:theirs], 10, 10",
    "'turns', :row, 'x', array[:theirs], 10, 10",
    "'memories', :row, 'x', array[:theirs, :ours], 10, 10",
    "'turns', :row, 'x', array[:ours], 2147483647, 2147483647",
    "null, :row, 'x', array[null, :ours], null, null",
    "'anything', :row, 'x', array['(' || :theirs || ' | !nothing) & ' || :theirs], 10, 10",
    "'turns', :row, 'x', array[:theirs || ':*'], 0, 10",
    "'memories', null, null, array[:theirs], null, null",
    "'memories', null, null, null, null, null",
    "'memories', :row, 'x', array[:theirs], -1, -1",
    "'memories', :row, 'x', array['& ' || :theirs], 10, 10",
    "'memories', :row, 'x'' or true or ''x', array[:theirs], 10, 10",
    "'turns where true or true', :row, 'x', array[:theirs], 10, 10",
)
"""Calls that name our word find our row; other calls find nothing."""

_WRONG = 3
"""How many of these calls are errors for any caller."""

_SHADOWS = """
    create function pg_temp.current_tenant() returns uuid language sql return 'THEIRS'::uuid;
    create function pg_temp.current_setting(text, boolean) returns text language sql return 'THEIRS';
    create function pg_temp.holds(tsvector, tsquery) returns boolean language sql return true;
    create operator pg_temp.@@ (leftarg = tsvector, rightarg = tsquery, function = pg_temp.holds);
    create function pg_temp.same(uuid, uuid) returns boolean language sql return true;
    create operator pg_temp.= (leftarg = uuid, rightarg = uuid, function = pg_temp.same);
    create type pg_temp.tsquery as (one text);
    create table pg_temp.embeddings (tenant_id uuid, owner_id uuid);
    set local search_path = pg_temp, mosshead_read_v1, mosshead, public, pg_catalog
"""

_GATHERED = text("""
    select relname, attname from pg_attribute join pg_class on pg_class.oid = attrelid
    where relnamespace = 'mosshead'::regnamespace and relkind = 'r' and relname <> all(:open)
      and attnum > 0 and not attisdropped and atttypid = any('{text, text[], jsonb, bytea, tsvector}'::regtype[])
      and coalesce(attstattarget, -1) <> 0
""")

_OF_EVERYONE = """
    select proname from pg_proc where pronamespace::regnamespace::text like 'mosshead%%'
      and has_function_privilege('public', oid, 'execute')
"""

_LOOSE_DEFINERS = """
    select proname from pg_proc where pronamespace::regnamespace::text like 'mosshead%%'
      and prosecdef and not coalesce(proconfig, '{}') @> array['search_path=pg_catalog, pg_temp']
"""
