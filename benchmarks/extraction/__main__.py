"""Scores what is remembered of conversations against gold facts, actions and dates.

    python -m benchmarks.extraction --data tests/data/extraction [--provider offline|oracle|openai] [--faults FILE] [--json]

--data: a file of cases, or a folder of such files; the format: tests/data/extraction/README.md. Each case is a namespace, and
each of its sessions goes through the service's own stages, on a Postgres that is started for it and removed afterwards.
Providers: the offline rules; an oracle, which answers from the gold over HTTP, so that what is measured is all but the model; or
the LLM that OPENAI_API_KEY and OPENAI_BASE_URL name. --faults: a file for everything that was wrong, a JSON object to the line.
Prints one JSON object last. How the figures are counted: docs/benchmarks.md.
"""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import track

from benchmarks.extraction.providers import NoModel, Provider, environment_of
from benchmarks.extraction.reading import CaseError, read_cases
from benchmarks.extraction.report import as_json, tables
from benchmarks.extraction.scoring import Scores, score
from benchmarks.extraction.stages import open_service


def main(
    data: Annotated[Path, typer.Option(help="A file of cases, or a folder of such files.", exists=True)],
    provider: Annotated[Provider, typer.Option(help="Who finds the facts.")] = Provider.OFFLINE,
    faults: Annotated[Path | None, typer.Option(help="Write everything that was wrong to this file.")] = None,
    json_only: Annotated[bool, typer.Option("--json", help="Print nothing but the JSON object.")] = False,
) -> None:
    """Take the cases through the stages, and score them."""
    console = Console(stderr=True, quiet=json_only)
    try:
        cases = read_cases(data)
    except CaseError as error:
        raise typer.BadParameter(f"--data: {error}") from None
    try:
        with environment_of(provider, cases) as model, open_service(model) as service:
            shown = track(cases, "cases", console=console, disable=json_only)
            scores = score((case, service.run(case)) for case in shown)
    except NoModel as skipped:
        Console(stderr=True).print(str(skipped))
        return
    if faults is not None:
        _write(scores, faults)
    for table in tables(scores, provider):
        console.print(table)
    print(json.dumps(as_json(scores, provider)))


def _write(scores: Scores, file: Path) -> None:
    lines = (json.dumps(asdict(fault), ensure_ascii=False) for fault in scores.faults)
    file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


if __name__ == "__main__":
    cli = typer.Typer(pretty_exceptions_enable=False, add_completion=False)
    cli.command()(main)
    cli()
