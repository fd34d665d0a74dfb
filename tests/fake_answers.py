"""The fake endpoint's default answers: tiny rules over the prompt, independent of the product's."""

import hashlib
import math
import re
from collections.abc import Callable, Iterator
from typing import Any

Json = dict[str, Any]

_NO_TIME: Json = {"start": None, "end": None, "granularity": "day"}
_BLOCK = r"^BEGIN {name}\n(?P<body>.*?)\n?^END {name}$"
_MESSAGE = re.compile(r"^\[(?P<number>\d+)\] user\b[^\n]*\n(?P<text>(?:^\|[^\n]*\n?)+)", re.MULTILINE)
_FACT = re.compile(r"^F(?P<number>\d+)(?P<header>[^\n]*)\n(?P<text>(?:^\|[^\n]*\n?)+)", re.MULTILINE)
_MEMORY = re.compile(r"^M(?P<number>\d+)[^\n]*\n(?P<text>(?:^\|[^\n]*\n?)+)", re.MULTILINE)
_BARS = re.compile(r"^\| ?", re.MULTILINE)
_SENTENCE = re.compile(r"[^.!?\n]+[.!?]?")
_FIRST_PERSON = re.compile(r"\b(?:I|my|me|we|our|us)\b", re.IGNORECASE)
_NAME = re.compile(r"\b[A-Z]\w+(?: (?:of )?[A-Z]\w+)*")
_NO_NAMES = frozenset(
    {"I", "My", "We", "Our", "It", "He", "She", "This", "That", "The", "They", "There", "You", "Yes", "No"}
)
_VERBS = {
    "have": "has",
    "do": "does",
    "go": "goes",
    "am": "is",
    "was": "was",
    "will": "will",
    "can": "can",
    "had": "had",
}
_PRESENT = frozenset(
    {"like", "love", "live", "work", "prefer", "hate", "need", "want", "play", "drink", "eat", "use", "speak"}
)
_THIRD_PERSON = (
    (re.compile(r"\bI'm\b|\bI am\b"), "User is"),
    (re.compile(r"\bI've\b"), "User has"),
    (re.compile(r"\bI'll\b"), "User will"),
    (re.compile(r"\b(?:we|We) (?:are|'re)\b"), "User is"),
    (re.compile(r"\b(?:my|our)\b", re.IGNORECASE), "User's"),
    (re.compile(r"\b(?:me|us)\b"), "User"),
)


def answer_for(schema: str, prompt: str) -> Json:
    """Return the default answer to the user part of a prompt for a schema."""
    rules: dict[str, Callable[[str], Json]] = {
        "ExtractionAnswer": _extraction,
        "RecordingAnswer": _recording,
        "ConsolidationAnswer": _consolidation,
        "ProfileAnswer": _profile,
        "DocumentAnswer": lambda prompt: {"fields": []},
        "ExpansionAnswer": lambda prompt: {"memories": []},
        "ManagerAnswer": lambda prompt: {"changes": []},
        "SummaryAnswer": _summary,
        "Readiness": lambda prompt: {"ready": True},
    }
    return rules[schema](prompt)


def vector_for(text: str, dimensions: int) -> list[float]:
    """Return a bag of words, each hashed to a position and sign, of length 1; equal words give equal vectors in any process."""
    vector = [0.0] * dimensions
    for word in re.findall(r"\w+", text.casefold()) or [""]:
        digest = hashlib.sha256(word.encode()).digest()
        vector[int.from_bytes(digest[:4], "big") % dimensions] += 1.0 if digest[4] % 2 else -1.0
    length = math.hypot(*vector)
    return [part / length for part in vector] if length else [1.0, *vector[1:]]


def _extraction(prompt: str) -> Json:
    return {"facts": [fact for number, text in messages_in(prompt) for fact in _facts(number, text)]}


def _recording(prompt: str) -> Json:
    return {"facts": [fact | {"record": None} for fact in _extraction(prompt)["facts"]]}


def messages_in(prompt: str) -> Iterator[tuple[int, str]]:
    """Yield the user messages in an extraction prompt, by number."""
    for match in _MESSAGE.finditer(_body(prompt, "MESSAGES")):
        yield int(match["number"]), _BARS.sub("", match["text"])


def _facts(number: int, text: str) -> Iterator[Json]:
    for sentence in (match.group().strip() for match in _SENTENCE.finditer(text)):
        if _FIRST_PERSON.search(sentence) and not sentence.endswith("?"):
            yield fact_like(
                content=_third_person(sentence), sources=[number], quote=sentence, mentions=_mentions(sentence)
            )


def fact_like(**given: object) -> Json:
    """Return a complete fact of an extraction answer, with defaults.

    occurred: its start, end and granularity.
    """
    plain: Json = {
        "kind": "fact",
        "content": "User likes coffee.",
        "sources": [1],
        "quote": "I like coffee.",
        "mentions": [],
        "relations": [],
        "attribute": None,
        "value": None,
        "stated": True,
        "marked": False,
        "corrects": False,
        "retracts": False,
    }
    occurred = given.pop("occurred", None)
    return plain | _NO_TIME | (occurred if isinstance(occurred, dict) else {}) | given


def _third_person(sentence: str) -> str:
    for pattern, replacement in _THIRD_PERSON:
        sentence = pattern.sub(replacement, sentence)
    return re.sub(r"\b(?:I|we|We) (\w+)", lambda match: f"User {_conjugated(match[1])}", sentence)


def _conjugated(verb: str) -> str:
    return f"{verb}s" if verb in _PRESENT else _VERBS.get(verb, verb)


def _mentions(sentence: str) -> list[Json]:
    names = dict.fromkeys(name for name in _NAME.findall(sentence) if name.split()[0] not in _NO_NAMES)
    return [_mention(name, sentence) for name in names]


def _mention(name: str, sentence: str) -> Json:
    place = re.search(rf"\b(?:in|to) {re.escape(name)}", sentence)
    org = re.search(rf"\b(?:at|for) {re.escape(name)}", sentence)
    entity_type = "place" if place else "org" if org else "person"
    empty: Json = {"aliases": [], "parent": None, "description": None}
    return {"name": name, "entity_type": entity_type, "role": "about", **empty}


def _consolidation(prompt: str) -> Json:
    known = {_BARS.sub("", match["text"]).strip(): int(match["number"]) for match in _MEMORY.finditer(prompt)}
    return {"decisions": [_decision(match, known) for match in _FACT.finditer(prompt)]}


def _decision(match: re.Match[str], known: dict[str, int]) -> Json:
    twin = known.get(_BARS.sub("", match["text"]).strip())
    near = twin is not None and re.search(rf"\bM{twin}\b", match["header"])
    action: Json = {"action": "none", "memory": twin} if near else {"action": "add", "memory": None}
    return {"fact": int(match["number"]), **action, "content": None, "reason": "by the fake's rule"}


def _profile(prompt: str) -> Json:
    return {"summary": " ".join(_BARS.sub("", _body(prompt, "MEMORIES")).split("\n"))}


def _summary(prompt: str) -> Json:
    said = (_BARS.sub("", _body(prompt, "OLD SUMMARY")), *(text for _, text in messages_in(prompt)))
    return {"summary": " ".join(" ".join(said).split())}


def _body(prompt: str, name: str) -> str:
    match = re.search(_BLOCK.format(name=name), prompt, re.MULTILINE | re.DOTALL)
    return match["body"] + "\n" if match else ""
