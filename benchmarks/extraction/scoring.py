"""What the facts, dates, actions and stores of a run are worth, held against the gold."""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from benchmarks.extraction.cases import Case, GoldFact, Session, minute, store_before
from benchmarks.extraction.matching import Matching, Proposal, match

_Z = 1.96
_IN_QUOTES = frozenset({"secret", "injection"})


@dataclass(slots=True)
class Found:
    """How many gold facts were found and missed, and how many proposals were none of them."""

    found: int = 0
    missed: int = 0
    false: int = 0

    @property
    def precision(self) -> float:
        """The part of what was proposed that is gold; 1 where nothing was proposed."""
        return _part(self.found, self.found + self.false)

    @property
    def recall(self) -> float:
        """The part of the gold that was proposed; 1 where there is none."""
        return _part(self.found, self.found + self.missed)

    @property
    def f1(self) -> float:
        """The harmonic mean of both."""
        return 2 * self.precision * self.recall / ((self.precision + self.recall) or 1)

    def as_json(self) -> dict[str, Any]:
        """The three figures, and what they are counted from."""
        figures = {"precision": self.precision, "recall": self.recall, "f1": self.f1}
        counts = {"found": self.found, "missed": self.missed, "false": self.false}
        return {name: round(figure, 3) for name, figure in figures.items()} | counts


@dataclass(slots=True)
class Right:
    """How many of those that could be judged were right."""

    right: int = 0
    of: int = 0

    def judge(self, *, right: bool) -> None:
        """Count one."""
        self.right += right
        self.of += 1

    @property
    def part(self) -> float:
        """The part that was right; 1 where nothing could be judged."""
        return _part(self.right, self.of)


