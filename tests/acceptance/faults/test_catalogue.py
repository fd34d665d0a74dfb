"""The core promise under several faults of `benchmarks.faults`: nothing lost, nothing duplicated, in order, whatever dies."""

import json
import subprocess
import sys
from collections.abc import Iterator

import pytest

from benchmarks.faults.cluster import Cluster, cluster
from benchmarks.faults.of_servers import commit_cut_off, postgres_killed, postgres_promoted, redis_killed
from benchmarks.faults.of_workers import app_killed, killed_at, worker_killed
from benchmarks.faults.runs import APPS, NAMESPACES, Apps, Traffic, check_all, run_fault, traffic
from tests.machine_given import put_database

ONCE = {
    "worker killed": (worker_killed(1), "worker"),
    "killed in_apply": (killed_at("in_apply", ("child",)), "worker"),
    "redis killed": (redis_killed(1), "redis"),
    "postgres killed": (postgres_killed(1), "postgres"),
    "postgres promoted": (postgres_promoted(2.0), "postgres"),
    "commit cut off": (commit_cut_off(1), None),
    "app killed": (app_killed(1), "spool"),
}
"""Each fault of the catalogue once, with what it kills."""

FEWEST_SENT = 60
_APPS = Apps(APPS, NAMESPACES, rate=2.0)
_PATIENCE_SECONDS = 600


@pytest.fixture(scope="module")
def under_traffic() -> Iterator[tuple[Cluster, Traffic]]:
    """A separate service under traffic, whose processes are all killed in turn."""
    with cluster(put_database=put_database) as running, traffic(running, _APPS) as apps:
        yield running, apps


@pytest.mark.parametrize("name", ONCE)
def test_events_survive_the_fault_exactly_once_and_in_order(name: str, under_traffic: tuple[Cluster, Traffic]) -> None:
    inject, victim = ONCE[name]

    report = run_fault(*under_traffic, name, inject, seed=1)

    assert report.broken == []
    assert report.verdict.sound, report.verdict
    assert victim is None or report.kills[victim]


def test_each_event_took_effect_once_and_in_order_after_all_faults(
    under_traffic: tuple[Cluster, Traffic],
) -> None:
    verdict = check_all(*under_traffic)

    assert verdict.sound, verdict
    assert verdict.sent > FEWEST_SENT


@pytest.mark.thorough
def test_fault_command_passes_the_service_and_detects_lost_naive_tasks() -> None:
    options = [part for name in ONCE for part in ("--fault", name)]
    command = [sys.executable, "-m", "benchmarks.faults", "--quick", "--no-mutants", *options]
    run = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        output, told = run.communicate(timeout=_PATIENCE_SECONDS)
    except BaseException:
        run.terminate()  # it stops its own children
        run.wait()
        raise
    print(told)
    shown = json.loads(output.splitlines()[-1])

    assert {name: shown[name] for name in ("lost", "doubled", "out_of_order")} == {
        "lost": 0,
        "doubled": 0,
        "out_of_order": 0,
    }
    assert [reason for one in shown["faults"] for reason in one["broken"]] == []
    assert sorted(one["name"] for one in shown["faults"]) == sorted(ONCE)
    assert shown["sent"] > 300
    assert all(shown["kills"][what] for what in ("worker", "redis", "postgres", "spool"))
    assert shown["naive"]["lost"] > 0, "the harness would not see a loss"
