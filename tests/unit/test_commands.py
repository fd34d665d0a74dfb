"""Both command lines: what their help lists, and what they load."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import mosshead.cli.main
import workers.cli.main
from mosshead.cli.lazy import load

TABLES = {"mosshead": mosshead.cli.main.COMMANDS, "workers": workers.cli.main.COMMANDS}
ROOT = Path(__file__).parents[2]
SHOWN = ("README.md", ".env.example", "docker-compose.yml", *("mosshead", "workers", "db", "config", "docs"))
"""Where readers find commands."""

HEAVY = {"alembic", "celery", "kombu", "numpy", "psycopg", "pydantic", "redis", "sqlalchemy", "structlog", "tornado"}


@pytest.mark.parametrize(
    ("name", "place", "text"), [(name, *one) for table in TABLES.values() for name, one in table.items()]
)
def test_the_list_of_commands_says_of_each_what_its_own_help_begins_with(name: str, place: str, text: str) -> None:
    first, _, _ = load(name, place).help.partition("\n\n")
    assert " ".join(first.split()) == text


def texts() -> Iterator[tuple[str, str]]:
    for file in (file for top in SHOWN for file in [ROOT / top, *(ROOT / top).rglob("*")]):
        name = file.relative_to(ROOT).as_posix()
        if file.suffix in {".py", ".md", ".html", ".sql", ".yml", ".example"} and "docs/decisions" not in name:
            yield name, file.read_text()


def test_every_command_that_a_text_names_exists() -> None:
    service = {name: load(name, place) for name, (place, _) in workers.cli.main.COMMANDS.items()}
    named = {
        (name, *match.groups())
        for name, text in texts()
        for match in re.finditer(r"\bmosshead service ([a-z]+)(?: ([a-z]+))?", text)
    }
    unknown = [
        (name, command, part)
        for name, command, part in sorted(named, key=str)
        if command not in service or (part and part not in getattr(service[command], "commands", {part: None}))
    ]
    assert len(named) > 40
    assert unknown == []


def test_no_text_names_a_command_that_only_a_checkout_has() -> None:
    internal = {"workers/__main__.py", "workers/cli/main.py", "workers/local/processes.py"}
    assert [name for name, text in texts() if "python -m workers" in text and name not in internal] == []


@pytest.mark.parametrize("package", TABLES)
def test_help_lists_every_command_and_loads_none(package: str) -> None:
    code = f"""
import sys
from {package}.cli.main import cli
try:
    cli(["--help"])
finally:
    print(*sorted({{name.partition(".")[0] for name in sys.modules}} & {HEAVY}))
"""
    *shown, loaded = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True
    ).stdout.splitlines()

    listed = [line.split()[1] for line in shown if line.startswith("│ ") and line[2] not in " -"]
    assert listed == list(TABLES[package])
    assert loaded == ""


@pytest.mark.parametrize(
    ("start", "unwanted"),
    [
        ("import workers.cli.up", "alembic celery kombu mosshead.api numpy pipeline redis"),
        ("import workers.cli.status", "alembic celery mosshead.api numpy pipeline tornado"),
        (
            "import workers.cli.services, workers.intake",
            "alembic celery mosshead.api mosshead.embeddings numpy pipeline",
        ),
        (
            "import workers.cli.services, workers.scheduler",
            "alembic celery.worker.control mosshead.api numpy openai pipeline.rules_en",
        ),
        (
            "from workers.flower import app; app.loader.import_default_modules()",  # as Flower does
            "alembic mosshead.api numpy pipeline sqlalchemy workers.tasks",
        ),
    ],
)
def test_a_process_of_the_service_does_not_load_what_others_need(start: str, unwanted: str) -> None:
    code = f"{start}; import sys; print(*(name for name in {unwanted.split()} if name in sys.modules))"
    found = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert found.stdout.strip() == ""
