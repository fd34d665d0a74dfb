"""What a conversation is about, turn by turn: scene, topic, mentions, and whom its pronouns and descriptions mean.

`track` is a pure function, state and message in, state out; `conversation.follow` brings what is known from the views.
"""

from mosshead.tracking.choosing import Pair
from mosshead.tracking.conversation import Tracker
from mosshead.tracking.known import Known, KnownEntity, Named, Turn
from mosshead.tracking.state import Held, Referred, Seen, State
from mosshead.tracking.track import track
from mosshead.tracking.tracked import InFocus, Referring, Tracked, TrackedTurn

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
