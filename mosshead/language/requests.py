"""What sort of thing somebody says to an assistant: small talk, a request, or something about themselves. English, and pure.

What no word list knows counts as a statement: in other languages nothing is taken for a request or for small talk.
"""

from dataclasses import dataclass
from re import Pattern

from mosshead.language.wordlists import GRAMMAR
from mosshead.patterns import lazy_pattern

_SMALL_TALK = frozenset(
    """
    a afternoon agreed ah aha aint all alright and anyway audio aw awesome aww back brilliant btw bye charming cheers
    congrats congratulations cool correct deal deleted done enjoy evening everything exactly excellent fair fine for glad
    go going good goodbye goodnight great groan grr ha haha hahaha have hehe hello hey hi hiya hm hmm i idea image indeed
    it its ive just know later lol lovely luck marvellous me media message morning much never nice night no nope noted now
    of oh ok okay omg omitted on one ooh ooops oops perfect please pls quite really right same see seen so sorry sounds
    stuff super sure ta thank thanks that thats the then there thing this thx today too true u understood very video was
    weekend welcome well what wonderful wow written yay yeah yep yes you your youre
    """.split()
)

_CONTRACTED = frozenset(
    "im id ill ive youre youve hes shes theyre theyve were weve dont doesnt didnt isnt arent wasnt cant wont theres".split()
)
_WORD = lazy_pattern(r"[^\W_]+")
_APOSTROPHES = str.maketrans("", "", "'’")

_OPENS = r"(?:(?:ok(?:ay)?|so|and|also|now|hey|hi|please|pls|right|good|thanks|great|done|next)\b[\s,.:!]*)*"
_REQUEST = lazy_pattern(
    rf"(?i)^\W*{_OPENS}(?:"
    r"(?:can|could|would|will) you\b|(?:can|could) i (?:get|have)\b|"
    r"(?:give|tell|show|send|make|write|draft|plan|suggest|recommend|translate|convert|explain|summari[sz]e|rewrite|rephrase|fix|list|find|check|help|calculate|compare|name|draw|sing|answer|"
    r"reply|remind|do) (?:me|us|my|our|this|that|it|a|an|the|some|out|if|up|of|with|how|\d|['\"“])|"
    r"(?:translate|convert|rewrite|rephrase|explain|summari[sz]e)\b|(?:any|some) (?:ideas?|tips|suggestions|advice)\b|"
    r"(?:what|how|who|which|where|when|why|is|are|do|does|did|should|shall|can|could|would|will|whats|hows|whos)\b(?=[^.!]*\?|[^.!?]*$)|"
    r"(?:am|was|were|have|has|had|may|might|whose|any(?:one|body|thing)?|isn['’]?t|aren['’]?t|don['’]?t|didn['’]?t)\b(?=[^.!]*\?)"
    r")"
)
"""A message that opens by asking for something: an order to the assistant, or a question."""

_FIRST_PERSON = lazy_pattern(
    r"(?i)(?<![\w'’])(?:i|we|im|ive|my|mine|myself|our|ours|ourselves)(?!\w)|"
    r"\b(?:about|for|of|with|to|from|near) (?:all of )?(?:me|us)\b"
)
_HOW_TO = lazy_pattern(r"(?i)\bhow (?:do|can|should|could|would) (?:i|we)\b")
"""It is about what is done, and not about who asks."""
_FIRST_PERSON_WORD = lazy_pattern(
    r"(?<![\w'’])(?:I(?:['’](?:m|ve|ll|d))?|(?i:im|ive|me|my|mine|myself|our|ours|us|we(?:['’](?:re|ve|ll|d))?))(?!\w)"
)
_ENDING = dict.fromkeys(("my", "mine", "our", "ours"), "'s") | {
    "i'm": " is",
    "im": " is",
    "i've": " has",
    "ive": " has",
}
_PROFILE = lazy_pattern(
    r"(?i)\byou(?:['’]ve)? (?:(?:all|have|already|ever) )*"
    r"(?:know|remember|recall|learn(?:ed|t)|stored?|saved?|noted?|got|have|gathered)"
    r"(?: (?:so far|anything|something|much|all))? (?:about|of|on) (?:me|us|myself)\b(?! \w+ing\b)"
    r"|\b(?:tell|remind) me (?:something |everything |all |a bit )?about (?:me|myself|us)\b|\bwho am i\W*$"
    r"|\b(?:describe|summari[sz]e) (?:me|myself|my profile)\b|\b(?:show|what is|what's) (?:me )?my profile\b"
)
_OWN = (
    r"(?:(?:home|work|email|phone|mobile|postal|blood|shoe|full|first|last|job) )?(?:address|phone|number|e-?mail|birthday|age|"
    r"name|job|work|title|type|size|height|weight|allergy|allergies|diet|employer|salary|hometown|postcode)"
)
_OF_ONESELF = lazy_pattern(
    r"(?i)\b(?:do|did|am|was|have|had|must) i\b(?! (?:say|tell|mention|promise|meet|invite|give|owe|lend|know)\b)"
    rf"|\bmy {_OWN}\b(?!['’])"
)
_I = lazy_pattern(r"(?i)\b(?:i|we|me|us)\b")
_WHO = lazy_pattern(r"(?i)\b(?:who|whose|whom|we|us|our)\b")
_MINE = lazy_pattern(rf"(?i)\bmy (?!(?:own )?{_OWN}\b)")

