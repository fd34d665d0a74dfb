"""Every result of a read can be written as JSON."""

import ast
import dataclasses
import inspect
import json
import sys
import typing
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, date, datetime, timedelta, timezone
from enum import Enum
from typing import Any, Literal, TypeVar, Union, cast, get_args, get_origin
from uuid import UUID

import pytest
from pydantic import BaseModel

import mosshead
from mosshead import Context, Hit, Hits, MemoryKind, Occurrence, Progress, to_json
from mosshead.contrib.focus.state import FocusState
from tests.unit.mosshead.test_public_face import FACE, methods

SPRING = datetime(2026, 3, 2, 20, 0, tzinfo=timezone(timedelta(hours=-8)))


class Job(BaseModel):
    since: date


def dataclasses_of(of: Any) -> Iterator[type]:
    """Return the dataclasses of an annotation, and those of their fields."""
    for inner in get_args(of):
        yield from dataclasses_of(inner)
    plain = get_origin(of) or of
    if inspect.isclass(plain) and dataclasses.is_dataclass(plain):
        yield cast(type, plain)
        for field in typing.get_type_hints(plain).values():
            yield from dataclasses_of(field)


def returned_by(method: Callable[..., Any]) -> Any:
    """Return a method's return type, though its module imports the names only for type checkers."""
    module = sys.modules[method.__module__]
    names = dict(vars(module))
    for node in ast.parse(inspect.getsource(module)).body:
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            exec(compile(ast.Module(node.body, []), str(module.__file__), "exec"), names)
    return typing.get_type_hints(method, globalns=names).get("return")


NAMED: set[Any] = {one for name in mosshead.__all__ if dataclasses.is_dataclass(one := getattr(mosshead, name))}
"""The results an app may name."""

RETURNED = {
    result
    for of in FACE
    for name in methods(of)
    for result in dataclasses_of(returned_by(getattr(of, name)))
    if result.__module__.startswith("mosshead.")
}
"""The results of methods, and their parts."""

RESULTS = sorted(NAMED | RETURNED, key=lambda of: of.__name__)


def sample(of: Any) -> Any:
    """Return a value of a type as results have it, with every field filled."""
    origin, inner = get_origin(of), get_args(of)
    if origin in {Union, type(int | None)}:
        return sample(next(one for one in inner if one is not type(None)))
    if origin is Literal:
        return inner[0]
    if origin is tuple:
        return (sample(inner[0]),)
    if origin in {dict, Mapping}:
        return {sample(inner[0]): sample(inner[1])}
    return _plain(of if origin is None else origin)


def _plain(of: Any) -> Any:
    if dataclasses.is_dataclass(of) and inspect.isclass(of):
        types = typing.get_type_hints(of)
        return of(**{one.name: sample(types[one.name]) for one in dataclasses.fields(of)})
    if inspect.isclass(of) and issubclass(of, Enum):
        return next(iter(of))
    given = {UUID: UUID(int=7), datetime: SPRING, str: "x", int: 3, float: 0.5, bool: True, Any: 1}
    return Job(since=SPRING.date()) if isinstance(of, TypeVar) else given[of]


@pytest.mark.parametrize("of", RESULTS, ids=lambda of: of.__name__)
def test_every_public_result_becomes_valid_json(of: Any) -> None:
    written = json.loads(json.dumps(to_json(sample(of)), allow_nan=False))
    assert written.keys() >= {one.name for one in dataclasses.fields(of)}


def test_results_of_all_kinds_are_among_them() -> None:
    assert len(RESULTS) >= 29
    assert {Hits, Context, mosshead.Resolution, mosshead.Document, mosshead.Receipt} <= RETURNED
    assert {"Explanation", "Imported", "Mention", "Summary"} <= {of.__name__ for of in RETURNED - NAMED}


def test_ids_times_and_kinds_are_written_like_in_an_export() -> None:
    hit = Hit(
        id=UUID(int=7),
        version=1,
        kind=MemoryKind.EVENT,
        content="zoë 👋",
        salience=1.0,
        confidence=1.0,
        tier="solid",
        said_at=SPRING,
        occurred=Occurrence(start=SPRING, end=SPRING, granularity=mosshead.Granularity.MINUTE),
        record={"done": True, "tags": ["a"]},
        similarity=0.5,
    )
    written = to_json(Hits((hit,), Progress(published={UUID(int=1): 3})))
    (one,) = written["hits"]
    assert (one["id"], one["kind"], one["said_at"]) == (str(hit.id), "event", "2026-03-02T20:00:00-08:00")
    assert (one["record"], one["content"], one["superseded_by"]) == (hit.record, hit.content, None)
    assert datetime.fromisoformat(one["occurred"]["start"]) == SPRING
    assert written["progress"]["published"] == {str(UUID(int=1)): 3}
    assert type(one["kind"]) is str


def test_computed_properties_are_written_next_to_the_fields() -> None:
    found = Context(memories=(), questions=(), tokens=0, partial=True, explanations=())
    assert (to_json(found)["text"], to_json(found)["partial"]) == ("", True)
    assert to_json(Hits((), Progress(pending=1)))["partial"] is True
    assert "text" not in to_json(Progress())


def test_lists_and_mappings_of_results_are_written_too() -> None:
    assert to_json({"at": [SPRING.astimezone(UTC)], "days": {SPRING.date()}, "one": Job(since=SPRING.date())}) == {
        "at": ["2026-03-03T04:00:00+00:00"],
        "days": ["2026-03-02"],
        "one": {"since": "2026-03-02"},
    }


def test_state_of_a_conversation_is_written_so_that_it_can_be_read() -> None:
    state = sample(FocusState)
    assert FocusState.from_json(json.loads(json.dumps(to_json(state)))) == state


def test_object_that_is_no_result_is_refused_with_only_its_type() -> None:
    with pytest.raises(TypeError, match=r"^bytes: not a JSON value"):
        to_json([b"secret"])
