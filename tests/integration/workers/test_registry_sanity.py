"""When an LLM names entities badly, the registry stays sane, no refusal logs the text, and no fact is lost."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest
from sqlalchemy import Engine
from structlog.testing import capture_logs

from mosshead import Memory, Namespace
from mosshead.language.names import normalise
from mosshead.paths import NamespacePath
from tests.fake_answers import fact_like
from tests.fake_openai import FakeOpenAI
from tests.forming import Forming
from tests.given import Publishing

Json = dict[str, Any]

PRONOUNS = {"user", "assistant", "he", "she", "it", "they", "me", "i", "you", "someone"}
LONG = "Bartholomew" * 30
TICKET = "3f2b8c9d-0a1b-4c2d-8e3f-5a6b7c8d9e0f"
NICKNAMES = [f"Pip{chr(97 + one)}{chr(97 + other)}" for one in range(10) for other in range(10)]


def named(name: str, **given: Any) -> Json:
    """Return a mention as an LLM answers it; a person by default."""
    plain: Json = {"entity_type": "person", "role": "about", "aliases": [], "parent": None, "description": None}
    return {"name": name} | plain | given


@dataclass(frozen=True)
class Case:
    """What the user says, what the LLM makes of it, who exists afterwards beside the user, and what was refused."""

    text: str
    facts: Sequence[tuple[str, Sequence[Json]]]
    left: Mapping[str, str]
    refused: Mapping[str, int]
    aliases: Mapping[str, set[str]] = field(default_factory=dict)


CASES = {
    "a person as a firm": Case(
        "Peter is a writer. Peter lives in Cardiff.",
        [("Peter is a writer", [named("Peter")]), ("Peter lives in Cardiff", [named("Peter", entity_type="org")])],
        {"Peter": "person"},
        {"type": 1},
    ),
    "a type that there is not": Case(
        "Peter is a writer.", [("Peter is a writer", [named("Peter", entity_type="alien")])], {}, {"unknown_type": 1}
    ),
    "the same one three times": Case(
        "Peter is a writer.",
        [("Peter is a writer", [named("Peter"), named("PETER"), named(" Peter ")])],
        {"Peter": "person"},
        {"repeated": 2},
    ),
    "two that are each other's alias": Case(
        "Peter called Sarah. Peter and Sarah are bakers.",
        [("Peter and Sarah are bakers", [named("Peter", aliases=["Sarah"]), named("Sarah", aliases=["Peter"])])],
        {"Peter": "person", "Sarah": "person"},
        {"alias_of_another": 2},
    ),
    "two names of one": Case(
        "Wolf of Blog Street, also known as WOBS, does link building.",
        [
            (
                "Wolf of Blog Street does link building",
                [
                    named("Wolf of Blog Street", entity_type="org", aliases=["WOBS"]),
                    named("WOBS", entity_type="org", aliases=["Wolf of Blog Street"]),
                ],
            )
        ],
        {"Wolf of Blog Street": "org"},
        {},
        aliases={"Wolf of Blog Street": {"WOBS"}},
    ),
    "no name at all": Case(
        "Peter's work is fine.", [("Peter's work is fine", [named(""), named("  "), named("'s")])], {}, {"no_name": 3}
    ),
    "somebody nobody spoke of": Case(
        "My tea is cold.", [("User's tea is cold", [named("Klaus")])], {}, {"name_not_said": 1}
    ),
    "words for anybody": Case(
        "She told me it was someone, said the assistant.",
        [("Someone was told", [named(one) for one in ("she", "It", "assistant", "Me", "Someone", "User")])],
        {},
        {"no_name": 5},
    ),
    "a name without end": Case(f"{LONG} is a chef.", [("A chef is named", [named(LONG)])], {}, {"name_too_long": 1}),
    "a hundred aliases": Case(
        f"Peter goes by {', '.join(NICKNAMES)}.",
        [("Peter goes by many names", [named("Peter", aliases=NICKNAMES)])],
        {"Peter": "person"},
        {"aliases_over_limit": 90},
        aliases={"Peter": set(NICKNAMES[:10])},
    ),
    "a part of itself": Case(
        "Acme is a big firm.",
        [("Acme is a big firm", [named("Acme", entity_type="org", parent="ACME")])],
        {"Acme": "org"},
        {"own_parent": 1},
    ),
    "a circle of parts": Case(
        "Acme belongs to Labs. Labs belongs to Acme.",
        [
            (
                "Acme belongs to Labs",
                [named("Acme", entity_type="org", parent="Labs"), named("Labs", entity_type="org")],
            ),
            (
                "Labs belongs to Acme",
                [named("Labs", entity_type="org", parent="Acme"), named("Acme", entity_type="org")],
            ),
        ],
        {"Acme": "org", "Labs": "org"},
        {"parent_cycle": 1},
    ),
    "an id": Case(
        f"The ticket {TICKET} is closed, number 4711 too.",
        [("A ticket is closed", [named(TICKET, entity_type="concept"), named("4711", entity_type="concept")])],
        {},
        {"no_name": 2},
    ),
    "marks that nobody sees": Case(
        "Peter is a writer.",
        [("Peter is a writer", [named("Pe\u200bter\u202e \u0007")])],
        {"Peter": "person"},
        {},
    ),
}


REPLAYED = ("a person as a firm", "two that are each other's alias", "a circle of parts")


@pytest.fixture
def llm(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeOpenAI]:
    """Return the service's LLM; must be requested before the service."""
    with FakeOpenAI() as server:
        monkeypatch.setenv("OPENAI_API_KEY", "sk-fake")
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        yield server


