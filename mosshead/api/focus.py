"""`Following`: of one namespace, what its conversations have in focus."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from mosshead.api.decisions import History
from mosshead.text import readable

if TYPE_CHECKING:
    from mosshead.contrib.focus.coreference import OnPair
    from mosshead.contrib.focus.state import FocusState
    from mosshead.contrib.focus.track import Tracked, Tracker


class Following(History):
    """The part of a `Namespace` that follows conversations."""

    def track(
        self,
        history: Sequence[Mapping[str, Any]] = (),
        *,
        conversation: str | None = None,
        state: "FocusState | Mapping[str, Any] | None" = None,
        tracker: "Tracker | None" = None,
        pairs: "OnPair | None" = None,
    ) -> "Tracked":
        """What a conversation has in focus after each turn of the user, and whom its pronouns and descriptions mean.

        history: the turns so far, oldest first, as ``{role, content}``; the latest 50 count, and 4,000 characters of each. Where
        only the conversation is named, its latest stored messages serve.
        state: what an earlier call gave back as ``state`` (or its JSON); the history is then what was said since.
        tracker: another one in the place of the heuristic (docs/tracking.md). pairs: is given each candidate of each decision, to
        train one; nothing is kept otherwise.
        Raises InvalidEvent where a turn is not one, ValueError where the state is none.
        """
        from mosshead.contrib.focus.state import FocusState
        from mosshead.contrib.focus.track import (
            follow,  # few apps follow conversations
            track,
        )

        return follow(
            self._engine,
            self.path,
            self._embedder,
            history=history,
            conversation=None if conversation is None else readable("conversation", conversation),
            state=state
            if isinstance(state, FocusState)
            else FocusState.from_json(state)
            if state is not None
            else FocusState(),
            tracker=tracker or track,
            on_pair=pairs,
        )
