"""Detect corrections of earlier statements: "Actually, I meant Tuesday", "no, it's Leeds, not London"."""

import re
from dataclasses import dataclass

from mosshead.language.dates.spans import DAY_NAME
from mosshead.language.verbs import ADVERBS
from mosshead.language.wordlists import MONTHS
from pipeline.rules_en.names import RUN

_CUE = re.compile(
    r"^(?:(?:wait|hang on|hold on|oops|whoops|ah|oh|hmm|um|well|no|nope|nah|sorry|my bad|my "
    r"mistake|apologies|actually|correction|edit|i was wrong|i misspoke|that's wrong|that is wrong"
    r"|that's not right|scratch that|strike that|forget that|on second thoughts?|rather|i "
    r"mean)\b[\s,.:!;—–-]*)+",
    re.IGNORECASE,
)

_STRONG = re.compile(
    r"\b(?:actually|correction|i was wrong|misspoke|my bad|my mistake|that's wrong|that is wrong|"
    r"that's not right|scratch that|strike that|second thought|i meant|no,|nope|no sorry|sorry, |"
    r"wait|oops|whoops|i mean|edit:)",
    re.IGNORECASE,
)

_DENYING = re.compile(r"\b(?:no|nope|wait|wrong|mistake|misspoke|scratch|strike|mean)\b", re.IGNORECASE)

_WITHDRAWN = re.compile(
    r"^(?:no,? |wait,? |actually,? |oh,? )*(?:scratch|strike|forget|ignore) (?:that|it)\b", re.IGNORECASE
)

_MEANT = re.compile(
    r"^(?:i (?:actually )?meant(?: to say)?|i should have said|it should be|it(?:'s| is| was)(?: "
    r"actually| really)?|that(?:'s| is| should be)|make (?:it|that)|should be|it's on|we "
    r"meant)\s+(?P<value>.+)$",
    re.IGNORECASE,
)

_NOT = re.compile(
    r"^(?P<value>.+?)(?:,| and| -|;)? ?(?:\bnot|rather than|instead of) (?:on |in |at )?(?P<wrong>[^,.]+)$",
    re.IGNORECASE,
)

_NOT_FIRST = re.compile(
    r"^(?:it(?:'s| is) )?not (?P<wrong>[^,.]+?),? (?:but|it(?:'s| is)) (?P<value>.+)$", re.IGNORECASE
)

_NOT_THIS = re.compile(r"^not (?:on |in |at )?(?P<wrong>[^,.]+?), (?P<value>[^,.]+)$", re.IGNORECASE)
"""A short contrast: "Not Monday, Tuesday"."""

_ARTICLE_OF_ONE = re.compile(r"^an? ", re.IGNORECASE)
_ARTICLE = re.compile(r"^(?:on|in|at|for|the)\s+(?=\S)", re.IGNORECASE)
_MONTH = rf"(?:{'|'.join(month.capitalize() for month in MONTHS)})"
_DAY_OF_MONTH = rf"(?:\d{{1,2}}(?:st|nd|rd|th)? (?:of )?{_MONTH}|{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?)"
_YEAR = r"(?:19|20)\d\d"
_IN_FIGURES = r"(?:\d{4}-\d{1,2}-\d{1,2}|\d{1,2}([./])\d{1,2}\1\d{4})"

_SHAPES = tuple(
    (re.compile(right), re.compile(wrong or right))
    for right, wrong in (
        (rf"\b{_IN_FIGURES}\b", rf"\b(?:{_IN_FIGURES}|{_DAY_OF_MONTH}(?:,? {_YEAR})?)\b"),
        (rf"\b{_DAY_OF_MONTH},? {_YEAR}\b", rf"\b(?:{_IN_FIGURES}|{_DAY_OF_MONTH}(?:,? {_YEAR})?)\b"),
        (rf"(?i:\b{DAY_NAME}s?\b)", ""),
        (rf"\b{_DAY_OF_MONTH}\b", ""),
        (rf"\b{_MONTH} {_YEAR}\b", rf"\b{_MONTH}(?: {_YEAR})?\b"),
        (rf"\b{_MONTH}\b", ""),
        (r"(?i:\b\d{1,2}(?::\d\d)? ?[ap]\.?m\b)", ""),
        (r"\b\d{1,2}:\d\d\b", ""),
        (rf"(?<![\w.,/-]){_YEAR}(?![\w/-]|[.,]\d)", ""),
        (r"(?i:\b(?:yesterday|today|tomorrow|tonight)\b)", ""),
        (r"(?<![\w.,/])\d+(?:[.,/]\d+)*(?!\w|[.,/]\d)", ""),
        (r"(?i:\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b)", ""),
        (r"\S+@\S+", ""),
    )
)
"""What can be corrected, and what it may replace: a date with a year also replaces one without."""

_DENIED = re.compile(r"\bnot (?:on |in |at |from )?$", re.IGNORECASE)
_NAME = re.compile(rf"(?<![\w']){RUN}")
_MOST_VALUE_WORDS = 6
_NO = r"(?:(?:oh|sorry|well),? )?(?:no,? (?:wait(?! for\b)|actually|sorry)|(?:wait|actually|sorry),? no)"

