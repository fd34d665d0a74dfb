"""The case files: what is read, and how an unsuitable case is reported."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchmarks.extraction.cases import store_before
from benchmarks.extraction.reading import CaseError, read_cases
from mosshead.models.kinds import EntityType
from tests.extraction_given import as_json, case, gold, said, session

DATA = Path(__file__).parents[2] / "data" / "extraction"

MOVED = gold(id="f2", content="User lives in Berlin", quote="I live in Berlin now", match=["berlin"])
Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Return a function that writes cases to a file and returns its path."""

    def writing(*cases: dict[str, Any], name: str = "cases.jsonl") -> Path:
        path = tmp_path / name
        path.write_text("".join(f"{json.dumps(one)}\n" for one in cases), encoding="utf-8")
        return path

    return writing


def test_development_set_fits_the_format() -> None:
    cases = read_cases(DATA)
    assert len(cases) >= 150
    assert len({tag for one in cases for tag in one.tags}) >= 20


def test_folder_is_read_file_by_file(write: Write, tmp_path: Path) -> None:
    write(as_json(id="one"), name="a.jsonl")
    write(as_json(id="two"), name="b.jsonl")
    assert [one.id for one in read_cases(tmp_path)] == ["one", "two"]


def test_mention_may_have_aliases(write: Write) -> None:
    fact = gold(mentions=[["Seattle", "place", "object", {"aliases": ["Emerald City"]}]])
    (read,) = read_cases(write(as_json(session(fact))))
    (mention,) = next(read.facts).mentions
    assert (mention.entity_type, mention.aliases) == (EntityType.PLACE, ("Emerald City",))


TWICE = [as_json(), as_json()]
FAULTS: dict[str, tuple[list[dict[str, Any]], str]] = {
    "two cases of one id": (TWICE, r"^cases.jsonl:2: id: a-case is taken"),
    "an unknown field": ([as_json(mood="good")], r"^cases.jsonl:1: mood: Extra inputs"),
    "a time without a zone": (
        [as_json(session(gold(), messages=[said("I live in Seattle", at="2024-03-07T09:00:00")]))],
        r"sessions.0.messages.0.at: .*timezone",
    ),
    "no such message": (
        [as_json(session(gold(**{"from": [2]}), messages=[said("I live in Seattle")]))],
        "no message 2",
    ),
    "only the assistant": (
        [as_json(session(gold(), messages=[said("I live in Seattle", role="assistant")]))],
        "names no message of a user",
    ),
    "a quote that nobody said": (
        [as_json(session(gold(), messages=[said("I am from Seattle")]))],
        "f1: quote: is in none",
    ),
    "two facts of one id": ([as_json(session(gold(), gold()))], "id: f1 names two facts"),
    "an end before the start": (
        [as_json(session(gold(occurred=["2024-03-08T00:00:00Z", "2024-03-07T00:00:00Z", "day"])))],
        "occurred: does not start",
    ),
    "an add with a target": ([as_json(session(gold(target="f0")))], "target: add has none"),
    "a change without one": ([as_json(session(gold(action="supersede")))], "target: supersede needs one"),
    "an update without its outcome": (
        [as_json(session(gold(action="update", target="f0")))],
        "merged: an update has it",
    ),
    "a pattern that is none": ([as_json(session(gold(match=["("])))], r"match: \( is no regular expression"),
    "a pattern that misses its own fact": ([as_json(session(gold(match=["paris"])))], "not found in its own content"),
    "a pattern that finds another": (
        [as_json(session(gold(match=["user"]), MOVED), store=["User lives in Seattle", "User lives in Berlin"])],
        "f1: match: is found in f2 too",
    ),
    "another store": (
        [as_json(store=["User lives in Paris"])],
        r"store: .*lacks \['User lives in Seattle'\], has \['User",
    ),
    "a target that is gone": (
        [as_json(session(gold()), session(gold(id="f2", action="supersede", target="f9")))],
        "target: f9 is not remembered",
    ),
    "a never that stands in the gold": ([as_json(never=["seattle"])], "never: seattle is found in a gold fact"),
    "no JSON": ([], "1: is not JSON"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_unsuitable_case_is_named_with_its_fault(name: str, write: Write) -> None:
    cases, fault = FAULTS[name]
    path = write(*cases)
    if not cases:
        path.write_text("{\n")
    with pytest.raises(CaseError, match=fault):
        read_cases(path)


def test_empty_folder_is_no_set(tmp_path: Path) -> None:
    with pytest.raises(CaseError, match="holds no file"):
        read_cases(tmp_path)


def test_remembered_facts_follow_the_actions() -> None:
    named = gold(id="f3", action="update", target="f2", merged="User lives in Berlin, Mitte", match=["mitte"])
    again = gold(id="f4", action="none", target="f3")
    other = gold(id="f5", action="contradict", target="f2", content="Ana says that User lives in Bonn", match=["bonn"])
    read = case(session(gold()), session({**MOVED, "action": "supersede", "target": "f1"}, named, again, other))

    store = store_before(read)
    assert list(store.contents.values()) == ["User lives in Berlin, Mitte", "Ana says that User lives in Bonn"]
    assert store.same_memory("f4") == {"f2", "f3", "f4"}
    assert list(store_before(read, "f2").contents.values()) == ["User lives in Seattle"]
