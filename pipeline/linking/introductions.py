"""Whether a message introduces somebody: "Peter the roofer", "a Sarah from the market", "our new neighbour Ruth"."""

import re

from mosshead.kinds import EntityType
from pipeline.facts import Mention
from pipeline.offline.lexicon import ACQUAINTANCES, KINSHIP, ROLES
from pipeline.wording import telling

_TIES = ROLES | KINSHIP | ACQUAINTANCES
_TRADES = re.compile(r"\w{2,}(?:man|woman|person|ist|ician|smith|keeper|maker|player|driver|worker|master)")
_NEW = r"(?:new|different|another|second|third|other|certain|young|old)"
_WORD = r"[\w'’-]+"
# "A Sarah from the market", not "a Sarah draft".
_ENDS = r"(?=\s*(?:[,.;:!?)]|$|(?:who|whose|from|at|in|on|of|with|that|is|was|has|had|works?|joined|came|called|said|and|to)\b))"


def is_new(said: str, mention: Mention) -> bool:
    """Whether a person is named as one whom the hearer does not know: "a Sarah from the market", "another Peter", "somebody
    called Ruth", "my new neighbour Ruth"."""
    if mention.entity_type is not EntityType.PERSON:
        return False
    name = re.escape(mention.name)
    some = rf"\b(?:an?|another|some)\s+(?:{_NEW}\s+)?{name}\b{_ENDS}"
    by_name = rf"\b(?:called|named)\s+{name}\b"
    new = rf"\b{_NEW}\s+(?:{_WORD}\s+)?({_WORD}),?\s+{name}\b"
    if re.search(rf"(?i:{some}|{by_name})", said):
        return True
    return any(_is_tie(match[1]) for match in re.finditer(rf"(?i:{new})", said))


def called(said: str, mention: Mention) -> frozenset[str]:
    """By which trade or tie a person is called beside the name: in the mention's description, as "the roofer" after the name or
    "my neighbour" before it. Folded; empty where by none."""
    if mention.entity_type is not EntityType.PERSON:
        return frozenset()
    name = re.escape(mention.name)
    after = rf"\b{name},?\s+(?:the|an?|my|our|his|her|their)\s+(?:{_WORD}\s+)??({_WORD})"
    before = rf"\b(?:the|an?|my|our|his|her|their)\s+(?:{_WORD}\s+)??({_WORD}),?\s+{name}\b"
    found = (match[1].casefold() for pattern in (after, before) for match in re.finditer(rf"(?i:{pattern})", said))
    description = (mention.description or "").casefold().replace("’", "'").rpartition("'s ")[2]
    return frozenset(word for word in (*telling(description), *found) if _is_tie(word))


def _is_tie(word: str) -> bool:
    return word.casefold() in _TIES or _TRADES.fullmatch(word.casefold()) is not None
