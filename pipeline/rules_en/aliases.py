"""Find alternative names in a text: "also known as", "short for", an acronym in brackets, "everyone calls her Annie"."""

import re
from dataclasses import dataclass

from pipeline.rules_en.names import CAPITAL, RUN

_KNOWN_AS = (
    r"(?:also |otherwise |better |formerly |usually |commonly )?(?:known|referred to|abbreviated) "
    r"(?:as|to)|a\.?k\.?a\.?|or simply|or just|(?:which |that )?(?:we|people|everyone) (?:just |"
    r"also |usually |all )?calls?(?: it| him| her| them)?|called .{0,4}by everyone|nicknamed|"
    r"(?:whose )?nickname(?: is|d)|for short|short"
)

_ALIAS = rf"(?:{RUN}|[A-Z]{{2,}}|\"[^\"]{{2,40}}\")"
_MORE = rf"(?:,? (?:and|or) {_ALIAS})*"
_MEANS = r"(?:short for|stands for|means|is an? (?:nickname|abbreviation|acronym) (?:for|of))"

_ALIAS_PATTERNS = tuple(
    re.compile(pattern)
    for pattern in (
        rf"(?P<name>{RUN})(?:,| \(| -)? ?(?:is |are |was )?(?:{_KNOWN_AS}) (?P<alias>{_ALIAS})(?P<more>{_MORE})",
        rf"(?P<name>{RUN}) \((?:aka |or |also )?(?P<alias>[A-Z][A-Za-z0-9&.-]{{1,12}})\)",
        rf"(?P<name>{RUN}),? or (?P<alias>{_ALIAS}),? for short",
        rf"(?P<alias>{_ALIAS}),? (?:is |which is |it is )?{_MEANS} (?P<name>{RUN})",
    )
)

_CALLERS = (
    r"(?:[Ww]e|I|[Tt]hey|[Pp]eople|[Ff]riends|[Ee]very(?:one|body)(?: (?:at|in|on) [\w ]{2,20}?)?"
    r"|(?:[Mm]y|[Oo]ur|[Tt]he|[Hh]er|[Hh]is|[Tt]heir)(?: (?:whole|entire|rest of the|other))?(?: [a-z]+){1,2})"
)

_CALL_IT = re.compile(
    rf"(?:^|[,;] |\b(?:and|but|so|because) ){_CALLERS}(?: (?:all|just|also|usually|always|now|still|often))* calls? "
    rf"(?P<bearer>it|him|her|them|{CAPITAL}[\w-]+) (?:the )?(?:just )?"
    rf"(?P<alias>{_ALIAS}|'[^']{{2,40}}')(?: now| these days)?(?=$|[,.;!)]| (?:because|after|since|for|now|at)\b)"
    rf"|\b(?P<subject>it|he|she|It|He|She) (?:is (?:also |better |mostly )?(?:known as|nicknamed|also called)"
    rf"|goes by|answers to) (?:the name (?:of )?)?(?P<other>{_ALIAS}|'[^']{{2,40}}')"
)


@dataclass(frozen=True, slots=True)
class Alias:
    """An alternative name. name: the bearer's, or a pronoun for somebody named before."""

    name: str
    alias: str


def aliases_in(text: str) -> list[Alias]:
    """Return the alternative names in a text: "also known as", "short for", an acronym in brackets."""
    found = []
    for pattern in _ALIAS_PATTERNS:
        for match in pattern.finditer(text):
            more = re.findall(_ALIAS, match.groupdict().get("more") or "")
            found += [Alias(match["name"], alias.strip('"')) for alias in (match["alias"], *more)]
    return [alias for alias in found if alias.name != alias.alias]


def nickname_in(text: str) -> Alias | None:
    """Return the nickname in "we call it WOBS" or "the whole office calls Peter 'mosshead'"."""
    match = _CALL_IT.search(text)
    if match is None:
        return None
    return Alias(match["bearer"] or match["subject"].lower(), (match["alias"] or match["other"]).strip("\"'"))


def without_aliases(text: str) -> str:
    """Remove "also known as" phrases, so that the rules see the plain sentence."""
    text = re.sub(rf",? (?:and )?(?:is )?(?:{_KNOWN_AS}) {_ALIAS}{_MORE},?", "", text)
    return re.sub(r" \((?:aka |or )?[A-Z][A-Za-z0-9&.-]{1,12}\)", "", text)
