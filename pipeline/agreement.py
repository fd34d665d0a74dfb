"""Whether two statements say the same, or the opposite. Similarity only nominates: "vegetarian" and "not vegetarian" are 0.975
alike, Monday and Tuesday 0.947 (MiniLM), so that names, numbers, days, negation and the words themselves must agree."""

import re
from collections import Counter
from dataclasses import replace
from typing import Final

from pipeline.wording import (
    FILLERS,
    NEGATIONS,
    Shape,
    Word,
    base_form,
    details,
    forms,
    negations,
    plain,
    shape,
    telling,
    words,
)


def _bases(listed: str) -> frozenset[str]:
    return frozenset(map(base_form, listed.split()))


_OTHERWISE: Final = frozenset(
    "new north south east west old great little los las san fort saint former ex past vice deputy assistant acting almost "
    "nearly half non step grand pre post mock fake and & or but then until till before after".split()
)
"""Words that make another thing of what they stand beside: New York is no more precise York."""

_LASTING: Final = _bases("longer anymore more still yet instead nowadays since")
_STOPPED: Final = _bases("stopped stop quit ceased")
_DOUBTFUL_AFTER_NOT: Final = _bases(
    "only just necessarily always really very quite entirely exactly too so that sure every all both"
)
_PLAIN_NEGATIONS: Final = frozenset({"not", "no", "never"})
_MILD: Final = {base_form("dislike"): ("like", True), "enjoy": ("like", False), "unmarried": ("married", True)}
_STRONG: Final = {"love": ("like", False), base_form("adore"): ("like", False), "hate": ("like", True)} | {
    "divorced": ("married", True),
    "unemployed": ("employed", True),
}
_SWITCHED_OR_SPOILT: Final = (
    r"(?:lights?|lamps?|milk|cream|butter|cheese|yogh?urt|meat|chicken|fish|eggs?|food|colou?rs?|smell|taste|timing|phones?|tv|radio"
    r"|power|electricity|gas|water|heating|boiler|heater|oven|stove|fridge|freezer|alarms?|wi-?fi|internet|router|computer|laptop"
    r"|screen|camera|printer|car|engine|sound|music|price)"
)
_CALLED_OFF: Final = re.compile(
    r"\b(?:cancel(?:s|l?ed)?|called off|calls? off|scrapped|abandoned|fell through|not happening|not taking place"
    rf"|(?<!\w)(?:(?!{_SWITCHED_OR_SPOILT}\b)[\w'-]+) (?:is|are) off(?=$|[,.!]))(?!\w)",
    re.IGNORECASE,
)
"""A light that is off is switched off, and milk that is off is spoilt."""
_CALLING_OFF: Final = _bases(
    "cancel canceled cancelled called call off scrapped abandoned fell through happen take tak place was has have had been "
    "will won't because"
)
_PLANS: Final = _bases(
    "trip plan travel visit journey holiday vacation flight meet appointment event date stay tour booking reservation"
)
_AHEAD: Final = re.compile(
    r"\b(?:will|going to|plans?|planning|booked|scheduled|upcoming|tomorrow|next|intends?|wants? to|about to)\b",
    re.IGNORECASE,
)
_CHANGE: Final = re.compile(
    r"\b(?:moved|moving|now|nowadays|no longer|any ?more|switched|since|instead|changed|became|becomes|has become|stopped|quit|"
    r"started|recently|meanwhile|these days|used to|cancell?ed|called off|retired|divorced|resigned|left|sold|joined|promoted)\b",
    re.IGNORECASE,
)
_CONNECTING: Final = _bases(
    "named called who which whose where when while because but both known plus including since he she they him her his their "
    "them was has have had & or"
)


def same_statement(one: str, other: str) -> bool:
    """Whether two statements are the same but for case, accents, punctuation and space."""
    return plain(one) == plain(other)


def agree(one: str, other: str) -> bool:
    """Whether two statements say the same with the same telling words: both are negated or neither is, and only fillers, the
    endings -s and -ing, and the place of adjuncts and of the items of a list may differ."""
    if same_statement(one, other):
        return True
    left, right = shape(words(one)), shape(words(other))
    return negations(one) % 2 == negations(other) % 2 and left == right and bool(left.heads or left.adjuncts)


def is_more_precise(one: str, other: str) -> bool:
    """Whether one says all that the other says, and more: "John Doe" and "John", but not "New York" and "York"."""
    more, less = plain(one).split(), plain(other).split()
    further = set(more) - set(less)
    precise = len(more) > len(less) > 0 and set(less) < set(more) and not further & (_OTHERWISE | NEGATIONS)
    return precise and negations(one) % 2 == negations(other) % 2


