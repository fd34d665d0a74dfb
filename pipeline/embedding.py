"""Embed the texts of a batch."""

from bisect import bisect_left, insort
from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from mosshead.embeddings.protocol import Embedder
from mosshead.models.kinds import SPEAKING
from mosshead.safety import steers
from pipeline.models import Message

K = TypeVar("K", bound=Hashable)


def embed(contents: Mapping[K, str], embedder: Embedder) -> dict[K, NDArray[np.float32]]:
    """Return the vectors of texts by key, such as a fact's number; shape (dimensions,).

    This is one call; cached texts are not sent.
    """
    if not contents:
        return {}
    return dict(zip(contents, embedder.embed(list(contents.values())), strict=True))


@dataclass(frozen=True, slots=True)
class TurnText:
    """A message's text, and that of the turn before it in its conversation; None if it is the first."""

    message_id: UUID
    said: str
    before: str | None

    @property
    def with_before(self) -> str:
        """Both texts in order, so that a short answer can be found by its question."""
        return self.said if self.before is None else f"{self.before} {self.said}"


def turns_of(messages: Iterable[Message], before: Mapping[UUID, Message]) -> list[TurnText]:
    """Return the turns among messages, except empty ones and those of tools and the system.

    Messages with orders to the assistant, hidden text or the like are left out, too: what must not become a memory must not reach
    a prompt as a message either. They stay stored.

    before: by message id, the latest stored turn said earlier in the same conversation, if any. Turns are ordered by time, then
    id. Messages without a conversation count as one conversation.
    """
    spoken = (one for one in messages if one.role in SPEAKING and one.content.strip())
    turns = [message for message in spoken if not steers(message)]
    said: dict[UUID, str] = {turn.event_id: turn.content for turn in (*before.values(), *turns)}
    places: defaultdict[str | None, list[tuple[datetime, UUID]]] = defaultdict(list)
    for turn in turns:
        insort(places[turn.conversation], _place(turn))
    found = []
    for turn in turns:
        of_conversation = places[turn.conversation]
        earlier = of_conversation[: bisect_left(of_conversation, _place(turn))][-1:]
        earlier += [_place(before[turn.event_id])] if turn.event_id in before else []
        found.append(TurnText(turn.event_id, turn.content, said[max(earlier)[1]] if earlier else None))
    return found


def _place(message: Message) -> tuple[datetime, UUID]:
    return message.occurred_at, message.event_id
