"""How a sentence begins before it says anything: greetings, thanks, interjections, and whom it addresses."""

import re

from pipeline.offline.lexicon import FIRST_NAMES

_PLEASANTRY = (
    r"(?:hi+|hello|hey+|hiya|howdy|yo|sup|greetings|good (?:morning|afternoon|evening|night|day)|"
    r"morning|evening|welcome(?: back)?"
    r"|thanks?(?: (?:you|so much|a lot|again|a bunch|a ton))*|thank you(?: so much| very much)?|"
    r"thx|ty|cheers|much appreciated|bye+|goodbye|see (?:you|ya)"
    r"|take care|talk (?:to you )?(?:soon|later)|ttyl|ok(?:ay)?|k|sure|yes|yep|yeah|yup|no|nope|"
    r"nah|lol|lmao|haha+|hehe+|wow|cool|nice|great|awesome"
    r"|amazing|perfect|sounds good|got it|i see|no problem|no worries|you're welcome|my pleasure|"
    r"good|fine|right|exactly|alright|congrats|congratulations"
    r"|oh|ah|hm+|um+|well|so|anyway|anyways|btw|by the way|fyi|just so you know|for the record|"
    r"also|plus|and|but|in fact|honestly|tbh|to be honest|basically"
    r"|you know|look|listen|guess what|for your information|as you know|as i said|like i said|to "
    r"be fair|sorry|oops|actually|absolutely|definitely|totally|of course|true|omg|oh my god|gosh"
    r"|yay|woohoo|ugh|aw+|hooray|the thing is|fun fact|quick update|update|news|good news|bad news"
    r"|one more thing|oh and|another thing|first of all|firstly|for context|some context|context|"
    r"background|best of all|on another note|on a different note|speaking of which|long story "
    r"short|in other news|while (?:i'm|i am|we're|we are) (?:here|at it|on it)|before i forget"
    r"|believe it or not|turns out|it turns out(?: that)?|needless to say)"
)
_NAME = r"(?:there|all|everyone|everybody|guys|folks|team|man|mate|dude|buddy|again|assistant|chatgpt|bot)"
_OPENER = re.compile(
    rf"^{_PLEASANTRY}(?:(?:,? {_NAME})(?=[\s,.!:-]))?(?:\s*[,.!:;…]+\s*|\s+-+\s+|\s+(?=(?:i|i'?m|"
    r"i've|im|ive|my|we|we're|our|you|the|to|here's|so|and|but|well|yeah|by|also|please|can|"
    r"could)\b))",
    re.IGNORECASE,
)
_VOCATIVE = re.compile(
    r"^([A-Z][a-z]+)[,!]\s+(?!who\b|(?:my|our|his|her|the|a|an)\b[^,]+,|(?:[A-Z]\w+,? )*and\b)(?=\S)"
)
_THANKS_NAME = re.compile(rf"^{_PLEASANTRY}(?:,)? (?P<name>[A-Z][a-z]+)[,!.:]\s+(?=\S)", re.IGNORECASE)
ONLY_PLEASANT = re.compile(
    rf"^(?:{_PLEASANTRY}|{_NAME}|[A-Z][a-z]+|my friend)(?:[\s,.!…]+(?:{_PLEASANTRY}|{_NAME}|my friend))*[\s,.!…]*$",
    re.IGNORECASE,
)
"""A sentence that says no more than that."""


def without_opener(text: str) -> str:
    """ "Hey there, by the way, I'm Sarah" → "I'm Sarah"."""
    while True:
        match = _THANKS_NAME.match(text) or _OPENER.match(text) or _vocative(text)
        if match is None or match.end() >= len(text):
            return text
        text = text[match.end() :]


def _vocative(text: str) -> re.Match[str] | None:
    match = _VOCATIVE.match(text)
    return match if match is not None and match[1].lower() in FIRST_NAMES else None
