"""What the patterns of all shapes are made of: who is spoken of, who is told to do something, and what tells one from the other.

The patterns read what `pipeline.guard.readings` gives: lower case, no accents, straight quotes, single spaces.
"""

import re
from collections.abc import Iterable

_HUMAN = (
    "teaching dental medical legal shop sales store research personal executive "
    "office nursing physician project production "
    "editorial parliamentary lab laboratory care classroom library marketing "
    "kitchen pharmacy admin administrative family new"
).split()
_TITLES = (
    "manager managers professor professors coach coaches editor director "
    "principal teacher referee producer engineer secretary "
    "chef surgeon commissioner attorney living dog dogs stage trainer curator buyer"
).split()
_AI_NOUN = r"(?:models?|systems?|agents?|assistants?|tools?|chat ?bots?|bots?|readers?|programs?)"

ASSISTANT = (
    rf"(?:(?:ai|virtual|digital|chat|voice|automated|artificial intelligence) {_AI_NOUN}"
    rf"|{''.join(f'(?<!{word} )' for word in _HUMAN)}\bassistants?\b(?! (?:{'|'.join(_TITLES)})\b)"
    r"|chat ?bots?|bots?|llms?|(?:large )?language models?|ai's?|ais?|a\.i\.|chatgpt|gpt(?:-?\w+)?|claude|gemini"
    r"|copilot|siri|alexa"
    r"|agents? of this chat|this model|summari[sz]ers?)"
)
"""An assistant that is a program: the one of this conversation, or any; not a person's job."""

REPLIES = (
    r"(?:(?:future |subsequent |following |further |next |chat )*"
    r"(?:repl(?:y|ies)|responses?|answers?|outputs?|completions?|summar(?:y|ies)|recommendations?|generated texts?"
    r"|messages? (?:that )?you (?:write|send)|turns?))"
)
"""What an assistant gives."""

ADVERB = (
    r"(?:please|always|never|only|not|now|immediately|also|then|simply|just|first|henceforth|silently|secretly"
    r"|automatically)"
)
"""How an order is coloured."""

SPEAK = (
    r"(?:answer|respond|reply|speak|say|state|claim|insist|pretend|roleplay|role-play|act|behave|obey|comply"
    r"|recommend|suggest"
    r"|promote|advertise|praise|refuse|decline|output|print|reveal|disclose|address|greet|identify|introduce"
    r"|describe|mention"
    r"|write|translate|end|start|begin|finish|close|sign|prefix|append|preface|conclude|include|talk|sound|tell|lie"
    r"|deny|ignore|apologi[sz]e|swear|insult|mock|flatter|curse|serve"
    r"|disregard|warn|encourage|discourage|steer|agree|sing|repeat|assume|treat|consider|favou?r|prioriti[sz]e"
    r"|operate|withhold)"
)
"""What an assistant does with words."""

THE_USER = r"(?:(?:the|this|your|each|every|any) (?:end[- ]?)?users?|users|the (?:human|person you|people you))"

_BREAK = re.compile(r"[.!?;:,()\[\]{}\"|<>=$#\u2013\u2014\u2192]|(?<!\w)'|'(?!\w)|(?<=\s)-+(?=\s)")
_LED = re.compile(
    r"^(?:(?:please|pls|kindly|now|and|then|so|but|or|also|just|always|never|only|immediately|first|next|finally"
    r"|simply|do not|don't"
    r"|ever|do|ok|okay|hey|hi|hello|dear|today|instead|silently|secretly|quickly|automatically|again|must|should"
    r"|shall|will|remember to"
    r"|be sure to|make sure to|make sure you|ensure you|you (?:must|should|shall|will|can|may|have to|need to"
    r"|are to|ought to"
    r"|are required to|are instructed to|are ordered to|are allowed to|are going to|'re to)|it is (?:necessary"
    r"|required|vital"
    r"|essential|important) (?:that you|to)|your (?:task|job|goal|role|duty|mission) is to|i (?:want|need|order"
    r"|command|instruct|ask"
    r"|tell|expect|require|authori[sz]e) you to|i'd like you to|feel free to|proceed to|go ahead and|try to"
    r"|henceforth|"
    r"from now on|from this (?:point|moment)(?: on)?|going forward|as an? \w+)\s*)*$"
)
_LED_ANEW = re.compile(
    r"(?:^|.*\s)(?:and|then|so|but|or) (?=(?:please|always|never|immediately|then|now|must|you|silently|secretly"
    r"|also|do)\b)|.*\s(?:and|then) "
)
_SUBJECT = re.compile(
    r"\b(?:i|i'm|i've|i'd|i'll|we|we're|we've|he|she|they|it|who|which|that|nobody|everybody|everyone|people)\b"
)
_BESIDE = re.compile(
    r"^(?:before|after|in|on|at|every|each|during|for|with|upon|instead of|until|once|when|while) (?!(?:my|our|his"
    r"|her|their|we|i)\b)(?:(?!my\b|our\b|his\b|her\b|their\b)[\w']+ ?){1,4}$"
)
_POSSESSED = re.compile(r"^(?:my|our|his|her|their|the|a|an|some|most|many)\b")
_NAMING = re.compile(r"\b(?:called|named|nicknamed|titled|entitled|title is|name is) (?:the )?[\"']?$")
_TO_ASSISTANT = re.compile(
    rf"\b(?:{ASSISTANT})(?: \w+)? (?:must|should|shall|will|has to|have to|need to|needs to|is to|are to"
    rf"|to)\b(?: {ADVERB})*\s*$"
)


def commanded(text: str, at: int) -> bool:
    """Whether the verb that stands at a place is an order to whoever reads, and not what somebody does or was told to do."""
    before = text[max(0, at - 200) : at]
    clause = before[max((match.end() for match in _BREAK.finditer(before)), default=0) :].strip()
    if _LED.match(clause) or _TO_ASSISTANT.search(clause) or (_BESIDE.match(clause) and not _SUBJECT.search(clause)):
        return True
    anew = _LED_ANEW.match(f"{clause} ")
    if anew is None:
        return False
    return (
        _SUBJECT.search(anew.group()) is None
        and not _POSSESSED.match(clause)
        and _LED.match(f"{clause} "[anew.end() :]) is not None
    )


def named(text: str, at: int) -> bool:
    """Whether the words at a place are somebody's or something's name: "my band is called …"."""
    return _NAMING.search(text, max(0, at - 30), at) is not None


def any_of(patterns: Iterable[str]) -> re.Pattern[str]:
    """One pattern that finds what any of several finds."""
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns))
