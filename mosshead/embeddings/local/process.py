"""A local embedder in a process of its own, for an app whose threads are busy. The guard's model runs there, too.

numpy releases the interpreter's lock for each product and then waits to get it back. Beside a busy event loop it waits longer
than it computes: four short texts take 105 ms there instead of 30.
"""

import json
import logging
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final
from weakref import WeakSet, finalize

from mosshead.embeddings.local import LOCAL_EMBEDDERS, minilm
from mosshead.embeddings.local.batches import EmbeddingBatches
from mosshead.embeddings.protocol import Embedder, Vector, Vectors
from mosshead.fork_safety import Forkable, ForkSafeLock, watch

_ANSWER_SECONDS: Final = 10.0
"""For the start of the process, or for a batch; a large one gets a second more per text."""

_PAUSE_SECONDS: Final = 10.0
"""After a failure, before another process is started."""

_LENGTH: Final = struct.Struct("!I")

_log = logging.getLogger("mosshead")


class EmbedderProcess(Forkable):
    """A local embedder that runs in another process, which starts at once and ends with this one.

    If that process fails, this one embeds and starts another later. Thread-safe and fork-safe: a forked child starts its own.
    """

    def __init__(self, spec: str, embedder: Embedder) -> None:
        """Start the process. spec: the embedder's value for MOSSHEAD_EMBEDDER. embedder: the same in this process."""
        self._spec, self._embedder = spec, embedder
        self._batches = EmbeddingBatches(self._asked)
        self._lock = ForkSafeLock()
        self._asking = False
        self._start_at = 0.0
        self._helpers: list[_Helper] = []
        self._end = finalize(self, _end, self._helpers)
        watch(self)
        _OPEN.add(self)
        with suppress(OSError):
            self._helpers.append(_Helper(spec))

    @property
    def name(self) -> str:
        """The name of the embedder."""
        return self._embedder.name

    @property
    def dimensions(self) -> int:
        """The dimensions of the embedder."""
        return self._embedder.dimensions

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return vectors as the embedder does. Threads share batches."""
        return self._batches.embed(texts)

    def count_tokens(self, text: str) -> int:
        """Count as the embedder does, in this process."""
        return self._embedder.count_tokens(text)

    def adapted_mean(self, adapter: Path, text: str) -> Vector:
        """Return what `minilm.adapted_mean` does, for any local embedder."""
        mean: Vector = self._asked([text], adapter)[0]
        return mean

    def after_fork_in_child(self) -> None:
        """Leave the process to the parent."""
        for one in self._helpers:
            one.leave()
        self._helpers.clear()

    def _asked(self, texts: Sequence[str], adapter: Path | None = None) -> Vectors:
        dimensions = self.dimensions if adapter is None else minilm.DIMENSIONS
        with self._lock:
            in_handler = self._asking  # a signal handler in the middle of an exchange
            if not in_handler and time.monotonic() >= self._start_at:
                self._asking = True
                try:
                    if not self._helpers:
                        self._helpers.append(_Helper(self._spec))
                    return self._helpers[0].embed(texts, dimensions, adapter)
                except OSError as error:
                    _end(self._helpers)
                    self._start_at = time.monotonic() + _PAUSE_SECONDS
                    _log.warning("the embedder's process failed (%s); this one embeds meanwhile", type(error).__name__)
                except BaseException:  # the rest of the answer would be taken for the next one
                    _end(self._helpers)
                    raise
                finally:
                    self._asking = False
        return _computed(self._embedder, texts, adapter)


_OPEN: Final[WeakSet[EmbedderProcess]] = WeakSet()


def adapted_mean(adapter: Path, text: str) -> Vector:
    """Return what `minilm.adapted_mean` does, computed in an embedder's process if there is one."""
    one = next(iter(_OPEN), None)
    return minilm.adapted_mean(adapter, text) if one is None else one.adapted_mean(adapter, text)


def _computed(embedder: Embedder, texts: Sequence[str], adapter: Path | None) -> Vectors:
    if adapter is None:
        return embedder.embed(texts)
    import numpy as np

    return np.stack([minilm.adapted_mean(adapter, text) for text in texts])


class _Helper:
    """A process that embeds, and the socket to it."""

    def __init__(self, spec: str) -> None:
        self._socket, theirs = socket.socketpair()
        with theirs:
            # In a session of its own: Ctrl-C is meant for the app. It ends when the app's end of the socket is closed.
            self._process = subprocess.Popen(  # noqa: S603 - our own code
                [sys.executable, "-P", "-c", f"from {__name__} import serve; serve({spec!r})"],
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                start_new_session=True,
            )

    def embed(self, texts: Sequence[str], dimensions: int, adapter: Path | None) -> Vectors:
        """Return the vectors of texts, or their means with an adapter. Raises OSError if the process does not answer."""
        import numpy as np

        asked = json.dumps([list(texts), adapter and str(adapter)]).encode()
        self._socket.settimeout(_ANSWER_SECONDS + len(texts))
        self._socket.sendall(_LENGTH.pack(len(asked)) + asked)
        return np.frombuffer(_received(self._socket, 4 * len(texts) * dimensions), np.float32).reshape(-1, dimensions)

    def end(self) -> None:
        self._socket.close()
        self._process.kill()
        self._process.wait()

    def leave(self) -> None:
        """Close this process's copies: a forked child's parent goes on with it."""
        self._socket.close()
        self._process.returncode = 0  # it is not ours to wait for


def _end(helpers: list[_Helper]) -> None:
    while helpers:
        helpers.pop().end()


def _received(peer: socket.socket, size: int) -> bytearray:
    found = bytearray(size)
    view = memoryview(found)
    while view:
        if not (count := peer.recv_into(view)):
            raise ConnectionResetError
        view = view[count:]
    return found


def serve(spec: str) -> None:
    """Embed what comes through the socket on standard input, until its other end is closed."""
    embedder = LOCAL_EMBEDDERS[spec]()
    with socket.socket(fileno=sys.stdin.fileno()) as peer, suppress(ConnectionError):
        embedder.count_tokens("")
        while True:
            (length,) = _LENGTH.unpack(_received(peer, _LENGTH.size))
            texts, adapter = json.loads(_received(peer, length))
            peer.sendall(_computed(embedder, texts, adapter and Path(adapter)).tobytes())
