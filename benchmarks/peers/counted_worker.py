"""The service's Celery app, whose processes count how often they ask the embedder.

celery -A benchmarks.peers.counted_worker worker …

Each call adds a byte to the file that the environment names.
"""

import os
from collections.abc import Sequence
from pathlib import Path

from benchmarks.peers.telling import COUNTED_IN
from mosshead.embeddings import MiniLM, Vectors
from workers import tasks
from workers.celery_app import app

__all__ = ["app", "tasks"]


_embed = MiniLM.embed


def _counted(embedder: MiniLM, texts: Sequence[str]) -> Vectors:
    with Path(os.environ[COUNTED_IN]).open("ab") as counted:
        counted.write(b".")
    return _embed(embedder, texts)


MiniLM.embed = _counted  # type: ignore[assignment, method-assign]
