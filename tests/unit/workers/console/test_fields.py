from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mosshead.schemas import merged
from workers.console.formatting import Field, FieldChange, fields_of, guessed, label, patch_of

BODY: dict[str, Any] = {
    "name": "Maren",
    "years": 11,
    "nights": False,
    "languages": ["Danish", "German"],
    "home": {"city": "Skagen", "a/b~c": 1.5},
    "odd": [1, {"x": None}],
    "empty": {},
}
names = st.text(min_size=1, max_size=8)
leaves = st.none() | st.booleans() | st.integers() | st.text() | st.lists(st.text(), max_size=3)
bodies = st.dictionaries(
    names, st.recursive(leaves, lambda inner: st.dictionaries(names, inner, max_size=3), max_leaves=6)
)


def change(field: Field, said: str) -> FieldChange:
    return FieldChange(pointer=field.pointer, kind=field.kind, was=field.value, said=said)


def field(pointer: str) -> Field:
    return next(one for one in fields_of(BODY) if one.pointer == pointer)


def test_document_is_shown_as_its_leaves_each_with_a_fitting_input() -> None:
    assert [(one.pointer, one.kind, one.value) for one in fields_of(BODY)][:6] == [
        ("/name", "text", "Maren"),
        ("/years", "number", "11"),
        ("/nights", "boolean", "false"),
        ("/languages", "list", "Danish\nGerman"),
        ("/home/city", "text", "Skagen"),
        ("/home/a~1b~0c", "number", "1.5"),
    ]
    assert label("/home/a~1b~0c") == "home › a/b~c"
    assert field("/odd").kind == "json"


@given(bodies)
def test_form_sent_unchanged_changes_nothing(body: dict[str, Any]) -> None:
    as_browsers_do = [change(one, one.value.replace("\r\n", "\n").replace("\n", "\r\n")) for one in fields_of(body)]
    assert patch_of(as_browsers_do) == {}


@pytest.mark.parametrize(
    ("pointer", "said", "path", "value"),
    [
        ("/name", "Marit", ["name"], "Marit"),
        ("/years", " 12 ", ["years"], 12),
        ("/nights", "true", ["nights"], True),
        ("/languages", "Danish\r\n\r\n Faroese ", ["languages"], ["Danish", "Faroese"]),
        ("/languages", "", ["languages"], []),
        ("/home/city", "Aalborg", ["home", "city"], "Aalborg"),
        ("/home/a~1b~0c", "2", ["home", "a/b~c"], 2),
        ("/odd", "[]", ["odd"], []),
    ],
)
def test_changed_field_is_patched_and_the_rest_stays(pointer: str, said: str, path: list[str], value: Any) -> None:
    patch = patch_of([change(one, said if one.pointer == pointer else one.value) for one in fields_of(BODY)])
    outcome: Any = patch
    for key in path:
        assert len(outcome) == 1
        outcome = outcome[key]
    assert outcome == value
    assert {**merged(BODY, patch), path[0]: None} == {**BODY, path[0]: None}


def test_emptied_field_is_removed() -> None:
    assert patch_of([change(field("/name"), "")]) == {"name": None}
    assert patch_of([change(field("/nights"), "")]) == {"nights": None}


@pytest.mark.parametrize(
    ("pointer", "said"), [("/years", "many"), ("/nights", "perhaps"), ("/odd", "{"), ("/years", "NaN")]
)
def test_value_of_the_wrong_kind_is_named(pointer: str, said: str) -> None:
    with pytest.raises(ValueError, match=rf"^{pointer}: must be "):
        patch_of([change(field(pointer), said)])


def test_new_field_is_json_or_else_text() -> None:
    assert [guessed(one) for one in ("12", '["a"]', "Skagen ", "true")] == [12, ["a"], "Skagen", True]
    assert [guessed(one) for one in ("NaN", "Infinity", "1e999", "[NaN]")] == ["NaN", "Infinity", "1e999", "[NaN]"]
