"""The first promise, under a few of the faults of `benchmarks.faults`: nothing lost, nothing doubled, in order, whatever dies."""

import json
import subprocess
import sys

_PATIENCE_SECONDS = 600
_FAULTS = ("worker killed", "killed in_apply", "redis killed", "postgres killed", "commit cut off", "app killed")


def test_nothing_is_lost_nothing_doubled_and_all_in_order_whatever_dies() -> None:
    options = [part for name in _FAULTS for part in ("--fault", name)]
    command = [sys.executable, "-m", "benchmarks.faults", "--quick", "--no-mutants", *options]
    run = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        output, told = run.communicate(timeout=_PATIENCE_SECONDS)
    except BaseException:
        run.terminate()  # it ends what it started
        run.wait()
        raise
    print(told)
    shown = json.loads(output.splitlines()[-1])

    assert {name: shown[name] for name in ("lost", "doubled", "out_of_order")} == {
        "lost": 0,
        "doubled": 0,
        "out_of_order": 0,
    }
    broken = [reason for one in shown["faults"] for reason in one["broken"]]
    assert broken == []
    assert sorted(one["name"] for one in shown["faults"]) == sorted(_FAULTS)
    assert shown["sent"] > 300
    assert all(shown["kills"][what] for what in ("worker", "redis", "postgres", "spool"))
    assert shown["naive"]["lost"] > 0, "the harness would not see a loss"
