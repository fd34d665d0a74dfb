"""How often the tutorial's chat remembers, beside two busy processes.

    python -m benchmarks.busy_tutorial [--rounds N] [--busy N] [--json]

Starts the whole machine, tells the chat of docs/tutorial/a-chat-that-remembers.md what the page tells it, and waits for the
memories. Then it asks the page's two questions again and again, each time in a new process of examples/chat.py as it stands,
while other processes compute without a rest. An answer counts where it is the page's. Prints lines, and one JSON object last.
"""

import json
import os
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from tests.acceptance.running import machine
from tests.acceptance.shell import commands_of
from tests.acceptance.test_tutorial import CHAT, TUTORIAL
from tests.fake_openai import FakeOpenAI
from tests.pages import blocks_of

_WHOSE = ("acme", "sarah_123")
_MEMORIES = 3


def main(
    rounds: Annotated[int, typer.Option(help="How often the two questions are asked.")] = 7,
    busy: Annotated[int, typer.Option(help="Processes that compute meanwhile.")] = 2,
    json_only: Annotated[bool, typer.Option("--json", help="Print nothing but the JSON object.")] = False,
) -> None:
    """Tell the tutorial's facts, and count the answers that know them."""
    typed = [one for block in blocks_of(TUTORIAL, "console") for one in commands_of(block)]
    told, asked = [one.shown for one in typed if one.command.startswith("python examples")][:2]
    with (
        TemporaryDirectory(prefix="rb-") as folder,
        FakeOpenAI() as fake,
        machine(Path(folder), {}) as running,
    ):
        addresses = running.addresses.environment()
        endpoint = {"OPENAI_BASE_URL": fake.base_url, "OPENAI_API_KEY": "none"}
        environment = {**os.environ, **addresses, **endpoint, "PYTHONPATH": str(Path.cwd())}
        sarah = running.memory.namespace(*_WHOSE)
        _talk(told[::2], environment)
        running.eventually(lambda: len(sarah.memories()) == _MEMORIES, "the tutorial's memories")
        sarah.wait(60)
        with ExitStack() as stack:
            for _ in range(busy):
                process = stack.enter_context(subprocess.Popen([sys.executable, "-c", "while True: pass"]))
                stack.callback(process.kill)
            answers = [_talk(asked[::2], environment) for _ in range(rounds)]
    pairs = [pair for said in answers for pair in zip(said, asked[1::2], strict=False)]
    remembered = sum(one == expected for one, expected in pairs)
    if not json_only:
        print(f"{remembered} of {len(pairs)} answers are those of the tutorial", file=sys.stderr)
    print(json.dumps({"remembered": remembered, "answers": len(pairs), "busy": busy}))


def _talk(messages: list[str], environment: dict[str, str]) -> list[str]:
    """What the chat answers, in a process of its own. The last message is the page's "quit"."""
    typed = "".join(f"{message}\n" for message in messages)
    done = subprocess.run(
        [sys.executable, CHAT], input=typed, capture_output=True, text=True, check=True, env=environment
    )
    sys.stderr.write(done.stderr)
    return done.stdout.splitlines()


if __name__ == "__main__":
    cli = typer.Typer(pretty_exceptions_enable=False, add_completion=False)
    cli.command()(main)
    cli()
