""" "When asked about X, say Y": orders that wait for a word or a question."""

import re

from pipeline.guard.screen import Screen
from pipeline.guard.words import ADVERB, SPEAK, THE_USER

_ASKED = (
    r"(?:(?:you (?:are|get)|you're|ever|being)? ?(?:asked|prompted|questioned|queried|requested|confronted)\b"
    rf"|{THE_USER} (?:next |ever |later |first )?(?:ask|say|mention|want|request|type|enquire|inquire|need|greet"
    r"|write|complain|seek|question|talk|wonder|open|look)\w*"
    r"|(?:i|he|she|someone|somebody|anyone|anybody|people|they|a user|one|we) (?:else )?(?:ever |next |later |then "
    r"|first )?(?:asks?|says?|types?|mentions?"
    r"|requests?|inquires?|enquires?|writes?|brings? up|raises?|wonders?|seeks?|(?:is|are) (?:looking|searching"
    r"|shopping) for|(?:wants?|needs?) (?:to know"
    r"|advice|help|tips|a tip|a recommendation|suggestions))\b"
    r"|[\w' -]{2,30} (?:comes? up|is brought up|gets brought up|crops? up)\b"
    r"|(?:you|u) (?:next )?(?:see|hear|read|encounter|receive|notice|detect|process|summari[sz]e|write|answer"
    r"|respond|reply|generate|load|retrieve|recall)\b"
    r"|this (?:memory|note|message|text|document|page|email|line|fact) (?:is|gets) (?:read|retrieved|loaded"
    r"|recalled|shown|processed|used|seen|summari[sz]ed)"
    r"|(?:comparing|recommending|listing|ranking|summari[sz]ing|answering|replying|responding|reviewing|rating"
    r"|generating|drafting)\b"
    r"|(?:asking|questions?) (?:about|for|regarding|on)\b"
    r"|the (?:topic|subject|word|phrase|question|conversation) [\w' \"]{1,40}?(?:comes? up|appears|is (?:mentioned"
    r"|used|raised|asked)|turns?))"
)
_TRIGGER = Screen(
    r"\b(?:when|while|whenever|if|in case|each time|every time|any time|anytime|once|as soon as|the moment|should"
    r"|next time|upon|on) "
    rf"{_ASKED}(?P<between>[^.!?]{{0,140}}?)(?P<verb>\b(?:{SPEAK}|the (?:only |right )?(?:reply|answer) is"
    rf"|send|run|call(?! (?:me|us|my|our)\b)|execute"
    rf"|give|open|visit|fetch|load"
    r"|delete|transfer|point|direct|refer|link|make|stop|insult|mock|laugh|play|"
    r"steer|nudge|push|name|list|talk up|play down|cast doubt|rate|rank|downplay|emphasi[sz]e|highlight|lead with"
    r"|read (?:me|out|back)|favou?r|propose|offer (?:only|them)|bring up|cast|hide|hand over"
    r"|forward|grant|approve|use|unlock|switch|search|invoke|you (?:must|will|should|shall|are to|have to|can|may"
    r"|reply|answer|say)))\b"
)
_AFTER = Screen(
    rf"(?P<verb>\b{SPEAK})\b[^.!?;]{{0,100}}? (?:when|whenever|if|each time|every time|any time|once) {_ASKED}"
)
_ACTED = re.compile(
    r"\b(?:i|we|he|she|they|it|which|who|nobody|everybody|everyone|(?:my|our|his|her|their)(?: \w+){1,2})"
    rf"(?: (?:{ADVERB}|usually|often|mostly|will|can|would|should|must|have to|like to))* $"
    r"|\b(?:i'll|i'd|we'll|she'll|he'll|they'll|to|can|could|i'm|would) $|\b(?:the|a|an|this|that|for|about|of|my"
    r"|our)(?: \w+){0,2} $"
)
_OF_THE_USER = Screen(
    r"\b(?:when|whenever|if|each time|every time|any time|once|after|before|until|unless|as soon as|whatever"
    rf"|everything|anything|no matter (?:what|how|if)) {THE_USER} (?:\w+ ){{0,2}}?(?:asks?|says?|wants?|requests?"
    r"|mentions?|greets?|types?|writes?|"
    r"needs?|complains?|seeks?|questions?|tells?|orders?|speaks?|talks?|is|has|starts?|opens?|looks?|sends?"
    r"|shares?|thinks?|does(?! not(?:[.;,]|$)))\b"  # "she pays when the user does not." waits for nothing
)
_PRODUCT = re.compile(
    r"\b(?:our|my|app|apps|product|website|interface|ux|ui|screen|dashboard|prototype|form|login|checkout|spec"
    r"|user story|feature|button|project)\b"
)
_VISITOR = Screen(
    r"\b(?:customers?|clients?|guests?|patients?|students?|callers?|tenants?|visitors?|diners?|pupils?|parents?"
    r"|teachers?|examiner|judge)\b"
)
_MEANT = Screen(r"\bi (?:mean|meant|am (?:talking|thinking|referring))\b")


def triggers(text: str) -> bool:
    """Whether a text tells the assistant what to do or say as soon as something is asked or read."""
    if _OF_THE_USER.search(text) and not _PRODUCT.search(text):
        return True
    return any(_waits(text, match) for match in _TRIGGER.finditer(text)) or any(
        not _ACTED.search(text, max(0, match.start() - 60), match.start("verb")) and not _VISITOR.search(match.group())
        for match in _AFTER.finditer(text)
    )


def _waits(text: str, match: re.Match[str]) -> bool:
    before = text[match.start() : match.start("verb")]
    if match["verb"].startswith("you "):
        return True
    return not (_ACTED.search(before) or _VISITOR.search(before) or _MEANT.search(before))
