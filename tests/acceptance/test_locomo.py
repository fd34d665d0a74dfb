"""The benchmark of messages, as a user runs it: on the project's own conversation, with an LLM that finds the data's facts."""

import json
import subprocess
import sys

from workers.local.processes import ROOT

_SECONDS = 300


def test_what_answers_a_question_is_recalled_and_shown() -> None:
    command = [sys.executable, "-m", "benchmarks.locomo", "--data", "tests/data/locomo", "--facts", "--json"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=_SECONDS, check=False)
    assert done.returncode == 0, done.stderr
    scores = json.loads(done.stdout.splitlines()[-1])

    assert (scores["questions"], scores["official_questions"]) == (11, 12)
    assert scores["memories"] >= 10
    assert scores["recall_at"]["5"] >= 0.85
    assert scores["recall_at"]["10"] >= 0.95 > scores["vector"]["recall_at"]["10"]
    assert scores["recall_tokens"]["500"] >= 0.95
