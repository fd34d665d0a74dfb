"""Notes that leave out the verb, made into sentences: "Ilse (wife): vegetarian", "dentist next tuesday 14:30", "rent 890"."""

import re

from pipeline.offline.grammar import base_of, expand, is_finite, is_past
from pipeline.offline.lexicon import ACQUAINTANCES, AUXILIARIES, KINSHIP, ROLES, VERBS
from pipeline.offline.names import RUN
from pipeline.times.words import MONTHS

_NAME = r"(?:(?:Mr|Mrs|Ms|Dr)\.? )?[A-ZÀ-Þ][\w'-]+(?: [A-ZÀ-Þ][\w'-]+)?"
_ROSTER = re.compile(
    rf"^(?P<who>[Mm]e|(?:(?:old|young|little) )?{_NAME}(?: (?:\+|&"
    rf"|and) {_NAME})?)(?: \((?P<role>[a-z -]+)\))?(?:, (?P<age>\d{{1,3}}))?"
    r"(?::| -| –| —) ?(?P<what>\S.*)$"
)
_ROW = re.compile(rf"^\| ?(?P<who>[Mm]e|{_NAME}) ?\| (?P<what>[^|]*\w[^|]*\|.*)$")
_AMOUNT = r"[a-z][a-z ]{1,24} [£$€]?\d[\d,.]*(?: ?(?:€|k|eur|usd|gbp|kg|km))?"
_AMOUNTS = re.compile(rf"^(?:i have )?{_AMOUNT}(?:, {_AMOUNT})+(?=$|[.,])", re.IGNORECASE)
_OF_AMOUNT = re.compile(r"^(?P<what>.*\D) (?P<amount>[£$€]?\d\S*)$")
_MONTH = rf"(?:{'|'.join(MONTHS)}|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\b"
_DAY = (
    r"(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|(?:mon|tue|wed|thu|thurs|fri|sat|sun)\b"
    rf"|\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {_MONTH}|{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?\b|the \d{{1,2}}(?:st|nd|rd"
    rf"|th)\b|\d{{1,2}}(?:st|nd|rd|th)\b)"
)
_WHEN = (
    rf"(?:tomorrow|tonight|(?:on |at |this |next )?{_DAY}|in (?:a|\d+|two|three|four|five|six) (?:day|week|month)s?\b)"
)
_DATED = re.compile(rf"^(?P<what>[a-z][\w'-]*(?: [\w'&-]+){{0,5}}?),? (?P<when>{_WHEN}.{{0,40}})$", re.IGNORECASE)
_A_DAY = re.compile(rf"^{_DAY}", re.IGNORECASE)
_COUNTED = re.compile(r"^\d[\d,.]* (?:[a-z]+ ){0,2}[a-z]+s (?:left )?(?:in|at|on|so far|left)\b")
_UNDERGOING = re.compile(
    r"^(?:still |now )?(?:on|off) (?!the\b|it\b|that\b|my\b|a\b|to\b)[a-z]+ (?:since|until|till|from)\b"
)
_GERUND = re.compile(
    r"^(?:[Nn]ot |[Ss]till |now |just )*(?P<verb>[A-Za-z]?[a-z]+ing) (?:to|with|on|in|at|for|from|an?|the|my|our|up"
    r"|out|off|next|this|\d|[A-Z])"
)
_NO_GERUND = frozenset(
    "looking asking thinking wondering hoping trying talking speaking being feeling seeing hearing having nothing something"
    " anything everything morning evening during according regarding king thing bring sing missing using".split()
)
_DENIED = re.compile(r"^[Nn]o (?P<what>[a-z][a-z ]{2,30})$")
_HEADED = re.compile(rf"^(?P<who>{RUN}), (?P<what>(?:(?:an?|the|our|my) )?[a-z][\w -]{{2,40}})$")
_IS = re.compile(
    r"(?:still )?(?:vegetarian|vegan|allergic|coeliac|celiac|diabetic|pregnant|off|on|in|at|away|free|ill|sick"
    r"|single|married|retired)\b"
)
_OCCUPATIONS = ROLES | KINSHIP | ACQUAINTANCES
_NO_AMOUNT = frozenset("in on at from to by of until till since before after around about".split())
_PRONOUNS = frozenset("i you he she it we they who".split())
_NO_NOUN = frozenset(
    """
    i you he she it we they me us him her them this that these those there what who when where why how which if and
    but or so no yes
    not see saw until till since from by remind call ask tell meet only maybe probably back is the my our your his
    every each some any
    hello hi sry soz ugh thanks thank sorry please great good ok
    """.split()
)


