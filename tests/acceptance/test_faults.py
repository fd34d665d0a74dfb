"""The first promise, under the faults that matter most: nothing lost, nothing doubled, in order, whatever dies."""

import json
import subprocess
import sys

import pytest

_PATIENCE_SECONDS = 600
_ATTACKS = 6
"""By one hostile sender, beside another tenant's chat."""


def test_nothing_is_lost_nothing_doubled_and_all_in_order_whatever_dies(
    capsys: pytest.CaptureFixture[str],
) -> None:
    command = [sys.executable, "-m", "benchmarks.faults", "--quick"]
    run = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        output, told = run.communicate(timeout=_PATIENCE_SECONDS)
    except BaseException:
        run.terminate()  # it ends what it started
        run.wait()
        raise
    print(told)
    shown = json.loads(output.splitlines()[-1])
    with capsys.disabled():
        print("\nmutants caught: {caught} of {of}".format(**shown["mutants"]))

    assert {name: shown[name] for name in ("lost", "doubled", "out_of_order")} == {
        "lost": 0,
        "doubled": 0,
        "out_of_order": 0,
    }
    assert [one["broken"] for one in shown["faults"] if one["broken"]] == []
    assert shown["sent"] > 300
    assert all(shown["kills"][what] for what in ("worker", "redis", "postgres", "spool"))
    assert len(shown["chat_s"]) == _ATTACKS
    assert all(chat["ratio"] <= 3 for chat in shown["chat_s"].values()), shown["chat_s"]
    assert shown["naive"]["lost"] > 0, "the harness would not see a loss"
    assert shown["mutants"]["caught"] == shown["mutants"]["of"] > 0
    assert (shown["sound"], run.returncode) == (True, 0)
