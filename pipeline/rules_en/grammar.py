"""Sentences in the third person, and what somebody is to somebody, as a noun phrase."""

import re

from mosshead.language.verbs import ADVERB, AUXILIARIES, UNCHANGED_PAST, base_of, third

ONE_OF = "one of "
"""Before a tie that several have: "one of User's writers"."""

_BEHIND_A_NOUN = re.compile(r" (?:at|for|from|in|of|on|who|with)\b")

_ADVERB = rf"(?:{ADVERB}|not)"

_MY_X_AND_I = re.compile(r"\b[Mm]y (\w+(?: [A-Z]\w+)?) and I\b|\b[Mm]e and my (\w+(?: [A-Z]\w+)?)\b")

_NAME_AND_I = re.compile(r"\b([A-Z]\w+) and I\b")

_VERB = rf"((?: {_ADVERB})*) ([a-z][\w-]*)"
_I_VERB = re.compile(rf"\bI{_VERB}")
_WE_VERB = re.compile(rf"\b[Ww]e{_VERB}")
_YOU_VERB = re.compile(rf"\b[Yy]ou{_VERB}")


def singular(noun: str) -> str:
    """ "writers" → "writer", "agencies" → "agency"; a word that is no plural stays."""
    if noun.endswith("ies"):
        return noun[:-3] + "y"
    if noun.endswith(("sses", "ches", "shes", "xes")):
        return noun[:-2]
    return noun[:-1] if noun.endswith("s") and not noun.endswith("ss") else noun


def noun_head(noun: str) -> str:
    """The noun of a longer one, which alone has a number: "best writers at WOBS" → "best writers"."""
    behind = _BEHIND_A_NOUN.search(noun)
    return noun[: behind.start()] if behind else noun


def one_among(nouns: str) -> str:
    """ "writers at WOBS" → "writer at WOBS", "heads of sales" → "head of sales"."""
    head = noun_head(nouns)
    return singular(head) + nouns[len(head) :]


def as_one(tie: str) -> str:
    """A tie as that of one, by its noun alone: "one of User's writers at WOBS" → "User's writer"."""
    owner, tied, nouns = tie.removeprefix(ONE_OF).partition("'s ")
    head = noun_head(nouns.partition(",")[0])
    return f"{owner}{tied}{singular(head) if tie.startswith(ONE_OF) else head}"


def comparable(tie: str, other: str) -> tuple[str, str]:
    """Two ties as they are compared: one of User's oldest friends may be called "User's friend" the next time."""
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
    """The clause with its second person replaced by the one who is spoken to."""
    text = _YOU_VERB.sub(
        lambda m: f"{name}{m[1]} {third(m[2]) if base_of(m[2]) or m[2] in AUXILIARIES else m[2]}", text
    )
    text = re.sub(r"\b(?:your|ur)\b", lambda _: possessive(name), text, flags=re.IGNORECASE)
    return re.sub(r"\b(?:you|u|yourself|yours)\b", lambda _: name, text, flags=re.IGNORECASE)


def to_third_person(text: str, me: str, us: str | None, *, dated: bool = False) -> str:
    """The clause with its first person replaced.

    me: what "I" becomes. us: the firm that "we" speaks for, None where it is people, of whom only the speaker is named.
    dated: whether the clause names a time, which settles verbs whose past looks like their present.
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
