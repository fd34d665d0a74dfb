"""Does every fault of the catalogue to a service under traffic, and checks that each event took effect once and in order.

    python -m benchmarks.faults --quick | --full [--seed N] [--fault NAME] [--json]

Starts a Postgres, a Redis and all of the service on this machine, in a folder that it removes; how it measures: docs/faults.md.
Prints one JSON object last. Exit status 1 where anything was lost, doubled or out of order, where the naive tasks lost nothing,
or where a mutant of the write side went unnoticed.
"""

import json
import sys
import time
from collections.abc import Iterator, Sequence
from typing import Annotated

import typer
from rich.console import Console
from sqlalchemy import create_engine

from benchmarks.faults.catalogue import FAULTS, Fault
from benchmarks.faults.cluster import SERVICE, Cluster, cluster
from benchmarks.faults.machine import Engines
from benchmarks.faults.mutants import MUTANTS, uncaught
from benchmarks.faults.naive_run import run_naive
from benchmarks.faults.report import Outcome, line, table
from benchmarks.faults.runs import Report, Traffic, check_all, run_fault, traffic
from db.engine import open_engine
from recollect.urls import sqlalchemy_url
from workers.machine import interrupts
from workers.machine.postgres import url

_SEEDS = 3
_WIDTH = 130
_NAIVE = {False: (200, 6), True: (800, 24)}
"""Events and kills of the naive run, quick and full."""


def main(
    quick: Annotated[
        bool, typer.Option("--quick", help="The faults that matter most, once: under three minutes.")
    ] = False,
    full: Annotated[bool, typer.Option("--full", help="All of them, with three seeds: about 25 minutes.")] = False,
    seed: Annotated[int, typer.Option(help="The first seed.")] = 1,
    only: Annotated[
        list[str] | None, typer.Option("--fault", help="Only this one, by name; may be given again.")
    ] = None,
    json_only: Annotated[bool, typer.Option("--json", help="Print nothing but the JSON object.")] = False,
) -> None:
    """Do the faults, and check what was sent against what took effect."""
    if quick == full:
        raise typer.BadParameter("say --quick or --full")
    names = {fault.name for fault in FAULTS}
    if unknown := set(only or ()) - names:
        raise typer.BadParameter(f"--fault: {', '.join(sorted(unknown))}; there are {', '.join(sorted(names))}")
    chosen = [fault for fault in FAULTS if fault.name in (only or names)]
    console = Console(stderr=True, quiet=json_only, width=None if sys.stderr.isatty() else _WIDTH)
    with interrupts.interrupts(), cluster() as running:
        outcome = _run(running, chosen, range(seed, seed + (_SEEDS if full else 1)), console, full=full)
    console.print(table(outcome))
    print(json.dumps(outcome.as_json()))
    sys.exit(0 if outcome.sound else 1)


def _run(running: Cluster, chosen: Sequence[Fault], seeds: Sequence[int], console: Console, *, full: bool) -> Outcome:
    with traffic(running) as apps:
        reports = list(_reports(running, apps, chosen, seeds, console, full=full))
        total = check_all(running, apps)
    for name in reversed(SERVICE):
        running.service[name].stop()
    events, kills = _NAIVE[full]
    naive = run_naive(running, seed=seeds[0], events=events, kills=kills)
    console.print(f"naive tasks: {naive}")
    unnoticed = uncaught(_engines(running))
    console.print(f"mutants caught: {len(MUTANTS) - len(unnoticed)} of {len(MUTANTS)} {unnoticed or ''}")
    return Outcome(seeds, reports, total, naive, len(MUTANTS), unnoticed)


def _reports(
    running: Cluster, apps: Traffic, chosen: Sequence[Fault], seeds: Sequence[int], console: Console, *, full: bool
) -> Iterator[Report]:
    for seed in seeds:
        for fault in chosen:
            inject = fault.full if full else fault.quick
            if inject is not None:
                started = time.monotonic()
                report = run_fault(running, apps, fault.name, inject, seed=seed)
                console.print(f"seed {seed}, {time.monotonic() - started:3.0f} s, {line(report)}")
                yield report


def _engines(running: Cluster) -> Engines:
    return Engines(
        open_engine(url(running.socket, "recollect_ingest"), setting="ingest"),
        open_engine(url(running.socket, "recollect_worker"), setting="worker"),
        create_engine(sqlalchemy_url(url(running.socket), "admin")),
    )


if __name__ == "__main__":
    cli = typer.Typer(pretty_exceptions_enable=False, add_completion=False)
    cli.command()(main)
    cli()
