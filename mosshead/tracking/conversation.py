"""Follows a conversation through the views: all its messages embedded at once, one look-up, one statement, a round trip each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Protocol
from uuid import UUID

from sqlalchemy import Engine

from mosshead import lookup
from mosshead.contents import text_of
from mosshead.embedders import Embedder
from mosshead.fence import strip_fences
from mosshead.kinds import SPEAKING, Role
from mosshead.namespaces import NamespacePath
from mosshead.reading.nearest_sql import whether_indexed
from mosshead.redaction import redact
from mosshead.rows import entity_of
from mosshead.tenancy import in_one_trip, tenant_transaction
from mosshead.tracking.choosing import OnPair
from mosshead.tracking.knowing import known_entities, known_to, named
from mosshead.tracking.known import Known, Turn
from mosshead.tracking.phrases import phrases
from mosshead.tracking.places import Layout
from mosshead.tracking.reading import facts, latest_turns, statement_for
from mosshead.tracking.state import State
from mosshead.tracking.tracked import Tracked, tracked
from mosshead.transcript import turns

MOST_TURNS = 50
_MOST_CHARACTERS = 4_000


class Tracker(Protocol):
    """What follows a conversation: `mosshead.tracking.track`, or a trained model in its place."""

    def __call__(self, state: State, turn: Turn, known: Known, *, on_pair: OnPair | None = None) -> State:
        """The state after one more message. on_pair: is given each candidate of each decision, to train on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Said:
    place: int
    turn: Turn


def follow(
    engine: Engine,
    path: NamespacePath,
    embedder: Embedder,
    *,
    history: Sequence[Mapping[str, Any]],
    conversation: str | None,
    state: State,
    tracker: Tracker,
    on_pair: OnPair | None,
) -> Tracked:
    """What is in focus after each turn of the user; `mosshead.Namespace.track` says the rest."""
    said = _said([(turn.role, turn.content) for turn in turns(list(history))])
    if conversation is not None and not history:
        with tenant_transaction(engine, path.tenant_id) as connection:
            said = _said(latest_turns(connection, path, conversation, MOST_TURNS))
    texts = [one.turn.text for one in said]
    sought = [[phrase.sought for phrase in phrases(Layout(text)) if phrase.sought] for text in texts]
    numbers = {words: number for number, words in enumerate(dict.fromkeys(chain(*sought)), len(texts))}
    vectors = embedder.embed([*texts, *numbers])
    names, indexed = _named(engine, path, texts, embedder.name)
    asked = statement_for(
        path,
        model=embedder.name,
        vectors=vectors,
        bearers=_contested(names, len(texts)),
        entity_ids={match.entity.entity_id for match in names} | state.entity_ids,
        indexed=indexed,
    )
    found = facts(in_one_trip(engine, path.tenant_id, [asked])[0])
    entities = known_entities(found.entities)
    state = state.of(entities)
    after: list[tuple[int, State]] = []
    for number, one in enumerate(said):
        known = known_to(number, {words: numbers[words] for words in sought[number]}, names, found, entities)
        state = tracker(state, one.turn, known, on_pair=on_pair)
        if one.turn.by_user:
            after.append((one.place, state))
    return tracked(after, state, {row.entity_id: entity_of(row) for row in found.entities})


def _said(spoken: Sequence[tuple[str, Any]]) -> list[_Said]:
    """The latest turns of the two who speak; what tools say refers to nobody."""
    return [
        _Said(place=place, turn=Turn(text=redact(said)[:_MOST_CHARACTERS], by_user=role == Role.USER))
        for place, (role, content) in enumerate(spoken)
        if role in SPEAKING and (said := _said_in(content)) is not None
    ][-MOST_TURNS:]


def _said_in(content: Any) -> str | None:
    said = text_of(content)
    return None if said is None else strip_fences(said)  # notes that an app puts into a turn are not said by anybody


def _named(
    engine: Engine, path: NamespacePath, texts: Sequence[str], model: str
) -> tuple[list[lookup.NameMatch], bool]:
    """The names in the texts, and whether the namespace has an index of its vectors."""
    asked = [lookup.statement_for(path, lookup.keys_of(texts)), whether_indexed(path, model)]
    rows, scopes = in_one_trip(engine, path.tenant_id, asked)
    return lookup.matches(texts, rows), any(scope.indexed for scope in scopes)


def _contested(names: Sequence[lookup.NameMatch], texts: int) -> list[tuple[int, UUID]]:
    """The bearers of names that fit several, with the number of the text."""
    return [
        (number, key)
        for number in range(texts)
        for name in named(match for match in names if match.text == number)
        if len(name.entity_ids) > 1
        for key in name.entity_ids
    ]
