"""`track`: one message, and what a conversation has in focus after it."""

from dataclasses import replace

from mosshead.tracking.choosing import Decision, OnPair
from mosshead.tracking.known import Known, Turn
from mosshead.tracking.layers import next_mentions, next_scene, next_seen, next_topic, scene_of_topic
from mosshead.tracking.referring import refer
from mosshead.tracking.state import State


def track(state: State, turn: Turn, known: Known, *, on_pair: OnPair | None = None) -> State:
    """The state after one more message. Pure, but for what it hands to on_pair, if that is given."""
    read = refer(turn.text, state, known, on_pair)
    mentions = read.mentions
    seen = next_seen(state, mentions)
    if not turn.by_user:
        return replace(state, seen=seen, messages=state.messages + 1)
    decision = Decision(kind="topic", message=state.messages, on_pair=on_pair)
    scene = next_scene(state, mentions, known)
    topic = next_topic(state, mentions, {held.entity_id for held in scene}, decision)
    scene = scene or scene_of_topic(state, topic, known)
    others = {held.entity_id for held in (*scene, *topic)}
    return State(
        scene=scene,
        topic=topic,
        mentions=next_mentions(mentions, others),
        seen=seen,
        references=tuple(read.references),
        messages=state.messages + 1,
    )
