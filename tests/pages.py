"""The fenced blocks of the documentation pages, and the commands shown in them."""

import re
import shlex
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
PAGES = sorted(page for page in DOCS.rglob("*.md") if "decisions" not in page.parts)
SHOWING = [*(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "AGENTS.md")), *PAGES]
"""The pages whose blocks are checked, each by the test for its kind."""

BLOCKS = re.compile(r"^```(?P<language>\w*)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)

_ASSIGNMENT = re.compile(r"[A-Z_]+=")
_PROGRAMS = {
    *("mosshead", "make", "python", "pip", "docker", "uv", "curl", "cp", "export", "honcho", "pytest"),
    *("psql", "pg_dump", "pg_dumpall", "pg_restore", "createdb", "vacuumdb"),
}


NOT_TYPED = {
    "pip install": "unreleased",
    "docker compose": "docker",
    "make setup": "ci",
    "make check": "ci",
    "make test": "ci",
    "make unit": "ci",
    ".venv/bin/pytest": "ci",
    "make demo": "test_demo",
    "make docs": "index",
    "uv pip compile": "index",
}
"""Beginnings of the commands that no test types into a shell, each with a one-word reason; they are parsed."""


class Block(NamedTuple):
    """A block of a page. number: among those of its page and kind, from 0."""

    page: Path
    kind: str
    body: str
    number: int

    @property
    def commands(self) -> list[list[str]]:
        """Return the words of each command; in a block with prompts, only of the lines with one."""
        joined = self.body.replace("\\\n", "")
        typed = re.findall(r"^\$ (.*)$", joined, re.MULTILINE) or joined.splitlines()
        return [words for line in typed if (words := shlex.split(line, comments=True))]


def blocks(*kinds: str) -> list[Block]:
    """Return the blocks of some kinds, of all pages."""
    return [block for page in SHOWING for block in blocks_of(page, *kinds)]


def blocks_of(page: Path, *kinds: str) -> list[Block]:
    """Return the blocks of a page with their kinds, all or some: their language, or what a block without one shows."""
    found: list[Block] = []
    before = ""
    for match in BLOCKS.finditer(page.read_text(encoding="utf-8")):
        kind = match["language"] or _shown(match["body"], before)
        found.append(Block(page, kind, match["body"], sum(one.kind == kind for one in found)))
        before = kind
    return [block for block in found if not kinds or block.kind in kinds]


def is_typed(command: str) -> bool:
    """Return whether a test types a command into a shell."""
    return not command.startswith(tuple(NOT_TYPED))


def program(words: list[str]) -> tuple[str, list[str]]:
    """Return the program of a command, without folder and assignments, and its arguments; "" if it only assigns."""
    rest = [word for word in words if not _ASSIGNMENT.match(word)] if _ASSIGNMENT.match(words[0]) else words
    return (Path(rest[0]).name, rest[1:]) if rest else ("", [])


def _shown(body: str, before: str) -> str:
    if body.startswith("{"):
        return "json"
    if body.startswith("$ "):
        return "console"
    block = Block(Path(), "", body, 0)
    with suppress(ValueError):  # an apostrophe: prose
        if all(program(words)[0] in {"", *_PROGRAMS} for words in block.commands):
            return "shell"
    return "printed" if before == "python" else "sample"
