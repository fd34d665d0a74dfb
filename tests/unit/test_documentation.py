"""The docs: every link leads somewhere, every page is reached, and none of it grows past what people read."""

import json
import re
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import pytest

from mosshead.publishing.publishers import check_event

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(page for page in DOCS.rglob("*.md") if "decisions" not in page.parts)
LINKING = sorted(
    chain(
        (ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")),
        DOCS.rglob("*.md"),
        *((ROOT / folder).rglob("*.md") for folder in ("mosshead", "workers", "benchmarks", "examples", "tests")),
    )
)
"""All Markdown that links to a page of ours."""

CODE = re.compile(r"^```.*?^```$|`[^`\n]+`", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)\s]+))?\)")


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub and MkDocs both make them."""
    without_code = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    headings = re.findall(r"^#+ (.+)$", without_code, re.MULTILINE)
    plain = (re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading) for heading in headings)
    return {re.sub(r"[\s-]+", "-", re.sub(r"[^\w\s-]", "", heading.lower()).strip()) for heading in plain}


def broken(page: Path) -> Iterator[str]:
    """The links of a page that lead nowhere."""
    for target, anchor in LINK.findall(CODE.sub("", page.read_text(encoding="utf-8"))):
        file = (page.parent / target).resolve() if target else page
        if not file.exists():
            yield target
        elif anchor and (file.suffix != ".md" or anchor not in anchors(file)):
            yield f"{target}#{anchor}"


MOST_WORDS = {"docs": 34_000, "README.md": 900}
"""All that is to be read, without decision records and the reference that is made of docstrings. Cut before you raise it."""


def words(*pages: Path) -> int:
    """Words, counted as ``wc -w`` does."""
    return sum(len(page.read_text(encoding="utf-8").split()) for page in pages)


@pytest.mark.parametrize("page", LINKING, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_to_a_file_and_a_heading(page: Path) -> None:
    assert list(broken(page)) == []


def test_every_page_that_code_or_configuration_names_exists() -> None:
    top = [".env.example", "docker-compose.yml", "Makefile", "Procfile", "pyproject.toml"]
    folders = ("mosshead", "workers", "db", "config", "pipeline", "benchmarks", "examples", "tests")
    files = [ROOT / name for name in top] + [file for folder in folders for file in (ROOT / folder).rglob("*.py")]
    named = {
        (file.relative_to(ROOT).as_posix(), name)
        for file in files
        for name in re.findall(r"\bdocs/[\w/-]+\.md\b", file.read_text(encoding="utf-8"))
    }
    assert len(named) > 40
    assert sorted((file, name) for file, name in named if not (ROOT / name).exists()) == []


def test_the_docs_are_short_enough_to_be_read() -> None:
    assert words(*PAGES) <= MOST_WORDS["docs"]
    assert words(ROOT / "README.md") <= MOST_WORDS["README.md"]


def linked(page: Path) -> set[Path]:
    """The files that a page links to."""
    targets = LINK.findall(CODE.sub("", page.read_text(encoding="utf-8")))
    return {(page.parent / target).resolve() for target, _ in targets if target}


def test_every_question_of_the_index_has_an_answer_and_every_page_is_two_clicks_away() -> None:
    rows = re.findall(r"^- \*\*(.+?)\*\* (.+)$", (DOCS / "index.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert len(rows) >= 12
    assert [question for question, answer in rows if not LINK.search(answer)] == []
    assert set(PAGES) - {DOCS / "index.md"} - linked(DOCS / "index.md") - linked(ROOT / "README.md") == set()


@pytest.mark.parametrize("listing", ["mkdocs.yml", "llms.txt"])
def test_the_site_and_the_list_for_models_name_every_page(listing: str) -> None:
    text = (ROOT / listing).read_text(encoding="utf-8")
    named = set(re.findall(r"(?:docs/|: )([\w/-]+\.md)\b", text))
    assert named == {page.relative_to(DOCS).as_posix() for page in PAGES}


def test_every_event_that_the_reference_shows_is_accepted() -> None:
    shown = re.findall(
        r"^```json\n(.*?)^```$",
        (DOCS / "reference" / "events.md").read_text(encoding="utf-8"),
        re.MULTILINE | re.DOTALL,
    )
    accepted = [check_event(json.loads(one)) for one in shown]
    assert len(accepted) >= 17


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_python_block_compiles(page: Path) -> None:
    for code in re.findall(r"^```python\n(.*?)^```$", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL):
        compile(code, page.name, "exec")
