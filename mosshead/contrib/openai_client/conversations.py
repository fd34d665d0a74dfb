"""State kept between the calls of a conversation: the profile in its system prompt, and the previous notes."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
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
    """State of one conversation. profile: As first read, then never changed; None before that. last: The latest notes.

    made_at: how often by then something was taken back in the namespace, and how often the conversation was ended.
    """

    made_at: tuple[int, int]
    used: float
    profile: ProfileBlock | None = None
    last: Context | None = None


class ConversationCache:
    """The state of a `Memory`'s conversations. warm: Whether a first read was made before the first call.

    clock: In seconds; a test sets another.
    """

    def __init__(self) -> None:
        self.warm = False
        self.clock = time.monotonic
        self._profiles: dict[tuple[str, ...], tuple[int, ProfileBlock]] = {}
        self._kept: dict[tuple[tuple[str, ...], str], ConversationNotes] = {}
        self._lock = ForkSafeLock()

    def of(self, session: Session, conversation: str) -> ConversationNotes:
        """Return a conversation's state; start afresh after a pause, its end, or an undo or erasure by this process."""
        key, now = (session.path.parts, conversation), self.clock()
        made_at = (_closings(session), session.overlay.ends.get(key, 0))
        with self._lock:
            kept = self._kept.pop(key, None)
            if kept is None or kept.made_at != made_at or now - kept.used > REST_SECONDS:
                kept = ConversationNotes(made_at, now)
            kept.used = now
            self._kept[key] = kept
            for oldest in tuple(self._kept)[:-_MOST_CONVERSATIONS]:
                del self._kept[oldest]
        return kept

    def read_profile(self, namespace: Namespace) -> ProfileBlock:
        """Read what is always good to know of the user, and keep it for a turn whose own read is late.

        Raises what reading raises.
        """
        session = namespace.session
        closings, profile = _closings(session), read_profile(namespace)
        with self._lock:
            self._profiles.pop(session.path.parts, None)
            self._profiles[session.path.parts] = (closings, profile)
            for oldest in tuple(self._profiles)[:-_MOST_CONVERSATIONS]:
                del self._profiles[oldest]
        return profile

    def last_profile(self, session: Session) -> ProfileBlock | None:
        """Return the profile that was read last, in any conversation; None if it is empty or something was taken back since."""
        closings, profile = self._profiles.get(session.path.parts, (-1, ProfileBlock()))
        return profile if profile.text and closings == _closings(session) else None


def _closings(session: Session) -> int:
    return session.overlay.closings.get(session.path.parts, 0)


_OF_ENGINES: WeakKeyDictionary[Engine, ConversationCache] = WeakKeyDictionary()


def cache_of(engine: Engine) -> ConversationCache:
    """Return the cache of a `Memory`, by its engine: an app may wrap a client for each request."""
    return _OF_ENGINES.setdefault(engine, ConversationCache())


def read_profile(namespace: Namespace) -> ProfileBlock:
    """Read the most salient lasting facts about the user, as many as fit. Raises what reading raises."""
    session = namespace.session
    pending = session.pending()
    (rows,) = session.store().trip([memories.lasting_statement(session.path, _MOST_CANDIDATES)])
    return _block(session, [one for one in map(memories.stored_memory, rows) if one.id not in pending.closed])


def _block(session: Session, known: Sequence[StoredMemory]) -> ProfileBlock:
    taken: list[StoredMemory] = []
    text = ""
    for one in known:
        longer = fenced(memory_note(memory) for memory in (*taken, one))
        if session.embedder.count_tokens(longer) <= PROFILE_TOKENS:
            taken.append(one)
            text = longer
    return ProfileBlock(text, tuple(one.id for one in taken))
