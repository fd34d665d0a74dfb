"""What a conversation is about, turn by turn: scene, topic, mentions, and whom its pronouns and descriptions mean.

`track` is a pure function, state and message in, state out; `conversation.follow` brings what is known from the views.
"""

from mosshead.contrib.focus.coreference import Pair
from mosshead.contrib.focus.knowledge import Known, KnownEntity, Named, Turn
from mosshead.contrib.focus.state import Held, Referred, Seen, State
from mosshead.contrib.focus.track import InFocus, Referring, Tracked, TrackedTurn, Tracker, track

__all__ = [
    "Held",
    "InFocus",
    "Known",
    "KnownEntity",
    "Named",
    "Pair",
    "Referred",
    "Referring",
    "Seen",
    "State",
    "Tracked",
    "TrackedTurn",
    "Tracker",
    "Turn",
    "track",
]
