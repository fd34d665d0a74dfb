"""What is looked up in a session, and what that changes: what is found was accessed once more. Pure."""

from collections.abc import Mapping
from datetime import datetime

from mosshead.working.changes import Accessed, Rules, apply
from mosshead.working.referring import Referred, by_label, meant_by, nouns_for, phrases
from mosshead.working.state import Reference, State


def used(state: State, found: Reference | None, now: datetime, rules: Rules) -> tuple[State, Reference | None]:
    """The state after a look-up, and the reference as it is then."""
    if found is None:
        return state, None
    after = apply(state, Accessed(type=found.type, id=found.id), now, rules)
    return after, after.find(found.type, found.id)


def resolved(
    state: State, text: str, nouns: Mapping[str, str], now: datetime, rules: Rules
) -> tuple[State, tuple[bool, Reference | None]]:
    """Whether a text has words that refer, and what the first of them means that mean anything; else what is called so."""
    spoken = list(phrases(text, nouns_for(state, nouns)))
    meant = (meant_by(phrase, state) for phrase in spoken)
    after, found = used(state, next(filter(None, meant), None) or by_label(text, state), now, rules)
    return after, (bool(spoken), found)


def all_resolved(
    state: State, text: str, nouns: Mapping[str, str], now: datetime, rules: Rules
) -> tuple[State, tuple[tuple[Referred, ...], int]]:
    """What the words of a text mean, and how many of them mean nothing; a thing named by its id need not be at hand."""
    spoken = [(phrase, meant_by(phrase, state)) for phrase in phrases(text, nouns_for(state, nouns))]
    after, referred = state, []
    for phrase, meant in spoken:
        after, found = used(after, meant, now, rules)
        if found is not None:
            referred.append(Referred(text=phrase.text, start=phrase.start, end=phrase.end, reference=found))
    missed = sum(meant is None and phrase.how != "exact" for phrase, meant in spoken)
    return after, (tuple(referred), missed)