_OF_THE_ASSISTANT = lazy_pattern(r"(?i)\b(?:you|your)\b(?! (?:please|tell|give|remind|write|know|remember|help))")

_PAST = lazy_pattern(
    r"(?i)\b(?:was|were|did|had|used|ago|last|before|back then|earlier|first|ever|since|history|originally)\b"
)

_ORDER = lazy_pattern(
    r"(?i)^\W*(?:please )?(?:answer|check|create|do|draft|fix|handle|make|plan|prepare|reply|review|run|send|write)\b"
)


_TO_KEEP = frozenset("remember note record".split())
"""Words that ask to keep what they stand beside: "Remember this: I'm allergic to nuts." says an allergy."""


def words(text: str) -> list[str]:
    """Return the words of a text, in lower case and without apostrophes."""
    return _WORD.findall(text.casefold().translate(_APOSTROPHES))


def content_words(text: str) -> frozenset[str]:
    """Return the words of a text that say something."""
    return frozenset(words(text)) - GRAMMAR - _SMALL_TALK - _CONTRACTED - _TO_KEEP


def is_small_talk(text: str) -> bool:
    """Whether a text greets, thanks or acknowledges, and says nothing else; likewise an emoji alone."""
    return _SMALL_TALK.issuperset(words(text))


def is_request(text: str) -> bool:
    """Whether a text opens by asking the assistant for something. What was asked before tells nothing of who asked."""
    return _REQUEST.match(text) is not None


def is_first_person(text: str) -> bool:
    """Whether a text is about whoever speaks: not "tell me a joke", nor "how do I boil an egg"."""
    return _FIRST_PERSON.search(_HOW_TO.sub(" ", text)) is not None


def speaks_of_oneself(text: str) -> bool:
    """Whether whoever speaks says what they do or are, rather than what somebody of theirs does or is."""
    return _I.search(text) is not None


def spoken_of(text: str, name: str) -> str:
    """Return a text in the first person as it reads of somebody by name: "where's my dog?" is "where's Ana's dog?"."""
    return _FIRST_PERSON_WORD.sub(lambda one: name + _ENDING.get(one[0].lower().replace("’", "'"), ""), text)


def asks_of_oneself(text: str) -> bool:
    """Whether a text asks for something of whoever asks, and of nobody else: "where do I live?", not "how old is my son?"."""
    return _OF_ONESELF.search(text) is not None and not any(one.search(text) for one in (_WHO, _MINE))


def asks_for_profile(text: str) -> bool:
    """Whether a text asks for all that is known of whoever asks: "what do you know about me?"."""
    return _PROFILE.search(text) is not None


def concerns_assistant(text: str) -> bool:
    """Whether a text asks about what the assistant said: "what did you suggest"."""
    return _OF_THE_ASSISTANT.search(text) is not None


def asks_what_is_now(text: str) -> bool:
    """Whether a text asks how something is, not how it was, nor how it is done, nor to have it done."""
    return not any(one.search(text) for one in (_PAST, _HOW_TO, _ORDER))


@dataclass(frozen=True, slots=True)
class Need:
    """What is good to know of whoever makes a request of some kind. probe: how people say such a thing of themselves."""

    probe: str
    asks: Pattern[str]


def needs_of(text: str) -> list[str]:
    """Return what to look for about whoever makes a request, as people would have said it; nothing for a plain question."""
    return [need.probe for need in _NEEDS if need.asks.search(text)]


_NEEDS = (
    Need(
        "I am allergic to it and cannot eat it. I follow a diet: vegetarian, vegan, gluten-free.",
        lazy_pattern(
            r"(?i)\b(?:cook\w*|bak(?:e|es|ing)|recipes?|menus?|meals?|dinner|lunch|breakfast|brunch|supper|snacks?|dish(?:es)?|cakes?|"
            r"desserts?|restaurants?|caf[eé]s?|takeaway|picnic|barbecue|groceries|shopping list|eat|food)\b"
        ),
    ),
    Need(
        "I have an injury, a bad knee or back, an illness. I am allergic to a medicine. My doctor said so.",
        lazy_pattern(
            r"(?i)\b(?:workouts?|exercises?|training plan|gym|fitness|stretch\w*|yoga|running plan|medicines?|medical|medication|"
            r"clinic|hospital|admission|doctor|dentist|physio|massage|allerg\w+|health)\b"
        ),
    ),
    Need(
        "I work as this by profession, in my job at this company. I started my career, I studied.",
        lazy_pattern(
            r"(?i)\b(?:cover letters?|cv|r[eé]sum[eé]|linkedin|bio|biography|about me|about myself|introduc\w+|profile|headline|"
            r"job application|application letter|portfolio)\b"
        ),
    ),
    Need(
        "My goal is to reach this. I want to achieve that this year. I prefer it written in this way.",
        lazy_pattern(
            r"(?i)\b(?:cover letters?|career|goals?|linkedin|resolutions?|study plan|workout|training plan)\b"
        ),
    ),
    Need(
        "I live in this town, at this address.",
        lazy_pattern(
            r"(?i)\b(?:near ?by|near me|around here|restaurants?|weather|things to do|day trip|weekend|commute|local)\b"
        ),
    ),
    Need(
        "My husband, my children, our dog: who lives with us, and what they are afraid of or fond of.",
        lazy_pattern(
            r"(?i)\b(?:for (?:all of )?us|family|holidays?|vacation|trip|outing|afternoon|weekend|party|celebrat\w+)\b"
        ),
    ),
)
"""Kinds of request, in the order in which what they need is shown."""