def whole(text: str, *, listed: bool, asked: str) -> str:
    """The text with its verb put in, where it is a note without one; asked: the question that it may answer."""
    bare = text.strip().rstrip(".!,; ")
    roster = (_ROSTER.match(bare) if listed else None) or _ROW.match(bare)
    if roster is not None:
        return _of_roster(roster)
    return _of_amounts(bare) or _with_verb(bare, asked) or text


def _of_amounts(bare: str) -> str | None:
    """ "rent 890, electricity 60"; not "whoever wrote 1931, she was born in 1933"."""
    listed = _AMOUNTS.match(bare)
    found = re.findall(_AMOUNT, listed[0], re.IGNORECASE) if listed else []
    amounts = [match for each in found if (match := _OF_AMOUNT.match(each))]
    named = [match["what"].strip().lower() for match in amounts]
    if not named or any(_has_finite(what) or what.split()[-1] in _NO_AMOUNT for what in named):
        return None
    return "; ".join(f"my {what} is {match['amount']}" for what, match in zip(named, amounts, strict=True))


def _with_verb(bare: str, asked: str) -> str | None:
    denied = _DENIED.match(bare)
    if denied and denied["what"].split()[-1] in asked.lower():
        return f"I have no {denied['what']}"
    if _COUNTED.match(bare) or _is_dated(bare):
        return f"I have {bare[0].lower() if bare[1:2].islower() else bare[0]}{bare[1:]}"
    gerund = _GERUND.match(bare)
    if _UNDERGOING.match(bare) or (gerund and gerund["verb"].lower() not in _NO_GERUND and not _has_finite(bare)):
        return f"I am {bare[0].lower()}{bare[1:]}"
    headed = _HEADED.match(bare)
    what = headed["what"].lower().split() if headed else []
    if headed and set(what) & _OCCUPATIONS and not _has_finite(headed["what"]) and not set(what) & _PRONOUNS:
        return f"{headed['who']} is {headed['what']}"
    return None


def _is_dated(note: str) -> bool:
    bare = expand(note)  # "I'm off Friday" has its verb
    match = _DATED.match(bare.split(", ", maxsplit=1)[0] if re.search(rf"{_WHEN}[^,]*,", bare, re.IGNORECASE) else bare)
    return (
        match is not None
        and match["what"].split()[0].lower() not in _NO_AMOUNT
        and not any(_is_no_noun(word) for word in match["what"].split())
        and not _A_DAY.search(match["what"])
    )


def _is_no_noun(word: str) -> bool:
    low = word.lower()
    verb = low in VERBS and low not in {"test", "run", "work", "trip", "check"}
    return verb or low in _NO_NOUN or low in AUXILIARIES or is_past(low) or low.endswith("ing") or _is_third(low)


def _is_third(word: str) -> bool:
    return word in {"says", "turns", "goes", "gets", "comes"} or (
        is_finite(word) and word not in {"keys", "drinks", "talks", "plans", "calls"}
    )


def _has_finite(text: str) -> bool:
    words = [word for word in text.lower().split() if word != "may"]  # the month, here
    return any(word in AUXILIARIES or (is_finite(word) and not word.endswith("ed")) for word in words)


def _of_roster(match: re.Match[str]) -> str:
    groups = match.groupdict()
    who = (
        "I" if match["who"].lower() == "me" else re.sub(r"^(?:old|young|little) ", "", match["who"]).replace("+", "and")
    )
    several = " and " in who
    told = [f"{who} is my {groups['role']}"] if groups.get("role") in KINSHIP | ACQUAINTANCES else []
    told += [f"{who} is {groups['age']}"] if groups.get("age") else []
    told.append(f"{who} {_verb(match['what'], mine=who == 'I', several=several)}")
    return "; ".join(told)


def _verb(what: str, *, mine: bool, several: bool) -> str:
    what = re.sub(r"\s*\|\s*", ", ", what).strip(" ,")
    if what.isdigit():
        return f"{'am' if mine else 'are' if several else 'is'} {what}"
    first = what.split()[0].lower().strip(",")
    be, do, have = ("am", "do", "have") if mine else ("are", "do", "have") if several else ("is", "does", "has")
    if first in AUXILIARIES or (base_of(first) is not None and (is_finite(first) or mine or several)):
        return what
    if _IS.match(what):
        return f"{be} {what}"
    if {word.strip(",") for word in what.lower().split(", ")[0].split()} & ROLES:
        return f"{be} {'' if several else 'an ' if first[0] in 'aeiou' else 'a '}{what}"
    return f"{have} {what}" if re.match(r"(?:no|still|nights|days|lates|earlies)\b", first) else f"{do} {what}"
