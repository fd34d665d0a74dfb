"""What a statement says to hold no more, and what it tells of some time in the past alone."""

import re

from pipeline.offline.rule import Finding
from pipeline.offline.statements import Statement
from pipeline.times.words import NUMBERS

_NO_MORE = re.compile(r"\bno longer\b|\bany ?more\b")
_WHOLLY = re.compile(
    r"\W*$|\s?[,;]| (?:any ?more|now|either|at all|since|because|as of|after|and|but|so|though|anyway|\w+ly)\b",
    re.IGNORECASE,
)
"""What follows the value that holds no more: nothing that says of what part of it, as in "no longer works at Acme on Mondays"."""
_NO_NUMBER = r"(?<!\d )" + "".join(rf"(?<!\b{number} )" for number in NUMBERS)
_OF_SOME_TIME = re.compile(
    r"\bonce\b|\bduring\b|\bwhen \S+ (?:was|were|turned) (?!\w+ed\b|sold\b|bought\b|shut\b)|\bback (?:in|when|then)\b"
    rf"|\b(?:decades|ages|long) ago\b|{_NO_NUMBER}\byears ago\b|\bas an? (?:child|kid|teen\w*|student|boy|girl)\b"
    r"|\bat (?:the age of )?\d+\b"
    r"|\bin (?:college|school|high school|university|(?:[\w']+'s|his|her|their) (?:teens|twenties|thirties|youth))\b"
    r"|^(?!.*\b(?:after|worked|working)\b).*\bfor (?:an?|one|two|three|four|five|six|some|\d+) (?:few |couple of )?"
    r"(?:days?|nights?|weeks?|months?|years?|while|bit)\b",
    re.IGNORECASE,
)
"""What was so at some time in the past, and says nothing of now: "once lost his job", "moved out for a year"."""


def ended(statement: Statement, finding: Finding | None) -> str | None:
    """The attribute of which a statement says that its value holds no more."""
    said = statement.predicate
    if finding is None or _OF_SOME_TIME.search(said):
        return None
    if not statement.negated:
        return finding.rule.ends
    rest = said[said.lower().find(finding.value.lower()) + len(finding.value) :] if finding.value else ""
    names = finding.rule.attribute if _NO_MORE.search(said) and _WHOLLY.match(rest) else None
    return names if names is None or "{" not in names else None
