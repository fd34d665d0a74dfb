"""The figures of a run as tables, and as one JSON object."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from rich.table import Table

from benchmarks.entities.coretrieval import TogetherScores
from benchmarks.entities.counting import Share
from benchmarks.entities.focus import FocusScores
from benchmarks.entities.scaling import Crowded
from benchmarks.entities.who import VERDICTS, WhoScores


@dataclass(frozen=True, slots=True)
class Scores:
    """Of a world. together: by budget. crowded: of the same world in a crowd, where one was asked for."""

    who: WhoScores
    together: Mapping[int, TogetherScores]
    focus: FocusScores
    crowded: Crowded | None = None


def as_json(scores: Scores) -> dict[str, Any]:
    """All figures; ``part_95`` holds the ends of a 95 % interval."""
    crowded = {"crowd": scores.crowded.as_json()} if scores.crowded else {}
    return {
        "disambiguation": scores.who.as_json(),
        "coretrieval": {str(budget): one.as_json() for budget, one in scores.together.items()},
        "tracking": scores.focus.as_json(),
        **crowded,
    }


def tables(scores: Scores) -> Iterator[Table]:
    """The main figures, and each part by kind."""
    yield _who_table(scores.who)
    yield _kinds_table(scores.who)
    for budget, one in scores.together.items():
        yield _together_table(budget, one)
    yield _focus_table(scores.focus)
    if scores.crowded:
        yield _crowd_table(scores.crowded)


def _table(title: str, *columns: str) -> Table:
    table = Table("", *columns, title=title)
    for column in table.columns[1:]:
        column.justify = "right"
    return table


def _cells(one: Share) -> tuple[str, str, str]:
    low, high = one.interval
    return f"{one.part:.3f}", f"{low:.3f} to {high:.3f}", f"{one.hits} of {one.of}"


def _who_table(who: WhoScores) -> Table:
    table = _table("Who is meant", "figure", "95 %", "counted")
    for name, one in (
        ("right", who.right),
        ("wrong person", who.wrong),
        ("asked", who.asked),
        ("precision of asking", who.ask_precision),
        ("recall of asking", who.ask_recall),
        ("unknown left open", who.unknown),
    ):
        table.add_row(name, *_cells(one))
    return table


def _kinds_table(who: WhoScores) -> Table:
    table = _table("Who is meant, by kind", *VERDICTS)
    for kind, counts in who.by_kind.items():
        table.add_row(kind, *(str(counts[verdict]) for verdict in VERDICTS))
    return table


def _together_table(budget: int, scores: TogetherScores) -> Table:
    table = _table(f"All that is needed, within {budget} tokens", "context", "95 %", "counted", "plain vector list")
    rows = {"all": (scores.all_groups, scores.vector_all_groups), **scores.by_kind}
    for name, (ours, vector) in rows.items():
        table.add_row(name, *_cells(ours), f"{vector.part:.3f}")
    return table


def _focus_table(focus: FocusScores) -> Table:
    table = _table("What is in focus", "figure", "95 %", "counted")
    table.add_row("scene F1", f"{focus.scene_f1:.3f}", "", "")
    table.add_row("topic F1", f"{focus.topic_f1:.3f}", "", "")
    for name, one in (("fade", focus.fade), ("pronouns", focus.pronouns), ("phrases", focus.phrases)):
        table.add_row(name, *_cells(one))
    return table


def _crowd_table(crowded: Crowded) -> Table:
    small, large = crowded.small, crowded.large
    table = _table("In a crowd", f"{small.bearers} bearers", f"{large.bearers} bearers")
    table.add_row("entities", f"{small.entities:,}", f"{large.entities:,}")
    table.add_row("memories", f"{small.memories:,}", f"{large.memories:,}")
    table.add_row("imported within, s", *(f"{one.loading:,.0f}" for one in (small, large)))
    for name in ("right", "wrong", "asked"):
        table.add_row(name, *(f"{getattr(one.scores, name).part:.3f}" for one in (small, large)))
    for name in ("resolve", "embedding", "round_trip"):
        times = [getattr(one.latency, name) for one in (small, large)]
        table.add_row(f"{name}, p50 and p99 in ms", *(f"{one.p50:.2f}  {one.p99:.2f}" for one in times))
    table.add_row("resolve / (embedding + round trip)", *(f"{one.latency.ratio:.2f}" for one in (small, large)))
    table.add_row("from right to another person", "", str(len(crowded.to_another)))
    table.add_row("from right to asked", "", str(len(crowded.to_asked)))
    return table
