"""Track a conversation's focus turn by turn: scene, topic, mentions, and the meaning of pronouns and descriptions.

`track_conversation` follows a conversation of a namespace. It uses the pure function `track`: from a state and a message to the
next state.
"""

from mosshead.contrib.focus.coreference import Pair
from mosshead.contrib.focus.knowledge import FocusKnowledge, FocusTurn, NameInMessage, TrackedEntity
from mosshead.contrib.focus.state import FocusState, LayerEntry, ResolvedReference, Seen
from mosshead.contrib.focus.track import InFocus, Referring, Tracked, TrackedTurn, Tracker, track, track_conversation

__all__ = [
    "FocusKnowledge",
    "FocusState",
    "FocusTurn",
    "InFocus",
    "LayerEntry",
    "NameInMessage",
    "Pair",
    "Referring",
    "ResolvedReference",
    "Seen",
    "Tracked",
    "TrackedEntity",
    "TrackedTurn",
    "Tracker",
    "track",
    "track_conversation",
]