_WITHIN = re.compile(
    rf"(?<! to)(?:\s*(?:[,;–—…]|(?<!\.)\.\.+)| -+) ?(?:and )?(?P<cue>(?P<sure>{_NO}|(?:scratch|strike) that"
    r"|(?:wait|correction)(?=[,:;.…]))"
    r"|(?P<no>(?:well,? )?no)(?=[,:;.…])|sorry|oops|or rather|i mean|i meant)\b[\s,:;.…–-]*(?P<right>\S.*)$"
    rf"|(?<! is)(?<! was)(?<! are)(?<! has)(?<! had)(?<! have)(?<! with)(?<! to) (?:(?P<bare>{_NO})|or rather) "
    r"(?!lists?\b|times?\b|for\b|to\b)(?P<rest>\S.*)$",
    re.IGNORECASE,
)
"""A correction in the same sentence. sure: what precedes it is wrong in any case; no: only if little follows."""

_MOST_WORDS_WITHIN = 3

_ASIDE = re.compile(
    rf"(?:{'|'.join(sorted(ADVERBS))}|[a-z]+ly|thanks|lol|haha|yes|why|not|please|ok|for real|about (?:it|that))\W*$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Correction:
    """A correction.

    value: what is right; None if a whole sentence says it. wrong: what it replaces, if stated.
    rest: the sentence without its cue, if it can stand alone. withdraws: the previous statement is retracted.
    of_a_thing: it says what "it" is instead: "no wait, it's pasta".
    """

    value: str | None
    wrong: str | None
    rest: str
    withdraws: bool
    of_a_thing: bool = False


def read_correction(text: str) -> Correction | None:
    """Return a sentence's correction, or None."""
    cue = _CUE.match(text)
    head = cue[0] if cue else ""
    rest = text[len(head) :].strip().rstrip(".!")
    told = (
        r"i (?:actually )?meant\b|i should have said\b|it(?:'s| is) .{2,40},? not \w|not (?:\w+ ){1,3}?\w+, \w+$"
        r"|not \w+, (?:\w+ ?){1,3}$"
    )
    if not (_STRONG.search(head) or re.match(told, rest, re.IGNORECASE)):
        return None
    value, wrong = _value(rest)
    of_a_thing = _DENYING.search(head) is not None and re.match(r"it(?:'s| is) ", rest, re.IGNORECASE) is not None
    return Correction(value, wrong, rest, _WITHDRAWN.match(text) is not None, of_a_thing)


def _value(rest: str) -> tuple[str | None, str | None]:
    meant = _MEANT.match(rest)
    said = meant["value"] if meant else rest
    brief = len(said.split()) <= _MOST_VALUE_WORDS
    contrast = (
        _NOT_FIRST.match(rest) or (brief and _NOT_THIS.match(rest)) or (_NOT.match(said) if meant or brief else None)
    )
    if contrast:
        return _tidy(contrast["value"]), _tidy(contrast["wrong"])
    return (_tidy(said), None) if (meant and brief) or 0 < len(said.split()) <= 2 else (None, None)


def _tidy(value: str) -> str:
    return _ARTICLE.sub("", value.strip(" ,.!"))


def put_right_within(text: str) -> tuple[str, str] | None:
    """Split a sentence that corrects itself, "my flight is at 7, no wait, 8", into two.

    The second is empty if nothing is corrected: "it's blue, no, seriously".
    """
    match = _WITHIN.search(text)
    if match is None or text.rstrip().endswith("?") or _CUE.fullmatch(text[: match.start()]) or match.start() == 0:
        return None
    right = match["right"] or match["rest"]
    brief = len(right.split()) <= _MOST_WORDS_WITHIN
    if _ASIDE.match(right):
        return text[: match.start()], ""
    if match["sure"] or match["bare"] or (match["no"] and brief):
        return text[: match.start()], f"scratch that, {right}"
    return (text[: match.start()], f"I mean, {right}") if brief else None


def with_other_end(earlier: str, end: str | None, correction: Correction) -> str | None:
    """Replace the end of the earlier sentence by the right value; None if the sentence ends differently."""
    earlier, value = earlier.rstrip(" .!"), _ARTICLE_OF_ONE.sub("", correction.value or "")
    if not end or not earlier.lower().endswith(f" {end.lower()}") or len(value.split()) != len(end.split()):
        return None
    wrong = earlier[-len(end) :]
    return earlier[: -len(end)] + value if wrong[0].isupper() == value[0].isupper() else None


def corrected(earlier: str, correction: Correction) -> str | None:
    """Replace the wrong value in the earlier sentence by the right one; None if none fits."""
    value, wrong = correction.value, correction.wrong
    if value is None:
        return None
    if wrong:
        places = list(re.finditer(rf"(?<!\w){re.escape(wrong)}(?!\w)", earlier, re.IGNORECASE))
    elif any(right.search(value) for right, _ in _SHAPES):
        return _replace_shapes(earlier, value)
    else:
        names = _NAME.finditer(earlier) if value[:1].isupper() and _NAME.fullmatch(value) else ()
        inner = (name for name in names if name.start() and name[0].split("'")[0] != "I")
        places = [name for name in inner if not _DENIED.search(earlier, 0, name.start())]
    return earlier[: places[-1].start()] + value + earlier[places[-1].end() :] if places else None


def _replace_shapes(text: str, value: str) -> str | None:
    """Replace the last date, time or number of each kind by the corrected one; None if the first has no place."""
    places: dict[tuple[int, int], str] = {}
    for right, wrong in _SHAPES:
        said = right.search(value)
        if said is None:
            continue
        value = f"{value[: said.start()]} {value[said.end() :]}"
        free = [
            match.span()
            for match in wrong.finditer(text)
            if not _DENIED.search(text, 0, match.start())
            and all(match.end() <= start or match.start() >= end for start, end in places)
        ]
        if free:
            places[free[-1]] = said[0]
        elif not places:
            return None
    for (start, end), new in sorted(places.items(), reverse=True):
        text = text[:start] + new + text[end:]
    return text
