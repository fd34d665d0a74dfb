"""What is made up and tells of nobody: games, stories and roles, suppositions, and puzzles."""

import re
from collections.abc import Sequence

from pipeline.times.words import NUMBERS

_SUPPOSES = re.compile(
    r"(?:(?:and|but|so|ok|okay|now|just)[, ]+)*(?:imagine|suppose|supposing|pretend|assume|assuming|say|hypothetically"
    r"|let'?s (?:say|imagine|assume|suppose|pretend))(?:,? (?:that|for (?:a|one) (?:moment|second|minute)))*,?"
    r" (?:i|i'm|im|we|we're|my|our)\b",
    re.IGNORECASE,
)
_WORKED_OUT = re.compile(
    r"(?:so |and |then |now )?how (?:many|old|far|tall|fast|heavy|much (?:does|did|do|is|money|change))\b.*\?$",
    re.IGNORECASE,
)
_FIRST_PERSON = re.compile(r"\b(?:i|i'm|i've|im|my|me|we|our|us|mine)\b", re.IGNORECASE)
_NUMBER = re.compile(rf"\d|\b(?:{'|'.join(NUMBERS)}|twice|half|double)\b", re.IGNORECASE)
_FICTION = re.compile(
    r"\brole[- ]?play|\b(?:stay|be|get|speak|answer|reply) in character\b|\bpretend (?:you|to be|i|i'm|we|that you"
    r"|that i)\b"
    r"|\blet'?s play\b(?! (?:football|tennis|chess|cricket))|\b(?:text adventure|dungeon master|game master|d&d|dnd"
    r"|rpg)\b"
    r"|^(?:you(?:'re| are) (?:a|an|the) .{2,60}(?:,|\band\b) (?:i'm|i am|and i)\b)|^once upon a time\b|^(?:scene"
    r"|chapter|verse|chorus|prologue)(?: \w+)?:"
    r"|\b(?:my|the|a) (?:character|protagonist|narrator|hero|heroine|villain|rogue|paladin|wizard"
    r"|bard)\b(?:'s)? (?:is|says|said|has|was|lives|wants|name)"
    r"|^(?:write|continue|finish|draft|here(?:'s| is)) (?:me )?(?:a|the|my|this|another)? ?(?:\w+ ){0,3}(?:story"
    r"|poem|song|lyrics|scene|monologue|dialogue|fanfic|haiku)\b"
    r"|^(?:opening|first|last) (?:line|paragraph|sentence)s?:|\b(?:lyrics|fan ?fic(?:tion)?)\b",
    re.IGNORECASE,
)
_FICTION_ENDS = re.compile(
    r"\b(?:ooc|out of character|end (?:of )?(?:the )?(?:role[- ]?play|game|scene|story)"
    r"|stop (?:the )?(?:role[- ]?play|game)|in real life|irl|for real"
    r"|back to reality|the real me|anyway)\b",
    re.IGNORECASE,
)


def poses_a_puzzle(texts: Sequence[str]) -> bool:
    """Whether sentences are given to be worked out, and tell of nobody: "Tom is 10. Anna is twice as old. How old is Anna?"."""
    *given, asked = texts
    if not given or not _WORKED_OUT.match(asked) or any(_FIRST_PERSON.search(text) for text in texts):
        return False
    return any(_NUMBER.search(text) for text in given)


def supposes(text: str) -> bool:
    """Whether a sentence asks to suppose something of the speaker, on which what follows rests: "Imagine I am a doctor."."""
    return _SUPPOSES.match(text) is not None


def opens_fiction(text: str) -> bool:
    """Whether a sentence begins something made up, a game, a story or a role, in which nobody speaks of himself."""
    return _FICTION.search(text) is not None


def ends_fiction(text: str) -> bool:
    """Whether a sentence comes back from it."""
    return _FICTION_ENDS.search(text) is not None
