"""Subjects that stand there without an article: "mum turns 70", "rent goes up to 935", "Deakin is foreman"."""

import re

from mosshead.kinds import EntityType
from pipeline.offline.discourse import Sort, Subject
from pipeline.offline.grammar import base_of, is_finite, singular
from pipeline.offline.lexicon import (
    ADVERBS,
    AUXILIARIES,
    FIRST_NAMES,
    NATIONALITIES,
    NOT_NAMES,
    ORG_ENDINGS,
    PLACE_ENDINGS,
    ROLES,
    VERBS,
)
from pipeline.offline.vagueness import THIN

_NO_SUBJECT = frozenset(
    """
    and but or so because if when while as than that which who what where why how whatever whoever whether although
    though
    i you he she it we they me him them us this these those there here everyone everybody everything nobody nothing
    someone
    somebody something anyone anybody anything no not never yes yeah ok okay please thanks maybe perhaps sure only
    just like
    with without for from to in on at by of about into after before until since during over under between per via
    one ones people folks most many some any all each every another such same other others both either neither more less
    """.split()
)
_COMMON = frozenset(
    """
    music breakfast lunch dinner supper work school uni college rent traffic weather life coffee tea food money time
    home
    sleep love hope fun sport football cricket tennis rugby yoga running swimming cycling cooking reading writing
    gardening
    knitting baking hiking travelling shopping photography art history science maths english french german spanish
    church
    health luck progress news feedback advice help homework housework parking petrol water wine beer milk bread cake
    meat
    fish rice pasta rain snow wind sun heat dinner bedtime christmas easter summer winter spring autumn budget deadline
    meeting project team office email mail phone laptop computer internet wifi printer car train bus bike flight hotel
    holiday vacation weekend training practice rehearsal therapy treatment surgery recovery exam exams class classes
    term
    rating delivery payment invoice invoices salary bonus tax taxes insurance mortgage electricity gas heating kitchen
    bathroom bedroom garden lawn cat cats dog dogs kids children parents friends neighbours clients customers prices
    sales
    nothing life death reality today tonight doctor doctors technology society politics everyone sir madam
    """.split()
)
"""Nouns that often open a sentence, where any word has a capital."""
_NOUNISH_END = re.compile(r"(?:ing|tion|sion|ment|ness|ity|ism|ship|ance|ence|age|ure|ics|ware)s?$")
_DOES = re.compile(
    r"(?:is|was|has|will|does|did|can|cannot|[a-z]+(?:s|ed)|took|got|left|went|ran|made|gave|said|told|came|bought"
    r"|sold|won|lost"
    r"|found|met|broke|chose|taught|wrote|kept|led)\b"
)
_MOST_WORDS = 5


def bare_subject(head: str) -> Subject | None:
    """The subject that a few words without article are, None where they are none."""
    words = head.split()
    if not 0 < len(words) <= _MOST_WORDS or not re.match(r"[A-Za-z]", head):
        return None
    if any(_no_noun(word) for word in words):
        return None
    return Subject(head[0].upper() + head[1:], Sort.THING, None, EntityType.CONCEPT, head.lower(), bare=True)


def _no_noun(word: str) -> bool:
    low = word.lower().strip(",")
    return (
        low in _NO_SUBJECT
        or low in AUXILIARIES
        or low in ADVERBS
        or (low in THIN and low != "time")
        or word.endswith((",", ":", ";", "'s", ")"))
        or not re.fullmatch(r"[\w'&/+-]+", word)
        or (low.endswith("ed") and base_of(low) is not None)
    )


def is_given_name(word: str, predicate: str) -> bool:
    """Whether a capitalised word at the start of a sentence is somebody's name or something's: "Deakin is foreman"."""
    low = word.lower()
    if (
        not re.fullmatch(r"[A-ZÀ-Þ][a-zà-ÿ]+(?:-[A-Z][a-z]+)?", word)
        or low in _COMMON | NOT_NAMES | NATIONALITIES | THIN
    ):
        return False
    known = VERBS | ROLES | ORG_ENDINGS | PLACE_ENDINGS | ADVERBS | _NO_SUBJECT
    if low in known or singular(low) in known or _NOUNISH_END.search(low):
        return low in FIRST_NAMES
    if (low.endswith("s") and base_of(low)) or is_finite(low):
        return False
    return _DOES.match(predicate) is not None
