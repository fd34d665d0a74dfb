"""Words by which somebody takes back what he said: "just kidding", "please forget that", "forget that I live in Leeds"."""

import re

_BEFORE = (
    r"(?:(?:please|pls|plz|kindly|can you|could you|would you|will you|you can|just|actually|and|but|then|oh|ok|okay|no|nah"
    r"|sorry|oops|haha|lol|wait)\b[\s,]*)*"
)
_AFTER = r"(?:[\s,.!]*\b(?:please|pls|haha|lol|sorry|thanks|thank you|now|again))*[\s.!?]*$"
_SAID = r"i(?:'ve| have)? (?:just )?(?:said|told you|mentioned|wrote|typed)"
_LAST = r"(?:my|the|that) (?:last|previous) (?:message|thing|one|bit|part|sentence|statement|remark)(?: i said)?"
_NOT_KEPT = r"do(?:n't| not) (?:store|save|keep|memori[sz]e|record)"
_KEEP = rf"(?:do(?:n't| not) remember|{_NOT_KEPT})"
_REMOVE = r"(?:ignore|disregard|delete|erase|remove|scratch|strike)"
_WHAT_WAS_SAID = rf"(?:what {_SAID}|(?:that )?{_SAID} (?:that|this|it|anything)|{_LAST})"
_JEST = r"(?:(?:i(?:'m| am| was) )?(?:just |only )?(?:kidding|joking)|jks?)"
_TAKEN_BACK = re.compile(
    rf"(?!no,? (?:kidding|joking)){_BEFORE}(?:{_JEST}|(?:forget|{_KEEP}) (?:that|this|{_WHAT_WAS_SAID})"
    rf"|{_REMOVE} {_WHAT_WAS_SAID}){_AFTER}",
    re.IGNORECASE,
)
_PERHAPS_AN_ANSWER = re.compile(
    rf"{_BEFORE}(?:not really|never ?mind(?: that)?|(?:forget|{_KEEP}) it|{_REMOVE} (?:that|this|it)"
    rf"|that(?:'s| is| was) (?:a lie|a joke|not true|untrue)){_AFTER}",
    re.IGNORECASE,
)
"""What takes back what the user said where the assistant has said nothing since; else it speaks of that."""
_FORGET_THAT = re.compile(
    rf"{_BEFORE}(?:forget|disregard|delete|erase|{_KEEP})(?: the fact)? that (?:{_SAID} (?:that )?)?(?P<said>.+?){_AFTER}",
    re.IGNORECASE,
)
_FOR_NOW = re.compile(
    r"\bfor (?:now|once|today|tonight|this|the (?:moment|time being)|(?:a|one) (?:sec\w*|minute|moment|bit|while|day|night))\b"
    r"|\b(?:this (?:time|once)|just once)\b|^i(?:'m| am) (?!\w+ing\b).*\b(?:today|tonight)\b"
    r"|(?: and|[,;:]| -) (?:please )?(?:give|tell|show|suggest|recommend|find|write|order|pretend|imagine|suppose|help|answer"
    r"|let's|what|where|how|who|which)\b",
    re.IGNORECASE,
)
"""What is to be left out of account for a while, and remembered: "forget that I'm vegan for a second"."""
_ASKED = re.compile(r"\b(?:can|could|would|will) you\b", re.IGNORECASE)
_BREAK = r"(?:,|;| -+|–|—)"
_AT_ITS_END = re.compile(
    rf"(?:(?:{_BREAK}| but| and)+ (?=pls |please )|(?:{_BREAK}| but)+ (?=forget|(?:just )?kidding)|{_BREAK} (?={_NOT_KEPT})"
    rf"|(?:{_BREAK}| but| and)+ (?={_NOT_KEPT} (?:that|this)\b))"
    rf"(?P<back>(?:please |pls )*(?:(?:forget|{_KEEP}) (?:that|this|it)|(?:just )?kidding)){_AFTER}",
    re.IGNORECASE,
)
"""Not so where the speaker may tell of himself: "I had surgery but don't remember it", "I set the alarm and forget it"."""


def takes_back(text: str, *, answering: bool) -> bool:
    """Whether a sentence takes back what its speaker said last. answering: somebody else may have spoken since."""
    if _only_asks(text):
        return False
    return bool(_TAKEN_BACK.match(text)) or (not answering and bool(_PERHAPS_AN_ANSWER.match(text)))


def may_take_back(text: str) -> bool:
    """Whether a sentence states nothing, since it takes something back, or answers so."""
    return takes_back(text, answering=False)


def to_be_forgotten(text: str) -> str | None:
    """What somebody asks to be forgotten, as a sentence: "I live in Leeds" of "please forget that I live in Leeds"."""
    match = None if _only_asks(text) else _FORGET_THAT.match(text)
    return match["said"] if match and not _FOR_NOW.search(match["said"]) else None


def _only_asks(text: str) -> bool:
    """Whether a sentence asks, and does not ask for something: "Don't remember that I like cake?"."""
    return text.rstrip().endswith("?") and not _ASKED.search(text)


def taken_back_within(text: str) -> tuple[str, str] | None:
    """What is said and taken back in one sentence, as two: "my salary is 40k, please don't remember that"."""
    match = _AT_ITS_END.search(text)
    return (text[: match.start()], match["back"]) if match and match.start() else None
