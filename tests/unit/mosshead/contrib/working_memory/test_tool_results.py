"""Items in a tool's result, found by the app's mapping."""

from typing import Any
from uuid import UUID

import pytest

from mosshead.contrib.working_memory.references import shapes_of, things_in

PAGES = {"page": {"id": "page_id", "label": "title"}}


@pytest.mark.parametrize(
    ("declared", "result", "found"),
    [
        (PAGES, '{"page_id": 42, "title": "Roadmap", "body": "long"}', [("page", "42", "Roadmap")]),
        (
            PAGES,
            {"results": [{"page_id": "a"}, {"page_id": "b", "title": " "}]},
            [("page", "a", "a"), ("page", "b", "b")],
        ),
        (PAGES, [{"page_id": 1, "title": "x"}, {"page_id": 1, "title": "y"}], [("page", "1", "x")]),
        (PAGES, {"page_id": None, "title": "x"}, []),
        (PAGES, {"page_id": True}, []),
        (PAGES, {"page_id": UUID(int=7), "title": "x"}, [("page", str(UUID(int=7)), "x")]),
        (PAGES, {"page_id": ["1"]}, []),
        (PAGES, "[]", []),
        ({"page": {"id": "page_id"}}, {"page_id": 7, "title": "x"}, [("page", "7", "7")]),
        (
            {
                "page": {"id": "id", "label": "title", "under": "pages"},
                "person": {"id": "id", "label": "name", "under": "owner"},
            },
            {"id": 0, "pages": [{"id": 1, "title": "x", "owner": {"id": 2, "name": "Ada"}}]},
            [("page", "1", "x"), ("person", "2", "Ada")],
        ),
    ],
)
def test_mapped_items_are_found(
    declared: dict[str, dict[str, str]], result: Any, found: list[tuple[str, str, str]]
) -> None:
    assert [(one.type, one.id, one.label) for one in things_in(result, shapes_of(declared))] == found


def test_endlessly_nested_value_is_ignored() -> None:
    nested: dict[str, Any] = {"page_id": 1}
    for _ in range(5_000):
        nested = {"in": nested}
    assert things_in(nested, shapes_of(PAGES)) == ()


def test_value_that_is_no_json_is_refused_and_not_shown() -> None:
    with pytest.raises(ValueError, match=r"^result: is not JSON") as refused:
        things_in("Found: my secret plan", shapes_of(PAGES))
    assert "secret" not in str(refused.value)
    assert refused.value.__cause__ is None


@pytest.mark.parametrize("fields", [{}, {"label": "title"}, {"id": "x", "name": "y"}, "page_id"])
def test_mapping_that_cannot_find_anything_is_refused(fields: Any) -> None:
    with pytest.raises(ValueError, match=r"^entities_in: of 'page' give the fields"):
        shapes_of({"page": fields})
