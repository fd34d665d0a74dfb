"""What a model was worth on one set of data, as JSON and as a table."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rich.table import Table

from benchmarks.models.outcome import Outcome, Price


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """figures: those of the data's own benchmark. seconds: for all of it, the start of a service too. memories: to be read."""

    data: str
    messages: int
    seconds: float
    figures: Mapping[str, Any]
    outcome: Outcome
    memories: Sequence[Mapping[str, Any]]

    def as_json(self, price: Price) -> dict[str, Any]:
        """All figures."""
        return {
            "messages": self.messages,
            "seconds": round(self.seconds, 1),
            **self.outcome.as_json(price),
            "figures": self.figures,
        }


def table(measured: Measured, price: Price, *, model: str) -> Table:
    """The main figures, and what was refused by its reason."""
    made = Table("", "", title=f"{model}: {measured.data}, {measured.messages} messages, {measured.seconds:.0f} s")
    made.columns[1].justify = "right"
    for name, figure in _rows(measured, price):
        made.add_row(name, figure)
    return made


def _rows(measured: Measured, price: Price) -> Iterator[tuple[str, str]]:
    figures, outcome = measured.figures, measured.outcome
    if "facts" in figures:
        yield "recall of facts", f"{figures['facts']['recall']:.3f}"
        yield "precision of facts", f"{figures['facts']['precision']:.3f}"
    for k, recall in figures.get("recall_at", {}).items():
        yield f"recall of evidence @{k}", f"{recall:.3f}"
    for budget, recall in figures.get("recall_tokens", {}).items():
        yield f"recall of evidence, {budget} tokens", f"{recall:.3f}"
    for name in ("right", "wrong"):
        if "disambiguation" in figures:
            yield f"who is meant: {name}", f"{figures['disambiguation'][name]:.3f}"
    yield "solid memories", str(outcome.solid)
    yield "hypotheses", str(outcome.hypotheses)
    yield "quarantined", str(outcome.quarantined)
    for reason, facts in outcome.refused.items():
        yield f"refused: {reason}", str(facts)
    yield "messages without effect", f"{outcome.undone} ({outcome.dead_letters} dead letters)"
    for stage, spent in outcome.spent.items():
        yield stage, "{calls:,} calls, {prompt_tokens:,} in, {completion_tokens:,} out".format(**spent)
    yield "money", f"{outcome.money(price):.4f}"
