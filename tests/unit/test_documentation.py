"""The documentation: every link leads somewhere, every page is reachable, and no page grows too long."""

import json
import re
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from config.settings import Settings
from mosshead.errors import InvalidEvent
from mosshead.fencing import fenced
from mosshead.publishing.imports import check_lines
from mosshead.publishing.publishers import check_event
from mosshead.redaction import redact
from mosshead.urls import has_several_hosts, sqlalchemy_url
from tests.pages import DOCS, PAGES, ROOT, SHOWING, Block, blocks, blocks_of, is_typed
from workers import tasks
from workers.cli.up import _say_where
from workers.local import Addresses

LINKING = sorted(
    chain(
        (ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")),
        DOCS.rglob("*.md"),
        *((ROOT / folder).rglob("*.md") for folder in ("mosshead", "workers", "benchmarks", "examples", "tests")),
    )
)
"""All Markdown files with links to our pages."""

CODE = re.compile(r"^```.*?^```$|`[^`\n]+`", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)\s]+))?\)")


def anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings, as GitHub and MkDocs both make them."""
    without_code = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    headings = re.findall(r"^#+ (.+)$", without_code, re.MULTILINE)
    plain = (re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading) for heading in headings)
    return {re.sub(r"[\s-]+", "-", re.sub(r"[^\w\s-]", "", heading.lower()).strip()) for heading in plain}


def broken(page: Path) -> Iterator[str]:
    """Return the broken links of a page."""
    for target, anchor in LINK.findall(CODE.sub("", page.read_text(encoding="utf-8"))):
        file = (page.parent / target).resolve() if target else page
        if not file.exists():
            yield target
        elif anchor and (file.suffix != ".md" or anchor not in anchors(file)):
            yield f"{target}#{anchor}"


MOST_WORDS = {"docs": 34_000, "README.md": 900}
"""All text to be read, without decision records and the generated reference. Cut before you raise it."""


def words(*pages: Path) -> int:
    """Count words like ``wc -w``."""
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


def test_docs_are_short_enough_to_be_read() -> None:
    assert words(*PAGES) <= MOST_WORDS["docs"]
    assert words(ROOT / "README.md") <= MOST_WORDS["README.md"]


def linked(page: Path) -> set[Path]:
    """Return the files that a page links to."""
    targets = LINK.findall(CODE.sub("", page.read_text(encoding="utf-8")))
    return {(page.parent / target).resolve() for target, _ in targets if target}


def test_every_question_of_the_index_has_an_answer_and_every_page_is_two_clicks_away() -> None:
    rows = re.findall(r"^- \*\*(.+?)\*\* (.+)$", (DOCS / "index.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert len(rows) >= 12
    assert [question for question, answer in rows if not LINK.search(answer)] == []
    assert set(PAGES) - {DOCS / "index.md"} - linked(DOCS / "index.md") - linked(ROOT / "README.md") == set()


@pytest.mark.parametrize("listing", ["mkdocs.yml", "llms.txt"])
def test_site_and_list_for_models_name_every_page(listing: str) -> None:
    text = (ROOT / listing).read_text(encoding="utf-8")
    named = set(re.findall(r"(?:docs/|: )([\w/-]+\.md)\b", text))
    assert named == {page.relative_to(DOCS).as_posix() for page in PAGES}


@pytest.mark.parametrize("block", blocks("json"), ids=lambda block: f"{block.page.stem}-{block.number}")
def test_json_shown_on_a_page_is_accepted(block: Block) -> None:
    whole = (
        re.sub(r",\n +", ", ", block.body) if block.body.startswith('{"') else block.body
    )  # joins lines broken for width
    if block.page.stem == "events":
        check_event(json.loads(block.body))
    elif block.page.stem == "server":
        json.loads(block.body)  # its command is checked with the others
    else:
        lines = whole.splitlines()
        checked = check_lines(lines, lambda keys: keys)
        assert len(checked.entities) + len(checked.memories) == len(lines)


RUN_AS_A_WHOLE = {
    "README.md": ["test_readme.py"],
    "docs/how-to/agents.md": ["test_tools.py", "test_frameworks.py"],
    "docs/how-to/documents.md": ["llm/test_model.py", "test_managing.py"],
    "docs/how-to/openai-client.md": ["test_tutorial.py"],
    "docs/how-to/optimizers.md": ["test_optimizers.py"],
    "docs/tutorial/a-chat-that-remembers.md": ["test_shell_blocks.py"],
}
"""Pages whose whole Python is run by their own test, with its output, however many blocks there are."""

SAMPLES = {
    "CONTRIBUTING.md": "the rooms of the library exist",
    "docs/explanation/architecture.md": "the stages exist",
    "docs/how-to/deploy.md": "the URLs of several hosts are taken",
    "docs/explanation/security.md": "secrets and the fence are shown as they are",
    "docs/reference/events.md": "the errors are those of events",
    "docs/tutorial/a-chat-that-remembers.md": "what up says",
}
"""Pages with an untyped block that is neither typed nor printed by Python, each with a test below."""

ELSEWHERE = {
    "json": "unit/test_documentation.py",
    "sql": "integration/db/test_security.py",
    "py": "integration/examples/test_fastapi_chat.py",
    "diff": "acceptance/test_tutorial.py",
}
"""Kinds of blocks that one test checks completely."""


def run_by_number() -> set[tuple[str, int]]:
    """Return the Python blocks that tests run from several pages, by page and number."""
    text = (ROOT / "tests" / "acceptance" / "test_docs.py").read_text(encoding="utf-8")
    found = {(page, int(number)) for page, number in re.findall(r'\brun\(\s*"([\w/-]+\.md)", (\d+)', text)}
    found |= {("how-to/working-memory.md", number) for number in range(3)}  # its own test counts them
    return found | {("how-to/publish.md", 3)}  # tests/integration/mosshead/publishing/test_inbox.py


def is_typed_in(block: Block) -> bool:
    """Return whether a test types the typeable part of a block of commands; unit/test_commands.py parses all of them."""
    text = (ROOT / "tests" / "acceptance" / "test_shell_blocks.py").read_text(encoding="utf-8")
    found = re.findall(r'\bthe\("([\w/-]+\.md)", (\d+)(?:, "(\w+)")?\)', text)
    named = {(f"docs/{page}", kind or "console", int(number)) for page, number, kind in found}
    named |= {("README.md", "shell", 0), ("CONTRIBUTING.md", "shell", 0)}
    named |= {*(("docs/tutorial/a-chat-that-remembers.md", "console", n) for n in range(9))}
    whole = (block.page.relative_to(ROOT).as_posix(), block.kind, block.number) in named
    return whole or not any(is_typed(" ".join(words)) for words in block.commands)


def is_checked(block: Block) -> bool:
    """Return whether a test runs, parses or compares a block."""
    name = block.page.relative_to(ROOT).as_posix()
    if block.kind == "python":
        return name in RUN_AS_A_WHOLE or (name.removeprefix("docs/"), block.number) in run_by_number()
    if block.kind == "printed":
        return name in {*RUN_AS_A_WHOLE, "docs/how-to/working-memory.md"}
    if block.kind in {"shell", "console"}:
        return is_typed_in(block)
    return name in SAMPLES if block.kind == "sample" else block.kind in ELSEWHERE


@pytest.mark.parametrize("page", SHOWING, ids=lambda page: page.stem)
def test_every_block_of_a_page_is_run_or_checked(page: Path) -> None:
    assert [f"{one.kind} {one.number}: {one.body}" for one in blocks_of(page) if not is_checked(one)] == []
    assert page.read_text(encoding="utf-8").count("```") == 2 * len(blocks_of(page)), "an indented block is not seen"


def test_tests_that_run_whole_pages_name_them() -> None:
    named = [
        (name, test)
        for name, tests in RUN_AS_A_WHOLE.items()
        for test in tests
        if Path(name).name not in (ROOT / "tests" / "acceptance" / test).read_text(encoding="utf-8")
    ]
    assert named == []


def samples(page: str) -> list[str]:
    """Return the blocks of a page whose content its own test knows."""
    return [block.body for block in blocks("sample") if block.page == ROOT / page]


def test_guide_lists_the_packages_of_the_library() -> None:
    (shown,) = samples("CONTRIBUTING.md")
    named = [name for line in shown.splitlines() for name in re.split(r"  +", line)[0].removesuffix(" …").split(", ")]
    library = ROOT / "mosshead"
    assert len(named) > 15
    assert [name for name in named if not any(library.glob(f"{name}*"))] == []


def test_stages_of_the_picture_are_tasks() -> None:
    (shown,) = samples("docs/explanation/architecture.md")
    stages = ["extract", "score_salience", "embed", "consolidate", "refresh_profiles", "reflect"]
    assert re.findall(r"\b(?:" + "|".join(stages) + r")\b", shown) == stages
    assert [stage for stage in stages if not hasattr(tasks, stage)] == []


def test_secrets_and_the_fence_are_shown_as_they_are() -> None:
    said, fence = samples("docs/explanation/security.md")
    before, after = said.splitlines()
    assert redact(before) == after
    assert fence == fenced(["User just moved to Seattle"]) + "\n"


def test_the_urls_of_several_hosts_that_the_guide_shows_are_taken() -> None:
    (shown,) = samples("docs/how-to/deploy.md")
    urls = [sqlalchemy_url(one, "MOSSHEAD_DATABASE_URL") for one in shown.splitlines()]
    assert [has_several_hosts(url) for url in urls] == [True] * 3
    assert [url.query["target_session_attrs"] for url in urls] == ["primary", "primary", "prefer-standby"]


def test_errors_in_the_reference_are_those_of_events() -> None:
    (shown,) = samples("docs/reference/events.md")
    event: dict[str, Any] = {"type": "message", "namespace": ["acme", "sarah_123"], "role": "user", "content": "Hello"}
    wrong: list[dict[str, Any]] = [
        {"namespace": None},
        {"occurred_at": "2026-03-02T09:00:00"},
        {"content": "x" * 10_000_000},
        {"mood": "glad"},
    ]
    told = []
    for one in wrong:
        with pytest.raises(InvalidEvent) as caught:
            check_event({name: value for name, value in {**event, **one}.items() if value is not None})
        told.append(str(caught.value))
    assert told == shown.splitlines()


def test_tutorial_shows_the_output_of_up(capsys: pytest.CaptureFixture[str]) -> None:
    (shown,) = samples("docs/tutorial/a-chat-that-remembers.md")
    url = "postgresql://mosshead_reader@/mosshead"
    addresses = Addresses(
        data_dir=Path("/srv/app/.mosshead"),
        database_url=url,
        ingest_url=url,
        worker_url=url,
        admin_url=None,
        broker_url="",
        flower_port=5555,
        flower_password="pw",
        console_port=0,
        probe_port=0,
    )
    _say_where(Settings(), addresses, with_console=False)
    assert capsys.readouterr().out.replace("password pw", "password …").replace("/srv/app", "…") == shown
