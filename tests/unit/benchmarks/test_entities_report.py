"""The JSON object and the tables of `python -m benchmarks.entities`."""

import io
import json
from collections import Counter

from rich.console import Console

from benchmarks.entities.coretrieval import TogetherScores
from benchmarks.entities.counting import Share
from benchmarks.entities.focus import FocusScores
from benchmarks.entities.latency import Latency, Times
from benchmarks.entities.report import Scores, as_json, tables
from benchmarks.entities.scaling import Crowded, InCrowd
from benchmarks.entities.who import WhoScores

WHO = WhoScores(
    right=Share(3, 4),
    wrong=Share(0, 4),
    asked=Share(1, 4),
    ask_precision=Share(2, 3),
    ask_recall=Share(2, 2),
    unknown=Share(1, 1),
    by_kind={"quirk": Counter({"right": 3, "asked": 1})},
)
TOGETHER = TogetherScores(Share(1, 2), Share(0, 2), {"multi-hop": (Share(1, 2), Share(0, 2))})
FOCUS = FocusScores(scene_f1=0.8, topic_f1=0.7, fade=Share(9, 10), pronouns=Share(3, 4), phrases=Share(1, 2))
LATENCY = Latency(Times(9.0, 20.0), Times(4.0, 5.0), Times(0.5, 0.9))
CROWDED = Crowded(InCrowd(50, 1_000, 10_000, 9.0, (), LATENCY), InCrowd(500, 10_000, 100_000, 90.0, (), LATENCY))
SCORES = Scores(WHO, {130: TOGETHER, 260: TOGETHER}, FOCUS)


def test_object_has_the_documented_form() -> None:
    given = json.loads(json.dumps(as_json(SCORES)))

    assert set(given) == {"disambiguation", "coretrieval", "tracking"}
    who = {name: one for name, one in given["disambiguation"].items() if name != "counts"}
    assert who == {
        "right": 0.75,
        "wrong": 0.0,
        "asked": 0.25,
        "ask_precision": 0.6667,
        "ask_recall": 1.0,
        "unknown": 1.0,
        "by_kind": {"quirk": {"right": 3, "wrong": 0, "asked": 1}},
    }
    assert list(given["coretrieval"]) == ["130", "260"]
    assert {"all_groups", "vector_all_groups", "by_kind"} <= set(given["coretrieval"]["130"])
    focus = {name: one for name, one in given["tracking"].items() if name != "counts"}
    assert focus == {"scene_f1": 0.8, "topic_f1": 0.7, "fade": 0.9, "pronouns": 0.75, "phrases": 0.5}


def test_share_comes_with_its_interval() -> None:
    counted = as_json(SCORES)["disambiguation"]["counts"]["right"]

    assert counted == {"hits": 3, "of": 4, "part_95": [0.301, 0.954]}


def test_crowd_is_reported_if_there_was_one() -> None:
    given = as_json(Scores(WHO, {130: TOGETHER}, FOCUS, CROWDED))["crowd"]

    assert (given["small"]["bearers"], given["large"]["bearers"]) == (50, 500)
    assert given["large"]["latency"]["ratio"] == 2.0
    assert (given["right_to_another"], given["right_to_asked"]) == (0, 0)


def test_tables_show_every_part() -> None:
    shown = io.StringIO()

    for table in tables(Scores(WHO, {130: TOGETHER}, FOCUS, CROWDED)):
        Console(file=shown, width=120).print(table)

    for words in ("wrong person", "quirk", "within 130 tokens", "topic F1", "500 bearers", "100,000"):
        assert words in shown.getvalue()
