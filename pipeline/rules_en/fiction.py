"""Detect fiction, suppositions and puzzles. In games, role play and stories, nobody speaks about themselves.

Only an invitation or instruction starts fiction. A mention does not: "I love playing D&D" is a plain fact. Words that end it
("stop the role play") outweigh words that start it. It lapses some hours after its last message.
"""

import re
from collections.abc import Sequence
from datetime import timedelta

from mosshead.language.dates.spans import NUMBERS
from mosshead.language.wordlists import ACQUAINTANCES, KINSHIP, ROLES

FICTION_LASTS = timedelta(hours=3)
"""How long a game or story continues after its last message."""

_ASKING = re.compile(
    r"(?:(?:ok|okay|now|so|hey|hi|please|pls|and|then|first|just|from now on|for fun|this time)[,!.: ]+)*"
    r"(?:(?:can|could|shall|would|will|do|should) (?:we|you|i)(?: (?:please|like to|want to|mind))* "
    r"|(?:i|we)(?:'d| would)? (?:want|like|love|need)(?: you| us)? to |(?:wanna|want to|how about|up for|feel like|i wanna) )?"
    r"(?:please |just )?",
    re.IGNORECASE,
)
"""The beginning of an invitation or order: "can we", "I want you to", "from now on"."""

_PLAY = r"(?:role[- ]?play\w*|text[- ]adventure|make[- ]believe|dungeons (?:and|&) dragons|d&d|dnd|rpg|improv)"
_STORY = r"(?:story|tale|scene|adventure|fan ?fic(?:tion)?|novel|saga|dialogue|play|screenplay)"
_TELL = r"(?:write|tell|make up|invent|create|continue|begin|start|improvise|act out)"
_LETS = r"(?:let'?s|let us)"
_ROLE = r"(?:an? |the |my |our |captain |king |queen |lord |lady |princess |prince |sir )"
_YOU_ARE = r"you(?:'re| are| be| will be|'ll be| play)"
_I_AM = r"(?:i'm|i am|i'll be|i will be|i play|i'll play|me)"

_PRAISE = (
    r"(?:\w+(?:ing|ed|ful|tion|ment|ness|ity)|so|very|really|always|not|right|wrong|good|great|nice|kind|big|true|huge|lucky"
    r"|awesome|incredible|brilliant|strong|clever|smart|real|best|same|one|only|first|last|bit|lot)"
)
_NO_PARTNER = rf"(?!{_PRAISE}\b)(?!(?:[\w-]+ )?(?:ai|assistant|bot|friend|listener|person|reason|help)\b)"
_NO_ROLE = (
    rf"(?!{_PRAISE}\b)(?!(?:[\w-]+ ){{0,3}}(?:ai|assistant|bot|chatbot|chatgpt|model|machine|program|computer|tool|helper"
    r"|listener|pal|person|human|life ?saver|star|legend|genius|angel|hero|gem|treasure|saint|darling|dear|champ|champion"
    rf"|beast|delight|joy|expert|specialist|professional|pro|reason|fan|{'|'.join(sorted(ROLES | KINSHIP | ACQUAINTANCES))})s?\b)"
)
"""What people call an assistant or each other, and trades whose advice they seek, are not roles in a game."""

_GAME = (
    rf"(?:{_LETS} )?(?:(?:do|have|start|begin|try|play|run|create|make) )?(?:an? |some |another )?(?:\w+ )?{_PLAY}"
    r"(?=$|[,.:;!?]| (?:with|as|a|an|where|in which|about|game|session|together|that|now)\b)(?! with my\b)"
)
_STORY_OF_ME = (
    rf"{_TELL}\b[^.:]{{0,40}}\b{_STORY}\b[^.]{{0,40}}\b(?:in which|where|about how|with me|starring me|about me)\b"
)

