"""Find what somebody asks to forget: the last thing said, a statement, or a matter such as "my phone number"."""

import re
from collections.abc import Iterable

from mosshead.language.foreign_retractions import FOREIGN_STEMS, foreign_matter
from mosshead.language.requests import content_words
from mosshead.language.verbs import VERBS
from mosshead.patterns import AS_ASCII

_BEFORE = (
    r"(?:(?:please|pls|plz|kindly|can you|could you|would you|will you|you can|you may|you should|feel free to"
    r"|go ahead and|i(?:'d like| would like| want| need) you to|make sure (?:to|you|that you)"
    r"|just|actually|and|but|then|oh|ok|okay|no|nah|sorry|oops|haha|lol|wait|so|also|hey|hi|hello|btw|by the way)\b[\s,]*)*"
)

_AFTER = r"(?:[\s,.!]*\b(?:please|pls|haha|lol|sorry|thanks|thank you|now|again|ok|okay|alright|will you|would you)\b)*[\s.!?]*$"
_SAID = r"i(?:'ve| have)? (?:just )?(?:said|told you|mentioned|wrote|typed)"
_LAST = r"(?:my|the|that) (?:last|previous) (?:message|thing|one|bit|part|sentence|statement|remark)(?: i said)?"
_NOT = (
    r"(?:(?:you )?do(?:n't| not)(?: (?:need|have) to)?|you (?:need(?:n't| not)|should(?:n't| not)|must(?:n't| not))"
    r"|i do(?:n't| not) want you to|(?:there(?:'s| is) )?no need (?:for you )?to)"
)
_NOT_KEPT = rf"{_NOT} (?:store|save|keep|memori[sz]e|record)"
_KEEP = (
    rf"(?:{_NOT} remember|{_NOT_KEPT}|i do(?:n't| not) want you to know|stop (?:remembering|storing|saving|keeping))"
)
_REMOVE = r"(?:ignore|disregard|delete|erase|remove|scratch|strike)"
_WHAT_WAS_SAID = rf"(?:what {_SAID}|(?:that )?{_SAID} (?:that|this|it|anything)|{_LAST})"
_JEST = r"(?:(?:i(?:'m| am| was) )?(?:just |only )?(?:kidding|joking)|jks?)"

_TAKEN_BACK = re.compile(
    rf"(?!no,? (?:kidding|joking)){_BEFORE}(?:{_JEST}|(?:forget|{_KEEP}) (?:that|this|{_WHAT_WAS_SAID})"
    rf"|{_REMOVE} {_WHAT_WAS_SAID}"
    rf"|(?:that|this|it)(?:'s| is) (?:no longer|not) (?:true|right|correct|the case|so)(?: any ?more)?[\s,;:–—-]+"
    rf"(?:(?:so|and|please|you can|just) )*(?:forget|delete|erase) (?:it|that|this)){_AFTER}",
    re.IGNORECASE,
)

_PERHAPS_AN_ANSWER = re.compile(
    rf"{_BEFORE}(?:not really|never ?mind(?: that)?|{_KEEP} it|{_REMOVE} (?:that|this|it)"
    rf"|that(?:'s| is| was) (?:a lie|a joke|not true|untrue)){_AFTER}",
    re.IGNORECASE,
)
"""Retracts what the user said if the assistant has said nothing since; otherwise it is about the assistant's words."""

_FORGET_THAT = re.compile(
    rf"{_BEFORE}(?:forget|disregard|delete|erase|remove|{_KEEP})(?:(?: the fact)? that (?:{_SAID} (?:that )?)?| {_SAID} )"
    rf"(?P<said>.+?){_AFTER}",
    re.IGNORECASE,
)

_FOR_NOW = re.compile(
    r"\bfor (?:now|once|today|tonight|this|the (?:moment|time being)|(?:a|one) (?:sec\w*|minute|moment|bit|while|day|night))\b"
    r"|\b(?:this (?:time|once)|just once)\b|^i(?:'m| am) (?!\w+ing\b).*\b(?:today|tonight)\b"
    r"|(?: and|[,;:]| -) (?:please )?(?:give|tell|show|suggest|recommend|find|write|order|pretend|imagine|suppose|help|answer"
    r"|let's|what|where|how|who|which)\b",
    re.IGNORECASE,
)
"""What to ignore for a while but remember: "forget that I'm vegan for a second"."""

_ASKED = re.compile(r"\b(?:can|could|would|will) you\b|,? (?:ok(?:ay)?|all ?right|please|pls)\?$", re.IGNORECASE)
_BREAK = r"(?:,|;| -+|–|—)"