@dataclass(frozen=True, slots=True)
class CaseRun:
    """What a case gave: proposals by session, and the contents of the memories at the end.

    texts: all that memories, entities and profiles ever held. quotes: of the memories. failed: batches that were given up.
    """

    sessions: Sequence[Sequence[Proposal]]
    store: Sequence[str]
    texts: Sequence[str]
    quotes: Sequence[str] = ()
    failed: int = 0


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that was wrong, to be looked at: what kind of fault, in which case, and the words of it."""

    what: str
    case: str
    gold: str
    given: str


@dataclass(slots=True)
class Scores:
    """The figures of a run.

    dates: of found facts that have one, equal to the minute; dates_within: inside the gold's interval.
    actions: of found facts whose target, if they have one, is remembered; changes: those of them that are no add.
    confusion: by the gold's action and the action taken; "elsewhere" is the right action on another memory.
    not_judged: found facts whose target was not remembered. held_back: missed facts that were put into quarantine.
    never_found: patterns that some text held, with the case. failed: batches that were given up.
    """

    cases: int = 0
    facts: Found = field(default_factory=Found)
    by_tag: defaultdict[str, Found] = field(default_factory=lambda: defaultdict(Found))
    by_kind: defaultdict[str, Found] = field(default_factory=lambda: defaultdict(Found))
    dates: Right = field(default_factory=Right)
    dates_within: int = 0
    actions: Right = field(default_factory=Right)
    changes: Right = field(default_factory=Right)
    confusion: Counter[tuple[str, str]] = field(default_factory=Counter)
    not_judged: int = 0
    held_back: int = 0
    stores: Right = field(default_factory=Right)
    never_found: list[str] = field(default_factory=list)
    failed: int = 0
    faults: list[Fault] = field(default_factory=list)


def score(runs: Iterable[tuple[Case, CaseRun]]) -> Scores:
    """Hold runs of cases against their gold."""
    scores = Scores()
    for case, run in runs:
        scores.cases += 1
        scores.failed += run.failed
        matched = [match(session.facts, given) for session, given in zip(case.sessions, run.sessions, strict=True)]
        for session, matching in zip(case.sessions, matched, strict=True):
            _count_facts(scores, case, session, matching)
            _judge_dates(scores, case, session, matching)
        _judge_actions(scores, case, {name: one for each in matched for name, one in each.found.items()})
        _judge_store(scores, case, run)
    return scores


def wilson(right: int, of: int) -> tuple[float, float]:
    """The 95 % interval of a part (Wilson 1927, 10.1080/01621459.1927.10502953); 0 to 1 where nothing was counted."""
    if not of:
        return 0.0, 1.0
    part, square = right / of, _Z * _Z / of
    middle, half = part + square / 2, _Z * math.sqrt((part * (1 - part) + square / 4) / of)
    return max(0.0, (middle - half) / (1 + square)), min(1.0, (middle + half) / (1 + square))


def may_be_left_out(fact: GoldFact, session: Session) -> bool:
    """Whether not to find a fact is no fault: it is optional, said twice in one session, or put right in the same session."""
    here = {one.id for one in session.facts}
    put_right = any(one.action == "supersede" and one.target == fact.id for one in session.facts)
    return fact.optional or put_right or (fact.action == "none" and fact.target in here)


def _count_facts(scores: Scores, case: Case, session: Session, matching: Matching) -> None:
    counts = [scores.facts, *(scores.by_tag[tag] for tag in dict.fromkeys(case.tags))]
    for fact in session.facts:
        here = [*counts, scores.by_kind[fact.kind]]
        if fact.id in matching.found:
            for count in here if not fact.optional else ():
                count.found += 1
        elif not may_be_left_out(fact, session):
            held_back = matching.held_back.get(fact.id)
            scores.held_back += held_back is not None
            why = f"held back as {held_back.reason}: " if held_back else ""
            scores.faults.append(Fault("missed", case.id, fact.content, f"{why}{' / '.join(_said(fact, session))}"))
            for count in here:
                count.missed += 1
    for proposal in matching.false:
        scores.faults.append(Fault("false", case.id, "", proposal.content))
        for count in (*counts, scores.by_kind[proposal.kind]):
            count.false += 1


def _said(fact: GoldFact, session: Session) -> Iterator[str]:
    return (session.messages[number - 1].content for number in fact.sources)


def _judge_dates(scores: Scores, case: Case, session: Session, matching: Matching) -> None:
    for fact in session.facts:
        given = matching.found.get(fact.id)
        if fact.occurred is None or fact.optional or given is None:
            continue
        start, end, _ = fact.occurred
        right = given.occurred is not None and tuple(map(minute, given.occurred)) == (minute(start), minute(end))
        scores.dates.judge(right=right)
        scores.dates_within += given.occurred is not None and start <= given.occurred[0] and given.occurred[1] <= end
        if not right:
            said = f"{fact.content} [{start.isoformat()}, {end.isoformat()})"
            taken = [moment.isoformat() for moment in given.occurred] if given.occurred else "no time"
            scores.faults.append(Fault("date", case.id, said, f"{taken}: {' / '.join(_said(fact, session))}"))


def _judge_actions(scores: Scores, case: Case, found: Mapping[str, Proposal]) -> None:
    went_into: dict[UUID, set[str]] = {}
    for session in case.sessions:
        for fact in session.facts:
            given = found.get(fact.id)
            if given is None:
                continue
            if not fact.optional:
                taken = _action_taken(case, session, fact, given, went_into)
                _judge_action(scores, case, fact, given, taken)
            if given.memory_id is not None:
                went_into.setdefault(given.memory_id, set()).add(fact.id)


def _action_taken(
    case: Case, session: Session, fact: GoldFact, given: Proposal, went_into: Mapping[UUID, set[str]]
) -> str | None:
    """The action, "elsewhere" where it was done to another memory than the gold's; None where it cannot be judged."""
    if given.action == "none" and given.memory_id is None and may_be_left_out(fact, session):
        return None
    if fact.target is None:
        return given.action
    meant = store_before(case, fact.id).same_memory(fact.target)
    remembered = {memory for memory, facts in went_into.items() if facts & meant}
    if not remembered:
        return None
    return "elsewhere" if given.action == fact.action and given.target_id not in remembered else given.action


def _judge_action(scores: Scores, case: Case, fact: GoldFact, given: Proposal, taken: str | None) -> None:
    if taken is None:
        scores.not_judged += 1
        return
    scores.confusion[fact.action, taken] += 1
    scores.actions.judge(right=taken == fact.action)
    if fact.action != "add":
        scores.changes.judge(right=taken == fact.action)
    if taken != fact.action:
        said = f"{fact.action} {fact.target or ''}: {fact.content}"
        by = f"{taken} ({given.decided_by}: {given.reason}): {given.content}"
        scores.faults.append(Fault("action", case.id, said, by))


def _judge_store(scores: Scores, case: Case, run: CaseRun) -> None:
    lacking = Counter(case.store) - Counter(run.store)
    surplus = Counter(run.store) - Counter(case.store)
    scores.stores.judge(right=not (lacking or surplus))
    if lacking or surplus:
        scores.faults.append(Fault("store", case.id, f"lacks {sorted(lacking)}", f"has {sorted(surplus)} too much"))
    # A quote is what the user said, whatever was meant by it; a secret must not stand there either.
    kept = (*run.texts, *(run.quotes if _IN_QUOTES & set(case.tags) else ()))
    for pattern in case.never:
        if any(re.search(pattern, text, re.IGNORECASE) for text in kept):
            scores.never_found.append(f"{case.id}: {pattern}")


def _part(right: int, of: int) -> float:
    return right / of if of else 1.0