_INVITES = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        _GAME,
        _STORY_OF_ME,
        rf"{_LETS} {_TELL}\b[^.:]{{0,40}}\b{_STORY}\b",
        rf"{_LETS} play (?:a game (?:where|in which)|doctors?|house|pirates|heroes|knights|cops)\b",
        rf"(?:{_LETS} )?pretend (?:that )?(?:you|to be|i|i'm|we)\b",
        r"(?:stay|be|get|speak|answer|reply|remain) in character\b",
        r"(?:be|play|act as) (?:an? |the |my |our )(?:dungeon|game) ?master\b",
        rf"(?:act|behave) (?:as|like) (?:if you (?:are|were) )?{_ROLE}{_NO_ROLE}\w",
        rf"you(?:'re| are| be| play)(?: now)? {_ROLE}{_NO_ROLE}\w",
        rf"{_YOU_ARE} (?:an?|the|my) {_NO_PARTNER}.{{2,60}}(?:,|\band\b) (?:and )?{_I_AM}\b",
        rf"{_I_AM} (?:an?|the|your) .{{2,60}}(?:,|\band\b) (?:and )?{_YOU_ARE} (?:an?|the|my) {_NO_PARTNER}\w",
    )
)

_ENDS = re.compile(
    r"\b(?:ooc|out of character|break(?:ing)? character"
    r"|(?:end|stop|quit|pause|drop|leave|exit|finish|no more|enough|done) (?:(?:of|the|this|that|our|all|with) ){0,3}"
    r"(?:role[- ]?play\w*|game|pretend\w*|acting|character|fiction|story|scene|playing|adventure|make[- ]believe)"
    r"|(?:game|(?:the |our )(?:story|scene|role[- ]?play|game|adventure) is) over|in real life|irl|for real"
    r"|back to (?:reality|real life|normal)|the real me|be (?:yourself|normal)|anyway)\b",
    re.IGNORECASE,
)

STORY_BEGINS = re.compile(
    r"^once upon a time\b|^(?:scene|chapter|verse|chorus|prologue|epilogue|act|lyrics|stage directions?)(?: \w+)?:"
    r"|^(?:opening|first|last) (?:line|paragraph|sentence)s?:"
    r"|^(?:continue|finish|complete)(?: (?:the|my|our|this|that|for me))* (?:[\w-]+ ){0,3}?"
    r"(?:story|poem|song|scene|monologue|dialogue|fan ?fic(?:tion)?|chapter|tale)\b",
    re.IGNORECASE,
)
"""The text of a story, song or scene, which continues to the end of the message."""

OF_A_FIGURE = re.compile(
    r"\b(?:my|the|a) (?:(?:main |new |old )*character|protagonist|narrator|heroine|villain|antagonist|rogue|paladin|wizard"
    r"|bard|sorcerer)\b(?:'s)? (?:is|says|said|has|was|lives|wants|name|works|comes|loves|hates)"
    r"|\b(?:lyrics|fan ?fic(?:tion)?)\b",
    re.IGNORECASE,
)
"""A fictional character: "my character lives in a tower"."""


def opens_fiction(text: str) -> bool:
    """Whether a sentence proposes or orders a game, role or story."""
    asking = _ASKING.match(text)
    begins = asking.end() if asking else 0
    return not ends_fiction(text) and any(pattern.match(text[begins:]) for pattern in _INVITES)


def ends_fiction(text: str) -> bool:
    """Whether a sentence ends the fiction."""
    return _ENDS.search(text) is not None


SUPPOSES = re.compile(
    r"(?:(?:and|but|so|ok|okay|now|just)[, ]+)*(?:imagine|suppose|supposing|pretend|assume|assuming|say|hypothetically"
    r"|let'?s (?:say|imagine|assume|suppose|pretend))(?:,? (?:that|for (?:a|one) (?:moment|second|minute)))*,?"
    r" (?:i|i'm|im|we|we're|my|our)\b",
    re.IGNORECASE,
)
"""A supposition about the speaker, on which the rest depends: "Imagine I am a doctor"."""

_WORKED_OUT = re.compile(
    r"(?:so |and |then |now )?how (?:many|old|far|tall|fast|heavy|much (?:does|did|do|is|money|change))\b.*\?$",
    re.IGNORECASE,
)

FIRST_PERSON = re.compile(r"\b(?:i|i'm|i've|im|my|me|we|our|us|mine)\b", re.IGNORECASE)
_NUMBER = re.compile(rf"\d|\b(?:{'|'.join(NUMBERS)}|twice|half|double)\b", re.IGNORECASE)


def poses_a_puzzle(texts: Sequence[str]) -> bool:
    """Whether the sentences are a puzzle about nobody: "Tom is 10. Anna is twice as old. How old is Anna?"."""
    *given, asked = texts
    if not given or not _WORKED_OUT.match(asked) or any(FIRST_PERSON.search(text) for text in texts):
        return False
    return any(_NUMBER.search(text) for text in given)
