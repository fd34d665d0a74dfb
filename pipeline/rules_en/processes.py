"""Detect procedures that the user teaches: "to check a batch, first run it through two detectors. Then …"."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from mosshead.language.verbs import VERBS, gerund, third
from mosshead.language.wordlists import FIRST_NAMES
from mosshead.models.kinds import EntityType, MemoryKind
from pipeline.models import Fact, FactMention, Message
from pipeline.rules_en.grammar import to_third_person
from pipeline.rules_en.names import Discourse
from pipeline.rules_en.sentences import Sentence


@dataclass(frozen=True, slots=True)
class Taught:
    """A procedure in a message: its goal, its steps as said, and the range of sentences (half-open)."""

    goal: str
    steps: tuple[str, ...]
    start: int
    end: int


_SECOND_VERB = re.compile(r" and ([a-z]+)(?= (?:on|the|an?|it|to|them|his|her|up|with|for|two|three|all|every)\b)")
_WE = r"(?:to|we|i|you|our team)(?: (?:always|usually|normally|do|can|should))?"
_DOING = r"(?P<doing>[^:;]{3,90}?)"
_THING = r"(?P<thing>[^:;]{3,90}?)"
_NOUNS = r"(?:process|procedure|workflow|recipe|routine|method|checklist|protocol|steps?|way)"
_DOES = r"(?:is|are|goes|works|looks|consists of|runs)(?: as follows| like this| this| the following| simple)?"
_STEPS = r"(?P<steps>.*)$"


def _patterns(*patterns: str) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(pattern, re.IGNORECASE) for pattern in patterns)


_PLAIN_OPENINGS = _patterns(
    rf"(?:here(?:'s| is)|this is) (?:how|the way(?: that)?) {_WE} {_DOING}(?:[:,.]\s*{_STEPS}|$)",
    rf"(?:the )?way (?:that )?{_WE} {_DOING} is(?: as follows| this| like this)?[:,]\s*{_STEPS}",
    rf"(?:let me|i(?:'ll| will| want to)) (?:teach|show|explain|tell)(?: to)? you how {_WE} {_DOING}[:.]\s*{_STEPS}",
    rf"how {_WE} {_DOING}:\s*{_STEPS}",
    rf"(?:the|our|my) (?:\w+ )?{_NOUNS} (?:for|of|to|when) {_THING} {_DOES}[:,]?\s*{_STEPS}",
    rf"(?:the|our|my) {_THING} {_NOUNS} {_DOES}[:,]?\s*{_STEPS}",
    rf"(?:the )?{_NOUNS} (?:to|for|of) {_THING}(?: are| is)?:\s*{_STEPS}",
)
"""Openings that clearly teach a procedure."""

_ORDERING = r"(?:first|always|start (?:by|with)|begin (?:by|with)|need to|have to|must|should)\b"

_OTHER_OPENINGS = _patterns(
    r"(?:in order )?to (?P<doing>[a-z]+(?=[,:]\s*first\b)|[a-z]+ [^:]{3,90}?)[,:]\s*(?P<steps>[a-z]+\b.*)$",
    r"(?P<thing>(?:when(?:ever)?|every time|as soon as) (?!(?:you|we|i)\b)[a-z]+ [^:,]{3,80}?)[,:]\s*"
    rf"(?P<steps>(?:you|we|i) (?:always )?{_ORDERING}.*)$",
    r"(?:when(?:ever)?|every time|before|after) (?:you|we|i) (?P<doing>[a-z]+[^:,]{3,80}?)[,:]\s*"
    rf"(?P<steps>(?:(?:you|we|i) )?{_ORDERING}.*)$",
)

_SEQUENCE = re.compile(
    r"(?:and )?(?:(?:first|second|third|fourth|last)(?:ly)?|then|next|after (?:that|this)|afterwards|finally|at the end|once"
    r"|when|if|also|step \d+|start|begin|make sure|don't|do not|never|always|only)\b",
    re.IGNORECASE,
)

_ORDERED = re.compile(
    r"\b(?:first(?:ly)?|then|next|after that|afterwards|finally|lastly|second(?:ly)?|step \d)\b", re.IGNORECASE
)

_DOER = re.compile(
    r"(?:you|we|i)(?:'ll| will)? (?:(?:then|always|also|usually|need to|have to|must|should|just) )?(?P<verb>[a-z]+)\b",
    re.IGNORECASE,
)

_STEP_VERBS = VERBS | frozenset(
    """
    check run click log feed paste copy compare upload download press pull push merge tag commit rotate delete remove save
    count scan mix stir boil chop add pour heat rinse grind tell email ping fill submit validate verify approve rewrite note
    let use mark drop export import reject flag pay
    """.split()
)

_OPENS_WITH = re.compile(r"(?:and |just |please )?(?P<verb>[a-z]+)\b", re.IGNORECASE)
_SUBORDINATE_GOALS = re.compile(r"(?:be|me|you|him|her|us|them|it|this|that|my|the|a)\b", re.IGNORECASE)
_PART = re.compile(r";|, (?:and )?(?=then\b|next\b|after that\b|finally\b|lastly\b|second\b)|(?<=\w)\.\s")
_WHENEVER = re.compile(r"(?:when(?:ever)?|every time|as soon as)\b", re.IGNORECASE)
_MARKS = ".!,;: "


def find_process(sentences: Sequence[Sentence], texts: Sequence[str], start: int, *, marked: bool) -> Taught | None:
    """Return the procedure that begins at a sentence, or None.

    texts: the sentences without openers and marks. marked: the user asked to learn this, so one step suffices.
    """
    opening = _opening(texts[start])
    if opening is None:
        return None
    goal, inline, explicit = opening
    steps = [bare for part in _PART.split(inline) if (bare := part.strip().rstrip(_MARKS))]
    end = start + 1
    while end < len(sentences) and _is_step(sentences[end], texts[end], bare=not steps):
        steps.append(texts[end].strip().rstrip(_MARKS))
        end += 1
    ordered = bool(_ORDERED.search(inline)) or any(s.listed for s in sentences[start + 1 : end])
    several = explicit and _orders(inline) and re.search(r",| and | then ", inline)
    if len(steps) < 2 and not (steps and (marked or ordered or several)):
        return None
    return Taught(goal, tuple(steps), start, end)


def _opening(text: str) -> tuple[str, str, bool] | None:
    """Return a procedure's goal, the steps in the same sentence, and whether the wording is clear."""
    for pattern in (*_PLAIN_OPENINGS, *_OTHER_OPENINGS):
        match = pattern.match(text)
        if match is None:
            continue
        said = match.groupdict()
        goal, steps = said.get("doing") or said["thing"], (said["steps"] or "").strip()
        if "doing" in said and _SUBORDINATE_GOALS.match(goal):
            continue
        if pattern is _OTHER_OPENINGS[0] and not (_orders(goal) and _tells_to(steps)):
            continue
        return _named(_WHENEVER.sub("when", goal.strip()), verbal="doing" in said), steps, pattern in _PLAIN_OPENINGS
    return None


