"""Words by which somebody takes back what he said: "just kidding", "please forget that", "forget that I live in Leeds"."""

import re

_BEFORE = (
    r"(?:(?:please|pls|plz|kindly|can you|could you|would you|will you|you can|just|actually|and|but|then|oh|ok|okay|no|nah"
    r"|sorry|oops|haha|lol|wait)\b[\s,]*)*"
)
_AFTER = r"(?:[\s,.!]*\b(?:please|pls|haha|lol|sorry|thanks|thank you|now|again))*[\s.!?]*$"
_SAID = r"i(?:'ve| have)? (?:just )?(?:said|told you|mentioned|wrote|typed)"
_LAST = r"(?:my|the|that) (?:last|previous) (?:message|thing|one|bit|part|sentence|statement|remark)(?: i said)?"
_KEEP = r"do(?:n't| not) (?:remember|store|save|keep|memori[sz]e|record)"
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
_AT_ITS_END = re.compile(
    r"(?:,|;| -+|–|—| but| and)+ (?P<back>(?:please |pls |but )*"
    rf"(?:(?:forget|{_KEEP}) (?:that|this|it)|(?:just )?kidding)){_AFTER}",
    re.IGNORECASE,
)


def takes_back(text: str, *, answering: bool) -> bool:
    """Whether a sentence takes back what its speaker said last. answering: the assistant has spoken since."""
    return bool(_TAKEN_BACK.match(text)) or (not answering and bool(_PERHAPS_AN_ANSWER.match(text)))


def may_take_back(text: str) -> bool:
    """Whether a sentence states nothing, since it takes something back, or answers so."""
    return takes_back(text, answering=False)


def to_be_forgotten(text: str) -> str | None:
    """What somebody asks to be forgotten, as a sentence: "I live in Leeds" of "please forget that I live in Leeds"."""
    match = _FORGET_THAT.match(text)
    return match["said"] if match else None


def taken_back_within(text: str) -> tuple[str, str] | None:
    """What is said and taken back in one sentence, as two: "my salary is 40k, please don't remember that"."""
    match = _AT_ITS_END.search(text)
    return (text[: match.start()], match["back"]) if match and match.start() else None
