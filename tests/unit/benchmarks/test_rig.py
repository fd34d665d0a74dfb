"""The processes of the benchmarks: the product's own commands."""

from honcho.environ import parse_procfile

from benchmarks.rig import SERVICE, procfile
from workers.local.processes import PROCFILE

OURS = parse_procfile(PROCFILE.read_text()).processes


def test_commands_are_those_of_the_procfile_without_flower() -> None:
    processes = parse_procfile(procfile("workers.celery_app", model=None)).processes

    assert processes == {name: OURS[name] for name in SERVICE}


def test_worker_may_load_another_app_and_the_llm_runs_beside_it() -> None:
    processes = parse_procfile(procfile("benchmarks.noop", model="python -m somewhere --port 8080")).processes

    assert processes["worker"] == OURS["worker"].replace("workers.celery_app", "benchmarks.noop") != OURS["worker"]
    assert processes["model"] == "python -m somewhere --port 8080"
