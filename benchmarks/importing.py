"""How much longer `import recollect` takes than importing what it depends on, each in fresh processes that take turns.

    python -m benchmarks.importing [--rounds N] [--json]

The dependencies are the modules of other packages that `import recollect` brings, without the standard library's. Medians in
milliseconds: of the wall's clock, and of the processor, which other work on the machine does not stretch. Prints a line, and one
JSON object last.
"""

import json
import statistics
import subprocess
import sys
from dataclasses import asdict, dataclass
from typing import Annotated

import typer

MOST_MS = 150.0
"""What `recollect` may take beyond its dependencies."""

_FOUND = """
import sys, recollect
own = sys.stdlib_module_names | {"recollect"}
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


@dataclass(frozen=True, slots=True)
class Result:
    """Medians, in milliseconds; cpu: of the processor."""

    dependencies_ms: float
    recollect_ms: float
    over_ms: float
    dependencies_cpu_ms: float
    recollect_cpu_ms: float
    over_cpu_ms: float
    modules: int
    rounds: int


def main(
    rounds: Annotated[int, typer.Option(help="How often each is imported.")] = 11,
    json_only: Annotated[bool, typer.Option("--json", help="Print nothing but the JSON object.")] = False,
) -> None:
    """Import in fresh processes, and say what recollect's own modules take."""
    result = measure(rounds)
    if not json_only:
        print(
            f"import recollect: {result.recollect_ms} ms, its dependencies {result.dependencies_ms} ms, "
            f"so {result.over_ms} ms of its own; at most {MOST_MS} are wanted",
            file=sys.stderr,
        )
    print(json.dumps(asdict(result)))


def measure(rounds: int) -> Result:
    """Import both by turns; the first time warms the disk's cache and does not count."""
    dependencies = _python(_FOUND).split()
    took = [(_milliseconds(*dependencies), _milliseconds("recollect")) for _ in range(rounds + 1)][1:]
    of, own = ([statistics.median(times) for times in zip(*one, strict=True)] for one in zip(*took, strict=True))
    return Result(
        dependencies_ms=round(of[0], 1),
        recollect_ms=round(own[0], 1),
        over_ms=round(own[0] - of[0], 1),
        dependencies_cpu_ms=round(of[1], 1),
        recollect_cpu_ms=round(own[1], 1),
        over_cpu_ms=round(own[1] - of[1], 1),
        modules=len(dependencies),
        rounds=rounds,
    )


def _milliseconds(*names: str) -> tuple[float, float]:
    wall, processor = map(float, _python(_TIMED, *names).split())
    return 1000 * wall, 1000 * processor


def _python(code: str, *arguments: str) -> str:
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


if __name__ == "__main__":
    cli = typer.Typer(pretty_exceptions_enable=False, add_completion=False)
    cli.command()(main)
    cli()
