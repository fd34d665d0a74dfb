"""Imported lines: all are checked before any is sent, in an order in which they can be applied."""

import json
from collections.abc import Collection
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mosshead.errors import InvalidEvent
from mosshead.events import MAX_EVENT_BYTES
from mosshead.events.commands import MAX_IMPORTED
from mosshead.paths import NamespacePath
from mosshead.publishing.imports import check_lines, events_of
from mosshead.publishing.publishers import check_events

PATH = NamespacePath.of(("acme", "sarah"))


def entity(key: str, **given: Any) -> dict[str, Any]:
    return {"type": "entity", "key": key, "name": f"Name of {key}", "entity_type": "person", **given}


OLD_YEAR, NEW_YEAR = "2023-12-31T00:00:00+00:00", "2024-01-01T00:00:00+00:00"


def memory(key: str, *about: str, **given: Any) -> dict[str, Any]:
    return {"type": "memory", "id": key, "content": f"Content of {key}", "about": list(about), **given}


def nothing(keys: Collection[str]) -> set[str]:
    return set()


def faults(*lines: Any) -> list[str]:
    with pytest.raises(InvalidEvent) as caught:
        check_lines(lines, nothing)
    head, *told = str(caught.value).split("\n")
    assert head == "import not accepted; nothing was published:"
    return told


def test_line_of_the_future_is_refused_and_blocks_no_other_with_its_id() -> None:
    ahead = {**memory("m1"), "occurred_at": "2990-01-01T00:00:00+00:00"}
    (told,) = faults(ahead, memory("m1"))
    assert told.startswith("line 1: occurred_at: ")


def test_every_fault_is_reported_by_its_line_without_its_text() -> None:
    told = faults(
        memory("m1", "ghost"),
        "{",
        "",
        {"type": "song"},
        entity("a", parent="a"),
        entity("b", entity_type="dragon", colour="quetzal"),
        entity("c", name="'s"),
        memory("m2", content=" ", salience=11),
        memory("m3", "c2", "c2"),
        entity("c2"),
        memory("m4", roles=[["subject", "sure"]]),
        entity("d", name="\x00"),
        entity("c2", name="quetzal"),
        {**memory("m5"), "occurred_at": "2024-05-01"},
        "[]",
        {**memory("m6"), "occurred": {"start": NEW_YEAR, "end": OLD_YEAR, "granularity": "day"}},
        {**memory("m7"), "occurred_at": "0001-01-01T00:00:00+01:00"},
        {"type": ["memory"]},
    )
    assert told == [
        "line 1: about[0]: no line and no entity of the namespace has this key",
        "line 2: not a JSON object",
        "line 4: type: one of entity, memory; as an export has them, relation, edge, document, prompt are skipped",
        "line 5: parent: is the entity itself; name another, or omit it",
        "line 6: colour: not a field of this type of line; omit it",
        "line 6: entity_type: input should be 'person', 'org', 'project', 'place', 'system', 'process' or 'concept'",
        "line 7: name: contains no word; give the name that people use",
        "line 8: content: contains no word; omit the memory; salience: input should be less than or equal to 10",
        "line 9: about: names an entity twice; name it once",
        "line 11: roles: 1 for 0 in about; give one for each",
        "line 12: contains a NUL character or half a surrogate pair, which cannot be stored; remove it",
        "line 13: key: line 10 has the same one with other content",
        "line 14: occurred_at: has no time zone; give an aware time, such as 2026-03-02T09:00:00+00:00",
        "line 15: not a JSON object",
        "line 16: occurred: end: lies before start; give the time at which it was over",
        "line 17: occurred_at: must lie in the years 2 to 9998; give the time when it happened, or leave it out",
        "line 18: type: one of entity, memory; as an export has them, relation, edge, document, prompt are skipped",
    ]


def test_entity_above_itself_and_a_second_user_are_reported() -> None:
    assert faults(
        entity("a", parent="b"), entity("b", parent="c"), entity("c", parent="a"), entity("d", parent="a"),
        entity("u", is_user=True), entity("v", is_user=True), entity("e", parent="ghost"),
    ) == [
        "line 1: parent: other lines make it a descendant of this entity",
        "line 2: parent: other lines make it a descendant of this entity",
        "line 3: parent: other lines make it a descendant of this entity",
        "line 6: is_user: line 5 already sets it for another key",
        "line 7: parent: no line and no entity of the namespace has this key",
    ]  # fmt: skip


def test_first_of_many_faults_are_listed_with_the_number_of_the_rest() -> None:
    told = faults(*["{"] * 250)
    assert (len(told), told[99], told[100]) == (101, "line 100: not a JSON object", "and 150 more")


def test_keys_the_namespace_has_are_no_fault() -> None:
    asked: list[Collection[str]] = []

    def known(keys: Collection[str]) -> Collection[str]:
        asked.append(keys)
        return keys

    check_lines([memory("m1", "there", "here"), entity("here", parent="above")], known)
    assert asked == [{"there", "above"}]
    check_lines([memory("m1", "here"), entity("here")], known)
    assert len(asked) == 1, "nobody is asked where nothing is open"


