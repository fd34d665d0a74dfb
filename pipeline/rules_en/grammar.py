"""Convert sentences to the third person, and relations to noun phrases."""

import re

from mosshead.language.verbs import ADVERB, AUXILIARIES, UNCHANGED_PAST, base_of, third

ONE_OF = "one of "
"""Precedes a relation that several have: "one of User's writers"."""

_BEHIND_A_NOUN = re.compile(r" (?:at|for|from|in|of|on|who|with)\b")

_ADVERB = rf"(?:{ADVERB}|not)"

_MY_X_AND_I = re.compile(r"\b[Mm]y (\w+(?: [A-Z]\w+)?) and I\b|\b[Mm]e and my (\w+(?: [A-Z]\w+)?)\b")

_NAME_AND_I = re.compile(r"\b([A-Z]\w+) and I\b")

_VERB = rf"((?: {_ADVERB})*) ([a-z][\w-]*)"
_I_VERB = re.compile(rf"\bI{_VERB}")
_WE_VERB = re.compile(rf"\b[Ww]e{_VERB}")
_YOU_VERB = re.compile(rf"\b[Yy]ou{_VERB}")


def singular(noun: str) -> str:
    """Return a singular: "writers" → "writer", "agencies" → "agency"; other words stay."""
    if noun.endswith("ies"):
        return noun[:-3] + "y"
    if noun.endswith(("sses", "ches", "shes", "xes")):
        return noun[:-2]
    return noun[:-1] if noun.endswith("s") and not noun.endswith("ss") else noun


def noun_head(noun: str) -> str:
    """Return the head of a noun phrase, which alone has a number: "best writers at WOBS" → "best writers"."""
    behind = _BEHIND_A_NOUN.search(noun)
    return noun[: behind.start()] if behind else noun


def one_among(nouns: str) -> str:
    """Make a noun phrase singular: "writers at WOBS" → "writer at WOBS", "heads of sales" → "head of sales"."""
    head = noun_head(nouns)
    return singular(head) + nouns[len(head) :]


def as_one(tie: str) -> str:
    """Reduce a relation to that of one person: "one of User's writers at WOBS" → "User's writer"."""
    owner, tied, nouns = tie.removeprefix(ONE_OF).partition("'s ")
    head = noun_head(nouns.partition(",")[0])
    return f"{owner}{tied}{singular(head) if tie.startswith(ONE_OF) else head}"


def comparable(tie: str, other: str) -> tuple[str, str]:
    """Make two relations comparable: one of User's oldest friends may later be "User's friend"."""
    if not (tie.startswith(ONE_OF) or other.startswith(ONE_OF)):
        return tie, other
    return _by_last_word(as_one(tie)), _by_last_word(as_one(other))


def _by_last_word(tie: str) -> str:
    owner, tied, noun = tie.partition("'s ")
    return f"{owner}{tied}{' '.join(noun.split()[-1:])}"


def possessive(name: str) -> str:
    return f"{name}'s"


def with_article(noun: str) -> str:
    return f"{'an' if noun[:1].lower() in set('aeiou') else 'a'} {noun}"


def addressed(text: str, name: str) -> str:
    """Replace the second person in a clause by the person addressed."""
    text = _YOU_VERB.sub(
        lambda m: f"{name}{m[1]} {third(m[2]) if base_of(m[2]) or m[2] in AUXILIARIES else m[2]}", text
    )
    text = re.sub(r"\b(?:your|ur)\b", lambda _: possessive(name), text, flags=re.IGNORECASE)
    return re.sub(r"\b(?:you|u|yourself|yours)\b", lambda _: name, text, flags=re.IGNORECASE)


def to_third_person(text: str, me: str, us: str | None, *, dated: bool = False) -> str:
    """Replace the first person in a clause.

    me: the replacement for "I". us: the firm that "we" stands for; None for a group of people, of whom only the speaker is named.
    dated: the clause names a time, which decides verbs whose past equals their present.
    """

    def bend(match: re.Match[str], name: str) -> str:
        as_past = dated and match[2] in UNCHANGED_PAST
        return f"{name}{match[1]} {match[2] if as_past else third(match[2])}"

    text = _MY_X_AND_I.sub(lambda m: f"{me} and {me}'s {m[1] or m[2]}", text)
    text = _NAME_AND_I.sub(lambda m: f"{me} and {m[1]}", text)
    text = _I_VERB.sub(lambda m: bend(m, me), text)
    owner = us or me
    text = _WE_VERB.sub(lambda m: bend(m, owner), text)
    for pattern, replacement in (
        (r"\b(?:by myself|on my own)\b", "alone"),
        (r"\b(?:I|[Mm]e(?!-))\b", me),
        (r"\b(?:[Mm]y|mine)\b", possessive(me)),
        (r"\b(?:myself|ourselves)\b", "themself"),
        (r"\b(?:[Oo]ur|ours)\b", possessive(owner)),
        (r"\b(?:[Ww]e|[Uu]s)\b", owner),
    ):
        text = re.sub(pattern, lambda _, r=replacement: r, text)  # type: ignore[misc]
    return text
