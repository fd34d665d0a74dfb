"""Stage 2: score how much a fact matters, from 0 to 10, and how certain it is, from its words alone, without an LLM.

Six factors are scored by how many of their cues occur, and summed by weight. A process starts higher. Nothing raises a fact as
much as the user asking to remember it. The cues are English.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from types import MappingProxyType
from typing import Any, Final, Literal

from mosshead.models.kinds import MemoryKind
from pipeline.models import Fact

MOST: Final = 10.0
PROCESS_START: Final = 3.0
"""The starting value of a taught procedure. It cannot exceed MARKED_FLOOR."""

MARKED_FLOOR: Final = 8.5
"""The least value of "remember this": the most that the other five factors can add up to.

The plain sum is scaled into the rest up to 10, so marked facts still rank among each other.
"""

WEIGHTS: Final[Mapping[str, float]] = MappingProxyType(
    {
        "temporal_urgency": 0.20,
        "relationships": 0.20,
        "action_language": 0.20,
        "explicit_marking": 0.15,
        "self_reference": 0.15,
        "complexity": 0.10,
    }
)

_STEPS: Final = (0.0, 4.0, 6.0, 8.0, 9.0, MOST)


def _cues(*patterns: str) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(rf"\b(?:{pattern})\b", re.IGNORECASE) for pattern in patterns)


# Orders to remember, unlike "I remember that day" and "do you remember this song".
_COMMANDS: Final = _cues(
    r"(?<!\bi )(?<!\bwe )(?<!\byou )(?<!\bto )remember (?:this|that|it)",
    r"(?:do not|don['’]t|never) forget (?:this|that|it)",
    r"(?:you|please) (?:need to |must |have to |should )?(?:learn|memori[sz]e) (?:this|that|it|how)",
    r"(?:keep|bear) (?:this|that|it) in mind",
    r"(?:make|take) (?:a )?note",
    r"for future reference",
)

_CUES: Final[Mapping[str, tuple[re.Pattern[str], ...]]] = {
    "temporal_urgency": _cues(
        r"today|tonight|now|right away|immediately",
        r"tomorrow",
        r"urgent|urgently|asap|as soon as possible",
        r"deadlines?|due|overdue",
        r"(?:by|before|until|till) (?:the end of |next |this )?(?:mon|tues|wednes|thurs|fri|satur|sun)day",
        r"(?:by|before|until|till) (?:noon|midnight|tonight|tomorrow|the end of|\d{1,2}(?::\d\d)?(?: ?[ap]m)?)",
        r"(?:this|next|coming) (?:morning|afternoon|evening|week|weekend|month)",
        r"soon|shortly|upcoming|in (?:a|an|one|two|three|\d+) (?:minutes?|hours?|days?|weeks?)",
        r"expires?|expiring|last chance|time is running out",
    ),
    "relationships": _cues(
        r"mother|father|mom|mum|dad|parents?|grand(?:mother|father|ma|pa|parents?)",
        r"brothers?|sisters?|siblings?|cousins?|aunts?|uncles?|niece|nephew",
        r"sons?|daughters?|child|children|kids?|bab(?:y|ies)",
        r"wife|husband|spouse|partner|fianc[eé]e?|girlfriend|boyfriend|married|engaged|divorced|dating",
        r"friends?|buddy|neighbou?rs?|roommates?|flatmates?",
        r"boss|manager|supervisor|mentor|reports to",
        r"colleagues?|co-?workers?|teammates?|team|employees?|interns?",
        r"clients?|customers?|suppliers?|vendors?|investors?",
        r"doctor|dentist|therapist|teacher|lawyer|landlord",
        r"work(?:s|ed|ing)? (?:at|for|with)|founded|owns?|runs|employs|hired",
        r"one of (?:our|my|the)|member of|part of|belongs to|relat(?:ed|ive)s?",
    ),
    "action_language": _cues(
        r"(?:need|have|want|got)(?:s|ed|ing)? to|has to|had to",
        r"must|should|ought to",
        r"will|going to|gonna|plan(?:s|ned|ning)? to|intend(?:s|ed)? to",
        r"make sure|ensure|verify|check(?:s|ed|ing)?|review(?:s|ed|ing)?|tests?|tested",
        r"send(?:s|ing)?|sent|call(?:s|ed|ing)?|email(?:s|ed)?|ask(?:s|ed)?|tell(?:s)?|contact(?:s|ed)?",
        r"finish(?:es|ed)?|complete(?:s|d)?|deliver(?:s|ed)?|submit(?:s|ted)?|launch(?:es|ed|ing)?|ship(?:s|ped)?",
        r"build(?:s|ing)?|built|write(?:s)?|writing|creat(?:e|es|ed|ing)|prepar(?:e|es|ed|ing)|fix(?:es|ed)?",
        r"start(?:s|ed|ing)?|stop(?:s|ped)?|quit|mov(?:e|es|ed|ing)|chang(?:e|es|ed)|decid(?:e|es|ed)|switch(?:ed)?",
        r"always|never|every time|whenever",
        r"schedul(?:e|es|ed)|book(?:s|ed)|organi[sz](?:e|es|ed)|arrang(?:e|es|ed)",
    ),
    "explicit_marking": (
        *_COMMANDS,
        *_cues(
            r"important|importantly|crucial|critical|essential|vital",
            r"note that|pay attention|key point|bottom line",
            r"from now on|going forward",
            r"remember|remind",
        ),
    ),
    "complexity": _cues(
        r"because|since|therefore|so that|in order to",
        r"if|unless|otherwise|depending on|in case",
        r"when|while|until|whenever|after|before",
        r"although|though|however|but|except|instead|rather than",
        r"first|firstly|then|next|finally|step \d+|steps?",
        r"which|whose|where|who",
        r"\d+(?:[.,:]\d+)*",
        r"and",
    ),
    "command": _COMMANDS,
    "first_person": _cues(r"i(?:['’](?:m|ve|d|ll))?", r"my|mine", r"me|myself", r"we(?:['’](?:re|ve|d|ll))?|our|ours"),
    "the_user": _cues(r"(?-i:User)"),
}


@dataclass(frozen=True, slots=True)
class Salience:
    """How much a fact matters, and why.

    value: 0 to 10, to two decimals. matches: the number of cues found for each factor.
    process: what a process's start added. marked: the value is that of a marked fact.
    """

    value: float
    matches: Mapping[str, int] = field(hash=False)
    process: float = 0.0
    marked: bool = False

    @property
    def factors(self) -> Mapping[str, float]:
        """Each factor's score before weighting, 0 to 10."""
        return {name: factor_score(count) for name, count in self.matches.items()}

    def explained(self) -> dict[str, Any]:
        """Return the derivation as JSON: by factor matches, score, weight and contribution; sum, process start and mark."""
        factors = {
            name: {
                "matches": self.matches[name],
                "score": score,
                "weight": WEIGHTS[name],
                "contribution": round(score * WEIGHTS[name], 2),
            }
            for name, score in self.factors.items()
        }
        total = round(sum(factor["contribution"] for factor in factors.values()), 2)
        return {"factors": factors, "sum": total, "process": self.process, "marked": self.marked, "value": self.value}


