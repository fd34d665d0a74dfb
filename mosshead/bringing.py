"""`Bringing`: into one namespace, entities and memories from elsewhere."""

from collections.abc import Callable, Collection, Iterable, Mapping
from itertools import count
from typing import TYPE_CHECKING, Any

from mosshead.errors import InvalidEvent
from mosshead.identity import Identity
from mosshead.publishing.inbox import AppSession
from mosshead.tenancy import tenant_transaction

if TYPE_CHECKING:
    from mosshead.importing import Imported


class Bringing(Identity):
    """The part of a `Namespace` that imports."""

    def import_records(
        self,
        lines: Iterable[Mapping[str, Any] | str],
        *,
        on_sent: Callable[[int, int], object] | None = None,
        session: AppSession | None = None,
    ) -> "Imported":
        """Bring entities and memories from elsewhere, as docs/import.md shows each: objects, or lines of JSON, in any order.

        Each memory stays one of its own. The same ``key`` or ``id`` twice is the same thing; what is known already stays.
        on_sent: called for each event with its number and how many there are. session: as for `publish`.
        All lines are checked before any is stored, and all are stored or none. Raises InvalidEvent, which names every line at
        fault, and otherwise as `publish`.
        """
        from mosshead.importing import Imported, check_lines, events_of  # few apps import

        if isinstance(lines, str | Mapping):
            raise InvalidEvent("lines: give them one by one, as a list, an open file or text.splitlines() does")
        checked = check_lines(lines, self._known_keys)
        events = list(events_of(checked))
        numbers = count(1)
        sent = None if on_sent is None else lambda: on_sent(next(numbers), len(events))
        event_ids = self._publish(events, on_sent=sent, session=session)
        return Imported(
            event_ids=tuple(event_ids),
            entities=len(checked.entities),
            memories=len(checked.memories),
            skipped=checked.skipped,
        )

    def _known_keys(self, keys: Collection[str]) -> set[str]:
        from mosshead.keys import known_keys

        with tenant_transaction(self._engine, self.path.tenant_id) as connection:
            return known_keys(connection, self.path, keys)
