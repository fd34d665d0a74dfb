"""What a conversation is about, turn by turn: scene, topic, mentions, and whom its pronouns and descriptions mean.

`track` is a pure function, state and message in, state out; `conversation.follow` brings what is known from the views.
"""

from recollect.tracking.choosing import Pair
from recollect.tracking.conversation import Tracker
from recollect.tracking.known import Known, KnownEntity, Named, Turn
from recollect.tracking.state import Held, Referred, Seen, State
from recollect.tracking.track import track
from recollect.tracking.tracked import InFocus, Referring, Tracked, TrackedTurn

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
