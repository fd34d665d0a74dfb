"""Chat put into plain words, for the rules: "call me Sam", "my brother, Tom, …", "Acme, they sell tea"."""

import re
from collections.abc import Callable

from pipeline.rules_en.grammar import ACQUAINTANCES, FIRST_NAMES, KINSHIP, NOT_NAMES, PETS, expand, third
from pipeline.rules_en.names import CAPITAL

_PERSONAL = "|".join(sorted(KINSHIP | ACQUAINTANCES | PETS, key=len, reverse=True))
_NAME = r"[A-ZÀ-Þ][\w'-]+(?: [A-ZÀ-Þ][\w'-]+)?"
_OWNER = r"(?:[Mm]y|[Oo]ur)"

_CALLED = (
    rf"(?:(?!(?i:{'|'.join(sorted(NOT_NAMES - FIRST_NAMES))})\b)[A-Z]\w*"
    rf"|(?:{'|'.join(sorted(FIRST_NAMES - {'will', 'may'}))})\b)"
)
"""What one may be called, and no "call me later" or "call me Monday"."""

_ASIDES = (
    (
        r"(?<=\w),? (?:by the way|btw|believe it or not|to be fair|as you know|needless to say|funnily enough),(?= \w)",
        ",",
    ),
    (
        (
            r"(?i)^(?:(?:and|but|so|well|remember|again|reminder)[,:]? )*(?:(?:as|like) )?(?:you (?:may |might |already "
            r"|probably )?(?:know|remember|recall)"
            r"|i (?:already |just )?(?:said|told you|mentioned)|i(?:'ve| have) (?:already )?(?:said|told you|mentioned))"
            r"(?: before| already| earlier| last (?:time|week|month)| the other day| above)?,? (?:that )?(?=(?:I|we|my"
            r"|our|the)\b)"
        ),
        "",
    ),
    (
        (
            r"(?:[\s,]+(?:lol|lmao|haha+|hehe+|btw|tbh|imo|tho|though|by the way|believe it or not|ngl|too|as well"
            r"|you know"
            r"|in fact|actually|xd|right|bye|cheers|anyway|eh))+$"
        ),
        "",
    ),
)
"""What a speaker says beside the matter."""

_TRAILING_ASIDE = re.compile(_ASIDES[-1][0])

_ASKED = (
    "remind|help|give|tell|write|find|show|make|keep|expect|be|do not|don't|stop|send|suggest|let|check|draft|add|note|put"
    "|use"
)

_TO_THE_ASSISTANT = re.compile(
    rf"(?:,|\s-)? (?:so|and|then|but) (?:please |pls |just |maybe )?(?:{_ASKED})\b.*$"
    rf"|,? (?:please|pls|plz)(?:$|,? (?:{_ASKED})\b.*$)|,? (?:remind|help|give|tell|show|send) me\b.*$"
    r"|,?(?: and| so| but)? (?:can|could|would|will|do|did) you\b.*$"
    r"|,? (?:so|and|but|if|as|because|when|unless|in case|since|or) you(?:r|'re)?\b.*$|,? you (?:were|are|know"
    r"|see)\b.*$"
    r"|,? if (?:that|it) (?:matters|helps|counts|makes)\b.*$|,? (?:so )?(?:any ideas|what|how|why|who"
    r"|thoughts)\b[^,]*\?$"
    r"|, (?:thank god|thank goodness|worse luck|mind|naturally|obviously|sadly|unfortunately|luckily|believe me"
    r"|trust me|of course)$",
    re.IGNORECASE,
)
"""What the end of a statement asks of the assistant, or says to it only."""

_KIN_ALONE = "mum|mom|dad|mother|father|grandma|grandpa|granny|nan|hubby|boss|landlord|landlady|wife|husband|baby"

