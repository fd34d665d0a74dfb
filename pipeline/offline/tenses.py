"""Whether a sentence looks back or forward: what "on Friday" and "in May" mean depends on it."""

import re
from collections.abc import Sequence

from pipeline.offline.grammar import ADVERB, base_of, expand, is_past
from pipeline.offline.lexicon import AUXILIARIES, UNCHANGED_PAST, VERBS
from pipeline.times.words import MONTH, WEEKDAY

_FORWARD = re.compile(
    r"^(?:(?:has|have) (?!been|had|\w+ed\b|[a-z]{2,}(?:en|wn)\b|gone|done)|will|shall|is|are|am|wants?|plans?|hopes?"
    r"|intends?"
    r"|needs?|has to|have to|gets?|cannot wait|expects?|starts?|leaves?|opens?|should|must|would|might|may|can|cannot)"
    r"\b(?! (?:been|born))"
)
_FROM_OF_OLD = re.compile(r"(?:is|are|am) (?:from|called|named)\b")
_ARRANGED = re.compile(
    r"\b(?:booked|scheduled|planned|set|reserved|arranged|moved|pushed(?: back)?|postponed|delayed|rescheduled"
    r"|invited|registered"
    r"|signed up|due|bumped|switched|bought tickets|got tickets)\b.*?\b(?:for|to|until|till) "
    r"(?:the |this |this coming |early |late )?"
    rf"(?:{WEEKDAY}\b|\d{{1,2}}(?:st|nd|rd|th)\b|(?:\d{{1,2}} )?{MONTH}|(?:spring|summer|autumn|winter|christmas)\b)",
    re.IGNORECASE,
)
"""What was arranged lies ahead of the arranging."""

_CLAUSE_END = re.compile(
    r"[,;:.!?()]|\s[-–—]+\s|\b(?:and|but|because|so|when|that|which|who|while|although|though|if)\b", re.IGNORECASE
)
_WORD = re.compile(r"[A-Za-z']+")
_NO_VERB_AFTER = frozenset("to a an the my our his her their its this that your of in on at for with".split())
_LEADING = _NO_VERB_AFTER | frozenset("am be been being get gets getting got going having keeping".split())
_ONE_ADVERB = re.compile(rf"^(?:{ADVERB}|not|n't)$", re.IGNORECASE)


def looks_back(predicate: str) -> bool:
    """Whether a predicate, from its verb on, speaks of what was; with a date, "is", "plans" and "flies" look forward."""
    if not predicate.strip() or _ARRANGED.search(predicate):
        return False
    if _FROM_OF_OLD.match(predicate) or _is_perfect(predicate):
        return True
    return not (_FORWARD.match(predicate) or _is_present(predicate.split(maxsplit=1)[0]))


def tense_at(sentence: str, start: int, end: int) -> bool | None:
    """Whether the clause around a stretch of a sentence looks back; None where it has no verb that tells.

    sentence: as it was said, in the first person or the third.
    """
    sentence = sentence.lower() if sentence.isupper() else sentence
    before = expand(sentence[:start]).rstrip()
    clauses = [match.end() for match in _CLAUSE_END.finditer(before)]
    for cut in (clauses[-1] if clauses else 0, 0):
        at = _last_verb(before[cut:])
        if at is not None:
            return looks_back(f"{before[cut:][at:]} {sentence[start:end]}")
    rest = expand(sentence[end:])
    at = _first_verb(rest)
    return None if at is None else looks_back(rest[at:])


def _is_perfect(predicate: str) -> bool:
    led, *words = predicate.lower().split()
    done = next((word for word in words if not _ONE_ADVERB.match(word)), "")
    return led in {"has", "have"} and is_past(done)


def _is_present(word: str) -> bool:
    low = word.lower()
    if low in UNCHANGED_PAST or is_past(low) or low in AUXILIARIES:
        return False
    return low in VERBS or (low.endswith("s") and base_of(low) in VERBS)


def _verbs(text: str) -> list[int]:
    """Where its finite verbs begin, each with the auxiliary that leads it."""
    words = list(_WORD.finditer(text))
    return [
        word.start() for at, word in enumerate(words) if _is_finite([one.group().lower() for one in words[: at + 1]])
    ]


def _last_verb(text: str) -> int | None:
    return next(reversed(_verbs(text)), None)


def _first_verb(text: str) -> int | None:
    return next(iter(_verbs(text)), None)


def _is_finite(words: Sequence[str]) -> bool:
    """Whether the last word is a finite verb, and not led by an auxiliary, which then is the verb."""
    word, led_by = words[-1], next((one for one in reversed(words[:-1]) if not _ONE_ADVERB.match(one)), "")
    if led_by in AUXILIARIES or led_by in _LEADING:
        return False
    return word in AUXILIARIES or word == "am" or is_past(word) or _is_present(word)
