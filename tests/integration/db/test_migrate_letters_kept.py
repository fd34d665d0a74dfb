"""To the version that keeps the marks of letters, and back: names from before are found by the names that they are."""

from uuid import uuid4

from alembic import command
from sqlalchemy import text

from db.migrate import migrate
from mosshead.language.names import normalise
from tests.integration.db.test_migrate import EVENTS, administrating, empty_database, rows, run

__all__ = ["empty_database"]

_BEFORE = "0016"
_THIS = "0017"

_FORMER = {
    "パリ": "ハリ",
    "バリ": "ハリ",
    "เสื้อ": "เสือ",
    "Müller": "muller",
    "कर्म": "करम",
    "सड़क": "सडक",
    "Łódź": "łodz",
    "राम's  Café": "राम cafe",
    "バリ’s Bar ": "ハリ bar",
}
"""Names, and how they were compared before."""

_ENTITY = """
    insert into mosshead.entities (tenant_id, namespace_id, entity_id, name, entity_type)
    select tenant_id, namespace_id, :entity, 'one', 'place' from mosshead.lanes
"""
_ALIAS = """
    insert into mosshead.entity_aliases (tenant_id, namespace_id, entity_id, alias, normalised)
    select tenant_id, namespace_id, :entity, :alias, :normalised from mosshead.lanes
"""
_NAMES = "select alias, normalised from mosshead.entity_aliases"


def test_up_and_down_and_up_again(empty_database: str) -> None:
    migrate(empty_database, {}, _BEFORE)
    with administrating(empty_database) as connection:
        connection.execute(text("select mosshead_write_v1.publish(cast(:events as jsonb))"), {"events": EVENTS})
        for alias, normalised in _FORMER.items():
            entity = uuid4()
            connection.execute(text(_ENTITY), {"entity": entity})
            connection.execute(text(_ALIAS), {"entity": entity, "alias": alias, "normalised": normalised})
    now = {(name, normalise(name)) for name in _FORMER}

    migrate(empty_database, {}, _THIS)
    assert rows(empty_database, _NAMES) == now
    run(empty_database, command.downgrade, _BEFORE)
    assert rows(empty_database, _NAMES) == set(_FORMER.items())
    migrate(empty_database, {}, _THIS)
    assert rows(empty_database, _NAMES) == now


def test_two_names_of_one_entity_that_were_one_before_do_not_meet_on_the_way_back(empty_database: str) -> None:
    migrate(empty_database, {}, _THIS)
    with administrating(empty_database) as connection:
        connection.execute(text("select mosshead_write_v1.publish(cast(:events as jsonb))"), {"events": EVENTS})
        entity = uuid4()
        connection.execute(text(_ENTITY), {"entity": entity})
        for alias in ("パリ", "バリ"):
            connection.execute(text(_ALIAS), {"entity": entity, "alias": alias, "normalised": normalise(alias)})

    run(empty_database, command.downgrade, _BEFORE)
    assert len(rows(empty_database, _NAMES)) == 2
    migrate(empty_database, {}, _THIS)
    assert rows(empty_database, _NAMES) == {(alias, normalise(alias)) for alias in ("パリ", "バリ")}


def test_what_people_leave_out_of_a_name_goes(empty_database: str) -> None:
    """On the way back it stays away: the words of a text never had it."""
    former = {
        "Yahoo!": "yahoo!",
        "#general": "#general",
        "@Sam": "@sam",
        "C#": "c#",
        "?!": "?!",
        "Ask @Sam!": "ask @sam!",
    }
    migrate(empty_database, {}, _BEFORE)
    with administrating(empty_database) as connection:
        connection.execute(text("select mosshead_write_v1.publish(cast(:events as jsonb))"), {"events": EVENTS})
        entity = uuid4()
        connection.execute(text(_ENTITY), {"entity": entity})
        for alias, normalised in {**former, "Wham!": "wham!", "Wham": "wham"}.items():
            connection.execute(text(_ALIAS), {"entity": entity, "alias": alias, "normalised": normalised})

    migrate(empty_database, {}, _THIS)
    assert rows(empty_database, _NAMES) == {(name, normalise(name)) for name in former} | {
        ("Wham!", "wham!"),
        ("Wham", "wham"),
    }
