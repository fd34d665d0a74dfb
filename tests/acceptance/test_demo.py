"""`make demo` as a newcomer runs it, except for the debounce: it shows what it promises, and leaves nothing behind."""

import json
import os
import subprocess
import sys
from pathlib import Path

import psutil

from workers.demo import QUESTIONS

ANSWERS = ("two AI detectors", "Valencia", "on Thursday", "shellfish", "welcome pack", "penicillin")


def test_the_demo_shows_the_acceptance_story_and_leaves_nothing_behind(tmp_path: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("MOSSHEAD_", "OPENAI_"))}
    environment["TMPDIR"] = str(tmp_path)
    environment["MOSSHEAD_DEBOUNCE_SECONDS"] = "0.2"
    command = [sys.executable, "-m", "workers", "demo", "--json"]

    result = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=300)

    assert result.returncode == 0, result.stderr
    report = json.loads(result.stdout)
    assert report["messages"] >= 80
    assert [answer["question"] for answer in report["answers"]] == list(QUESTIONS)
    assert all(answer["context"] for answer in report["answers"])
    story = report["answers"][0]["context"]
    assert "writer" in story
    assert "detectors" in story
    assert "plumber" not in story  # the other Peter
    assert report["answers"][0]["asked"] == []
    for answer, words in zip(report["answers"], ANSWERS, strict=True):
        shown = answer["context"].splitlines()
        lines = [line for line in shown if not line.endswith(":")]  # without headings
        assert len(lines) <= 8, shown
        assert any(words in line for line in lines[:2]), shown
    assert "Cardiff" not in report["answers"][1]["context"]  # where Peter lives
    paella = report["answers"][3]["context"]
    of_family, _, of_the_writer = paella.partition("\nPeter, writer:\n")
    assert of_family.startswith("Peter, User's brother-in-law:\n")
    assert "writer" not in of_family
    assert of_the_writer.splitlines() == ["- Peter is a writer at Wolf of Blog Street"]
    question = report["question"]
    assert question["asked"].startswith("Which Peter do you mean: ")
    assert question["offered"] == 2
    assert [certainty for _, certainty in question["before"]] == ["unsure", "unsure"]
    assert question["after"] == [["Peter, User's brother-in-law", "sure"]]
    assert question["still_open"] == []
    assert "Which Peter do you mean: " in result.stderr
    correction = report["correction"]
    assert "Porto" in correction["corrected"]
    assert correction["as_of_before"] == correction["after_undo"] != correction["corrected"]
    assert correction["states"] == ["superseded", "active", "withdrawn", "active"]
    assert "as of " in result.stderr
    assert "Flower: http://127.0.0.1:" in result.stderr
    assert not [
        process
        for process in psutil.process_iter(["cmdline"])
        if str(tmp_path) in " ".join(process.info["cmdline"] or [])
    ]
    assert list(tmp_path.glob("mosshead-demo-*")) == []
