"""State kept between the calls of a conversation: the profile in its system prompt, and the previous notes."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from uuid import UUID
from weakref import WeakKeyDictionary

from sqlalchemy import Engine

from mosshead.api.namespace import Namespace
from mosshead.api.session import Session
from mosshead.fencing import fenced
from mosshead.fork_safety import ForkSafeLock
from mosshead.models.context import Context
from mosshead.models.memories import StoredMemory
from mosshead.models.notes import memory_note
from mosshead.store import memories

PROFILE_TOKENS = 120
"""Maximum size of the profile, including the fence and its introduction."""

REST_SECONDS = 30 * 60
"""A conversation that pauses this long gets a new profile, since providers have dropped its cached prefix by then."""

_MOST_CONVERSATIONS = 1_000
_MOST_CANDIDATES = 12
"""Memories considered for a profile; more do not fit."""


@dataclass(frozen=True, slots=True)
class ProfileBlock:
    """What is always good to know of the user, in a fence; without text where nothing is known. ids: of the memories in it."""

    text: str = ""
    ids: tuple[UUID, ...] = ()


@dataclass(slots=True)
class ConversationNotes:
    """State of one conversation. profile: As first read, then never changed; None before that. last: The latest notes."""

    closings: int
    used: float = field(default_factory=time.monotonic)
    profile: ProfileBlock | None = None
    last: Context | None = None


class ConversationCache:
    """The state of a `Memory`'s conversations. warm: Whether a first read was made before the first call."""

    def __init__(self) -> None:
        self.warm = False
        self._kept: dict[tuple[tuple[str, ...], str], ConversationNotes] = {}
        self._lock = ForkSafeLock()

    def of(self, session: Session, conversation: str) -> ConversationNotes:
        """Return a conversation's state; start afresh after a pause, or if this process undid or erased something since."""
        closings, now = session.overlay.closings.get(session.path.parts, 0), time.monotonic()
        with self._lock:
            kept = self._kept.pop((session.path.parts, conversation), None)
            if kept is None or kept.closings != closings or now - kept.used > REST_SECONDS:
                kept = ConversationNotes(closings)
            kept.used = now
            self._kept[session.path.parts, conversation] = kept
            for key in tuple(self._kept)[:-_MOST_CONVERSATIONS]:
                del self._kept[key]
        return kept


_OF_ENGINES: WeakKeyDictionary[Engine, ConversationCache] = WeakKeyDictionary()


def cache_of(engine: Engine) -> ConversationCache:
    """Return the cache of a `Memory`, by its engine: an app may wrap a client for each request."""
    return _OF_ENGINES.setdefault(engine, ConversationCache())


def read_profile(namespace: Namespace) -> ProfileBlock:
    """Read the most salient lasting facts about the user, as many as fit. Raises what reading raises."""
    session = namespace.session
    pending = session.pending()
    known = session.fetch(memories.lasting_of_user, _MOST_CANDIDATES)
    return _block(session, [one for one in known if one.id not in pending.closed])


def _block(session: Session, known: Sequence[StoredMemory]) -> ProfileBlock:
    taken: list[StoredMemory] = []
    text = ""
    for one in known:
        longer = fenced(memory_note(memory) for memory in (*taken, one))
        if session.embedder.count_tokens(longer) <= PROFILE_TOKENS:
            taken.append(one)
            text = longer
    return ProfileBlock(text, tuple(one.id for one in taken))
