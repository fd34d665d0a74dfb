"""Find memories that a change in everyday words may end: "I switched to Monzo", "they put me on nights". English only. Pure."""

from mosshead.language.references import KIN_AND_ROLES
from mosshead.language.requests import content_words, tells_of_change
from mosshead.language.wordlists import FIRST_NAMES, MONTHS
from mosshead.patterns import lazy_pattern, remembered_of_texts

_CLAUSE = lazy_pattern(r"[.!;]{1,9}(?:\s|$)|\n|,? (?:and|so|but|because) |, ")
CORRECTION = lazy_pattern(r"(?i)\W*(?:correction|actually|sorry|no,? wait|wait|i meant?)\b")
NOT_SO = lazy_pattern(  # the change did not happen
    r"(?i)\b(?:almost|nearly|might|may|should|would|could|maybe|perhaps|if|never|not|(?:think|thought|talk|dream)\w* (?:about|of)"
    r"|(?:want|plan|hop|intend|refus)\w* to)\b|n['’]t\b|\?"
)
_SELF = r"\b(?:I|[Ww]e|User)\b(?:['’](?:ve|m))?"
_SWITCH = lazy_pattern(  # "for today", "at Leeds" and "before lunch" are momentary; the words allowed to follow are not
    rf"(?:{_SELF} (?:(?:have|has|just|recently|finally|now) )*(?:changed|switched|moved|went|gone)"
    r"|\b(?:put|moved|switched|changed|transferred) (?:me|us|User))(?: over)? (?:on|to|onto)"
    r"(?P<to>(?: (?!(?:at|in|on|for|from|before|after|during|until|with|when|since)\b)[\w'’&-]+){1,4}?)"
    r"(?: (?:now|instead|recently|permanently|for good|yesterday|today|last \w+|this (?:week|month|year)|at (?:work|home)|from .+"
    rf"|(?:in|since|on) (?:\d.*|(?i:{'|'.join(MONTHS)})\b)(?: \d{{4}})?))*\W*$"
    rf"|{_SELF} (?:am |is |are )?(?:on|with)(?P<now>(?: [\w'’&-]+){{1,3}}) now\W*$"
)
_NO_VALUE = FIRST_NAMES | frozenset(
    "me you him her us them it this that sleep bed work school home hold leave holiday vacation diet break call time track next"
    " first last other front back top row seat page song another".split()
)
_HELD = lazy_pattern(  # usually one at a time
    r"(?:\b(?:banks? with|comes from|uses?|drives?|rides?|wears?|subscribes? to|takes|studies|(?:is|are) (?:with|on|taking)"
    r"|(?:is|are) (?:studying|using)|has(?= an? )|plays|drinks|eats|trains|sings|goes to|shops at|buys|reads|pays)"
    r"|['’]s [\w -]+? (?:is|are)(?: on| with)?) .+$"
)
_SHIFTS = frozenset("shift shifts nights days earlies lates mornings evenings afternoons".split())
_LIVING = KIN_AND_ROLES | frozenset("dog cat puppy kitten horse name birthday kid kids".split())
_NAME = lazy_pattern(r"\b(?!User\b)[^\W_]*[A-Z][\w'’-]*")
_ENDED = lazy_pattern(
    r"\b(?:cancell?ed|unsubscribed from|dropped|quit|g[ai]ven? up(?: on)?|stopped|left|sold|got rid of) (?P<what>.+?)"
    r"(?: (?:membership|subscription|account|contract|plan|lessons|job))?(?: (?:last|in|to) .*)?$"
)
_WHOSE = lazy_pattern(r"^(?:[Mm]y|[Oo]ur|User['’]s) (\w+)")


def may_replace(change: str, known: str, subject: str) -> bool:
    """Return whether a later statement may end a known fact about the same subject."""
    return any(_ends(one, known, _stems(subject)) for one in _telling(change))


@remembered_of_texts
def switched_to(said: str) -> str:
    """Return the new thing that somebody switched to, if the old one is not named; otherwise an empty string."""
    return next(filter(None, map(_value, _CLAUSE.split(said))), "")


def denies(said: str, known: str) -> bool:
    """Return whether a clause contains all words of a known fact, and only one of the two is negated."""
    its = _stems(known)
    if len(its) < 2 or not its <= _stems(said):
        return False
    affirmed = NOT_SO.search(known) is None
    return any(its <= _stems(one) and (NOT_SO.search(one) is None) != affirmed for one in _CLAUSE.split(said))


def _value(clause: str) -> str:
    switch = None if NOT_SO.search(clause) else _SWITCH.search(clause)
    value = (switch["to"] or switch["now"]).strip() if switch else ""
    return value if _NO_VALUE.isdisjoint(value.lower().split()) else ""


@remembered_of_texts
def _telling(change: str) -> list[str]:
    """Return the clauses that state a change."""
    right = CORRECTION.match(change) is not None
    clauses = [one for one in _CLAUSE.split(change) if one and not NOT_SO.search(one)]
    return [one for one in clauses if right or tells_of_change(one) or _ENDED.search(one) or _value(one)]


def _ends(clause: str, known: str, subject: frozenset[str]) -> bool:
    value, ended, whose = _value(clause), _ENDED.search(clause), _WHOSE.match(clause)
    if value:
        return bool(_stems(value) & _stems(known) - subject) or _may_stand_for(value, known)
    if whose and whose[1].lower() in KIN_AND_ROLES - set(known.lower().split()):
        return False
    if ended:
        return bool(_stems(ended["what"].split()[-1]) & _stems(known) - subject)
    its = _stems(_NAME.sub(" ", known)) - subject
    return bool(its) and 2 * len(its & _stems(_NAME.sub(" ", clause))) >= len(its)


def _may_stand_for(value: str, known: str) -> bool:
    """Return whether a value may be of the same kind as a known one: a shift, a name, or a common noun."""
    mine, its = set(value.lower().split()), set(known.lower().split())
    if mine & _SHIFTS or value.startswith("the ") or not _HELD.search(known):
        return bool(mine & _SHIFTS and its & _SHIFTS)
    return (_NAME.search(value) is None) == (_NAME.search(known) is None) and _LIVING.isdisjoint(its)


@remembered_of_texts
def _stems(text: str) -> frozenset[str]:
    return frozenset(word[:4] for word in content_words(text)) - {"user"}
