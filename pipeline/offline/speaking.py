"""For whom "we" speaks: the firm that was named lately or is known as the speaker's own, or just the people at home."""

import re

from pipeline.offline.discourse import Discourse
from pipeline.offline.grammar import expand
from pipeline.offline.lexicon import KINSHIP, ORG_ENDINGS, PETS, ROLES

_STAFF = "|".join(sorted(ROLES - {"partner", "author", "lead", "head"}))
FIRM_LASTS = 6
"""For how many messages after a firm was named "we" still speaks for it."""

_AT_WORK = re.compile(
    r"\b[Ww]e(?: \w+ly| also| mostly| mainly| just| only)? (?:do|make|build|sell|offer|provide|"
    r"help|have|are|were|run|use|launch\w*|hire\w*|develop|specialise|specialize|serve|work|ship|"
    r"publish|deliver|focus"
    r"|create|operate|manage|plan|aim|write|design|grow|need|started|opened|just|recently|call|"
    r"check|deploy|employ|train|review|produce|release\w*)\b"
)
_SURELY_WORK = re.compile(
    r"\b(?:works?|working|writes?|freelances?) for us\b|\b(?:joined|joining|joins|left|leaving|hired by) us\b"
    rf"|\b(?:one of )?our (?:\w+ )?(?:{_STAFF}|client|customer|supplier|office|firm)s?\b"
)
_PRIVATE = re.compile(
    rf"\b(?:our|we)\b.*\b(?:{'|'.join(sorted(KINSHIP | PETS))}|kids|children|house|home|family|"
    r"flat|apartment|wedding|holidays?|vacation|parents|marriage|honeymoon|garden|trip|mortgage|married|"
    r"engaged|dating|vegetarian|vegan)s?\b",
    re.IGNORECASE,
)
_OF_ANYBODY = re.compile(r"\b[Ww]e(?: \w+ly| also| just| only)? (?:have|are|were|need|plan|just|recently|started)\b")
_AT_HOME = "go|mov|gett|expect|visit|stay|hav|think|fly|driv|eat|cook|watch|sail|camp|hik"
_OF_WORK = re.compile(
    rf"\b(?:{_STAFF}|{'|'.join(sorted(ORG_ENDINGS))}|hiring|launch\w*|clients?|customers?|suppliers?|offices?|staff|employees?"
    r"|people|compan(?:y|ies)|firms?|business|agency|products?|apps?|software|sales|revenue|budgets?|projects?|deadlines?"
    r"|releas\w+|sprints?|servers?|websites?|sites?|shops?|stores?|orders?|contracts?|deals?|investors?|funding|startup"
    rf"|brands?|content|meetings?|invoices?|based|(?!(?:{_AT_HOME})ing\b)\w+ing)s?\b",
    re.IGNORECASE,
)
"""What somebody who speaks of himself and those at home seldom speaks of."""
_OURS = re.compile(r"\b[Oo]urs?\b|\bus\b")


def speaks_for(clause: str, discourse: Discourse) -> str | None:
    """The firm that "we" means here: one named lately, in a sentence that is about work and not about home."""
    if discourse.own_firm is not None and _SURELY_WORK.search(clause):
        return discourse.own_firm
    if discourse.firm is None or discourse.firm_age > FIRM_LASTS or _PRIVATE.search(clause):
        return None
    if _OF_ANYBODY.search(expand(clause)) and not _OF_WORK.search(clause):
        return None
    return discourse.firm if _AT_WORK.search(expand(clause)) or _OURS.search(clause) else None
