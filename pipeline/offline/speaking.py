"""For whom "we" speaks: the firm that was named lately or is known as the speaker's own, or just the people at home."""

import re

from pipeline.offline.discourse import Discourse
from pipeline.offline.grammar import expand
from pipeline.offline.lexicon import KINSHIP, PETS, ROLES

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
    rf"\b(?:our|we) (?:\w+ )?(?:{'|'.join(sorted(KINSHIP | PETS))}|kids|children|house|home|family|"
    r"flat|apartment|wedding|holiday|vacation|parents|marriage|honeymoon|garden|trip|married|"
    r"engaged|dating)\b",
    re.IGNORECASE,
)
_OURS = re.compile(r"\b[Oo]urs?\b|\bus\b")


def speaks_for(clause: str, discourse: Discourse) -> str | None:
    """The firm that "we" means here: one named lately, in a sentence that is about work and not about home."""
    if discourse.own_firm is not None and _SURELY_WORK.search(clause):
        return discourse.own_firm
    if discourse.firm is None or discourse.firm_age > FIRM_LASTS or _PRIVATE.search(clause):
        return None
    return discourse.firm if _AT_WORK.search(expand(clause)) or _OURS.search(clause) else None
