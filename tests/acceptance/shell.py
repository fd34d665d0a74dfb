"""A shell in its own folder, for typing a page's commands as a reader would."""

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple
from uuid import uuid4

from tests.pages import ROOT, Block
from workers.local import wait_until
from workers.local.postgres import postgres_binaries

STAYING = {
    "make up": "set -a",
    "mosshead up --console": "set -a",
    "mosshead serve": "Memory is served",
    "mosshead service console": "console_started",
    "mosshead service models fill": "ready",
    "honcho start": "ready.",
    "python -m tests.fake_openai": "http://",
}
"""The commands that run until Ctrl-C, and what each prints once it is ready."""

_WAIT = 300
_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_AT_A_TERMINAL = """
import os, pty, sys

told = b""

def read(terminal):
    global told
    said = os.read(terminal, 1024)
    told += said
    if told.endswith(b"[y/N]: "):  # click writes the blank by itself
        os.write(terminal, b"y\\n")
    return said

sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:], read)))
"""


class Typed(NamedTuple):
    """A command on a page, and the output lines shown there."""

    command: str
    shown: list[str]


def commands_of(block: Block) -> Iterator[Typed]:
    """Yield a block's commands; without prompts, all its lines, without output."""
    body = block.body.replace("\\\n", "")
    if not body.startswith("$ "):
        yield from (Typed(line, []) for line in body.splitlines() if line)
    for found in re.finditer(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", body, re.MULTILINE):
        yield Typed(found[1], found[2].splitlines())


def says(shown: list[str], printed: str) -> bool:
    """Whether a page shows a command's output, apart from numbers and ids; ``…`` marks omissions."""
    return re.fullmatch(_pattern(shown), f"{_plain(printed)}\n") is not None


def _pattern(shown: list[str]) -> str:
    lines = [re.escape(_plain(re.sub(r"\w*…", "…", line))).replace("…", ".*") + "\n" for line in shown]
    return "".join(r"(?:.*\n)*?" if line == ".*\n" else line for line in lines)


def _plain(text: str) -> str:
    numbers_alike = re.sub(r"\d[\d,.]*", "N", _ID.sub("ID", text))
    return "\n".join(" ".join(line.split()) for line in numbers_alike.strip().splitlines())


class Shell:
    """A running bash. A command's output combines both streams."""

    def __init__(self, process: "subprocess.Popen[str]", folder: Path) -> None:
        self.folder = folder
        self._process = process
        self._staying: list[str] = []

    def type(self, command: str, *, answer: str = "") -> str:
        """Run a command to its end, with input lines; return its output."""
        end = f"end-{uuid4().hex}"
        given = f"<<'{end}'\n{answer}{end}" if answer else "</dev/null"
        return self._said(f"{{ {command}\n}} {given}", end)

    def confirm(self, command: str) -> str:
        """Run a command that asks for confirmation at a terminal, and confirm."""
        return self.type(f"python -c {shlex.quote(_AT_A_TERMINAL)} {command}")

    def start(self, command: str, ready: str) -> str:
        """Run a long-running command until it is ready; return its output until then."""
        log = self.folder / f"typed-{len(self._staying)}.log"
        log.write_text("")
        self._staying.append(self.type(f"set -m; {{ {command}\n}} >{log} 2>&1 </dev/null & echo $!").split()[-1])
        wait_until(lambda: ready in log.read_text(), timeout=_WAIT, what=f"{command}: {ready} ({log.read_text()})")
        return log.read_text().strip()

    def interrupt(self) -> None:
        """Press Ctrl-C on the command started last, and wait for its end."""
        group = self._staying.pop()
        self.type(f"kill -INT -- -{group}; wait {group} || true")

    def close(self) -> None:
        """Stop running commands, latest first, and the shell."""
        while self._staying:
            self.interrupt()
        if (self.folder / ".mosshead").exists():
            self.type("mosshead down || true")
        self._process.communicate("exit\n", timeout=_WAIT)

    def _said(self, command: str, end: str) -> str:
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(f"{command}\nprintf '\\n%s %s\\n' {end} $?\n")
        self._process.stdin.flush()
        lines: list[str] = []
        for line in self._process.stdout:
            if line.startswith(end):
                assert line.split()[1] == "0", f"{command}\n{''.join(lines)}"
                return "".join(lines).rstrip("\n")
            lines.append(line)
        raise AssertionError(f"the shell ended at {command}\n{''.join(lines)}")


@contextmanager
def shell(folder: Path, environment: Mapping[str, str]) -> Iterator[Shell]:
    """Open a shell in a new folder, with an empty home and no settings."""
    folder.mkdir(exist_ok=True)
    own = {
        name: value for name, value in os.environ.items() if not name.startswith(("MOSSHEAD_", "OPENAI_", "FLOWER_"))
    }
    path = [str(Path(sys.executable).parent), str(postgres_binaries()), os.environ["PATH"]]
    own |= {
        "PATH": os.pathsep.join(path),
        "PYTHONPATH": str(ROOT),
        "PYTHONUNBUFFERED": "1",
        "TERM": "dumb",
        "COLUMNS": "160",
    }
    own |= {"HOME": str(folder), "XDG_STATE_HOME": str(folder / "state"), **environment}
    command = ["bash", "--noprofile", "--norc"]
    with subprocess.Popen(
        command, cwd=folder, env=own, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    ) as process:
        opened = Shell(process, folder)
        try:
            yield opened
        finally:
            opened.close()
