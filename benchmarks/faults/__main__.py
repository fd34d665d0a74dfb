"""Does every fault of the catalogue to a service under traffic, and checks that each event took effect once and in order.

    python -m benchmarks.faults --quick | --full [--seed N] [--fault NAME] [--json]

Starts a Postgres, a Redis and all of the service on this machine, in a folder that it removes; how it measures:
docs/explanation/reliability.md. Prints one JSON object last. Exit status 1 where anything was lost, doubled or out of order,
where a hostile sender held others up, where the naive tasks lost nothing, or where a mutant of the write side went unnoticed.
"""

import json
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

import typer
from rich.console import Console
from sqlalchemy import create_engine

from benchmarks.faults.catalogue import FAULTS
from benchmarks.faults.checker import Verdict
from benchmarks.faults.cluster import SENDERS, Cluster, cluster
from benchmarks.faults.machine import Engines
from benchmarks.faults.mutants import MUTANTS, Mutant, uncaught
from benchmarks.faults.naive_run import run_naive
from benchmarks.faults.report import Outcome, line, table
from benchmarks.faults.runs import CHAT, Inject, Report, Traffic, check_all, run_fault, traffic
from db.engine import open_engine
from mosshead.urls import sqlalchemy_url
from workers.local import supervisor
from workers.local.postgres import url

_SEEDS = 3
_WIDTH = 130
_NAIVE = {False: (200, 6), True: (800, 24)}
"""Events and kills of the naive run, quick and full."""


def main(
    quick: Annotated[
        bool, typer.Option("--quick", help="The faults that matter most, once: six to seven minutes.")
    ] = False,
    full: Annotated[bool, typer.Option("--full", help="All of them, with three seeds: some 40 minutes.")] = False,
    seed: Annotated[int, typer.Option(help="The first seed.")] = 1,
    only: Annotated[
        list[str] | None, typer.Option("--fault", help="Only this one, by name; may be given again.")
    ] = None,
    *,
    no_mutants: Annotated[
        bool, typer.Option("--no-mutants", help="Leave out the mistakes that the state machine must notice.")
    ] = False,
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
    planned = [
        Planned(number, fault.name, inject, of_sender=fault.of_sender)
        for number in range(seed, seed + (_SEEDS if full else 1))
        for fault in chosen
        if (inject := fault.full if full else fault.quick) is not None
    ]
    with supervisor.interrupts():
        outcome = _run(planned, console, seed=seed, full=full, mutants={} if no_mutants else MUTANTS)
    console.print(table(outcome))
    for report in outcome.reports:
        if not report.sound:
            console.print(f"BROKEN {line(report)}", style="red", markup=False, highlight=False, soft_wrap=True)
    print(json.dumps(outcome.as_json()))
    sys.exit(0 if outcome.sound else 1)


@dataclass(frozen=True, slots=True)
class Planned:
    """A fault that is to be done."""

    seed: int
    name: str
    inject: Inject
    of_sender: bool


def _run(
    planned: Sequence[Planned], console: Console, *, seed: int, full: bool, mutants: Mapping[str, Mutant]
) -> Outcome:
    reports, total = _of_senders([one for one in planned if one.of_sender], console)
    with cluster() as running:
        with traffic(running) as apps:
            reports += [_report(running, apps, one, console) for one in planned if not one.of_sender]
            total += check_all(running, apps)
        for process in reversed([*running.service.values()]):
            process.stop()
        events, kills = _NAIVE[full]
        naive = run_naive(running, seed=seed, events=events, kills=kills)
        console.print(f"naive tasks: {naive}")
        unnoticed = uncaught(_engines(running), mutants)
        console.print(f"mutants caught: {len(mutants) - len(unnoticed)} of {len(mutants)} {unnoticed or ''}")
    return Outcome(sorted({one.seed for one in planned}), reports, total, naive, len(mutants), unnoticed)


def _of_senders(planned: Sequence[Planned], console: Console) -> tuple[list[Report], Verdict]:
    """The attacks, on a service of their own: a new one after each that broke it, or the next would be blamed for that."""
    reports: list[Report] = []
    total = Verdict()
    while left := planned[len(reports) :]:
        with cluster(SENDERS) as running, traffic(running, CHAT) as apps:
            for one in left:
                reports.append(_report(running, apps, one, console))
                if not reports[-1].sound:
                    break
            total += check_all(running, apps)
    return reports, total


def _report(running: Cluster, apps: Traffic, planned: Planned, console: Console) -> Report:
    started = time.monotonic()
    report = run_fault(running, apps, planned.name, planned.inject, seed=planned.seed)
    took = time.monotonic() - started
    console.print(f"seed {planned.seed}, {took:3.0f} s, {line(report)}", markup=False, highlight=False, soft_wrap=True)
    return report


def _engines(running: Cluster) -> Engines:
    return Engines(
        open_engine(url(running.socket, "mosshead_ingest"), setting="ingest"),
        open_engine(url(running.socket, "mosshead_worker"), setting="worker"),
        create_engine(sqlalchemy_url(url(running.socket), "admin")),
    )


if __name__ == "__main__":
    cli = typer.Typer(pretty_exceptions_enable=False, add_completion=False)
    cli.command()(main)
    cli()
