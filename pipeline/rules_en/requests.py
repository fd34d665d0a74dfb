"""What a sentence asks of the assistant beside what it states: a question behind it, a request to remember it."""

import re

_TRAILING_QUESTION = re.compile(
    r"^(?P<said>.{6,}?)(?:,| -+| —|;)?(?: and| so| but)?[, ]+(?P<asked>(?:can|could|what|how|where"
    r"|which|who|why|any|got any|is there|are there|do you|does|did you|should i|would you|will"
    r"|have you|what's|how's|please)\b.*)\?$",
    re.IGNORECASE,
)

_TRAILING_REQUEST = re.compile(
    r"^(?P<said>(?:i|we|my|our|i'm|i've)\b.{4,}?)(?:,| -+| —|;)(?: and| so)? (?:please|can you|"
    r"could you|so (?:please )?(?:keep|write|make|give|suggest|tell)) .*$",
    re.IGNORECASE,
)

_OF_ONESELF = (
    r"(?:i'm|i am|i have|i've|i don't|i do not|i can't|i cannot|i live|i work|i hate|i love|i like|i only|i never"
    r"|i always|i take|i play|i run|i own"
    r"|we're|we are|we have|we've|we live|my|our)"
)

_GIVEN_FIRST = re.compile(
    rf"^(?:since|because|as|given(?: that)?|seeing(?: as| that)|considering(?: that)?"
    rf"|now that) (?P<said>{_OF_ONESELF}\b[^,]{{4,}}), ?\S",
    re.IGNORECASE,
)

_GIVEN_LAST = re.compile(
    rf"(?:,| -| –|;|\bbecause|\bsince|\bgiven that)(?: because| since| as| and"
    rf"| but)? (?P<said>{_OF_ONESELF}\b.{{4,}})$",
    re.IGNORECASE,
)

_CHECKS = re.compile(
    r"^(?:\w+"
    r"|(?:(?:so|and|but|oh|ok|okay|hm+|um+|wait|what|sorry|just|hold on|hang on|hey|no|yes) )*"
    r"(?:wait|what|hold on|hang on|just checking|to (?:be clear|check|confirm|be sure)|let me (?:check|see|think)"
    r"|remind me|tell me|(?:one|a|another|quick) (?:\w+ )?question|according to \w+(?: \w+)?|you (?:said|say|think|mean)"
    r"|(?:are you (?:sure|certain|saying)|is (?:it|that) (?:true|right|correct)|am i (?:right|correct|wrong)"
    r"|do you (?:mean|remember|believe)|did (?:you|i) (?:say|mean|tell)|have i told|(?:what|why) do you (?:mean|say)"
    r"|how do you know|which (?:one )?is (?:true|right|correct))\b.*))$",
    re.IGNORECASE,
)
"""What asks whether that is so which follows: "Wait, I work at Google?", "What do you mean, I live in Oslo?"."""

_ADDRESSES = re.compile(r"\b(?:you|your|what|how|which|please)\b", re.IGNORECASE)
_OWN = re.compile(r"^(?:i|i'm|im|i've|ive|my|we|we're|our)\b", re.IGNORECASE)


def given_reason(text: str) -> str | None:
    """What a question or a request says of the user in passing: "dinner ideas, I'm allergic to nuts" → "I'm allergic to nuts"."""
    match = _GIVEN_FIRST.match(text) or _GIVEN_LAST.search(text)
    if match and text.endswith("?") and _CHECKS.match(text[: match.start()].replace(",", "")):
        return None
    said = match["said"].rstrip("?!. ") if match else None
    return said if said and not _ADDRESSES.search(said) else None


def stated_part(text: str) -> str:
    """What the user says of himself before he asks: "I live in Leeds, can you find me a gym?" → "I live in Leeds"."""
    match = _TRAILING_QUESTION.match(text) if text.endswith("?") else _TRAILING_REQUEST.match(text)
    if match is None or not _OWN.match(match["said"]):
        return text
    return match["said"]


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
