"""The reference that ``make reference`` makes: of every public name, and without a warning."""

import shlex
import subprocess
import sys
from pathlib import Path

import mosshead

ROOT = Path(__file__).resolve().parents[3]


def test_the_reference_has_every_public_name(tmp_path: Path) -> None:
    (recipe,) = [line for line in (ROOT / "Makefile").read_text().splitlines() if "-m pdoc" in line]
    options = shlex.split(recipe.partition("python ")[2].replace(" reference ", f" {tmp_path} ", 1))
    options.append("--no-show-source")  # which is most of the work, and none of what is looked at here
    run = subprocess.run([sys.executable, *options], cwd=ROOT, capture_output=True, text=True, check=True)

    page = (tmp_path / "mosshead.html").read_text()
    assert [name for name in mosshead.__all__ if f'id="{name}"' not in page] == []
    assert "Warn" not in run.stderr
