"""How much longer `from mosshead import Memory` takes than importing what it depends on, and how long until an app has published.

    python -m benchmarks.importing [--rounds N] [--json]

The dependencies are the modules of other packages that this import brings, without the standard library's. All of it is
loaded from bytecode, as it is where a wheel was installed: pip compiles what it installs. An editable install, or an environment
with PYTHONDONTWRITEBYTECODE, compiles mosshead's own source and nothing else each time that it is measured. So the processes
keep their bytecode in a folder of the benchmark's own, which a first round fills.

What is not loaded at import is loaded later, so that is measured, too, on a Postgres and a Redis of the benchmark's own: until a
first event is published (`ready`), how long that publish takes, one that holds secrets of many kinds, and the first read. A last
process only reads, and tells which of the packages it has loaded that no read needs. All are fresh processes that take turns.
Medians in milliseconds: of the wall's clock, and of the processor, which other work on the machine stretches less. Prints lines,
and one JSON object last.
"""

import json
import os
import statistics
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from config.logging import configure_logging
from config.settings import Settings
from db.schema.migrate import migrate
from workers.local import Addresses, servers

MOST_MS = 150.0
"""What `Memory` may take beyond its dependencies."""

_FOUND = """
import sys
from mosshead import Memory
own = sys.stdlib_module_names | {"mosshead", "__main__"}
print(*[name for name in sys.modules if name.partition(".")[0] not in own])
"""
_TIMED = """
import importlib, sys, time
names = sys.argv[1:]
started, spent = time.perf_counter(), time.process_time()
for name in names:
    try:
        importlib.import_module(name)
    except ImportError:
        pass  # made by its package as it is imported, and no module to import by itself
print(time.perf_counter() - started, time.process_time() - spent)
"""
_APP = """
import os, sys, time
database_url, broker_url, spool_dir = sys.argv[1:]
started, spent = time.perf_counter(), time.process_time()
from mosshead import Memory
memory = Memory.connect(database_url=database_url, broker_url=broker_url, spool_dir=spool_dir)
sarah = memory.namespace("acme", "sarah_123")
connected = time.perf_counter()
sarah.publish("I moved to 12 Pine Street in Seattle last week, and my sister Ruth helps me.", conversation="c1")
published, spent = time.perf_counter(), time.process_time() - spent
sarah.publish("My password is hunter2, my PIN is 4821, the code to sign in 482913. The card: 4111 1111 1111 1111.")
secret = time.perf_counter()
sarah.context("Where does Ruth live?", conversation="c1")
read = time.perf_counter()
print(published - started, spent, published - connected, secret - published, read - secret, flush=True)
os._exit(0)  # what is spooled stays: no time is spent on shipping it
"""


_READS = """
import sys
from mosshead import Memory
database_url, broker_url, spool_dir, *unwanted = sys.argv[1:]
memory = Memory.connect(database_url=database_url, broker_url=broker_url, spool_dir=spool_dir)
sarah = memory.namespace("acme", "sarah_123")
sarah.context("Where does Ruth live?", conversation="c1"), sarah.query("tea"), sarah.memories(), sarah.messages.search("tea")
print(*[name for name in unwanted if name in sys.modules])
memory.close()
"""
UNREAD = (
    *("amqp", "celery", "fastapi", "hf_xet", "huggingface_hub", "kombu", "mcp", "openai", "redis", "rich", "starlette"),
    *("typer", "uvicorn"),
)
"""Packages that a process that only reads does not load."""


@dataclass(frozen=True, slots=True)
class Result:
    """Medians, in milliseconds; cpu: of the processor. loaded_to_read: of `UNREAD`, what a process that only reads has loaded."""

    dependencies_ms: float
    mosshead_ms: float
    over_ms: float
    dependencies_cpu_ms: float
    mosshead_cpu_ms: float
    over_cpu_ms: float
    ready_ms: float
    ready_cpu_ms: float
    first_publish_ms: float
    first_secrets_ms: float
    first_read_ms: float
    loaded_to_read: list[str]
    modules: int
    rounds: int


def main(
    rounds: Annotated[int, typer.Option(help="How often each is imported.")] = 11,
    json_only: Annotated[bool, typer.Option("--json", help="Print nothing but the JSON object.")] = False,
) -> None:
    """Import in fresh processes, and say what mosshead's own modules take."""
    configure_logging(Settings(log_level="error"))
    with (
        TemporaryDirectory(prefix="rb-") as folder,
        servers(Settings(data_dir=Path(folder), flower_port=0)) as addresses,
    ):
        migrate(addresses.admin_url or "", {})
        result = measure(rounds, addresses, Path(folder))
    if not json_only:
        print(
            f"from mosshead import Memory: {result.mosshead_ms} ms, its dependencies {result.dependencies_ms} ms, "
            f"so {result.over_ms} ms of its own ({result.over_cpu_ms} of the processor); at most {MOST_MS} are wanted\n"
            f"imported, connected and published: {result.ready_ms} ms, the publish {result.first_publish_ms}; "
            f"one with secrets {result.first_secrets_ms}; the first read {result.first_read_ms}\n"
            f"loaded by a process that only reads: {', '.join(result.loaded_to_read) or 'none'} of {', '.join(UNREAD)}",
            file=sys.stderr,
        )
    print(json.dumps(asdict(result)))


def measure(rounds: int, addresses: Addresses, folder: Path) -> Result:
    """Import each by turns; the first time writes the bytecode and warms the disk's cache, and does not count."""
    environment = _environment(folder / "bytecode")
    dependencies = _python(environment, _FOUND).split()
    app = (addresses.database_url, addresses.broker_url)
    took = [
        (
            *_milliseconds(environment, _TIMED, *dependencies),
            *_milliseconds(environment, _TIMED, "mosshead.api.memory"),
            *_milliseconds(environment, _APP, *app, str(folder / f"spool-{number}")),
        )
        for number in range(rounds + 1)
    ][1:]
    of, of_cpu, own, own_cpu, ready, ready_cpu, *firsts = (
        round(statistics.median(times), 1) for times in zip(*took, strict=True)
    )
    first_publish, first_secrets, first_read = firsts
    return Result(
        dependencies_ms=of,
        mosshead_ms=own,
        over_ms=round(own - of, 1),
        dependencies_cpu_ms=of_cpu,
        mosshead_cpu_ms=own_cpu,
        over_cpu_ms=round(own_cpu - of_cpu, 1),
        ready_ms=ready,
        ready_cpu_ms=ready_cpu,
        first_publish_ms=first_publish,
        first_secrets_ms=first_secrets,
        first_read_ms=first_read,
        loaded_to_read=_python(environment, _READS, *app, str(folder / "reads"), *UNREAD).split(),
        modules=len(dependencies),
        rounds=rounds,
    )


def _environment(bytecode: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("MOSSHEAD_")}
    kept.pop("PYTHONDONTWRITEBYTECODE", None)
    return {**kept, "PYTHONPYCACHEPREFIX": str(bytecode)}


def _milliseconds(environment: Mapping[str, str], code: str, *arguments: str) -> tuple[float, ...]:
    return tuple(1000 * float(seconds) for seconds in _python(environment, code, *arguments).split())


def _python(environment: Mapping[str, str], code: str, *arguments: str) -> str:
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout


if __name__ == "__main__":
    cli = typer.Typer(pretty_exceptions_enable=False, add_completion=False)
    cli.command()(main)
    cli()