def test_same_line_twice_is_one_and_relations_are_counted() -> None:
    lines = [entity("a"), memory("m1", "a"), {"type": "edge"}, entity("a"), memory("m1", "a"), {"type": "relation"}]
    checked = check_lines([*lines, {"type": "edge"}], nothing)
    assert (len(checked.entities), len(checked.memories), checked.skipped) == (1, 1, {"edge": 2, "relation": 1})


def test_extra_fields_of_an_export_are_used_or_ignored() -> None:
    line = memory("m1", "a", roles=[["object", "unsure"]], salience=7.5, confidence=0.4, attribute="likes", value="tea")
    line |= {
        "said_by": "Ruth",
        "marked": True,
        "tier": "solid",
        "reinforced": 3,
        "sources": [],
        "record": {},
        "record_name": "R",
    }
    line["occurred"] = {"start": "2024-05-01T00:00:00Z", "end": "2024-05-02T00:00:00Z", "granularity": "day"}
    ((event, *_),) = [list(events_of(check_lines([line, entity("a")], nothing)))]
    (sent,) = event["memories"]
    assert {name: sent[name] for name in ("roles", "salience", "confidence", "attribute", "value", "said_by", "marked")} == {
        "roles": [("object", "unsure")], "salience": 7.5, "confidence": 0.4, "attribute": "likes", "value": "tea",
        "said_by": "Ruth", "marked": True,
    }  # fmt: skip
    assert sent["occurred"]["granularity"] == "day"


def test_entity_with_many_names_and_a_memory_about_many_fit() -> None:
    """As merges and attendance lists produce them; an export must be importable as a whole."""
    crowd = [f"{number} {'ж' * 180}" for number in range(500)]
    lines = [entity("all", aliases=crowd), *(entity(key) for key in crowd), memory("came", *crowd)]
    events = list(events_of(check_lines(lines, nothing)))
    check_events(PATH, events)
    brought = [one for event in events for one in event["entities"]]
    assert [len(one["aliases"]) for one in brought if one["key"] == "all"] == [500]
    assert [len(one["about"]) for event in events for one in event["memories"]] == [500]


def test_user_is_declared_in_each_event_that_mentions_them() -> None:
    lines = [entity("me", is_user=True), *(memory(f"m{n}", "me") for n in range(MAX_IMPORTED * 2)), memory("last")]
    events = list(events_of(check_lines(lines, nothing)))
    assert len(events) == 3
    assert [[one["key"] for one in event["entities"]] for event in events] == [["me"]] * 3


@given(
    parents=st.lists(st.integers(0, 400), max_size=400),
    sizes=st.lists(st.integers(1, 8_000), max_size=60),
    shuffled=st.randoms(use_true_random=False),
)
def test_events_hold_everything_once_in_fair_portions_and_parents_first(
    parents: list[int], sizes: list[int], shuffled: Any
) -> None:
    lines = [entity(f"e{n}", **({"parent": f"e{up % n}"} if n and up % 3 else {})) for n, up in enumerate(parents)]
    lines += [memory(f"m{n}", content="ü" * size) for n, size in enumerate(sizes)]
    shuffled.shuffle(lines)
    events = list(events_of(check_lines(lines, nothing)))

    seen: set[str] = set()
    for event, checked in zip(events, check_events(PATH, events), strict=True):
        assert len(checked.body.encode()) < MAX_EVENT_BYTES // 2
        for one in event["entities"]:
            assert one.get("parent") is None or one["parent"] in seen
            assert one["key"] not in seen
            seen.add(one["key"])
        for one in event["memories"]:
            assert len(seen) >= len(parents), "entities first"
            assert one["id"] not in seen
            seen.add(one["id"])
    assert len(seen) == len(lines)


def test_keys_survive_redaction() -> None:
    secret, card = "password: hunter2", "4111111111111111"
    lines = [
        entity(secret, name="my pin is 4821", aliases=["my pin is 4821"], description="his pin is 4821"),
        entity(card, parent=secret),
        memory(secret, secret, card, content="my pin is 4821", roles=[["subject", "sure"], ["about", "unsure"]]),
    ]
    (checked,) = check_events(PATH, list(events_of(check_lines(lines, nothing))))
    event = json.loads(checked.body)
    assert [(one["key"], one.get("parent")) for one in event["entities"]] == [(secret, None), (card, secret)]
    (sent,) = event["memories"]
    assert (sent["id"], sent["about"], sent["roles"]) == (
        secret,
        [secret, card],
        [["subject", "sure"], ["about", "unsure"]],
    )
    assert sent["content"] == "my pin is [redacted: PIN]"
    assert "pin is 4821" not in checked.body


def test_long_memories_are_spread_over_events() -> None:
    events = list(events_of(check_lines([memory(f"m{n}", content="ü" * 8_000) for n in range(40)], nothing)))
    sizes = [len(one.body.encode()) for one in check_events(PATH, events)]
    assert len(sizes) > 4
    assert max(sizes) < MAX_EVENT_BYTES // 3
