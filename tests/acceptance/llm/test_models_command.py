"""The models benchmark as a command, with an endpoint that is never wrong."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.extraction.oracle import Oracle
from benchmarks.models.data import messages_of, read_data
from workers.local.processes import ROOT

CASES = "tests/data/extraction/edges_and_languages.jsonl"
_SECONDS = 300


@pytest.mark.thorough
def test_models_command_scores_a_perfect_model_and_reports_its_cost(tmp_path: Path) -> None:
    cases = read_data(ROOT / CASES, 12)
    memories = tmp_path / "memories.jsonl"
    with Oracle(cases) as oracle:  # type: ignore[arg-type]
        command = [sys.executable, "-m", "benchmarks.models", "--data", CASES, "--messages", "12", "--price-in", "1000"]
        done = subprocess.run(
            [*command, "--memories", str(memories), "--json"],
            cwd=ROOT,
            env={**os.environ, "OPENAI_BASE_URL": oracle.base_url, "MOSSHEAD_LLM_MODEL": "never-wrong"},
            capture_output=True,
            text=True,
            timeout=_SECONDS,
            check=False,
        )
    assert done.returncode == 0, done.stderr

    said = json.loads(done.stdout.splitlines()[-1])
    scored = said["data"][CASES]
    assert said["model"] == "never-wrong"
    assert scored["messages"] == messages_of(cases)
    assert (scored["figures"]["facts"]["recall"], scored["figures"]["facts"]["precision"]) == (1, 1)
    assert (scored["undone"], scored["dead_letters"], scored["refused"]) == (0, 0, {})
    assert scored["calls"] == sum(one["calls"] for one in scored["spent"].values()) > 0
    assert scored["money"] == pytest.approx(scored["prompt_tokens"] / 1000, abs=0.001)
    kept = [json.loads(line) for line in memories.read_text(encoding="utf-8").splitlines()]
    assert [one["tier"] for one in kept].count("solid") == scored["solid"] > 0
    assert all(one["sources"] and len(one["quotes"]) == len(one["sources"]) for one in kept)
