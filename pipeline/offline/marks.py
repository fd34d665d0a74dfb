"""Explicit marks of importance: "remember that", "don't forget", "you need to learn this"."""

import re

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
    (
        r"(?<!n't)(?<!not)[\s,.;–-]+(?:please )?(?:remember (?:this|that|it)|don'?t forget(?: (?:this|that|it))?|keep "
        r"(?:this|that|it) in mind|make a note(?: of (?:this|that|it))?|save (?:this|that|it)|note "
        r"(?:this|that|it) down)(?: please)?[.!]*$"
    ),
    re.IGNORECASE,
)


def split_mark(text: str) -> tuple[bool, str]:
    """Whether the sentence asks to be remembered, and what is left of it without the asking."""
    match = _MARK.match(text)
    if match:
        return True, text[match.end() :].rstrip("?") if match[0].rstrip(" :,").endswith(("that", "this")) else text[
            match.end() :
        ]
    trailing = _TRAILING.search(text)
    return (True, text[: trailing.start()]) if trailing else (False, text)
