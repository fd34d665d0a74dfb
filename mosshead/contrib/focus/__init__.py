"""What a conversation is about, turn by turn: scene, topic, mentions, and whom its pronouns and descriptions mean.

`track_conversation` follows a conversation of a namespace. `track` is the pure function beneath it: state and message in,
state out.
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