def opposite(one: str, other: str) -> bool:
    """Whether one statement plainly denies the other: the same words, once negated, stopped or turned into an antonym.

    What is denied may be said in more detail, as "drinks coffee every morning" by "does not drink coffee"; the reverse leaves
    the rest of it true.
    """
    return _denies(_reduced(one, {}), _reduced(other, {})) or _denies(_turned(one), _turned(other))


def calls_off(statement: str, plan: str, *, same_time: bool = False) -> bool:
    """Whether a statement says that a plan is off, of which it names nothing that the plan does not.

    same_time: both are known to be of the same time, so that days and numbers need not agree as words.
    """
    if (
        not _CALLED_OFF.search(statement)
        or _CALLED_OFF.search(plan)
        or negations(statement) % 2 != _not_happening(statement)
    ):
        return False
    named = telling(statement) - _CALLING_OFF - (_times(statement) if same_time else frozenset())
    planned = telling(plan)
    return bool(named) and (named <= planned or frozenset() < named - _PLANS <= planned)


def lies_ahead(statement: str) -> bool:
    """Whether a statement speaks of what is to come."""
    return _AHEAD.search(statement) is not None


def tells_a_change(*texts: str) -> bool:
    """Whether a text says that the world has changed, as anybody may report: "moved", "now", "no longer" …"""
    return any(_CHANGE.search(text) for text in texts)


def differ_in_a_value(one: str, other: str) -> bool:
    """Whether two statements are the same but for a name, a number or a day in the same place."""
    if negations(one) % 2 != negations(other) % 2:
        return False
    left, right = _said(one), _said(other)
    pairs = [(a, b) for a, b in zip(left, right, strict=False) if a.form != b.form]
    return len(left) == len(right) and bool(pairs) and all(a.is_value and b.is_value for a, b in pairs)


def adds_details(one: str, other: str, *, times: bool = True) -> bool:
    """Whether one holds a name, a number or (``times``) a day that the other does not."""
    return not details(one, times=times) <= forms(other)


_MERGED_MOST = 2
"""A merged statement is at most so many times as long as both statements together."""


def keeps(merged: str, news: str, memory: str, *, anew: bool = False) -> bool:
    """Whether a merged statement is made of the words of both alone, with every name, number and day of theirs.

    anew: the news tells a change, so that its numbers and days may stand in the place of the memory's.
    """
    said = forms(news) | forms(memory)
    denied = bool(negations(news) or negations(memory)) == bool(negations(merged))
    whole = details(news) | details(memory, times=not anew) <= forms(merged)
    # A model that repeats itself without end uses no word of its own either.
    brief = len(merged) <= _MERGED_MOST * (len(news) + len(memory))
    return bool(merged.strip()) and brief and denied and whole and telling(merged) <= said | _CONNECTING


def _times(statement: str) -> frozenset[str]:
    return frozenset(word.form for word in words(statement) if word.is_time or word.is_number)


def _not_happening(statement: str) -> bool:
    return re.search(r"\bnot (?:happening|taking place)\b", statement, re.IGNORECASE) is not None


def _said(statement: str) -> list[Word]:
    return [word for word in words(statement) if word.form not in FILLERS | NEGATIONS | {","}]


_Reduced = tuple[Shape, bool] | None


def _reduced(statement: str, antonyms: dict[str, tuple[str, bool]]) -> _Reduced:
    """What a statement says and whether it denies it; None where its denial is not a plain one."""
    denied = False
    rest: list[Word] = []
    before = ""
    for word in words(statement):
        if before in NEGATIONS and word.form in _DOUBTFUL_AFTER_NOT:
            return None
        before = word.form
        if word.form in NEGATIONS and word.form not in _PLAIN_NEGATIONS:
            return None
        if word.form in _PLAIN_NEGATIONS or word.form in _STOPPED:
            denied = not denied
        elif word.form not in _LASTING:
            form, turned = antonyms.get(word.form, (word.form, False))
            denied ^= turned
            rest.append(replace(word, form=form))
    return shape(rest), denied


def _turned(statement: str) -> _Reduced:
    """As `_reduced`, with antonyms as negations; "does not love" is not "dislikes", so strong words count only by themselves."""
    return _reduced(statement, _MILD if negations(statement) else {**_MILD, **_STRONG})


def _denies(one: _Reduced, other: _Reduced) -> bool:
    if one is None or other is None or one[1] == other[1]:
        return False
    denial, denied = (one[0], other[0]) if one[1] else (other[0], one[0])
    if denial.fixed or denied.fixed:
        return denial == denied
    return denial.heads == denied.heads and Counter(denial.adjuncts) <= Counter(denied.adjuncts)
