"""Whose memories: paths that are checked, filled in, and turned into ids."""

import unicodedata
from typing import Literal
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mosshead.errors import InvalidNamespace
from mosshead.paths import NamespacePath, NamespacePrefix

TENANT = "d0adaf5c-c895-8f38-ce23-919512c4d089"
NAMESPACE = "f1b13e35-09d7-ac82-daeb-399e39efe712"

PART = (
    st.text(
        st.characters(exclude_categories=["Cc", "Cf", "Cs", "Zl", "Zp"], exclude_characters="{}"),
        min_size=1,
        max_size=20,
    )
    .map(lambda part: unicodedata.normalize("NFC", part))
    .filter(str.strip)
)


def test_templates_are_filled() -> None:
    path = NamespacePath.of(("acme", "{user_id}", "team-{team}-{user_id}"), {"user_id": "sarah", "team": "x"})
    assert path.parts == ("acme", "sarah", "team-x-sarah")
    assert str(path) == "acme/sarah/team-x-sarah"


def test_value_with_braces_is_refused_before_its_events() -> None:
    for part, values in (("{user_id}", {"user_id": "{3F2504E0}"}), ("{a}{b}", {"a": "{x", "b": "y}"})):
        with pytest.raises(InvalidNamespace, match=r"namespace\[1\]: the value of a template contains braces"):
            NamespacePath.of(("acme", part), values)


@pytest.mark.parametrize(
    ("parts", "says"),
    [
        ((), "needs a tenant and at least one more part.*got 0 parts"),
        (("acme",), "got 1 part$"),
        ("acme/sarah", "one by one"),
        (("acme", "x") * 5, "at most 8 parts, got 10"),
        (("acme", ""), r"namespace\[1\]: is empty"),
        (("acme", " \u00a0"), r"namespace\[1\]: is empty"),
        (("a" * 201, "x"), r"namespace\[0\]: 201 characters, at most 200"),
        (("acme", "a\x1fb"), r"namespace\[1\]: holds a control character, U\+001F; remove it"),
        (("acme", "a\x00b"), r"namespace\[1\]: holds a control character, U\+0000"),
        (("acme", "sarah\x85"), r"namespace\[1\]: holds a control character, U\+0085"),
        (("acme", "sa\u00adrah"), r"namespace\[1\]: holds a format character, U\+00AD; remove it"),
        (("ac\u200bme", "sarah"), r"namespace\[0\]: holds a format character, U\+200B"),
        (("acme", "x", "\u202eharas"), r"namespace\[2\]: holds a format character, U\+202E"),
        (("acme", "\ufeffsarah"), r"namespace\[1\]: holds a format character, U\+FEFF"),
        (("acme", "sarah\u2028"), r"namespace\[1\]: holds a line separator, U\+2028"),
        (("acme", "sarah\u200c"), r"namespace\[1\]: holds a format character, U\+200C"),
        (("acme", "\u200dsarah"), r"namespace\[1\]: holds a format character, U\+200D"),
        (("acme", "sarah \u200cx"), r"namespace\[1\]: holds a format character, U\+200C"),
        (("acme", "می\u200c\u200cخواهم"), r"namespace\[1\]: holds a format character, U\+200C"),
        (("acme", 7), r"namespace\[1\]: must be text, got int"),
        (("acme", "{user_id}"), r"namespace\[1\]: the template \{user_id\} is not resolved; pass user_id="),
        (("acme", "{}"), r"namespace\[1\]: the template \{\} is not resolved"),
        (("acme", "{ user_id }"), r"namespace\[1\]: the template \{user_id\} is not resolved; pass user_id="),
        (("acme", "{user.id}"), r"namespace\[1\]: the template \{user\.id\} is not resolved"),
        (("acme", "{user-id}"), r"namespace\[1\]: the template \{user-id\} is not resolved"),
        (("acme", "{user_id!s}"), r"namespace\[1\]: the template \{user_id!s\} is not resolved"),
        (("acme", "\ud800"), r"namespace\[1\]: holds half a surrogate pair"),
    ],
)
def test_unusable_path_names_the_part(parts: tuple[str, ...], says: str) -> None:
    with pytest.raises(InvalidNamespace, match=f"^namespace.*{says}|^{says}"):
        NamespacePath.of(parts)


@pytest.mark.parametrize("part", ["می\u200cخواهم", "क्\u200dष", "കണ്\u200d", "নির্\u200cভর", "ক\u09bcা\u200cখ"])
def test_joiner_between_letters_or_after_a_virama_belongs_to_a_name(part: str) -> None:
    assert NamespacePath.of(("acme", part)).parts[1] == unicodedata.normalize("NFC", part)


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_name_is_the_same_namespace_however_it_was_typed(form: Literal["NFC", "NFD"]) -> None:
    typed = [unicodedata.normalize(form, part) for part in ("Zoë", "André", "서연")]
    path = NamespacePath.of(typed)
    assert path.parts == ("Zo\u00eb", "Andr\u00e9", "\uc11c\uc5f0")
    assert path == NamespacePath.of((typed[0], "{user}", typed[2]), {"user": typed[1]})
    assert NamespacePrefix.of(typed[:1]).tenant_id == path.tenant_id


@given(parts=st.lists(PART, min_size=2, max_size=4), form=st.sampled_from(["NFC", "NFD"]))
def test_checked_path_stays_unchanged(parts: list[str], form: Literal["NFC", "NFD"]) -> None:
    path = NamespacePath.of([unicodedata.normalize(form, part) for part in parts])
    assert NamespacePath.of(path.parts) == path


def test_value_is_checked_like_a_part() -> None:
    with pytest.raises(InvalidNamespace, match=r"namespace\[1\]: is empty"):
        NamespacePath.of(("acme", "{user_id}"), {"user_id": " "})


def test_ids_are_fixed_for_good() -> None:
    path = NamespacePath.of(("acme", "sarah_123"))
    assert (path.tenant_id, path.namespace_id) == (UUID(TENANT), UUID(NAMESPACE))


@given(one=st.lists(PART, min_size=2, max_size=4), other=st.lists(PART, min_size=2, max_size=4))
def test_different_paths_have_different_ids(one: list[str], other: list[str]) -> None:
    first, second = NamespacePath.of(one), NamespacePath.of(other)
    assert (first.namespace_id == second.namespace_id) == (one == other)
    assert (first.tenant_id == second.tenant_id) == (one[0] == other[0])
    assert first.tenant_id != first.namespace_id


def test_replay_has_its_own_id_and_names_things_like_the_namespace() -> None:
    path = NamespacePath.of(("acme", "sarah"))
    replay = path.replayed()

    assert (path.is_replay, replay.is_replay) == (False, True)
    assert replay.parts == ("acme", "sarah", "(replay)")
    assert replay.namespace_id != path.namespace_id
    assert replay.home_id == path.home_id == path.namespace_id


def test_namespace_that_is_no_replay_may_have_such_a_name() -> None:
    path = NamespacePath.of(("acme", "(replay)"))
    assert not path.is_replay
    assert path.home_id == path.namespace_id


def test_full_path_has_no_room_for_a_replay() -> None:
    with pytest.raises(InvalidNamespace, match="at most 8 parts, got 9"):
        NamespacePath.of(("acme", *"abcdefg")).replayed()
