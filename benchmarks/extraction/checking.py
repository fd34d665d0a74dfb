"""What may be wrong with a case that has the right form: quotes, patterns, targets, and what should be remembered at the end."""

import re
from collections.abc import Iterator, Sequence

from benchmarks.extraction.cases import Case, GoldFact, Session, store_before
from mosshead.models.kinds import Role


def faults_of(case: Case) -> Iterator[str]:
    """Each fault, in words that name the fact and the field."""
    ids = [fact.id for fact in case.facts]
    yield from (f"id: {one} names two facts" for one in ids if ids.count(one) > 1)
    for session in case.sessions:
        for fact in session.facts:
            yield from (f"{fact.id}: {fault}" for fault in _faults_of_fact(fact, session))
    yield from _faults_of_store(case)
    yield from _faults_of_never(case)


def _faults_of_fact(fact: GoldFact, session: Session) -> Iterator[str]:
    missing = [number for number in fact.sources if not 0 < number <= len(session.messages)]
    yield from (f"from: there is no message {number}" for number in missing)
    said = [session.messages[number - 1] for number in fact.sources if number not in missing]
    by_user = [message for message in said if message.role is Role.USER]
    if not by_user:
        yield "from: names no message of a user"
    if not any(fact.quote in message.content for message in by_user):
        yield "quote: is in none of the user's messages that it names"
    if fact.occurred and fact.occurred[0] >= fact.occurred[1]:
        yield "occurred: does not start before it ends"
    if (fact.action == "add") != (fact.target is None):
        yield f"target: {fact.action} {'has none' if fact.action == 'add' else 'needs one'}"
    if (fact.action == "update") != (fact.merged is not None):
        yield "merged: an update has it, and nothing else"
    yield from _faults_of_match(fact, session.facts)


def _faults_of_match(fact: GoldFact, of_session: Sequence[GoldFact]) -> Iterator[str]:
    broken = [pattern for pattern in fact.match if not _compiles(pattern)]
    yield from (f"match: {pattern} is no regular expression" for pattern in broken)
    if broken:
        return
    if not fact.is_said_by(fact.content):
        yield "match: is not found in its own content"
    for other in of_session:
        if other.id != fact.id and fact.is_said_by(other.content) and other.action not in ("none", "update"):
            yield f"match: is found in {other.id} too"


def _faults_of_store(case: Case) -> Iterator[str]:
    try:
        remembered = store_before(case).contents.values()
    except ValueError as error:
        yield str(error)
        return
    if sorted(remembered) != sorted(case.store):
        lacking, surplus = set(remembered) - set(case.store), set(case.store) - set(remembered)
        yield f"store: is not what the actions give; lacks {sorted(lacking)}, has {sorted(surplus)} too much"


def _faults_of_never(case: Case) -> Iterator[str]:
    for pattern in case.never:
        if not _compiles(pattern):
            yield f"never: {pattern} is no regular expression"
        elif any(re.search(pattern, fact.merged or fact.content, re.IGNORECASE) for fact in case.facts):
            yield f"never: {pattern} is found in a gold fact"


def _compiles(pattern: str) -> bool:
    try:
        re.compile(pattern)
    except re.error:
        return False
    return True
