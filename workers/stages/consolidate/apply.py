"""Writing what consolidation decided: in one transaction, under the batch's lease, against the versions that were read."""

from collections.abc import Iterable

from sqlalchemy import Connection

from db import decisions, inbox, profiles, turns
from db.candidates import RefusedRow
from db.decisions import LoggedDecision, Stamp
from db.keys import BatchRef
from pipeline.consolidation.consolidate import RULES, FactOutcome
from pipeline.extraction.grounding import SAID, Refusal
from workers.reflection import run as reflecting
from workers.reflection.kinds import Debounce
from workers.stages.consolidate.plan import Plan
from workers.stages.consolidate.write import Writer, WrittenDecision


def apply(connection: Connection, *, batch: BatchRef, plan: Plan, debounce: Debounce) -> None:
    """Write a plan, and mark the batch's events as in effect. Raises VersionConflict where a memory changed since it was read.

    debounce: of the reflections that the batch's messages are news for.
    """
    writer = Writer(connection, batch.lane, plan)
    stamps = decisions.stamps(connection, len(plan.decisions) + len(plan.refused))
    decided, in_vain = stamps[: len(plan.decisions)], stamps[len(plan.decisions) :]
    written = [writer.write(decision, stamp) for decision, stamp in zip(plan.decisions, decided, strict=True)]
    decisions.log(connection, batch, _logged(plan, decided, written))
    decisions.log(connection, batch, map(_not_taken, plan.refused, in_vain))
    profiles.touch(connection, batch.lane, sorted(writer.touched))
    turns.take_effect(connection, batch)
    inbox.mark_done(connection, batch)
    reflecting.touch(connection, batch, debounce)


def _logged(plan: Plan, stamps: Iterable[Stamp], written: Iterable[WrittenDecision]) -> Iterable[LoggedDecision]:
    for decision, stamp, outcome in zip(plan.decisions, stamps, written, strict=True):
        yield LoggedDecision(
            stamp=stamp,
            action=outcome.action,
            reason=decision.reason,
            decided_by=decision.decided_by,
            memory_id=outcome.memory_id,
            target_id=outcome.target_id,
            target_version=outcome.target_version,
            fact=plan.facts[decision.fact_number][0].model_dump(mode="json"),
            candidates=[
                {"memory_id": str(row.memory_id), "version": row.version, "similarity": round(row.similarity, 4)}
                for row in plan.near.get(decision.fact_number, ())
            ],
            prompt_version=decision.prompt_version,
            refused=_refused(plan, decision),
            entities=sorted(outcome.entities),
            changed=outcome.changed,
            in_effect=outcome.action != "forget" or outcome.memory_id is not None,
            concerned=frozenset(one for one in (outcome.memory_id, outcome.target_id) if one is not None),
        )


def _not_taken(one: RefusedRow, stamp: Stamp) -> LoggedDecision:
    """What the model proposed as a fact and extract refused: there is nothing to undo of it."""
    return LoggedDecision(
        stamp=stamp,
        action="refuse",
        reason=SAID[Refusal(one.why)],
        decided_by=RULES,
        fact=one.fact,
        refused=one.why,
        in_effect=False,
    )


def _refused(plan: Plan, decision: FactOutcome) -> str | None:
    """What was proposed and not taken: for the fact, and of those that it is about."""
    of_entities = sorted(plan.linked.refused.get(decision.fact_number, {}))
    return "; ".join([*([decision.refused] if decision.refused else []), *of_entities]) or None
