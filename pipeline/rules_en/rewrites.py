"""Rewrite chat in plain words for the rules: "call me Sam", "my brother, Tom, …"; and drop asides."""

import re

from mosshead.language.verbs import expand, third
from mosshead.language.wordlists import FIRST_NAMES, NOT_NAMES
from pipeline.rules_en.names import CAPITAL
from pipeline.rules_en.subjects import A_TIE

_NAME = r"[A-ZÀ-Þ][\w'-]+(?: [A-ZÀ-Þ][\w'-]+)?"
_OWNER = r"(?:[Mm]y|[Oo]ur)"

_CALLED = (
    rf"(?:(?!(?i:{'|'.join(sorted(NOT_NAMES - FIRST_NAMES))})\b)[A-Z]\w*"
    rf"|(?:{'|'.join(sorted(FIRST_NAMES - {'will', 'may'}))})\b)"
)
"""Possible names, excluding "call me later" and "call me Monday"."""

_KIN_ALONE = re.compile(
    r"^(?P<kin>mum|mom|dad|mother|father|grandma|grandpa|granny|nan|hubby|boss|landlord|landlady|wife|husband|baby)(?='s [a-z]+ "
    r"[a-z]+s?\b| (?:is|was|has|had|will|does|did|can|cannot|would|turns|[a-z]+ed|[a-z]{2,}s|took|got|left|went|said|told)\b)",
    re.IGNORECASE,
)
"""Family words without an owner: "Mum turns 70" is about the user's mum."""

_REWRITES = tuple(
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        (r"(?<=\w),? (?:by the way|btw|believe it or not|to be fair|as you know|funnily enough),(?= \w)", ","),
        (
            rf"^(?:(?i:you can|please|just|everyone|people|my friends) )*[Cc]alls? me (?P<n>{_CALLED})(?= ?$|,)",
            r"my name is \g<n>",
        ),
        (rf"^I am (?P<n>{_NAME}),? (?P<a>\d{{1,3}}),?(?: and)? from (?=\w)", r"I am \g<n>, I am \g<a>, I am from "),
        (rf"^I am (?P<n>{_NAME})(?: and I am)? from (?=\w)", r"I am \g<n>, I am from "),
        (rf"^I am (?P<n>{_NAME}),? an? (?=\w)", r"I am \g<n>, I am a "),
        (r"^I am (?P<r>an? [\w ]{3,40}?) from (?P<p>\w+(?: [A-Z]\w+)?)$", r"I am \g<r>, I am from \g<p>"),
        (
            r"^I am (?P<r>an? [\w ]{3,40}?) (?:living|based) in (?P<p>\w+(?: [A-Z]\w+)?)$",
            r"I am \g<r>, I live in \g<p>",
        ),
        (
            rf"(?P<o>\b{_OWNER}) (?P<r>(?:\w+ )?(?:{A_TIE}))(?:,| -) (?P<n>{_NAME}),? (?=[a-z])",
            r"\g<o> \g<r> \g<n> ",
        ),
        (rf"(?P<o>\b{_OWNER}) (?P<r>(?:\w+ )?(?:{A_TIE})) (?:called|named) (?P<n>[A-Z]\w+)", r"\g<o> \g<r> \g<n>"),
        (rf"^(?P<n>{_NAME}), (?P<o>{_OWNER}) (?P<r>(?:\w+ )?(?:{A_TIE})), ", r"\g<o> \g<r> \g<n> "),
        (r"(?<=\w) (?:these days|nowadays|at the moment|currently|right now) (?P<b>is|are) (?=\w)", r" \g<b> now "),
        (rf"^(?P<s>{_OWNER} [\w ]+?|{_NAME}),? who (?P<a>[^,]+), (?P<b>.+)$", r"\g<s> \g<a> and \g<b>"),
    )
)

_ASKED = "remind|help|give|tell|write|find|show|make|keep|expect|be|do not|don't|stop|send|suggest|let|check|draft|add|note|use"

_BESIDE = (
    re.compile(
        rf"(?:,|\s-)? (?:so|and|then|but) (?:please |just |maybe )?(?:{_ASKED})\b.*$"
        rf"|,? (?:please|pls)(?:$|,? (?:{_ASKED})\b.*$)|,? (?:remind|help|give|tell|show|send) me\b.*$"
        r"|,?(?: and| so| but)? (?:can|could|would|will|do|did) you\b.*$"
        r"|,? (?:so|and|but|if|as|because|when|unless|since|or) you(?:r|'re)?\b.*$|,? you (?:were|are|know|see)\b.*$"
        r"|,? (?:so )?(?:any ideas|what|how|why|who|thoughts)\b[^,]*\?$",
        re.IGNORECASE,
    ),
    re.compile(
        r"(?:[\s,]+(?:lol|haha+|btw|tbh|though|by the way|too|as well|you know|believe it or not|actually|right|anyway))+$"
    ),
)
"""Requests to the assistant and asides at the end of a statement."""

_LOWER_NAME = re.compile(
    rf"(?P<whose>\b{_OWNER} (?:{A_TIE})) (?P<name>{'|'.join(sorted(FIRST_NAMES - {'will', 'may', 'rob', 'sue', 'mark'}))})\b"
)

_SET_BEFORE = re.compile(
    rf"^(?P<name>{CAPITAL}[\w&'-]+(?: (?:{CAPITAL}[\w&'-]+|of|and|&)){{0,4}}), (?P<who>he|she|they|it) (?P<verb>[a-z]+)\b"
)


def set_before(sentence: str) -> str | None:
    """Return a name that precedes its sentence: "Acme" for "Acme, they sell tea"."""
    match = _SET_BEFORE.match(expand(sentence))
    return match["name"] if match else None


def plainer(text: str) -> str:
    """Return the sentence in plain words; contractions must be expanded."""
    text = _SET_BEFORE.sub(
        lambda match: f"{match['name']} {third(match['verb']) if match['who'] == 'they' else match['verb']}", text
    )
    text = _KIN_ALONE.sub(lambda match: f"my {match['kin'].lower()}", text)
    for pattern, replacement in _REWRITES:
        text = pattern.sub(replacement, text)
    return _LOWER_NAME.sub(lambda match: f"{match['whose']} {match['name'].capitalize()}", text)


def without_asides(clause: str) -> str:
    """Drop a trailing "as well", "haha" or request."""
    for pattern in _BESIDE:
        clause = pattern.sub("", clause)
    return clause
