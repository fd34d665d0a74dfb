"""Separate requests in a sentence from its statement: a trailing question, or a request to remember."""

import re

_TRAILING_QUESTION = re.compile(
    r"^(?P<said>.{6,}?)(?:,| -+| —|;)?(?: and| so| but)?[, ]+(?P<asked>(?:can|could|what|how|where"
    r"|which|who|why|any|got any|is there|are there|do you|does|did you|should i|would you|will"
    r"|have you|what's|how's|please)\b.*)\?$",
    re.IGNORECASE,
)

_TRAILING_REQUEST = re.compile(
    r"^(?P<said>.{6,}?)(?:,| -+| —|;)(?: and| so| but)? (?:please|can you|could you)\b.*$", re.IGNORECASE
)

_OWN = re.compile(r"^(?:i|i'm|im|i've|ive|my|we|we're|our)\b", re.IGNORECASE)


def stated_part(text: str) -> str:
    """Return the user's statement before a question: "I live in Leeds, can you find me a gym?" → "I live in Leeds"."""
    match = _TRAILING_QUESTION.match(text) or _TRAILING_REQUEST.match(text)
    return match["said"] if match and _OWN.match(match["said"]) else text


_MARK = re.compile(
    r"^(?:(?:please|pls|and|also|just|but|so|so please|ok,?|it's important)[, ]+)*"
    r"(?:remember|don'?t (?:ever )?forget|do not forget|never forget|keep in mind|bear in mind|"
    r"make a note(?: of)?|take note(?: of)?|note(?= that\b|:)|for the record|memori[sz]e|save"
    r"(?= this| that)|note to self|for your notes|put (?:this|that|it) down|write (?:this|that|it) down|jot (?:this"
    r"|that|it) down|important(?=:)"
    r"|(?:can|could|would|will) you (?:please |also )?(?:remember|note(?: down)?|keep in mind|save|write down"
    r"|jot down|put down)(?= that| this| my| our|:)"
    r"|it's important (?:that you|to|for you to) (?:know|remember|note)"
    r"|you (?:really )?(?:need|have|should|must|ought) (?:to )?(?:know|remember|learn|note)|(?:i|"
    r"we) (?:want|need|would like|'d like) you to (?:know|remember|learn|note)|learn(?= this| the "
    r"following| how (?:we|to|i|you)\b)|this is important|very important(?=:))\b"
    r"(?:,? (?:this|that|the following|the fact|for (?:later|next time|the future|me)|please|"
    r"process|procedure|one|well|about|something)\b)*\s*[:,.!;–-]*\s*",
    re.IGNORECASE,
)

_TRAILING = re.compile(
    r"(?<!n't)(?<!not)[\s,.;–-]+(?:please )?(?:remember (?:this|that|it)|don'?t forget(?: (?:this|that|it))?|keep "
    r"(?:this|that|it) in mind|make a note(?: of (?:this|that|it))?|save (?:this|that|it)|note "
    r"(?:this|that|it) down)(?: please)?[.!]*$",
    re.IGNORECASE,
)


def split_mark(text: str) -> tuple[bool, str]:
    """Return whether the sentence asks to be remembered, and the text without that request."""
    match = _MARK.match(text)
    if match is None:
        trailing = _TRAILING.search(text)
        return (True, text[: trailing.start()]) if trailing else (False, text)
    said = text[match.end() :]
    return True, said.rstrip("?") if match[0].rstrip(" :,").endswith(("that", "this")) else said
