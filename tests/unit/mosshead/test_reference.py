"""The documentation site, if ``make docs`` has made its environment: strict about links, with every public name."""

import subprocess
from pathlib import Path

import pytest

import mosshead

ROOT = Path(__file__).resolve().parents[3]
MKDOCS = ROOT / ".venv-docs" / "bin" / "mkdocs"


@pytest.mark.skipif(not MKDOCS.exists(), reason="the site is built in an environment of its own: make docs")
def test_site_builds_without_a_warning_and_has_every_public_name(tmp_path: Path) -> None:
    subprocess.run([MKDOCS, "build", "--strict", "--quiet", "--site-dir", tmp_path], cwd=ROOT, check=True)

    page = (tmp_path / "reference" / "api" / "index.html").read_text(encoding="utf-8")
    assert [name for name in mosshead.__all__ if f'id="mosshead.{name}"' not in page] == []
    assert 'id="mosshead.Namespace.context"' in page


def test_reference_page_covers_the_whole_package() -> None:
    page = (ROOT / "docs" / "reference" / "api.md").read_text(encoding="utf-8")
    assert "\n::: mosshead\n" in page
