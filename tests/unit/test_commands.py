"""Both command lines: what their help lists, and what they load."""

import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import ExitStack
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
import typer
from typer.main import get_command

import mosshead.cli.main
import workers.cli.main
from mosshead.cli.lazy import load
from tests.pages import Block, blocks, program
from workers.local.postgres import postgres_binaries

TABLES = {"mosshead": mosshead.cli.main.COMMANDS, "workers": workers.cli.main.COMMANDS}
ROOT = Path(__file__).parents[2]
SHOWN = ("README.md", ".env.example", "docker-compose.yml", *("mosshead", "workers", "db", "config", "docs"))
"""Where readers find commands."""

HEAVY = {"alembic", "celery", "kombu", "numpy", "psycopg", "pydantic", "redis", "sqlalchemy", "structlog", "tornado"}


@pytest.mark.parametrize(
    ("name", "place", "text"), [(name, *one) for table in TABLES.values() for name, one in table.items()]
)
def test_list_of_commands_describes_each_by_the_start_of_its_own_help(name: str, place: str, text: str) -> None:
    first, _, _ = load(name, place).help.partition("\n\n")
    assert " ".join(first.split()) == text


def texts() -> Iterator[tuple[str, str]]:
    for file in (file for top in SHOWN for file in [ROOT / top, *(ROOT / top).rglob("*")]):
        name = file.relative_to(ROOT).as_posix()
        if file.suffix in {".py", ".md", ".html", ".sql", ".yml", ".example"} and "docs/decisions" not in name:
            yield name, file.read_text()


def test_every_command_a_text_names_exists() -> None:
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


def parse(command: Any, name: str, arguments: list[str]) -> None:
    """Parse arguments as the command does. The files of a page need not exist here."""
    with ExitStack() as stack:
        for parameter in command.params:
            parameter.callback = None  # a namespace's callback connects
            info = parameter.type_descriptor and parameter.type_descriptor.parameter_info
            if getattr(info, "exists", False):
                stack.enter_context(patch.object(info, "exists", new=False))
        context = command.make_context(name, arguments)
    if hasattr(command, "resolve_command") and (rest := [*context._protected_args, *context.args]):
        part, found, left = command.resolve_command(context, rest)
        parse(found, part, left)


def parse_mosshead(arguments: list[str], package: str = "mosshead") -> None:
    """Parse a whole command line of mosshead."""
    name, *rest = arguments
    if name == "service" and rest:
        parse_mosshead(rest, "workers")
    else:
        parse(load(name, TABLES[package][name][0]), name, rest)


def parse_python(arguments: list[str]) -> None:
    """Check a module of ours that is run, or a file that exists. Brackets enclose optional parts; N is a number."""
    if arguments[0] != "-m":
        assert (ROOT / arguments[0]).is_file()
        return
    _, name, *rest = arguments
    words = ["1" if word in {"N]", "N"} else word.strip("[]") for word in rest]
    if name.startswith("benchmarks."):
        package = (ROOT / name.replace(".", "/")).is_dir()
        alone = typer.Typer(add_completion=False)
        alone.command()(import_module(f"{name}.__main__" if package else name).main)
        parse(get_command(alone), name, words)
    else:
        assert {word for word in words if word.startswith("--")} <= options([sys.executable, "-m", name])


def options(command: list[str | Path]) -> set[str]:
    """Return the options in a program's help."""
    told = subprocess.run([*command, "--help"], check=True, capture_output=True, text=True, cwd=ROOT).stdout
    return set(re.findall(r"--[a-z][a-z-]+", told))


def parse_make(arguments: list[str]) -> None:
    """Check that targets exist and that variables are used. The commands are only listed."""
    subprocess.run(["make", "--dry-run", *arguments], check=True, capture_output=True, cwd=ROOT)
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert [one for one in arguments if "=" in one and f"$({one.partition('=')[0]})" not in makefile] == []


def parse_install(arguments: list[str]) -> None:
    """Check that extras and groups exist."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    line = " ".join(arguments)
    extras = {one for listed in re.findall(r"mosshead\[([\w,]+)\]", line) for one in listed.split(",")}
    extras |= set(re.findall(r"--extra (\w+)", line))
    assert extras
    assert extras <= set(project["project"]["optional-dependencies"])
    assert set(re.findall(r"--group (\w+)", line)) <= set(project["dependency-groups"])


def parse_docker(arguments: list[str]) -> None:
    """Check the service and command of ``exec``; Docker itself is not available here."""
    compose, command, *rest = arguments
    assert compose == "compose"
    if command == "exec":
        service, _, *inside = rest
        assert f"\n  {service}:\n" in (ROOT / "docker-compose.yml").read_text(encoding="utf-8")
        parse_mosshead(inside)
    else:
        assert (command, rest) == ("up", ["--build", "--detach"])


def parse_command(words: list[str]) -> None:
    """Fail if a page's command is not one, or lacks such an option."""
    name, arguments = program(words)
    if name == "mosshead":
        parse_mosshead(arguments[: arguments.index(">")] if ">" in arguments else arguments)
    elif name in {"psql", "createdb", "vacuumdb"} or name.startswith("pg_"):
        named = {word.partition("=")[0] for word in arguments if word.startswith("--")}
        assert named <= options([postgres_binaries() / name])
    elif name == "curl":
        json.loads(arguments[arguments.index("-d") + 1])  # the server's tests send the request
    elif name in {"cp", "pytest"}:
        assert (ROOT / arguments[0]).exists()
    elif name == "honcho":
        assert entry_points(group="console_scripts", name="honcho")
        assert (ROOT / "Procfile").exists()
    else:
        parsers = {"make": parse_make, "python": parse_python, "pip": parse_install, "uv": parse_install}
        settings = {"": lambda _: None, "export": lambda _: None}  # names of settings have their own test
        {**parsers, **settings, "docker": parse_docker}[name](arguments)


@pytest.mark.parametrize("block", blocks("shell", "console"), ids=lambda block: f"{block.page.stem}-{block.number}")
def test_every_command_a_page_shows_exists_with_all_its_options(block: Block, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOSSHEAD_NAMESPACE", "acme/sarah_123")  # some pages rely on it
    assert block.commands != []
    for words in block.commands:
        parse_command(words)


def test_command_started_by_an_mcp_configuration_exists() -> None:
    (shown,) = (block for block in blocks("json") if block.page.stem == "server")
    (server,) = json.loads(shown.body)["mcpServers"].values()
    parse_command([server["command"], *server["args"]])


@pytest.mark.parametrize(
    "words", ["mosshead quarry x", "mosshead query x --most 2", "mosshead service models ad x", "make tea"]
)
def test_invalid_command_is_detected(words: str) -> None:
    with pytest.raises(Exception, match=r"quarry|No such option|No such command|returned non-zero"):
        parse_command(words.split())


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
def test_service_process_loads_nothing_that_only_others_need(start: str, unwanted: str) -> None:
    code = f"{start}; import sys; print(*(name for name in {unwanted.split()} if name in sys.modules))"
    found = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert found.stdout.strip() == ""