_REWRITES: tuple[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]], ...] = tuple(
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        (
            (
                r"^(?:[Yy]ou can |[Pp]lease |[Jj]ust |[Ee]veryone |[Pp]eople |(?:[Mm]y |[Mm]ost )?friends |"
                rf"[Tt]hey )*[Cc]alls? me (?P<n>{_CALLED})(?= ?$|,)"
            ),
            r"my name is \g<n>",
        ),
        (
            (
                rf"^[Ii]t is (?P<x>(?:my|our|{_NAME}'s)(?: [\w']+){{0,3}}? (?:birthday|anniversary|graduation|wedding|funeral))"
                r" (?=on |tomorrow|next |this |in |today)"
            ),
            r"\g<x> is ",
        ),
        (
            r"(?P<a>\bused to live in [^,]+?),? (?:but|and) (?:now I am|I am now) (?:based )?(?=in [A-Z])",
            r"\g<a>, but I live ",
        ),
        (rf"^I am (?P<n>{_NAME}),? (?P<a>\d{{1,3}}),?(?: and)? from (?=\w)", r"I am \g<n>, I am \g<a>, I am from "),
        (r"^[Hh]ad (?=(?:an?|the|my|our) )", "I had "),
        (r"^(?:[Ii]n my (?:humble )?opinion|[Ii][Mm][Hh]?[Oo]),? ", "I believe that "),
        (r"^(?:[Yy]ou can |[Pp]lease )?(?:[Rr]each|[Ee]mail|[Cc]ontact) me at (?P<a>\S+@\S+)$", r"my email is \g<a>"),
        (
            (
                rf"^(?P<k>(?i:{_KIN_ALONE}))(?='s [a-z]+ [a-z]+s?\b| (?:is|was|has|had|will|does|did|can|cannot|would"
                rf"|turns|[a-z]+ed|[a-z]{{2,}}s|took|got|left|went|said|told)\b)"
            ),
            lambda m: f"my {m['k'].lower()}",
        ),
        (rf"^I am (?P<n>{_NAME})(?: and I am)? from (?=\w)", r"I am \g<n>, I am from "),
        (rf"^I am (?P<n>{_NAME}),? (?:an? )(?=\w)", r"I am \g<n>, I am a "),
        (rf"^I am (?P<n>{_NAME})(?: and|,) (?=[a-z]+ing |\d\d )", r"I am \g<n>, I am "),
        (
            rf"(?P<o>\b{_OWNER}) (?P<r>(?:\w+ )?(?:{_PERSONAL}))(?:,| -) (?P<n>{_NAME}),? (?=[a-z])",
            r"\g<o> \g<r> \g<n> ",
        ),
        (rf"^(?P<n>{_NAME}), (?P<o>{_OWNER}) (?P<r>(?:\w+ )?(?:{_PERSONAL})), ", r"\g<o> \g<r> \g<n> "),
        (rf"(?P<o>\b{_OWNER}) (?P<r>(?:\w+ )?(?:{_PERSONAL})) (?:called|named) (?P<n>[A-Z]\w+)", r"\g<o> \g<r> \g<n>"),
        (rf"^(?P<s>{_OWNER} [\w ]+?|{_NAME}),? who (?P<a>[^,]+), (?P<b>.+)$", r"\g<s> \g<a> and \g<b>"),
        (rf"^(?P<a>.*\b{_OWNER} (?:{_PERSONAL}) (?P<n>[A-Z]\w+)),? who (?P<b>.+)$", r"\g<a>, and \g<n> \g<b>"),
        (r"^I am (?P<r>an? [\w ]{3,40}?) from (?P<p>\w+(?: [A-Z]\w+)?)$", r"I am \g<r>, I am from \g<p>"),
        (
            r"^I am (?P<r>an? [\w ]{3,40}?) (?:living|based) in (?P<p>\w+(?: [A-Z]\w+)?)$",
            r"I am \g<r>, I live in \g<p>",
        ),
        *_ASIDES,
    )
)

_LOWER_NAME_AND_I = re.compile(rf"^(?:{'|'.join(sorted(FIRST_NAMES - {'will', 'may'}))})(?= and I\b)")

_LOWER_NAME = re.compile(
    rf"(?P<whose>\b{_OWNER} (?:{_PERSONAL})) (?P<name>{'|'.join(sorted(FIRST_NAMES - {'will', 'may', 'rob', 'sue', 'mark'}))})\b"
)

_SET_BEFORE = re.compile(
    rf"^(?P<name>{CAPITAL}[\w&'-]+(?: (?:{CAPITAL}[\w&'-]+|of|and|&)){{0,4}}), "
    r"(?P<who>he|she|they|it) (?P<verb>[a-z]+)\b"
)


def plainer(text: str) -> str:
    """The sentence in plain words, contractions already written out."""
    text = _set_back(text)
    for pattern, replacement in _REWRITES:
        text = pattern.sub(replacement, text)
    text = _LOWER_NAME_AND_I.sub(lambda m: m[0].capitalize(), text)
    return _LOWER_NAME.sub(lambda m: f"{m['whose']} {m['name'].capitalize()}", text)


def without_asides(clause: str) -> str:
    """The clause without the "as well", the "haha" or the request at its end."""
    return _TRAILING_ASIDE.sub("", _TO_THE_ASSISTANT.sub("", clause))


def set_before(sentence: str) -> str | None:
    """The name before its sentence: "Acme" of "Acme, they sell tea"."""
    match = _SET_BEFORE.match(expand(sentence))
    return match["name"] if match else None


def _set_back(text: str) -> str:
    """ "Acme, they sell tea" → "Acme sells tea"."""
    match = _SET_BEFORE.match(text)
    if match is None:
        return text
    verb = third(match["verb"]) if match["who"] == "they" else match["verb"]
    return f"{match['name']} {verb}{text[match.end() :]}"
