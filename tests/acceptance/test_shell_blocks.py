"""Type the pages' commands unchanged and in order, in fresh folders with real servers."""

import contextlib
import io
import json
import re
import shutil
import sys
import zipfile
from collections.abc import Iterator, Mapping
from functools import reduce
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import psycopg
import pytest

from benchmarks.faults.proxy import Proxy
from config.settings import Settings
from tests.acceptance.shell import STAYING, Shell, Typed, commands_of, says, shell
from tests.fake_answers import fact_like
from tests.fake_openai import FakeOpenAI
from tests.machine_given import put_database
from tests.pages import DOCS, ROOT, Block, blocks_of, is_typed
from workers.local import Addresses, servers
from workers.local.ports import free_port
from workers.local.postgres import DATABASE

NOTHING: Mapping[str, str] = {}
TUTORIAL = "tutorial/a-chat-that-remembers.md"
QUICK = {
    **dict.fromkeys(["MOSSHEAD_DEBOUNCE_SECONDS", "MOSSHEAD_SWEEP_SECONDS"], "0.1"),
    "MOSSHEAD_PROFILE_DEBOUNCE_SECONDS": "0",
    "MOSSHEAD_CONCURRENCY": "1",
}


def typed(at: Shell, block: Block, replaced: Mapping[str, str] = NOTHING, *, exactly: bool = False) -> str:
    """Type a block's commands, with placeholders replaced, check the output and return it."""
    told = []
    for command, shown in commands_of(block):
        if is_typed(command):
            filled = reduce(lambda line, one: line.replace(*one), replaced.items(), command)
            ready = next((said for start, said in STAYING.items() if start in filled), "")
            told.append(at.start(filled, ready) if ready else answered(at, Typed(filled, shown)))
            alike = says(["…", *shown, "…"] if ready else shown, told[-1])
            if exactly and not ready:
                alike = [line.rstrip() for line in told[-1].split("\n")] == shown
            assert not shown or alike, "\n".join([command, "shows", *shown, "and says", told[-1]])
    return "\n".join(told)


def answered(at: Shell, one: Typed) -> str:
    """Return a command's output; confirm if it asks."""
    return at.confirm(one.command) if any("[y/N]: y" in line for line in one.shown) else at.type(one.command)


def the(page: str, number: int, kind: str = "console") -> Block:
    """Return a block of a page."""
    return blocks_of(DOCS / page, kind)[number]


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A folder that looks like a checkout after `make setup`, without data."""
    folder = tmp_path / "checkout"
    (folder / ".venv").mkdir(parents=True)
    for file in (file for file in ROOT.iterdir() if not file.name.startswith(".") or file.name == ".env.example"):
        (folder / file.name).symlink_to(file)
    for file in Path(sys.prefix).iterdir():
        if file.name != ".installed":
            (folder / ".venv" / file.name).symlink_to(file)
    (folder / ".venv" / ".installed").touch()
    return folder


def test_commands_for_a_local_service_run(tmp_path: Path) -> None:
    with shell(tmp_path / "app", QUICK) as at:
        typed(at, blocks_of(ROOT / "README.md", "shell")[0])
        import_what_others_have(at)
        (at.folder / "bo.jsonl").write_text(
            '{"type": "entity", "key": "bo-2", "name": "Bo", "entity_type": "person"}\n'
        )
        at.type("mosshead import -n acme/sarah_123 bo.jsonl --wait 60")
        typed(at, the("how-to/identity-questions.md", 0))
        typed(at, the("how-to/working-memory.md", 0))
        for said in ("I live in Leeds.", "I have a dog called Biscuit."):
            at.type(f"mosshead publish -n acme/sarah_123 --conversation c1 --wait 60 '{said}'")
        typed(at, the("how-to/erase.md", 0))
        at.type("python -", answer=TWO_PROMPTS)
        assert "+You help {user} with invoices." in typed(at, the("how-to/optimizers.md", 0)).replace("+ ", "+")
        at.type("mosshead down")

        port = {"mosshead serve": f"mosshead serve --port {free_port()}"}
        said = typed(at, the("how-to/server.md", 0), port)
        (token,) = re.findall(r"^mosshead_[\w-]+$", said, re.MULTILINE)
        served = re.findall(r"http://[\d.]+:\d+", said)[0]
        at.type(f"curl -s --retry 30 --retry-delay 1 --retry-connrefused -o served {served}/healthz")
        shown = {"mosshead_0aXq…": token, "http://127.0.0.1:8765": served}
        (answer,) = re.findall(r"\{.*\}", typed(at, the("how-to/server.md", 1), shown))
        assert "system_message" in json.loads(answer)
        at.interrupt()
        at.type("mosshead down")

        said = typed(at, the("how-to/console.md", 0, "shell"))
        assert says(["…", "Console http://127.0.0.1:5556 (the same login)", "…"], said)


def import_what_others_have(at: Shell) -> None:
    """Import a ChatGPT export, and lines of a world."""
    with zipfile.ZipFile(at.folder / "chatgpt-export.zip", "w") as packed:
        packed.writestr("conversations.json", json.dumps([chat_of("user", "assistant", "tool", "assistant")]))
    typed(at, the("how-to/import-and-export.md", 0))
    (lines,) = blocks_of(DOCS / "how-to/import-and-export.md", "json")
    (at.folder / "world.jsonl").write_text(lines.body.replace(",\n", ","), encoding="utf-8")
    typed(at, the("how-to/import-and-export.md", 1))
    typed(at, the("how-to/import-and-export.md", 2))


def chat_of(*roles: str) -> dict[str, Any]:
    """Return a conversation in ChatGPT's export format, in which each role says where it lives."""
    said = {
        str(number): {
            "id": str(number),
            "parent": str(number - 1) if number else None,
            "message": {
                "id": f"m-{number}",
                "author": {"role": role},
                "create_time": 1_700_000_000.0 + number,
                "content": {"content_type": "text", "parts": [f"I live in Leeds, as {number} others."]},
                "recipient": "all",
            },
        }
        for number, role in enumerate(roles)
    }
    return {"title": "Leeds", "conversation_id": "c-1", "current_node": max(said), "mapping": said}


