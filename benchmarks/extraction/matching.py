"""Which proposed facts are which gold facts.

Words differ, so a proposal counts as a gold fact where it cites one of its messages, holds all of its patterns, and denies as
often. Among those that would do, the closest in words are paired, in such a way that as many as possible find a partner.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from benchmarks.extraction.cases import GoldFact

_NEGATION = re.compile(
    r"""
    \b(?:no|not|never|none|nobody|nothing|nowhere|without|neither|nor|cannot)\b                  # English; "no" is Spanish too
    | \b(?:do|does|did|is|are|was|were|ca|wo|could|would|should|have|has|had|must|need|ai)n['’]?t\b
    | \b(?:nicht|nichts|nie|niemals|niemand|ohne|kein(?:e[nmrs]?)?)\b                            # German; "nie" is Polish too
    | \b(?:nunca|jamás|nadie|tampoco|sin|ningun[oa]?|ningún)\b                                   # Spanish
    | \bn(?:e\s|['’])[^.,;]{0,40}?\b(?:pas|plus|jamais|rien|personne|aucune?)\b | \b(?:pas|sans)\b   # French, a pair is one
    | \b(?:não|nem|sem|ninguém|nenhuma?)\b                                                       # Portuguese
    | \b(?:non|senza|nessun[oa]?)\b                                                              # Italian
    | \b(?:nigdy|bez)\b                                                                          # Polish
    | \b(?:değil|yok|hiç|asla)\b                                                                 # Turkish
    | ない | なかった | ません                                                                   # Japanese
    | नहीं | ليس | \bلا\b | \bلم\b | \bلن\b                                                       # Hindi, Arabic
    """,
    re.IGNORECASE | re.VERBOSE,
)
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Proposal:
    """A fact that was proposed, and what was decided on it.

    sources: numbers of messages of its session. memory_id: the memory that it went into, if any.
    """

    content: str
    kind: str
    sources: frozenset[int]
    occurred: tuple[datetime, datetime] | None
    action: str
    memory_id: UUID | None
    target_id: UUID | None
    decided_by: str
    reason: str


@dataclass(frozen=True, slots=True)
class Matching:
    """Of one session: the gold facts that were found, with their proposals, those that were not, and the other proposals.

    held_back: proposals that were put into quarantine, with the gold facts that they say, which are missed for that.
    """

    found: Mapping[str, Proposal]
    missed: tuple[GoldFact, ...]
    false: tuple[Proposal, ...]
    held_back: Mapping[str, Proposal]


def match(gold: Sequence[GoldFact], proposals: Sequence[Proposal]) -> Matching:
    """Pair the gold facts of a session with the proposals of its batch, each with one at most.

    A proposal whose fact was quarantined is none: nothing is remembered of it.
    """
    offered = [one for one in proposals if one.action != "quarantine"]
    suspect = [one for one in proposals if one.action == "quarantine"]
    pairs: dict[int, GoldFact] = {}
    for fact in sorted(gold, key=lambda one: one.optional):  # an optional fact takes no proposal from another
        _pair(fact, offered, pairs, set())
    found = {fact.id: offered[place] for place, fact in pairs.items()}
    missed = tuple(fact for fact in gold if fact.id not in found)
    return Matching(
        found=found,
        missed=missed,
        false=tuple(one for place, one in enumerate(offered) if place not in pairs),
        held_back={fact.id: one for fact in missed for one in suspect if counts_as(one, fact)},
    )


def counts_as(proposal: Proposal, fact: GoldFact) -> bool:
    """Whether a proposal says what a gold fact says."""
    return (
        bool(proposal.sources & set(fact.sources))
        and fact.is_said_by(proposal.content)
        and _denials(proposal.content) % 2 == _denials(fact.content) % 2
    )


def _pair(fact: GoldFact, offered: Sequence[Proposal], pairs: dict[int, GoldFact], tried: set[int]) -> bool:
    """Find a proposal for a fact, moving others to their next best where need be (augmenting paths; Kuhn 1955)."""
    fitting = [place for place, one in enumerate(offered) if place not in tried and counts_as(one, fact)]
    for place in sorted(fitting, key=lambda place: -_likeness(offered[place].content, fact.content)):
        if place in tried:
            continue
        tried.add(place)
        if place not in pairs or _pair(pairs[place], offered, pairs, tried):
            pairs[place] = fact
            return True
    return False


def _likeness(one: str, other: str) -> float:
    left, right = _words(one), _words(other)
    return len(left & right) / (len(left | right) or 1)


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.casefold()))


def _denials(text: str) -> int:
    return sum(1 for _ in _NEGATION.finditer(text))
