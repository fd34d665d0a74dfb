"""A yes to the assistant's question: what it supposed of the user becomes the user's own words."""

import re

from mosshead.language.verbs import expand
from pipeline.rules_en.sentences import Sentence

_YES = re.compile(
    r"^(?:yes|yep|yeah|yup|correct|right|exactly|indeed|absolutely|that(?:'s| is) (?:right|correct"
    r"|true|it)|true|you(?:'re| are) right|you got it|precisely|definitely|sure am|i am|i do|"
    r"affirmative)"
    r"(?:[\s,.!]+(?:yes|exactly|correct|right|indeed|that(?:'s| is) (?:right|correct|true|it)|true"
    r"|i (?:do|am|did|have)|precisely|absolutely|please|thanks|sure|you(?:'re| are) right|you got "
    r"it))*[\s.!]*$",
    re.IGNORECASE,
)

_LEAD = re.compile(
    r"^(?:(?:so|ah|oh|ok|okay|got it|i see|great|right|just to (?:confirm|check|be sure)|to "
    r"confirm|if i understand(?: correctly)?|am i right that|is it (?:right|correct|true) that|"
    r"did you say(?: that)?|you mean|you said(?: that)?|then|and|thanks)[,:!. -]+)+",
    re.IGNORECASE,
)

_TAG = re.compile(
    r"[, ]+(?:right|correct|is that (?:right|correct)|isn't it|don't you|aren't you|yes|no|am i right)$", re.IGNORECASE
)

_INVERSIONS = (
    (re.compile(r"^do you (?:currently |still )?(?=\w)", re.IGNORECASE), "I "),
    (re.compile(r"^are you (?=\w)", re.IGNORECASE), "I am "),
    (re.compile(r"^is your (?P<n>[\w ]+?) (?P<v>[A-Z][\w ]*)$"), r"my \g<n> is \g<v>"),
    (re.compile(r"^is your (?P<n>\w+(?: \w+)?) (?P<v>\w.*)$", re.IGNORECASE), r"my \g<n> is \g<v>"),
)

_PERSONS = (
    (re.compile(r"\byou are\b|\byou're\b", re.IGNORECASE), "I am"),
    (re.compile(r"\byou were\b", re.IGNORECASE), "I was"),
    (re.compile(r"\byou've\b", re.IGNORECASE), "I have"),
    (re.compile(r"\byour\b", re.IGNORECASE), "my"),
    (re.compile(r"\b(?:to|for|with|from|of|at) you\b", re.IGNORECASE), lambda m: m[0][:-3] + "me"),
    (re.compile(r"\byou\b", re.IGNORECASE), "I"),
)

_OPEN = re.compile(r"\b(?:or|any(?:\w+)?)\b|^(?:do|are|is) you not\b|^do(?:n't)? you mean\b", re.IGNORECASE)
"""A yes to one of these does not say what is so: "tea or coffee?", "allergic to anything?", "do you not like it?"."""

_OFFER = re.compile(r"\b(?:me|I|I'll|want|like me|help|need|would you|shall|should|my)\b")


def is_confirmation(content: str) -> bool:
    """Whether a message says yes and nothing else."""
    return _YES.match(content.strip()) is not None


def confirmed(asked: Sentence) -> str | None:
    """The assistant's sentence as the user's own, None where it supposes nothing about the user."""
    text = _TAG.sub("", _LEAD.sub("", asked.text).strip().rstrip("?.! "))
    if _OFFER.search(text) or _OPEN.search(text):
        return None
    text = next((pattern.sub(mine, text) for pattern, mine in _INVERSIONS if pattern.match(text)), text)
    if not re.match(r"(?:you|your|i|my)\b", text, re.IGNORECASE):
        return None
    for pattern, mine in _PERSONS:
        text = pattern.sub(mine, text)
    return expand(text)