TWO_PROMPTS = """
from mosshead import Memory
from mosshead.contrib.prompts import Prompts
team = Memory.connect().namespace("acme", "support-team")
for version, text in enumerate(("You help {user}.", "You help {user} with invoices.")):
    Prompts(team).set("support", text, version=version)
    team.wait(60)
"""


def test_tutorial_commands_run(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put_database(checkout / ".mosshead")
    be_patient(checkout)
    port = free_port()
    for name, value in {"BASE_URL": f"http://127.0.0.1:{port}/v1", "API_KEY": "none"}.items():
        monkeypatch.setenv(f"OPENAI_{name}", value)
    monkeypatch.setenv("XDG_STATE_HOME", str(checkout / "state"))
    variables: dict[str, Any] = {}
    printed = ""
    with shell(checkout, QUICK) as at:
        typed(at, blocks_of(ROOT / "CONTRIBUTING.md", "shell")[0])  # what remains of it: make help
        for block in blocks_of(DOCS / TUTORIAL):
            if block.kind == "python":
                printed = executed(block.body, variables)
            elif block.kind == "printed":
                assert printed == block.body
            elif block.kind == "console" and "examples/chat.py" in block.body:
                talk(at, block)
            elif block.kind == "console":
                typed(at, block._replace(body=block.body.replace("8123", str(port))), exactly=True)
        variables["memory"].close()


def talk(at: Shell, block: Block) -> None:
    """Say a block's lines to a chat app, check its answers, and wait until they are remembered."""
    for command, shown in commands_of(block):
        *lines, last = shown
        assert last == "quit"
        assert at.type(command, answer="".join(f"{line}\n" for line in shown[::2])).splitlines() == lines[1::2]
        at.type("mosshead progress -n acme/sarah_123 --follow")


def be_patient(checkout: Path) -> None:
    """Allow longer reads: on a busy machine, memory may miss its time limit and change the answer."""
    (checkout / "examples").unlink()
    shutil.copytree(ROOT / "examples", checkout / "examples")
    app = checkout / "examples" / "chat.py"
    app.write_text(app.read_text().replace("with_memory(OpenAI(), sarah)", "with_memory(OpenAI(), sarah, timeout=60)"))


def executed(code: str, variables: dict[str, Any]) -> str:
    """Run a page's Python code; return its output."""
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        exec(compile(code, TUTORIAL, "exec"), variables)
    return output.getvalue()


class Hosts:
    """An operator's servers and their ports: the old host and the new one."""

    def __init__(self, addresses: Addresses, old: int, new: int) -> None:
        self.at_old = {
            "redis://:PASSWORD@HOST:6379/0": addresses.broker_url,
            "LOGIN@HOST:5432": f"postgres@127.0.0.1:{old}",
            "HOST:5432": f"127.0.0.1:{old}",
        }
        self.at_new = {"NEW:5432": f"127.0.0.1:{new}", "NEW": "127.0.0.1"}
        self.new = new


@pytest.fixture
def hosts(tmp_path: Path) -> Iterator[Hosts]:
    """Start two empty servers, listening on ports like remote ones."""
    with contextlib.ExitStack() as stack:
        ports = []
        for name in ("new", "old"):
            addresses = stack.enter_context(servers(Settings(data_dir=tmp_path / name, flower_port=0, console_port=0)))
            assert addresses.admin_url
            if name == "new":  # the reader creates the database
                at_start = addresses.admin_url.replace(f"/{DATABASE}?", "/postgres?")
                with psycopg.connect(at_start, autocommit=True) as connection:
                    connection.execute(f"drop database {DATABASE}".encode())
            (folder,) = parse_qs(urlsplit(addresses.admin_url).query)["host"]
            proxy = Proxy(Path(folder) / ".s.PGSQL.5432")
            proxy.start()
            stack.callback(proxy.close)
            ports.append(proxy.port)
        yield Hosts(addresses, old=ports[1], new=ports[0])


def test_commands_for_own_servers_run(checkout: Path, hosts: Hosts) -> None:
    with FakeOpenAI() as fake, shell(checkout, {**QUICK, **environment_of(fake)}) as at:
        typed(at, the("how-to/deploy.md", 0, "shell"))
        at.type("rm .env")  # honcho would read it
        typed(at, the("how-to/deploy.md", 1, "shell"), hosts.at_old)
        replayed(at, fake)
        typed(at, the("how-to/console.md", 1, "shell"), hosts.at_old)
        at.interrupt()
        accepted(at, the("how-to/models.md", 0, "shell"), fake)
        accepted(at, the("how-to/operate.md", 0, "shell"), fake)
        typed(at, the("how-to/models.md", 1, "shell"))
        at.interrupt()
        operated(at, hosts)


def environment_of(fake: FakeOpenAI) -> dict[str, str]:
    """Return an operator's settings, and ports without listeners."""
    ports = {name: str(free_port()) for name in ("FLOWER_PORT", "MOSSHEAD_CONSOLE_PORT")}
    return {"OPENAI_BASE_URL": fake.base_url, "OPENAI_API_KEY": "none", "MOSSHEAD_PROBE_PORT": "0", **ports}


def accepted(at: Shell, block: Block, fake: FakeOpenAI) -> None:
    """Check that a command starts with the settings on a page."""
    lines = block.body.replace("http://embeddings.internal:8080/v1", fake.base_url).replace("…", "none")
    at.type(f"( set -a\n{lines.replace('SECRET', 'quiet-harbour-' * 3)}\nmosshead status )")


def replayed(at: Shell, fake: FakeOpenAI) -> None:
    """Replay with two models that disagree about one message."""
    said = "I like the blue one, and I am allergic to cashews."
    for content in ("User likes the blue one", "User is allergic to cashews"):
        fake.script("ExtractionAnswer", {"facts": [fact_like(content=content, quote=said)]})
    at.type(f"mosshead publish -n acme/sarah_123 --conversation c1 --wait 60 '{said}'")
    typed(at, the("how-to/replay.md", 0))


def operated(at: Shell, hosts: Hosts) -> None:
    """Check indexes, files and backups; the new host's restored data equals the old host's."""
    typed(at, the("how-to/operate.md", 1, "shell"), hosts.at_old)
    typed(at, the("how-to/operate.md", 2, "shell"), hosts.at_old)
    typed(at, the("how-to/operate.md", 3, "shell"), hosts.at_old)
    at.type(f"export PGPORT={hosts.new}")
    typed(at, the("how-to/operate.md", 4, "shell"), hosts.at_new)
    count = "psql -At -c 'select count(*) from mosshead.memories' postgresql://postgres@127.0.0.1:"
    there, here = (at.type(f"{count}{port}/mosshead") for port in (hosts.at_old["HOST:5432"].split(":")[1], hosts.new))
    assert there == here != "0"
