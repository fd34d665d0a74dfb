"""What the runs showed, as one JSON object and as a table."""

import statistics
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rich.table import Table

from benchmarks.faults.catalogue import FAULTS
from benchmarks.faults.checker import Verdict
from benchmarks.faults.runs import Report

_KILLS = ("worker", "redis", "postgres", "spool", "intake", "sweeper")


@dataclass(frozen=True, slots=True)
class Outcome:
    """All of a run.

    seeds: which it was done with. total: over all that was ever sent and took effect: what was doubled after its fault's verdict
    shows here. uncaught: the mutants that nobody noticed, of so many.
    """

    seeds: Sequence[int]
    reports: Sequence[Report]
    total: Verdict
    naive: Verdict
    mutants: int
    uncaught: Sequence[str]

    @property
    def sound(self) -> bool:
        """Whether nothing was lost, doubled or out of order, and the harness would have seen it."""
        clean = self.total.sound and all(report.sound for report in self.reports)
        return clean and self.naive.lost > 0 and not self.uncaught

    def as_json(self) -> dict[str, Any]:
        """The object that the command prints last."""
        by_fault = [_as_json(name, reports) for name, reports in _by_name(self.reports).items()]
        kills = _kills(self.reports)
        return {
            "sound": self.sound,
            "seeds": list(self.seeds),
            **_counts(self.total),
            "kills": {what: kills[what] for what in _KILLS},
            "recovery_s": {one["name"]: one["recovery_s"] for one in by_fault if one["recovery_s"]},
            "chat_s": {one["name"]: one["chat_s"] for one in by_fault if one["chat_s"]},
            "faults": by_fault,
            "mutants": {"caught": self.mutants - len(self.uncaught), "of": self.mutants},
            "naive": {name: count for name, count in _counts(self.naive).items() if name != "late"},
        }


def line(report: Report) -> str:
    """One fault in one line, while the others are still to come."""
    verdict, took = report.verdict, ", ".join(f"{seconds:.1f}" for seconds in report.recoveries)
    counts = ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in _counts(verdict).items())
    how = ", ".join(map(str, report.chats)) if report.chats else f"recovered in {took or '-'} s"
    refused = "".join(f"; {count} {what} refused" for what, count in report.refused.items())
    return f"{report.name}: {counts}; {how}{refused}{''.join(f'; {reason}' for reason in report.broken)}"


def table(outcome: Outcome) -> Table:
    """The same for people."""
    result = Table(title="Faults: 0 lost, 0 doubled, 0 out of order is the promise")
    for column in (
        "fault",
        "sent",
        "lost",
        "doubled",
        "out of order",
        "late",
        "kills",
        "recovery p50",
        "max",
        "limit",
        "chat s",
    ):
        result.add_column(column, justify="left" if column == "fault" else "right", no_wrap=True)
    limits = {fault.name: fault.limit for fault in FAULTS}
    for name, reports in _by_name(outcome.reports).items():
        recovery = _recovery(reports)
        seconds = [*recovery.values()] if recovery else ["", ""]
        chat = _chat(reports)
        chatted = "{control:g} -> {attacked:g}".format(**chat) if chat else ""
        cells = (*_cells(_total(reports)), sum(_kills(reports).values()), *seconds, limits[name] or "", chatted)
        result.add_row(name, *map(str, cells), style=None if all(one.sound for one in reports) else "red")
    result.add_section()
    result.add_row("all", *map(str, (*_cells(outcome.total), sum(_kills(outcome.reports).values()), *[""] * 4)))
    result.add_row("naive Celery tasks", *map(str, (*_cells(outcome.naive), *[""] * 5)))
    return result


def _as_json(name: str, reports: Sequence[Report]) -> dict[str, Any]:
    return {
        "name": name,
        **_counts(_total(reports)),
        "kills": dict(_kills(reports)),
        "recovery_s": _recovery(reports),
        "chat_s": _chat(reports),
        "refused": dict(sum((report.refused for report in reports), Counter())),
        "broken": [reason for report in reports for reason in report.broken],
    }


def _by_name(reports: Iterable[Report]) -> Mapping[str, list[Report]]:
    named: defaultdict[str, list[Report]] = defaultdict(list)
    for report in reports:
        named[report.name].append(report)
    return named


def _total(reports: Iterable[Report]) -> Verdict:
    return sum((report.verdict for report in reports), Verdict())


def _kills(reports: Iterable[Report]) -> Counter[str]:
    return sum((report.kills for report in reports), Counter())


def _recovery(reports: Iterable[Report]) -> dict[str, float] | None:
    seconds = [one for report in reports for one in report.recoveries]
    return {"p50": round(statistics.median(seconds), 2), "max": round(max(seconds), 2)} if seconds else None


def _chat(reports: Iterable[Report]) -> dict[str, float] | None:
    """Of several rounds the worst."""
    chats = [one for report in reports for one in report.chats]
    if not chats:
        return None
    worst = max(chats, key=lambda one: one.ratio)
    return {
        "control": round(worst.control, 2),
        "attacked": round(worst.attacked, 2),
        "ratio": round(worst.ratio, 2),
    }


def _counts(verdict: Verdict) -> dict[str, int]:
    """An effect of what nobody sent counts as doubled: it stands where none should."""
    return {
        "sent": verdict.sent,
        "lost": verdict.lost,
        "doubled": verdict.doubled + verdict.foreign,
        "out_of_order": verdict.out_of_order,
        "late": verdict.late,
    }


def _cells(verdict: Verdict) -> tuple[int, ...]:
    return tuple(_counts(verdict).values())
