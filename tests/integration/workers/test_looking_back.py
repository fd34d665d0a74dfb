"""The reads the console needs: the whole log, a message's content, and memories by kind, state and entity."""

from uuid import uuid4

import pytest

from mosshead import MemoryKind, Namespace, NotFound
from tests.forming import Forming


def test_memories_are_filtered_by_state_kind_and_entity(forming: Forming, sarah: Namespace) -> None:
    forming.say("My brother Jonas lives in Leeds.", "I prefer tea.")
    forming.say("I live in Hull.")
    (moved,) = forming.say("I moved to York.")
    everything = sarah.memories()
    (hull,) = sarah.memories(state="superseded")
    assert "Hull" in hull.content
    assert hull.id not in {one.id for one in everything}
    assert sarah.memories(state="withdrawn") == []

    preferences = sarah.memories(kind=MemoryKind.PREFERENCE)
    assert preferences == [one for one in everything if one.kind == "preference"] != []
    (jonas,) = [one for one in sarah.entities.list() if one.name == "Jonas"]
    assert {one.id for one in sarah.memories(about=jonas)} == {one.id for one in everything if "Jonas" in one.about}
    assert sarah.memories(about=jonas.id, kind="preference") == []
    assert sarah.memories(about=uuid4()) == []
    for wrong in ({"kind": "rumour"}, {"state": "lost"}):
        with pytest.raises(ValueError, match=f"^{next(iter(wrong))}: one of "):
            sarah.memories(**wrong)  # type: ignore[arg-type]

    latest = sarah.decisions.latest(limit=2)
    assert [one.decided_at for one in latest] == sorted((one.decided_at for one in latest), reverse=True)
    assert sarah.decisions.get(latest[0].id) == latest[0]
    (york,) = sarah.messages.memories(moved)
    assert latest[0] in sarah.decisions.for_memory(york.id)
    with pytest.raises(NotFound, match="there is no decision"):
        sarah.decisions.get(uuid4())


def test_message_comes_with_those_around_it(forming: Forming, sarah: Namespace) -> None:
    said = [forming.say(f"I like tea number {number}.", conversation="c1")[0] for number in range(3)]
    (elsewhere,) = forming.say("I like coffee.", conversation="c2")
    alone = sarah.messages.get(said[1], around=0)
    assert (alone.conversation, [one.id for one in alone.messages]) == ("c1", [said[1]])
    around = sarah.messages.get(str(said[1]), around=(5, 5))
    assert {one.id for one in around.messages} == set(said)
    assert [one.place for one in around.messages] == [0, 1, 2]
    assert elsewhere not in {one.id for one in around.messages}
    with pytest.raises(NotFound, match=r"^message_id: there is no message"):
        sarah.messages.get(uuid4())


def test_latest_messages_come_newest_first_with_their_numbers(forming: Forming, sarah: Namespace) -> None:
    told = (("c1", "tea"), ("c1", "ham"), ("c2", "coffee"), ("c1", "figs"))
    said = [
        forming.say(f"I like {thing}.", conversation=name, occurred_at=f"2026-03-02T09:0{minute}:00+00:00")[0]
        for minute, (name, thing) in enumerate(told)
    ]
    tea, ham, coffee, figs = said
    assert [one.id for one in sarah.messages.latest()] == said[::-1]
    assert [(one.id, one.place) for one in sarah.messages.latest(limit=2)] == [(figs, 2), (coffee, 0)]
    (c1, c2) = (sarah.messages.latest(conversation=name) for name in ("c1", "c2"))
    assert [(one.id, one.place) for one in c1] == [(figs, 2), (ham, 1), (tea, 0)]
    assert [one.id for one in c2] == [coffee]
    with pytest.raises(ValueError, match=r"^limit: "):
        sarah.messages.latest(limit=0)