def _tells_to(steps: str) -> bool:
    """Whether an order or "first" follows "To deploy, …"; "To relax, I go running" teaches nothing."""
    if _SEQUENCE.match(steps) or _ORDERED.search(steps):
        return True
    return steps.lower().startswith("we ") if _DOER.match(steps) else _orders(steps)


def _orders(text: str) -> bool:
    opens = _OPENS_WITH.match(text)
    return opens is not None and opens["verb"].lower() in _STEP_VERBS


def _is_step(sentence: Sentence, text: str, *, bare: bool) -> bool:
    if text.endswith("?"):
        return False
    if sentence.listed or _SEQUENCE.match(text):
        return True
    doer = _DOER.match(text)
    if doer and (doer["verb"].lower() in _STEP_VERBS or bare):
        return bare or not text.startswith("I ")
    return _orders(text)


def _named(goal: str, *, verbal: bool) -> str:
    """Return a procedure's name from its goal: "check the batch" → "checking the batch".

    verbal: the first word must be a verb.
    """
    first, _, rest = goal.rstrip(" ,.").partition(" ")
    low = first.lower()
    name = gerund(low) if (verbal or low in _STEP_VERBS) and not low.endswith("ing") else first
    return f"{name} {rest}".strip()


def compose_process(
    taught: Taught, message: Message, found: Sequence[Sentence], discourse: Discourse, *, marked: bool
) -> Fact:
    """Return a fact with all steps of a procedure, about an entity named after its goal."""
    steps = "; ".join(_step(step, discourse) for step in taught.steps)
    name = to_third_person(taught.goal, discourse.me, discourse.firm)
    start = message.content.find(found[taught.start].quote)
    last = found[taught.end - 1].quote
    end = message.content.find(last, start) + len(last)
    return Fact(
        kind=MemoryKind.PROCESS,
        content=f"The process for {name}: {steps}",
        sources=(message.number,),
        quote=message.content[start:end],
        mentions=(FactMention(name=name, entity_type=EntityType.PROCESS, role="subject"),),
        marked=marked,
    )


def _step(step: str, discourse: Discourse) -> str:
    """Return a step in the third person, including its second verb: "then we call and book" → "then User calls and books"."""
    text = to_third_person(_lowered(step), discourse.me, discourse.firm)
    doer = re.escape(discourse.firm or discourse.me)
    if not re.match(rf"(?:[a-z ]+ )?{doer} ", text):
        return text
    return _SECOND_VERB.sub(lambda match: f" and {third(match[1]) if match[1] in VERBS else match[1]}", text)


def _lowered(step: str) -> str:
    """Lowercase a step that was a sentence of its own: "Run the tests" → "run the tests"."""
    first = step.split(" ", 1)[0]
    return step[0].lower() + step[1:] if first.istitle() and first != "I" and first.lower() not in FIRST_NAMES else step
