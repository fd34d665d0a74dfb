"""Procedures that the user teaches: "to check a batch, first run it through two detectors. Then …"."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from mosshead.models.kinds import EntityType, MemoryKind
from pipeline.models import Fact, FactMention, Message
from pipeline.rules_en.grammar import FIRST_NAMES, VERBS, gerund, third, to_third_person
from pipeline.rules_en.names import Discourse
from pipeline.rules_en.sentences import Sentence


@dataclass(frozen=True, slots=True)
class Taught:
    """A procedure in a message: what for, its steps as they were said, and which sentences hold it (half-open)."""

    goal: str
    steps: tuple[str, ...]
    start: int
    end: int


_SECOND_VERB = re.compile(r" and ([a-z]+)(?= (?:on|the|an?|it|to|them|his|her|up|with|for|two|three|all|every)\b)")
_GOAL = r"(?P<goal>[^:;]{3,90}?)"
_NOUNS = r"(?:process|procedure|workflow|recipe|routine|method|checklist|protocol|steps?|way)"
_DOES = r"(?:is|are|goes|works|looks|consists of|runs)(?: as follows| like this| this| the following| simple)?"

_OPENINGS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        (
            r"^(?:the )?way (?:that )?(?:we|i|you|our team)(?: (?:always|usually|normally|do|can|should))? "
            rf"{_GOAL} is(?: as follows| this| like this)?[:,]\s*(?P<steps>.*)$"
        ),
        (
            r"^(?:here(?:'s| is)|this is|that(?:'s| is)) (?:how|the way(?: that)?) (?:to|we|i|you|our "
            rf"team)(?: (?:always|usually|normally|can|should|do))? {_GOAL}(?:[:,.]\s*(?P<steps>.*))?$"
        ),
        rf"^(?:here(?:'s| is)|this is) (?:the|our|my) {_NOUNS} (?:for|of|to|when) {_GOAL}(?:[:.]\s*(?P<steps>.*))?$",
        (
            r"^(?:let me|i(?:'ll| will| want to|'m going to| am going to| would like to)) (?:teach|show|"
            r"explain|tell)(?: to)? you (?:how|the (?:process|procedure|steps)) (?:to|for|we|i) "
            rf"{_GOAL}(?:[:.]\s*(?P<steps>.*))?$"
        ),
        rf"^(?:the|our|my) (?:\w+ )?{_NOUNS} (?:for|of|to|when) {_GOAL} {_DOES}[:,]?\s*(?P<steps>.*)$",
        (
            rf"^(?:the|our|my) (?P<goal>[\w -]{{3,50}}?) (?:process|procedure|workflow|checklist|routine|"
            rf"protocol) {_DOES}[:,]?\s*(?P<steps>.*)$"
        ),
        rf"^(?:the )?(?:steps?|procedure|process|instructions) (?:to|for|of) {_GOAL}(?: are| is)?:\s*(?P<steps>.*)$",
        rf"^how (?:to|we|i|you) {_GOAL}:\s*(?P<steps>.*)$",
        r"^(?:in order )?to (?P<goal>[a-z]+)[,:]\s*(?P<steps>first\b.*)$",
        (
            r"^(?:in order )?to (?P<goal>[a-z]+ [^:]{3,90}?)(?:,|:)\s*(?P<steps>(?:(?:you|we|i) "
            r"(?:(?:first|always|need to|have to|must|should|then|just)\b|[a-z]+\b)|first|always|start|"
            r"begin|[a-z]+\b).*)$"
        ),
        (
            r"^(?P<goal>(?:when(?:ever)?|every time|as soon as) (?!you\b|we\b|i\b)[a-z]+ [^:,]{3,80}?)[,:]\s*"
            r"(?P<steps>(?:you|we|i) (?:first|always first|start by|begin by)\b.*)$"
        ),
        (
            r"^(?:when(?:ever)?|every time|before|after) (?:you|we|i) "
            r"(?P<goal>[a-z]+[^:,]{3,80}?)[,:]\s*(?P<steps>(?:(?:you|we|i) )?(?:first|always|start (?:by|"
            r"with)|begin (?:by|with)|need to|have to|must|should)\b.*)$"
        ),
    )
)

_SEQUENCE = re.compile(
    (
        r"^(?:and )?(?:first(?:ly)?|second(?:ly)?|third(?:ly)?|fourth(?:ly)?|then|next|after (?:that|"
        r"this)|afterwards|finally|lastly|last|at the end|once|when|if|also|step \d+|start|begin|make "
        r"sure|don't|do not|never|always|only)\b"
    ),
    re.IGNORECASE,
)

_ORDERED = re.compile(
    r"\b(?:first(?:ly)?|then|next|after that|afterwards|finally|lastly|second(?:ly)?|step \d)\b", re.IGNORECASE
)

_DOER = re.compile(
    (
        r"^(?:you|we|i)(?:'ll| will)? (?:(?:then|always|also|usually|need to|have to|must|should|"
        r"just) )?(?P<verb>[a-z]+)\b"
    ),
    re.IGNORECASE,
)

_STEP_VERBS = VERBS | frozenset(
    (
        "check run click log feed paste copy compare upload download press pull push merge tag "
        "commit rotate delete remove save count scan mix stir boil chop add pour heat rinse grind "
        "tell email ping fill submit validate verify approve rewrite note let use mark drop export "
        "import reject flag pay"
    ).split()
)

_OPENS_WITH = re.compile(r"^(?:and |just |please )?(?P<verb>[a-z]+)\b", re.IGNORECASE)
_SUBORDINATE_GOALS = re.compile(r"^(?:be|me|you|him|her|us|them|it|this|that|my|the|a)\b", re.IGNORECASE)
_PART = re.compile(r";|, (?:and )?(?=then\b|next\b|after that\b|finally\b|lastly\b|second\b)|(?<=\w)\.\s")
_WHENEVER = re.compile(r"^(?:when(?:ever)?|every time|as soon as)\b", re.IGNORECASE)
_PEOPLE = re.compile(r"\bI\b")


def find_process(sentences: Sequence[Sentence], texts: Sequence[str], start: int, *, marked: bool) -> Taught | None:
    """The procedure that begins at a sentence, None where none does.

    texts: the sentences without their openers and marks. marked: the user said that this is to be learnt, so one
    step is enough.
    """
    opening = _opening(texts[start])
    if opening is None:
        return None
    goal, inline, explicit = opening
    steps = _inline_steps(inline)
    end = start + 1
    while end < len(sentences) and _is_step(sentences[end], texts[end], bare=not steps):
        steps.append(_bare(texts[end]))
        end += 1
    ordered = bool(_ORDERED.search(inline)) or any(s.listed for s in sentences[start + 1 : end])
    enough = len(steps) >= 2 or (
        bool(steps) and (marked or ordered or _firm(inline) or (explicit and _several(inline)))
    )
    if not enough:
        return None
    return Taught(goal, tuple(steps), start, end)


def _opening(text: str) -> tuple[str, str, bool] | None:
    """What the procedure is for, the steps in the same sentence, and whether the words leave no doubt that it is one."""
    for pattern in _OPENINGS:
        match = pattern.match(text)
        if match is None:
            continue
        goal, steps = _WHENEVER.sub("when", match["goal"].strip()), (match["steps"] or "").strip()
        first = goal.split()[0].lower()
        if pattern is _OPENINGS[-3] and (first not in _STEP_VERBS or not _imperative_steps(steps)):
            continue
        if _SUBORDINATE_GOALS.match(goal) and pattern not in _OPENINGS[4:6]:
            continue
        verbal = re.search(
            r"\b(?:to|we|i|you|team|always|usually|normally|do|can|should)\s$",
            text[: match.start("goal")],
            re.IGNORECASE,
        )
        return _named(goal, verbal=verbal is not None), steps, pattern in _OPENINGS[:-3]
    return None


def _imperative_steps(steps: str) -> bool:
    """After "To deploy, …" an order or a "first" must come; "To relax, I go running" teaches nothing."""
    if _SEQUENCE.match(steps):
        return True
    doer = _DOER.match(steps)
    if doer:
        return (
            bool(_ORDERED.search(steps))
            or re.match(r"(?:you|we) (?:always|need|have|must|should)\b", steps, re.IGNORECASE) is not None
            or steps.lower().startswith("we ")
        )
    opens = _OPENS_WITH.match(steps)
    return opens is not None and opens["verb"].lower() in _STEP_VERBS


def _several(inline: str) -> bool:
    opens = _OPENS_WITH.match(inline)
    return (
        opens is not None and opens["verb"].lower() in _STEP_VERBS and re.search(r",| and | then ", inline) is not None
    )


def _firm(inline: str) -> bool:
    return re.match(r"(?:(?:you|we) )?(?:always|must|need to|have to)\b", inline, re.IGNORECASE) is not None


def _inline_steps(inline: str) -> list[str]:
    return [_bare(part) for part in _PART.split(inline) if _bare(part)]


def _is_step(sentence: Sentence, text: str, *, bare: bool) -> bool:
    if text.endswith("?"):
        return False
    if sentence.listed or _SEQUENCE.match(text):
        return True
    doer = _DOER.match(text)
    if doer and (doer["verb"].lower() in _STEP_VERBS or bare):
        return not _PEOPLE.match(text) or bare
    opens = _OPENS_WITH.match(text)
    return opens is not None and opens["verb"].lower() in _STEP_VERBS


def _bare(step: str) -> str:
    return step.strip().rstrip(".!,;: ")


def _named(goal: str, *, verbal: bool) -> str:
    """What a procedure is called after what it is for: "check the batch" → "checking the batch".

    verbal: the first word stood where only a verb can.
    """
    first, _, rest = goal.rstrip(" ,.").partition(" ")
    low = first.lower()
    name = gerund(low) if (verbal or low in _STEP_VERBS) and not low.endswith("ing") else first
    return f"{name} {rest}".strip()


def compose_process(
    taught: Taught, message: Message, found: Sequence[Sentence], discourse: Discourse, *, marked: bool
) -> Fact:
    """The one fact that holds all steps of a procedure, about an entity named after what it is for."""
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
    """A step in the third person, its second verb too: "then we call and book" → "then User calls and books"."""
    text = to_third_person(_lowered(step), discourse.me, discourse.firm)
    doer = discourse.firm or discourse.me
    if not re.match(rf"(?:[a-z ]+ )?{re.escape(doer)} ", text):
        return text
    return _SECOND_VERB.sub(lambda m: f" and {third(m[1]) if m[1] in VERBS else m[1]}", text)


def _lowered(step: str) -> str:
    """A step that was a sentence of its own, as part of one: "Run the tests" → "run the tests"."""
    first = step.split(" ", 1)[0]
    return step[0].lower() + step[1:] if first.istitle() and first != "I" and first.lower() not in FIRST_NAMES else step