_AT_ITS_END = re.compile(
    rf"(?:(?:{_BREAK}| but| and)+ (?=pls |please )|(?:{_BREAK}| but)+ (?=forget|(?:just )?kidding)|{_BREAK} (?={_NOT_KEPT})"
    rf"|(?:{_BREAK}| but| and)+ (?={_NOT_KEPT} (?:that|this)\b))"
    rf"(?P<back>(?:please |pls )*(?:(?:forget|{_KEEP}) (?:that|this|it)|(?:just )?kidding)){_AFTER}",
    re.IGNORECASE,
)
"""Excludes statements about the speaker: "I had surgery but don't remember it", "I set the alarm and forget it"."""


def takes_back(text: str, *, answering: bool) -> bool:
    """Whether a sentence retracts what its speaker said last. answering: somebody else may have spoken since."""
    if _only_asks(text):
        return False
    return bool(_TAKEN_BACK.match(text)) or (not answering and bool(_PERHAPS_AN_ANSWER.match(text)))


def to_be_forgotten(text: str) -> str | None:
    """Return the statement to forget: "I live in Leeds" for "please forget that I live in Leeds"."""
    match = None if _only_asks(text) else _FORGET_THAT.match(text)
    return match["said"] if match and not _FOR_NOW.search(match["said"]) else None


_ALL = r"(?:everything|anything|all|whatever|what)(?: of)?(?: that)?"
_ALL_TOLD = (
    rf"(?:(?:{_ALL} (?:{_SAID}|i(?:'ve| have)? (?:ever )?(?:told you|shared)|we said)"
    r"|the (?:thing|bit|part|stuff|note|memory|memorie|fact)s?) (?:about|on|regarding)"
    r"|(?:that )?i(?:'ve| have)? ever (?:said|told you|mentioned|wrote)(?: anything)?(?: about)?)"
)
_ALL_KNOWN = (
    rf"{_ALL}(?: you(?:'ve| have)? (?:know|have|remember|stored|saved|noted|learned|got))? (?:about|on|of|regarding)"
)
_FROM_MEMORY = r"(?: (?:from|in|out of) (?:your |the )?(?:memory|memories|notes|records|mind|head))"
_CLAUSE = r"(?:where|when|how old|who|(?:what|which)(?: \w+)?|how many|how much) (?:my|our|i|i'm|we)\b[^,;:?!]*?"
_MINE = rf"(?:(?:my|our) (?!(?:last|previous|earlier|first|second|other)\b)[^,;:?!]+?|{_CLAUSE})"
_ANY = r"(?:(?:the|my|our|that|his|her|their) )?[^,;:?!]+?"
_PERSONAL = (
    r"(?:my|our) (?:(?:home|work|old|current|private) )*(?:(?:tele)?phone number|(?:mobile|cell)(?: phone)?(?: number)?|phone"
    r"|(?:(?:e-?mail|postal) )?address|e-?mail|birthday|date of birth|age|weight|height|salary|income|employer|medical history"
    r"|allerg(?:y|ies)|diagnosis|religion|nationality|sexuality)"
)
"""Facts about a person, seldom a text or thing at hand."""

_DELETE = r"(?:delete|erase|remove|wipe|get rid of)"
_DROP = rf"(?:{_DELETE}|drop|clear|scratch|strike|take)"
_FORGET = rf"(?:forget(?: about)?|{_KEEP}|i(?:'d| would) (?:rather|prefer(?: that)?) you forgot)"

_MATTERS = tuple(
    re.compile(rf"{_BEFORE}(?:{asked}){_AFTER}", re.IGNORECASE)
    for asked in (
        rf"(?:{_FORGET}|{_DROP}) {_ALL_TOLD} (?P<about>{_ANY}){_FROM_MEMORY}?",
        rf"(?:{_FORGET}|{_DROP}) {_ALL_KNOWN} (?P<about>{_MINE}){_FROM_MEMORY}?",
        rf"{_FORGET} (?P<about>{_MINE}){_FROM_MEMORY}?",
        rf"{_DROP} (?P<about>{_MINE}){_FROM_MEMORY}",
        rf"{_DELETE} (?P<about>{_PERSONAL})",
        (
            rf"i(?:'d like| would like| want| need) (?P<about>{_PERSONAL}) (?:to be )?"
            rf"(?:deleted|erased|removed|forgotten|wiped){_FROM_MEMORY}?"
        ),
    )
)
"""Deleting or removing may concern a text at hand, unless it mentions what is remembered."""

_OF_SOMEBODY = re.compile(
    rf"{_BEFORE}(?i:forget|delete|erase|remove|wipe) (?i:{_ALL_KNOWN})"
    rf" (?P<about>[A-Z][\w-]+(?: [A-Z][\w-]+)*)"
    rf"(?i:{_FROM_MEMORY})?{_AFTER}"
)
"""Everything known about somebody by name. Only a list of names can tell whether it is somebody."""

_YOU_CAN_FORGET = re.compile(
    rf"(?:(?:and|so|ok|okay|oh)[\s,]+)*you (?:can|may) (?:now |just |also )*forget (?P<about>the [^,;:?!]+?){_AFTER}",
    re.IGNORECASE,
)

