"""A Postgres of the benchmark's own with the service's schema: nothing of the service runs beside what is measured."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from config.logging import configure_logging
from config.settings import Settings
from db import embedding_models
from db.engine import open_engine
from db.schema.migrate import migrate
from mosshead.embeddings import Embedder
from workers.local import Addresses, servers


@contextmanager
def database(embedder: Embedder) -> Iterator[Addresses]:
    """Run it inside the block, and remove it afterwards. embedder: whose vectors are the active ones."""
    with ExitStack() as stack:
        folder = Path(tempfile.mkdtemp(prefix="rr-"))  # short: a socket's path has a limit
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        chosen = Settings(data_dir=folder, flower_port=0)
        configure_logging(chosen.model_copy(update={"log_level": "error"}))
        addresses = stack.enter_context(servers(chosen, {"shared_buffers": quarter_of_memory()}))
        assert addresses.admin_url is not None
        migrate(addresses.admin_url, {})
        engine = open_engine(addresses.worker_url, setting="MOSSHEAD_WORKER_URL")
        with engine.begin() as connection:
            embedding_models.set_active_model(connection, embedder.name, embedder.dimensions)
        engine.dispose()
        yield addresses


def quarter_of_memory() -> str:
    """What Postgres's manual advises for a server's buffers; its default is the 128 MB of a server that nobody has set up."""
    return f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') // 4 // 2**20}MB"