def hear(llm: FakeOpenAI, forming: Forming, case: Case) -> None:
    """The user says it, and the LLM answers as in the case."""
    facts = [
        fact_like(content=content, quote=case.text, mentions=list(mentions), sources=[1])
        for content, mentions in case.facts
    ]
    llm.script("ExtractionAnswer", {"facts": facts})
    forming.say(case.text)


@pytest.fixture
def another(
    fresh_namespace: NamespacePath, memory: Memory, worker_engine: Engine, ingest_engine: Engine
) -> tuple[Forming, Namespace]:
    """Return another namespace of the same tenant."""
    path = NamespacePath.of((fresh_namespace.parts[0], "again"))
    return Forming(worker_engine, Publishing(ingest_engine, path)), memory.namespace(*path.parts)


def exported(namespace: Namespace) -> list[Json]:
    return [json.loads(line) for line in namespace.export()]


def check_sane(records: Sequence[Json]) -> None:
    """Check: no nameless entity, pronoun, other's name as alias, cycle of parents, or memory about an unknown entity."""
    entities = {one["key"]: one for one in records if one["type"] == "entity"}
    for key, entity in entities.items():
        assert normalise(entity["name"])
        assert entity.get("is_user") or entity["name"].casefold() not in PRONOUNS
        others = {other["name"] for name, other in entities.items() if name != key}
        assert not others & set(entity["aliases"])
        chain = [key]
        while parent := entities[chain[-1]].get("parent"):
            assert parent not in chain
            chain.append(parent)
    for memory in (one for one in records if one["type"] == "memory"):
        assert set(memory["about"]) <= set(entities)


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_badly_named_entities_leave_the_registry_sane(
    llm: FakeOpenAI, forming: Forming, sarah: Namespace, case: Case
) -> None:
    with capture_logs() as logs:
        hear(llm, forming, case)

    known = {one.name: one for one in sarah.entities.list() if not one.is_user}
    assert {name: str(one.entity_type) for name, one in known.items()} == case.left
    assert len(known) == sum(not one.is_user for one in sarah.entities.list())
    for name, aliases in case.aliases.items():
        assert {*known[name].aliases} - {name} == aliases
    assert {one.content for one in sarah.memories()} == {content for content, _ in case.facts}
    check_sane(exported(sarah))

    refused: Counter[str] = Counter()
    for log in (one for one in logs if one["event"] == "entities_refused"):
        refused.update(log["reasons"])
    assert refused == case.refused
    assert not any(word in json.dumps(logs, default=str) for word in (case.text, *case.left))


def test_ignored_parts_of_a_decision_are_logged(llm: FakeOpenAI, forming: Forming, sarah: Namespace) -> None:
    hear(llm, forming, CASES["a circle of parts"])

    refused = {memory.content: sarah.decisions.for_memory(memory.id)[0].refused for memory in sarah.memories()}
    assert refused == {"Acme belongs to Labs": None, "Labs belongs to Acme": "parent_cycle"}


def test_known_name_is_not_accepted_as_an_alias(llm: FakeOpenAI, forming: Forming, sarah: Namespace) -> None:
    first = Case("Sarah is a baker.", [("Sarah is a baker", [named("Sarah")])], {}, {})
    second = Case(
        "Sarah knows that Peter is a chef.", [("Peter is a chef", [named("Peter", aliases=["Sarah"])])], {}, {}
    )
    for case in (first, second):
        hear(llm, forming, case)

    assert {one.name: set(one.aliases) - {one.name} for one in sarah.entities.list() if not one.is_user} == {
        "Sarah": set(),
        "Peter": set(),
    }


def test_same_answers_give_the_same_registry(
    llm: FakeOpenAI, forming: Forming, sarah: Namespace, another: tuple[Forming, Namespace]
) -> None:
    twice = [(forming, sarah), another]
    for one, _ in twice:
        for case in REPLAYED:
            hear(llm, one, CASES[case])

    first, second = (exported(namespace) for _, namespace in twice)
    check_sane(first)
    assert by_names(first) == by_names(second)


def by_names(records: Sequence[Json]) -> list[str]:
    """Return an export with names and contents in place of ids, and without values derived from the time."""
    names: dict[str, str] = {}
    for one in records:
        key = one.get("key") or one.get("id")
        names |= {key: f"{one.get('name') or one.get('content')} {one.get('entity_type')}"} if key else {}
    return sorted(json.dumps(_renamed(one, names), sort_keys=True) for one in records)


def _renamed(value: Any, names: Mapping[str, str]) -> Any:
    if isinstance(value, dict):
        return {key: _renamed(one, names) for key, one in value.items() if key not in {"message_id", "weight"}}
    if isinstance(value, list):
        # A memory's subjects are ordered by id.
        return sorted((_renamed(one, names) for one in value), key=str)
    return names.get(value, value) if isinstance(value, str) else value
