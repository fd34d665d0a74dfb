"""The figures of a run as a table, and as one JSON object."""

from collections.abc import Iterable, Mapping
from typing import Any

from rich.table import Table

from benchmarks.extraction.scoring import Found, Right, Scores, wilson

_ACTIONS = ("add", "update", "supersede", "contradict", "none", "quarantine", "elsewhere")


def as_json(scores: Scores, provider: str) -> dict[str, Any]:
    """All figures; ``_95`` names the ends of 95 % intervals."""
    facts = scores.facts
    return {
        "cases": scores.cases,
        "provider": provider,
        "facts": {
            **facts.as_json(),
            "precision_95": _interval(facts.found, facts.found + facts.false),
            "recall_95": _interval(facts.found, facts.found + facts.missed),
            "by_tag": _figures(scores.by_tag),
            "by_kind": _figures(scores.by_kind),
        },
        "dates": {**_counted(scores.dates), "within": scores.dates_within},
        "actions": {
            **_counted(scores.actions),
            "changes": {"right": scores.changes.right, "of": scores.changes.of},
            "not_judged": scores.not_judged,
            "confusion": _confusion(scores),
        },
        "held_back": scores.held_back,
        "store_equal": scores.stores.right,
        "store_equal_95": _interval(scores.stores.right, scores.stores.of),
        "never_found": scores.never_found,
        "failed_batches": scores.failed,
    }


def tables(scores: Scores, provider: str) -> Iterable[Table]:
    """The main figures, facts by kind and by tag, and the actions taken."""
    yield _main_table(scores, provider)
    yield _facts_table("by kind", scores.by_kind)
    yield _facts_table("by tag", scores.by_tag)
    yield _actions_table(scores)


def _main_table(scores: Scores, provider: str) -> Table:
    table = Table("", "figure", "95 %", "counted", title=f"{provider}, {scores.cases} cases")
    for column in table.columns[1:]:
        column.justify = "right"
    facts = scores.facts
    rows = (
        ("precision of facts", facts.found, facts.found + facts.false),
        ("recall of facts", facts.found, facts.found + facts.missed),
        ("dates, to the minute", scores.dates.right, scores.dates.of),
        ("dates, within", scores.dates_within, scores.dates.of),
        ("actions", scores.actions.right, scores.actions.of),
        ("actions other than add", scores.changes.right, scores.changes.of),
        ("stores as expected", scores.stores.right, scores.stores.of),
    )
    for name, right, of in rows:
        low, high = wilson(right, of)
        table.add_row(name, f"{Right(right, of).part:.3f}", f"{low:.3f} to {high:.3f}", f"{right} of {of}")
    table.add_row("F1 of facts", f"{facts.f1:.3f}", "", "")
    table.add_row("missed for quarantine", str(scores.held_back), "", "")
    table.add_row("never-patterns found", str(len(scores.never_found)), "", "")
    table.add_row("batches given up", str(scores.failed), "", "")
    return table


def _facts_table(title: str, found: Mapping[str, Found]) -> Table:
    table = Table("", "precision", "recall", "F1", "found", "missed", "false", title=f"Facts {title}")
    for column in table.columns[1:]:
        column.justify = "right"
    for name, one in sorted(found.items()):
        figures = (f"{figure:.2f}" for figure in (one.precision, one.recall, one.f1))
        table.add_row(name, *figures, *map(str, (one.found, one.missed, one.false)))
    return table


def _actions_table(scores: Scores) -> Table:
    title = f"Actions taken (columns) for those of the gold; {scores.not_judged} not judged"
    taken = [name for name in _ACTIONS if any(to == name for _, to in scores.confusion)]
    table = Table("", *taken, title=title)
    for column in table.columns[1:]:
        column.justify = "right"
    for meant in _ACTIONS:
        counts = [scores.confusion[meant, to] for to in taken]
        if any(counts):
            table.add_row(meant, *map(str, counts))
    return table


def _figures(found: Mapping[str, Found]) -> dict[str, Any]:
    return {name: one.as_json() for name, one in sorted(found.items())}


def _counted(judged: Right) -> dict[str, Any]:
    return {
        "right": judged.right,
        "of": judged.of,
        "part": round(judged.part, 3),
        "part_95": _interval(judged.right, judged.of),
    }


def _confusion(scores: Scores) -> dict[str, dict[str, int]]:
    by_gold: dict[str, dict[str, int]] = {}
    for (meant, taken), count in sorted(scores.confusion.items()):
        by_gold.setdefault(meant, {})[taken] = count
    return by_gold


def _interval(right: int, of: int) -> list[float]:
    return [round(end, 3) for end in wilson(right, of)]
