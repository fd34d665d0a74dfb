"""The part of the demo that looks back: a correction, the memory as it was before, and the correction's undo."""

from datetime import UTC, datetime
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from mosshead.api.namespace import Namespace
from mosshead.errors import MossheadError
from mosshead.models.memories import StoredMemory

CORRECTION = "Actually, I live in Porto."

_CORRECTION_SECONDS = 60.0


class NothingCorrected(MossheadError):
    """The correction replaced no memory."""


def show_correction(console: Console, nadia: Namespace) -> dict[str, Any]:
    """Correct where Nadia lives, look at how it was, and take the correction back. Raises NothingCorrected."""
    before = datetime.now(UTC)
    said = nadia.publish(CORRECTION, conversation="demo")
    nadia.wait(timeout=_CORRECTION_SECONDS)
    corrected = _replacing(nadia, nadia.memories_from(said))
    (decision,) = nadia.decisions(corrected.id)
    target = str(decision.target_id)
    replaced = nadia.get(target)
    then = nadia.get(target, as_of=before)
    nadia.undo(decision.id)
    nadia.wait(timeout=_CORRECTION_SECONDS)
    restored, withdrawn = nadia.get(target), nadia.get(corrected.id)

    table = Table(title=f"“{CORRECTION}” and its undo", title_justify="left", box=None, pad_edge=False)
    for column in ("", "memory", "state"):
        table.add_column(column, no_wrap=column != "memory")
    for when, memory in (
        ("corrected", corrected),
        ("", replaced),
        (f"as of {before:%H:%M:%S}, before", then),
        ("undone", withdrawn),
        ("", restored),
    ):
        table.add_row(when, escape(memory.content), memory.state)
    console.print(table)
    console.print(f"[dim]decided by {decision.decided_by}: {decision.action}, {escape(decision.reason)}[/]")
    return {
        "corrected": corrected.content,
        "as_of_before": then.content,
        "states": [replaced.state, then.state, withdrawn.state, restored.state],
        "after_undo": restored.content,
    }


def _replacing(nadia: Namespace, formed: list[StoredMemory]) -> StoredMemory:
    for memory in formed:
        if any(decision.action == "supersede" for decision in nadia.decisions(memory.id)):
            return memory
    raise NothingCorrected(f"the demo's {CORRECTION!r} replaced no memory")
