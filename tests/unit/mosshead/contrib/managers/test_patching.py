"""JSON Merge Patch as in its RFC, and the fields that a patch touches."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mosshead.schemas import fields_of, merged, patch_between, touches, without

NAMES = st.sampled_from(["a", "b", "c/d", "e~f"])
VALUES = st.recursive(
    st.integers(0, 3) | st.text("xy", max_size=2) | st.booleans() | st.lists(st.integers(0, 2), max_size=2),
    lambda inner: st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=6,
)
DOCUMENTS = st.dictionaries(NAMES, VALUES, max_size=4)
PATCHES = st.dictionaries(NAMES, VALUES | st.none(), max_size=4)


@pytest.mark.parametrize(
    ("document", "patch", "result"),
    [
        ({"a": "b"}, {"a": "c"}, {"a": "c"}),
        ({"a": "b"}, {"b": "c"}, {"a": "b", "b": "c"}),
        ({"a": "b"}, {"a": None}, {}),
        ({"a": "b", "b": "c"}, {"a": None}, {"b": "c"}),
        ({"a": ["b"]}, {"a": "c"}, {"a": "c"}),
        ({"a": "c"}, {"a": ["b"]}, {"a": ["b"]}),
        ({"a": {"b": "c"}}, {"a": {"b": "d", "c": None}}, {"a": {"b": "d"}}),
        ({"a": [{"b": "c"}]}, {"a": [1]}, {"a": [1]}),
        (["a", "b"], ["c", "d"], ["c", "d"]),
        ({"a": "foo"}, None, None),
        ({"e": None}, {"a": 1}, {"e": None, "a": 1}),
        ([1, 2], {"a": "b", "c": None}, {"a": "b"}),
        ({}, {"a": {"bb": {"ccc": None}}}, {"a": {"bb": {}}}),
    ],
)
def test_examples_of_the_rfc(document: Any, patch: Any, result: Any) -> None:
    assert merged(document, patch) == result


@given(before=DOCUMENTS, after=DOCUMENTS)
def test_patch_between_two_documents_makes_one_of_the_other(before: dict[str, Any], after: dict[str, Any]) -> None:
    assert merged(before, patch_between(before, after)) == after
    assert patch_between(after, after) == {}


@given(document=DOCUMENTS, patch=PATCHES, data=st.data())
def test_field_removed_from_a_patch_stays_unchanged(
    document: dict[str, Any], patch: dict[str, Any], data: st.DataObject
) -> None:
    fields = sorted(fields_of(patch))
    kept = data.draw(st.sets(st.sampled_from(fields))) if fields else set()
    left = without(patch, kept)

    assert set(fields_of(left)) <= set(fields) - kept
    assert {one for one in fields if not any(touches(one, other) for other in kept)} <= set(fields_of(left))
    for name in {one for one in kept if one.count("/") == 1}:
        key = name[1:].replace("~1", "/").replace("~0", "~")
        assert merged(document, left).get(key) == document.get(key)


def test_patch_touches_a_field_its_parents_and_its_contents() -> None:
    assert touches("/address", "/address/city")
    assert touches("/address/city", "/address")
    assert touches("/a", "/a")
    assert not touches("/address", "/addressee")
    assert list(fields_of({"a/b": {"c~d": 1, "e": {}}, "f": None})) == ["/a~1b/c~0d", "/a~1b/e", "/f"]
