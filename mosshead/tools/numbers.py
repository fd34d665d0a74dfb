"""The short numbers under which a model sees memories: it never sees an id, and what it was not shown it cannot name."""

from threading import Lock
from uuid import UUID
from weakref import WeakKeyDictionary

from mosshead.namespace import Namespace
from mosshead.results import StoredMemory
from mosshead.tools.tool import ToolRefused

_FIRST, _COUNT = 1_000, 9_000
_MOST = 2_000
"""So many memories are remembered as shown, the latest: as long as most numbers are free, one is found at once."""


class Numbers:
    """Which memory a number means, of those that the tools of one namespace object showed.

    A number of four digits follows from the memory's id: in a later turn, with tools made anew, a number that stands in the
    history means the same memory, once that was shown again.
    """

    def __init__(self) -> None:
        self._shown: dict[int, StoredMemory | UUID] = {}
        self._lock = Lock()

    def show(self, memory: StoredMemory | UUID) -> int:
        """The number of a memory: one that was read, or the id of one that was just put down."""
        memory_id = memory.id if isinstance(memory, StoredMemory) else memory
        with self._lock:
            number = memory_id.int % _COUNT
            while _id(self._shown.get(_FIRST + number, memory_id)) != memory_id:
                number = (number + 1) % _COUNT
            self._shown.pop(_FIRST + number, None)  # to stand last, as the latest
            self._shown[_FIRST + number] = memory
            if len(self._shown) > _MOST:
                del self._shown[next(iter(self._shown))]
            return _FIRST + number

    def of(self, number: int) -> StoredMemory | UUID:
        """The memory that a number means, as it was when it was shown. Raises ToolRefused for one that was not shown."""
        with self._lock:
            found = self._shown.get(number)
        if found is None:
            raise ToolRefused(
                f"There is no memory with the number {number}; search for it first, and use the number shown."
            )
        return found


def numbers_of(namespace: Namespace) -> Numbers:
    """The numbers that the tools of a namespace object share."""
    return _numbers.setdefault(namespace, Numbers())


def _id(shown: StoredMemory | UUID) -> UUID:
    return shown.id if isinstance(shown, StoredMemory) else shown


_numbers: WeakKeyDictionary[Namespace, Numbers] = WeakKeyDictionary()
