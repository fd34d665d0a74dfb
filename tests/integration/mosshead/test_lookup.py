"""Whom a text names: by any of their names, whole or in part, however written, and not by ordinary words."""

from typing import Any
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import Engine, text

from db.keys import LaneRef
from mosshead.entities import lookup
from mosshead.entities.lookup import NameMatch
from mosshead.language.names import name_key, normalise
from mosshead.models.kinds import EntityType
from mosshead.paths import NamespacePath
from mosshead.store.connection import tenant_transaction
from tests.given import Remembering

NAMES: dict[str, dict[str, Any]] = {
    "Peter Haas": {},
    "Peter": {"description": "brother"},
    "Peter Müller": {},
    "Jo": {},
    "Joe": {},
    "Will Smith": {},
    "Sarah O'Brien": {"aliases": ("Sal",)},
    "Anne-Marie Le Guen": {},
    "Пётр Иванов": {},
    "彼得": {},
    "Wolf of Blog Street": {"entity_type": EntityType.ORG},
    "Henderson Interactive": {"entity_type": EntityType.ORG},
    "Henderson Point": {"entity_type": EntityType.PLACE},
    "Tom Henderson": {},
    "The Anchor": {"entity_type": EntityType.PLACE},
    "Copperleaf Café": {"entity_type": EntityType.ORG, "aliases": ("Copperleaf", "the café")},
    "IT": {"entity_type": EntityType.ORG},
}


@pytest.fixture(scope="module")
def known(worker_engine: Engine) -> NamespacePath:
    """Return a namespace with a small registry."""
    path = NamespacePath.of((f"tenant-{uuid4().hex}", "sarah"))
    remembering = Remembering(worker_engine, LaneRef(path.tenant_id, path.namespace_id))
    for name, fields in NAMES.items():
        remembering.entity(name, **fields)
    return path


def named(engine: Engine, path: NamespacePath, *texts: str, are_names: bool = False) -> list[NameMatch]:
    with tenant_transaction(engine, path.tenant_id) as connection:
        return lookup.named(connection, path, texts, are_names=are_names)


WHOM = {
    "Ask Peter Haas about it": {"Peter Haas"},
    "ask peter about it": {"Peter Haas", "Peter", "Peter Müller"},
    "Haas called": {"Peter Haas"},
    "is PETER there": {"Peter Haas", "Peter", "Peter Müller"},
    "Peter Lindqvist called": {"Peter"},
    "the Haas's house": {"Peter Haas"},
    "both Peters came": {"Peter Haas", "Peter", "Peter Müller"},
    "the Peters' cat": {"Peter Haas", "Peter", "Peter Müller"},
    "Call Mueller": {"Peter Müller"},
    "Call Muller": {"Peter Müller"},
    "Call Müller’s office": {"Peter Müller"},
    "Has Jo rung?": {"Jo"},
    "Has Joe rung?": {"Joe"},
    "will you come, or will he?": set(),
    "Will Smith is here": {"Will Smith"},
    "I asked Will": {"Will Smith"},
    "OBrien and Sal": {"Sarah O'Brien"},
    "Did Sarah O’Brien call?": {"Sarah O'Brien"},
    "Did Sarah Jones call?": set(),
    "anne marie says hi": {"Anne-Marie Le Guen"},
    "Le Guen says hi": {"Anne-Marie Le Guen"},
    "Спроси, где Пётр": {"Пётр Иванов"},
    "我和彼得吃饭": {"彼得"},
    "Is it WOBS again?": {"Wolf of Blog Street"},
    "wolf of blog street": {"Wolf of Blog Street"},
    "Blog Street pays": {"Wolf of Blog Street"},
    "what a wolf in the street": set(),
    "Henderson pays late": {"Tom Henderson"},
    "Does Henderson pay?": {"Tom Henderson", "Henderson Interactive", "Henderson Point"},
    "Out at Henderson Point": {"Henderson Point"},
    "what is the point": set(),
    "a beer at the anchor": {"The Anchor"},
    "a beer at Anchor": {"The Anchor"},
    "an anchor": set(),
    "is the café open": {"Copperleaf Café"},
    "a café somewhere": set(),
    "Copperleaf's rota": {"Copperleaf Café"},
    "is it on?": set(),
    "Tell IT": {"IT"},
    "": set(),
    "...": set(),
}


@pytest.mark.parametrize(("said", "whom"), WHOM.items())
def test_entities_named_in_a_text_are_found(
    known: NamespacePath, worker_engine: Engine, said: str, whom: set[str]
) -> None:
    assert {match.entity.name for match in named(worker_engine, known, said)} == whom


def test_position_and_kind_of_each_name_are_returned(known: NamespacePath, reader_engine: Engine) -> None:
    found = named(reader_engine, known, "Nobody here", "Ask Haas at the Anchor, or Jo.")
    assert [(one.text, one.name, one.start, one.end, one.whole, one.entity.name) for one in found] == [
        (1, "Haas", 4, 8, False, "Peter Haas"),
        (1, "Anchor", 16, 22, True, "The Anchor"),
        (1, "Jo", 27, 29, True, "Jo"),
    ]


def test_match_comes_with_what_is_known_of_the_entity(known: NamespacePath, reader_engine: Engine) -> None:
    (found,) = (one.entity for one in named(reader_engine, known, "Copperleaf"))
    assert (found.name, found.entity_type, found.aliases, found.is_user) == (
        "Copperleaf Café",
        EntityType.ORG,
        ("Copperleaf", "the café"),
        False,
    )


@pytest.mark.parametrize(
    ("name", "whom"), [("haas", {"Peter Haas"}), ("point", {"Henderson Point"}), ("will", {"Will Smith"})]
)
def test_requested_name_needs_no_capital(
    known: NamespacePath, reader_engine: Engine, name: str, whom: set[str]
) -> None:
    assert {one.entity.name for one in named(reader_engine, known, name, are_names=True)} == whom


def test_another_namespace_is_not_searched(known: NamespacePath, reader_engine: Engine) -> None:
    other = NamespacePath.of((known.parts[0], "tom"))
    assert named(reader_engine, other, "Peter Haas") == []


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.text(max_size=30) | st.sampled_from(["The Mr. Böe-Aaee", "the", "Dr. O’Hara–Smith æœø", "the the x"]),
        max_size=40,
    )
)
def test_postgres_computes_the_same_key_of_a_name(admin_engine: Engine, names: list[str]) -> None:
    plain = [normalise(name.replace("\0", "")) for name in names]
    statement = text(
        "select mosshead.name_key(name) from unnest(cast(:names as text[])) with ordinality as one (name, place) order by place"
    )
    with admin_engine.connect() as connection:
        assert list(connection.execute(statement, {"names": plain}).scalars()) == [name_key(name) for name in plain]
