"""A decision about a memory that an earlier fact of the batch has changed or replaced: what of it holds now. Pure."""

from dataclasses import replace

from pipeline.consolidation import comparison
from pipeline.models import FactOutcome, Known, NewFact


def of_what_changed(decision: FactOutcome, fact: NewFact, now: str, *, read: str) -> FactOutcome:
    """A decision about a memory that says something else by now: an update must keep that, and a "none" find itself in it.

    Else the fact stands for itself. read: what the memory said when the decision was made.
    """
    said = fact.fact.content
    if decision.action == "update":
        return decision if _keeps(decision.content or said, fact, now, read) else _alone(decision)
    told_else = decision.action == "none" and decision.reinforces and comparison.adds_details(said, now)
    return _alone(decision) if told_else and fact.fact.occurred is None else decision


def of_what_was_replaced(decision: FactOutcome, fact: NewFact, now: str, *, read: str, by: NewFact) -> FactOutcome:
    """A decision about a memory that is no longer true; now: what took its place, of which another fact tells.

    What is said after the change replaces that in turn where both are of one thing. Else the fact stands for itself.
    """
    if decision.action == "none" and not decision.reinforces:
        return decision
    if decision.action == "update" and _keeps(decision.content or fact.fact.content, fact, now, read):
        return decision
    one_value = _are_of_one_value(fact, by)
    same_value = one_value and comparison.same_statement(fact.fact.value or "", by.fact.value or "")
    if decision.action == "none" and (comparison.agree(fact.fact.content, now) or same_value):
        return decision
    if decision.action in {"supersede", "contradict"}:
        return decision if one_value or comparison.differ_in_a_value(fact.fact.content, now) else _alone(decision)
    if not one_value:
        return _alone(decision)
    known = Known(by.number, now, by.fact.attribute, by.fact.value, by.said_at, by.subject_ids, said_by=by.said_by)
    outcome = comparison.replaces(fact, known, decision.reason)
    return replace(decision, action=outcome.action, content=None, reinforces=outcome.reinforces)


def _keeps(merged: str, fact: NewFact, now: str, read: str) -> bool:
    """Whether an update holds all that came to the memory since it was read."""
    anew = fact.fact.corrects or comparison.tells_a_change(fact.fact.content, fact.fact.quote)
    whole = comparison.telling(now) - comparison.forms(read) <= comparison.forms(merged)
    return whole and comparison.keeps(merged, fact.fact.content, now, anew=anew)


def _alone(decision: FactOutcome) -> FactOutcome:
    return replace(decision, action="add", content=None)


def _are_of_one_value(fact: NewFact, by: NewFact) -> bool:
    mine, its = fact.fact, by.fact
    both = mine.attribute is not None and mine.attribute == its.attribute and mine.value and its.value
    return bool(both) and bool(fact.subject_ids & by.subject_ids)