_Search = Callable[[str, str], frozenset[int]]
"""Returns which of a factor's cues a text contains."""


def score_all(facts: Mapping[int, Fact], said: Mapping[int, str]) -> dict[int, Salience]:
    """Score the facts of a batch, by number. said: the texts of its messages, by number.

    Each text is searched once, however many facts came from it.
    """
    found = cache(_found)
    return {number: _scored(fact, [said[one] for one in fact.sources], found) for number, fact in facts.items()}


def score_salience(fact: Fact, sources: Sequence[str] = ()) -> Salience:
    """Score one fact.

    sources: the texts of its messages. They are searched for marks, and for other cues only if the fact has no quote: a long
    message contains many facts, and its cues belong to one.

    A factor scores 0, 4, 6, 8, 9, 10 for none to five of its cues; a cue in several places counts once. The value is the sum
    weighted by WEIGHTS. A process adds PROCESS_START, up to MARKED_FLOOR. Marked facts are scaled to start at MARKED_FLOOR.
    """
    return _scored(fact, sources, _found)


def _scored(fact: Fact, sources: Sequence[str], found: _Search) -> Salience:
    said = (fact.quote,) if fact.quote.strip() else tuple(sources)
    matches = _count_cues(fact, said, sources, found)
    total = sum(WEIGHTS[name] * factor_score(count) for name, count in matches.items())
    start = min(PROCESS_START, max(0.0, MARKED_FLOOR - total)) if fact.kind is MemoryKind.PROCESS else 0.0
    marked = fact.marked or _count(found, "command", said) > 0
    value = total + start
    if marked:
        value = MARKED_FLOOR + value * (MOST - MARKED_FLOOR) / MOST
    return Salience(round(value, 2), matches, round(start, 2), marked)


def factor_score(matches: int) -> float:
    """Return the score for a number of cues: 0, 4, 6, 8, then one more each, up to 10."""
    return _STEPS[min(matches, len(_STEPS) - 1)]


def _count_cues(fact: Fact, said: Sequence[str], sources: Sequence[str], found: _Search) -> dict[str, int]:
    words = (fact.content, *said)
    further_entities = max(0, len(fact.mentions) - 1)
    return {
        "temporal_urgency": _count(found, "temporal_urgency", words),
        "relationships": _count(found, "relationships", words) + len(fact.relations),
        "action_language": _count(found, "action_language", words),
        "explicit_marking": _count(found, "explicit_marking", (*words, *sources)) + fact.marked,
        "self_reference": _count(found, "first_person", said) + _count(found, "the_user", (fact.content,)),
        "complexity": _count(found, "complexity", words) + further_entities,
    }


def _count(found: _Search, factor: str, texts: Sequence[str]) -> int:
    """Count the cues in the texts, each once."""
    return len(frozenset[int]().union(*(found(factor, text) for text in texts)))


def _found(factor: str, text: str) -> frozenset[int]:
    return frozenset(number for number, cue in enumerate(_CUES[factor]) if cue.search(text))


STATED: Final = 0.9
"""The confidence of a plain, quoted statement: solid at once."""

INFERRED: Final = 0.5
"""The confidence of a guess or inference: a hypothesis until repeated."""

STEP: Final = 0.15
SOLID: Final = 0.75
_DIGITS: Final = 4  # stored as a real, 0.9 would come back slightly smaller

Tier = Literal["hypothesis", "solid"]


def sureness_of(*, stated: bool, covered: float) -> float:
    """Return a new memory's confidence. covered: the share of its quote that was found; plain statements are always solid."""
    return max(SOLID, round(STATED - (1 - covered) / 2, _DIGITS)) if stated else INFERRED


def tier_of(confidence: float) -> Tier:
    """Return "solid" from 0.75 on."""
    return "solid" if confidence >= SOLID else "hypothesis"


def reinforced(confidence: float) -> float:
    """Add 0.15, up to 1."""
    return min(1.0, round(confidence + STEP, _DIGITS))


def contradicted(confidence: float) -> float:
    """Subtract 0.15, but stay above 0."""
    return max(0.05, round(confidence - STEP, _DIGITS))
