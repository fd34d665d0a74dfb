"""What a change that is told in ordinary words may end: "I switched to Monzo", "they put me on nights". English, and pure."""

from mosshead.language.references import KIN_AND_ROLES
from mosshead.language.requests import content_words, tells_of_change
from mosshead.language.wordlists import MONTHS
from mosshead.patterns import lazy_pattern

_STEM = 4
"""Letters by which two words are held for one: "smoking" and "smokes"."""

_CLAUSE = lazy_pattern(r"[.!;]+(?:\s+|$)|,? (?:and|so|but|because) |, ")
_NOT_SO = lazy_pattern(
    r"(?i)\b(?:almost|nearly|might|may|should|would|could|maybe|perhaps|if|never|not|(?:think|thought|talk|dream)\w* (?:about|of)"
    r"|(?:want|plan|hop|intend|refus)\w* to)\b|n['’]t\b|\?"
)
"""It has not come to it."""

_LASTING = (
    r"(?: (?:now|instead|recently|permanently|for good|yesterday|today|last \w+|this (?:week|month|year)|at (?:work|home)|from .+"
    rf"|(?:in|since|on) (?:\d.*|(?i:{'|'.join(MONTHS)})\b)(?: \d{{4}})?))*\W*$"
)
"""What may follow what one has by now: "for today", "at Leeds" and "before lunch" tell of a moment."""

_SELF, _NO_PLACE = (
    r"\b(?:I|[Ww]e|User)\b(?:['’](?:ve|m))?",
    r"(?:at|in|on|for|from|before|after|during|until|with|when|since)\b",
)
_SWITCH = lazy_pattern(
    rf"(?:{_SELF} (?:(?:have|has|just|recently|finally|now) )*(?:changed|switched|moved|went|gone)"
    r"|\b(?:put|moved|switched|changed|transferred) (?:me|us|User))(?: over)? (?:on|to|onto)"
    rf" (?P<to>[\w'’&-]+(?: (?!{_NO_PLACE})[\w'’&-]+){{0,3}}?){_LASTING}"
    rf"|{_SELF} (?:am |is |are )?(?:on|with) (?P<now>[\w'’&-]+(?: [\w'’&-]+){{0,2}}) now\W*$"
)
"""Somebody has something else, whatever they had."""

_NO_VALUE = frozenset(
    "me you him her us them it this that sleep bed work school home hold leave holiday vacation diet break call time track next"
    " first last other front back top row seat page song another".split()
)
_HELD = lazy_pattern(
    r"\b(?:banks? with|uses?|drives?|rides?|wears?|subscribes? to|takes|studies|(?:is|are) (?:with|on|studying|taking|using)"
    r"|has(?= an? )|plays|drinks|eats|trains|sings|goes to|shops at|buys|reads|pays)\b(?P<value> .+)|['’]s (?P<what>[\w -]+?)"
    r" (?:is|are)(?: with| on)?(?P<its> .+)$"
)
"""What somebody has one of at a time, more or less."""

_SHIFTS = frozenset("shift shifts nights days earlies lates mornings evenings afternoons".split())
_LIVING = KIN_AND_ROLES | frozenset("dog cat puppy kitten horse name birthday kid kids".split())
_NAME = lazy_pattern(r"\b[^\W_]*[A-Z][\w'’-]*")
_WHOSE = lazy_pattern(r"^(?:[Mm]y|[Oo]ur|User['’]s) (\w+)")
_TITLE = lazy_pattern(r"\b(?:Dr|Mr|Mrs|Ms|Prof)\b")

_ENDED = lazy_pattern(
    r"\b(?:cancell?ed|unsubscribed from|dropped|quit|g[ai]ven? up(?: on)?|stopped|left|sold|got rid of)"
    r" (?P<what>.+?)(?P<rest> (?:on|at|in|for|with|to|from|before|after|when|last|this)\b.*)?$"
)
_BESIDE = frozenset("membership subscription account contract plan lessons classes job".split())
_ON_A_DAY = lazy_pattern(r"\b(?:for|on|at|this|with) ")


def may_replace(change: str, known: str, subject: str) -> bool:
    """Whether what was said later may end what is known of the same subject."""
    told = tells_of_change(change) or any(one.search(change) for one in (_SWITCH, _ENDED))
    return told and any(_ends(one, known, subject) for one in _CLAUSE.split(change) if one)


def switched_to(clause: str) -> str | None:
    """Return what somebody has by now in the place of something that the clause does not name."""
    switch = None if _NOT_SO.search(clause) else _SWITCH.search(clause)
    value = switch["to"] or switch["now"] if switch else ""
    return value if value and _NO_VALUE.isdisjoint(value.lower().split()) else None


def _ends(clause: str, known: str, subject: str) -> bool:
    if _NOT_SO.search(clause):
        return False
    held = _stems(known, subject)
    value = switched_to(clause)
    if value is not None:
        return bool(_stems(value, subject) & held) or _may_stand_for(value, known)
    ended = _ENDED.search(clause)
    whose = _WHOSE.match(clause)
    if whose is not None and whose[1].lower() in KIN_AND_ROLES - set(known.lower().split()):
        return False
    if ended is None:
        return bool(_stems(_NAME.sub(" ", clause), subject) & _stems(_NAME.sub(" ", known), subject))
    words = [word for word in ended["what"].split() if word.lower() not in _BESIDE]
    return bool(words) and bool(_stems(words[-1], subject) & held) and not _ON_A_DAY.search(ended["rest"] or "")


def _may_stand_for(value: str, known: str) -> bool:
    """Whether a value may be of the same sort as one that somebody has: a shift, a name, or a common noun."""
    said = set(value.lower().split())
    if said & _SHIFTS:
        return not _SHIFTS.isdisjoint(known.lower().split())
    held = _HELD.search(known)
    if held is None or value.startswith("the "):
        return False
    if _TITLE.search(value) or _TITLE.search(known):
        return bool(_TITLE.search(value)) and bool(_TITLE.search(known))
    named = _NAME.search(value) is not None
    return _LIVING.isdisjoint(known.lower().split()) and named == (
        _NAME.search(held["value"] or held["its"]) is not None
    )


def _stems(text: str, subject: str) -> set[str]:
    return {word[:_STEM] for word in content_words(text) - content_words(subject) - content_words("User")}