_OF_THE_TALK = re.compile(
    r"\b(?:question|request|idea|suggestion|point|comment|order|joke|attempt|version|draft|message|words?|answer|instructions?"
    r"|prompt|rest|past|rules?|guidelines|feelings?)s?$",
    re.IGNORECASE,
)
"""Parts of the conversation, or things that are never remembered."""

_GOES_ON = re.compile(
    r"\b(?:and|or|but|because|since|if|unless|then|when you|while)"
    r" (?:i|you|we|he|she|they|it|this|that|then|please|just|\w+ me)\b"
    r"|\binstead\b|\band (?P<verb>[a-z]+)\b| is (?:fine|ok|okay|enough)\b",
    re.IGNORECASE,
)
_WH = re.compile(r"^(?:where|when|what|who|which|how (?:old|many|much))\s+(?=\S)", re.IGNORECASE)
_NAMED_BY = (
    (re.compile(r"how old (?:i am|i'm)\b", re.IGNORECASE), "my age"),
    (
        re.compile(
            r"what i do\b|what i(?:'m| am) doing (?:for|as)\b|(?:who|where|(?:which|what) \w+) i work\b", re.IGNORECASE
        ),
        "I work",
    ),
    (re.compile(r"who(?:m)? i(?:'m| am) (?:married|engaged) to\b", re.IGNORECASE), "my spouse"),
    (re.compile(r"what i(?:'m| am) called\b", re.IGNORECASE), "my name"),
)
_HOW_OLD = re.compile(r"how old (?P<whose>(?:my|our) [\w ]+?) (?:is|are)$", re.IGNORECASE)
_IS_LAST = re.compile(r"\s+(?:is|are|was|were|am)$", re.IGNORECASE)


def matter_to_forget(text: str) -> str | None:
    """Return the matter to forget: "my phone number" for "please delete my phone number from your notes".

    "Where I live" gives "I live". Requests in German, Spanish or French are translated.
    """
    return _english_matter(text) or foreign_matter(text)


def _english_matter(text: str) -> str | None:
    if _only_asks(text):
        return None
    match = next((match for one in (*_MATTERS, _YOU_CAN_FORGET) if (match := one.match(text))), None)
    about = match["about"] if match else ""
    goes_on = _GOES_ON.search(about)
    further = goes_on is not None and (goes_on["verb"] is None or goes_on["verb"].lower() in VERBS)
    if not about or further or _OF_THE_TALK.search(about) or _FOR_NOW.search(about):
        return None
    if named := next((matter for one, matter in _NAMED_BY if one.match(about)), None):
        return named
    if aged := _HOW_OLD.match(about):
        return f"{aged['whose']}'s age"
    return _IS_LAST.sub("", _WH.sub("", re.sub(r"^(?:the|that) ", "", about)))


def somebody_to_forget(text: str) -> str | None:
    """Return the name of the person to forget entirely: "Ida" for "forget everything about Ida"."""
    match = None if _only_asks(text) else _OF_SOMEBODY.match(text)
    return match["about"] if match else None


_STEMS = (
    *"forget forgot kidding joking jk remember stor sav keep memori record ignore disregard delete erase remove scratch".split(),
    *"strike wipe drop clear know take rid".split(),
    *FOREIGN_STEMS,
)
"""Every request to forget something contains one of these."""


def asks_to_forget(message: str) -> bool:
    """Whether a message only asks to forget something."""
    if not _may_ask(message):
        return False
    said = [one.strip().replace("’", "'") for one in re.split(r"(?<=[.!?])\s+|\n+", message) if one.strip()]
    return bool(said) and all(
        takes_back(one, answering=True)
        or any(what(one) is not None for what in (to_be_forgotten, matter_to_forget, somebody_to_forget))
        for one in said
    )


def _may_ask(message: str) -> bool:
    """Pre-filter cheaply, since a read checks a hundred messages."""
    small = (message if message.isascii() else message.translate(AS_ASCII)).lower()
    return any(stem in small for stem in _STEMS)


def says_no_more(message: str, quotes: Iterable[str]) -> bool:
    """Whether a message says nothing apart from these quotes and small talk."""
    for quote in quotes:
        message = message.replace(quote, " ")
    return not content_words(message)


def _only_asks(text: str) -> bool:
    """Whether a sentence is a question rather than a request: "Don't remember that I like cake?"."""
    return text.rstrip().endswith("?") and not _ASKED.search(text)


def taken_back_within(text: str) -> tuple[str, str] | None:
    """Split a sentence that makes and retracts a statement: "my salary is 40k, please don't remember that"."""
    match = None if _TAKEN_BACK.match(text) else _AT_ITS_END.search(text)
    return (text[: match.start()], match["back"]) if match and match.start() else None
