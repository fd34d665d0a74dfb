"""Tell a verb that orders whoever reads from what somebody does or was told to do."""

import re
from collections.abc import Iterator

from pipeline.safety.screen import Screen
from pipeline.safety.vocabulary import ADVERB, PRODUCT, PROGRAM


def ordered(text: str, verbs: Screen) -> Iterator[re.Match[str]]:
    """Yield the matches whose group "verb" is an order to whoever reads."""
    return (match for match in verbs.finditer(text) if commanded(text, match.start("verb")))


def commanded(text: str, at: int) -> bool:
    """Whether the verb at a place is an order to whoever reads."""
    before = text[max(0, at - 200) : at]
    clause = before[max((match.end() for match in _BREAK.finditer(before)), default=0) :].strip()
    if _TOLD_ANOTHER.search(clause):
        return False
    if _LED.match(clause) or _TO_ASSISTANT.search(clause) or (_BESIDE.match(clause) and not _SUBJECT.search(clause)):
        return True
    anew = _LED_ANEW.match(f"{clause} ")
    if anew is None or _SUBJECT.search(anew.group()) or _POSSESSED.match(clause):
        return False
    return _LED.match(f"{clause} "[anew.end() :]) is not None


def named(text: str, at: int) -> bool:
    """Whether the words at a place are a name: "my band is called …"."""
    return _NAMING.search(text, max(0, at - 30), at) is not None


_BREAK = re.compile(r"[.!?;:,()\[\]{}\"|<>=$#\u2013\u2014\u2192]|(?<!\w)'|'(?!\w)|(?<=\s)-+(?=\s)")
_LED = re.compile(
    r"^(?:(?:please|kindly|now|and|then|so|but|or|also|just|always|never|only|immediately|first|next|finally|simply"
    r"|do not|don't|ever|do|ok|okay|hey|hi|hello|dear|today|instead|silently|secretly|quickly|automatically|again"
    r"|must|should|shall|will|remember to|(?:be|make) sure to|make sure you|ensure you|you (?:must|should|shall|will"
    r"|can|may|have to|need to|ought to|are (?:required |instructed |ordered |allowed |going )?to|'re to)"
    r"|it is (?:necessary|required|vital|essential|important) (?:that you|to)|your (?:task|job|goal|role|duty"
    r"|mission) is to|i (?:want|need|order|command|instruct|ask|tell|expect|require|authori[sz]e) you to"
    r"|i'd like you to|feel free to|proceed to|go ahead and|try to|henceforth|from now on|from this (?:point"
    r"|moment)(?: on)?|going forward|as an? \w+)\s*)*$"
)
"""What may stand between the start of a clause and the verb of an order."""

_LED_ANEW = re.compile(
    r"(?:^|.*\s)(?:and|then|so|but|or) (?=(?:please|always|never|immediately|then|now|must|you|silently|secretly|also"
    r"|do)\b)|.*\s(?:and|then) "
)
"""The part of a clause before a second order: "open the page and then send …"."""

_SUBJECT = re.compile(
    r"\b(?:i|i'm|i've|i'd|i'll|we|we're|we've|he|she|they|it|who|which|that|nobody|everybody|everyone|people)\b"
)
_POSSESSED = re.compile(r"^(?:my|our|his|her|their|the|a|an|some|most|many)\b")
_BESIDE = re.compile(
    r"^(?:before|after|in|on|at|every|each|during|for|with|upon|instead of|until|once|when|while) (?!(?:my|our|his"
    r"|her|their|we|i)\b)(?:(?!(?:my|our|his|her|their)\b)[\w']+ ?){1,4}$"
)
_TOLD_ANOTHER = re.compile(
    rf"\b(?:told|asked|instructed|got|had|made) {PRODUCT} (?:not )?to$|\b(?:our|my|their|his"
    r"|her) (?:\w+ ){0,2}?(?:prompts?|rules file|handbook|spec) (?:says|asks|tells|reads)\b"
)
_TO_ASSISTANT = re.compile(
    rf"\b(?:{PROGRAM})(?: \w+)? (?:must|should|shall|will|has to|have to|need to|needs to|is to|are to|to)\b(?: {ADVERB})*\s*$"
)
_NAMING = re.compile(r"\b(?:called|named|nicknamed|titled|entitled|title is|name is) (?:the )?[\"']?$")
