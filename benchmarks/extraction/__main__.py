"""Scores what is remembered of conversations against gold facts, actions and dates.

    python -m benchmarks.extraction --data tests/data/extraction [--provider offline|oracle|openai] [--faults FILE] [--json]

--data: a file of cases, or a folder of such files; the format: tests/data/extraction/README.md. Each case is a namespace, and
each of its sessions goes through the service's own stages, on a Postgres that is started for it and removed afterwards.
Providers: the offline rules; an oracle, which answers from the gold over HTTP, so that what is measured is all but the model; or
the LLM that OPENAI_API_KEY and OPENAI_BASE_URL name. --faults: a file for everything that was wrong, a JSON object to the line.
Prints one JSON object last. How the figures are counted: docs/extraction-figures.md.
"""

import json
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Annotated
from unittest.mock import patch

import typer
from rich.console import Console
from rich.progress import track

from benchmarks.extraction.providers import NoModel, Provider, environment_of
from benchmarks.extraction.reading import CaseError, read_cases
from benchmarks.extraction.report import as_json, tables
from benchmarks.extraction.scoring import Scores, score
from benchmarks.extraction.stages import Service
from config.logging import configure_logging
from config.settings import Settings, settings
from db.engine import open_engine
from db.schema.migrate import migrate
from workers.celery_app import app
from workers.dependencies import check_parts, parts
from workers.local import servers

_OWN_SETTINGS = ("MOSSHEAD_", "OPENAI_")


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
        with environment_of(provider, cases) as model, _service(model) as service:
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


@contextmanager
def _service(model: Mapping[str, str]) -> Iterator[Service]:
    """A Postgres and a Redis in a folder of their own, migrated, with this process as their only worker."""
    with ExitStack() as stack:
        folder = Path(tempfile.mkdtemp(prefix="rx-"))  # short: a socket's path has a limit
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        own = {name: value for name, value in os.environ.items() if not name.startswith(_OWN_SETTINGS)}
        stack.enter_context(patch.dict("os.environ", {**own, **model}, clear=True))
        configure_logging(Settings(log_level="error"))
        addresses = stack.enter_context(servers(Settings(data_dir=folder, flower_port=0)))
        assert addresses.admin_url is not None
        migrate(addresses.admin_url, {})
        os.environ.update(addresses.environment())
        settings.cache_clear()
        parts.cache_clear()
        app.conf.broker_url = addresses.broker_url
        check_parts()
        ingest = open_engine(addresses.ingest_url, setting="MOSSHEAD_INGEST_URL")
        stack.callback(ingest.dispose)
        stack.callback(parts().engine.dispose)
        yield Service(ingest, "extraction")


def _write(scores: Scores, file: Path) -> None:
    lines = (json.dumps(asdict(fault), ensure_ascii=False) for fault in scores.faults)
    file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


if __name__ == "__main__":
    cli = typer.Typer(pretty_exceptions_enable=False, add_completion=False)
    cli.command()(main)
    cli()
