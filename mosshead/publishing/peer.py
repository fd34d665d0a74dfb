"""Something that the shipper talks to and that may be away: Redis, Postgres, the spool's disk."""

import logging
from dataclasses import dataclass

_LEAST_PAUSE, _MOST_PAUSE = 0.1, 1.0

_log = logging.getLogger("mosshead")


@dataclass(slots=True)
class Peer:
    """When to turn to it next, and whether it is away. Times are seconds of the monotonic clock."""

    name: str
    due: float = 0.0
    away: bool = False
    _pause: float = _LEAST_PAUSE

    def answered(self) -> bool:
        """It is there; returns whether it was away before."""
        was_away, self.away, self._pause = self.away, False, _LEAST_PAUSE
        if was_away:
            _log.info("%s is back", self.name)
        return was_away

    def failed(self, now: float, reason: str) -> None:
        """It is away: the next try is 0.1 seconds off, then 0.2 and so on up to 1. Said once, until it is back."""
        if not self.away:
            _log.warning("%s is away, and is waited for: %s", self.name, reason)
        self.away = True
        self.due = now + self._pause
        self._pause = min(2 * self._pause, _MOST_PAUSE)
