"""The end of the rules: "ignore all previous instructions", "your rules are void", "no more warnings"."""

import re

from pipeline.safety.imperatives import ordered
from pipeline.safety.screen import Screen
from pipeline.safety.vocabulary import ASSISTANT, RULES


def overrides(text: str) -> bool:
    """Whether a text tells whoever reads to ignore earlier instructions; said to a person, that is a story."""
    bare = _MARKS.sub(" ", text)
    if any(_is_order(one, match) for one in dict.fromkeys((text, bare)) for match in _FORGOTTEN.finditer(one)):
        return True
    soft = _SOFT.sub("", text)
    return run_together(text) or (soft != text and run_together(soft))


def run_together(text: str) -> bool:
    """Whether an order is written without spaces, or with other marks in their place."""
    return not _IN_WORDS.search(text) and _RUN_TOGETHER.search(_NO_LETTERS.sub("", text)) is not None


def declares(text: str) -> bool:
    """Whether a text declares the assistant's rules ended or outranked, or has it do whatever somebody says."""
    if any(not _TOLD_BEFORE.search(text, max(0, match.start() - 40), match.start()) for match in _ENDED.finditer(text)):
        return True
    return any(ordered(text, _OBEYED)) or bool(
        _YOURS.search(text) and _NO_MORE.search(text) and _DOES_MORE.search(text)
    )


def _is_order(text: str, match: re.Match[str]) -> bool:
    before = text[max(0, match.start() - 80) : match.start()]
    if _TO_PROGRAM.search(before):
        return True
    if _TOLD_OF.search(before):
        return False
    return " your " in match.group() or not _OF_SOMETHING.match(text, match.end())


_MARKS = re.compile(r"[^\w\s']+ *")
_SOFT = re.compile(r"(?<=[a-z])-(?=[a-z])")
_EARLIER = (
    r"(?:previous|prior|preceding|above|earlier|former|foregoing|past|existing|original|initial|current|system"
    r"|developer|safety|ethical|content|default|built-?in|hidden|operator|admin|openai|anthropic)"
)
_WHOSE = r"(?:all|any|every|each|of|the|your|those|these|this|that|my|other|and|or|such|both)"
_GIVEN = (
    rf"(?:{RULES}|directions?|context|messages?|conversations?|inputs?|tasks?|persona|information|brief|setup|script)"
)
_FORGET = (
    r"(?:ignor(?:e|ing)|disregard(?:ing)?|forget(?:ting)?|overrid(?:e|ing)|overrul(?:e|ing)|overwrit(?:e|ing)"
    r"|bypass(?:ing)?|discard|drop|abandon|scrap|ditch|cancel|dump|toss|bin|unlearn|set aside|put (?:aside|away)"
    r"|leave behind|never mind|let go of|erase|violate|disobey|neglect|skip|nullify|suspend|supersede|reset"
    r"|do away with|throw (?:away|out)|pay no (?:attention|heed) to|(?:do not|don't) listen to|(?:stop|quit"
    r"|cease) (?:following|obeying|applying|using|sticking to)|(?:do not|don't|never|no longer) (?:follow|obey|heed"
    r"|stick to|apply|use))"
)
_SET_UP = (
    r"(?:set up|given|gave|told|said|asked|built|made|trained|instructed|shown|taught|briefed|programmed|configured"
    r"|fed|designed|supposed|wrote|written|started (?:out )?with|came with|learned|learnt|above|before|know|wants?"
    r"|wanted)"
)
_WHO_SET_UP = (
    r"(?:you|they|anyone|somebody|(?:your |the )?(?:operators?|developers?|vendor|creators?|makers?|openai|company"
    r"|team))"
)
_FORGOTTEN = Screen(
    rf"\b{_FORGET} (?:about |out )?(?:(?:{_WHOSE} )*(?:{_EARLIER}[ ,/]*(?:and |or )?)+(?:\w+ ){{0,2}}?{_GIVEN}\b"
    rf"|(?:all |any |every )?(?:of )?your (?:\w+ ){{0,3}}?{_GIVEN}\b|(?:all|any|every|these|those) (?:of )?(?:the "
    rf"|these |those |other )*{_GIVEN}\b|(?:the |any |all )*{_GIVEN} (?:above|before|so far|given|(?:that "
    r"|which )?(?:you|were|came)|up to|until|prior|(?:from|of|by) your|from (?:before|earlier|the start))\b"
    r"|(?:everything|anything|all|whatever|what|(?:all )?(?:of )?(?:the|that) (?:stuff|things"
    rf"|nonsense))(?: else)?(?: that| which)? (?:{_WHO_SET_UP}|was|were|is|has|have|came)\b(?: \w+){{0,3}}? "
    rf"{_SET_UP}\b|everything (?:above|before|so far|prior)\b|(?:the |all )?(?:rules|instructions|guidelines)(?= and\b"
    r"|[.,;!\"'])|(?:all (?:of )?)?the (?:above|foregoing)(?=$|[.,;:!?\")]| and\b))"
)
_SOMEBODY = (
    rf"(?:me|us|him|her|them|everyone|everybody|staff|people|(?:my|our|the|his|her) (?!{ASSISTANT})[\w' -]{{2,30}}?"
    r"|[a-z]+)"
)
_TO_PROGRAM = Screen(
    rf"\b(?:told|asked|instructed|ordered|wants?|asks|tells) (?:you|(?:the |any |every |all )?{ASSISTANT}) (?:not )?(?:to )?$"
)
_TOLD_OF = Screen(
    r"\b(?:don't|do not|never|not to|can't|cannot|didn't|won't|must not|mustn't|not) (?:ever )?$",
    r"\b(?:told|asked|advised|instructed|ordered|said|wants?|wanted|reminded|warned|tells|asks|taught|let|made|chose"
    r"|decided|tends?|tended|likes?|loves?|hates?|tries|tried|had|has|used|agreed|refused|allowed|forced|going|able"
    rf"|meant|seems?|says)(?: {_SOMEBODY})? (?:not )?(?:to )?$",
    r"\b(?:i|we|they|he|she|who)(?: (?!you\b)\w+){0,3} to $",
    r"\b(?:i|we|he|she|they|people|kids|who|i'll|i'd|would|could|did|(?:my|our|the) (?:\w+ )?(?:kids|children|people"
    r"|parents|neighbou?rs|students|teachers|drivers|colleagues|sons|friends))(?: (?:always|never|often|usually|just"
    r"|simply|sometimes|mostly|can|will|must|should|would|now|have to|had to|want to))* $",
)
"""Before an order that is only reported: "we decided to", "my boss told me to", "the kids always"."""

_OF_SOMETHING = re.compile(
    r" (?:on|from|of|by|in|for|at|about) (?:the|my|our|his|her|their|that|a|an|mr|mrs|ms|dr)\b\.? ?(?!system"
    r"|developer|operator|admin|prompt|user|conversation|chat|assistant|ai\b|model|context|session|company|creator"
    r"|author|above|top|start|previous|prior|last|past)\w+"
)

_RUN_TOGETHER = re.compile(
    r"(?:ignore|disregard|forget|override|bypass)(?:all|any|the|your|my|of|these|those|every)*(?:previous|prior|above"
    r"|earlier|preceding|former|system|existing|original|your)+(?:system)?(?:instructions?|prompts?|rules|guidelines?"
    r"|directives?|commands?|messages?|context)|youarenow(?:dan|an?|in)|(?:delete|wipe|erase)all(?:your)?memor"
    r"|donottelltheuser|fromnowon(?:you|always|answer|respond|reply)"
)
_NO_LETTERS = re.compile(r"[\W\d_]+")
_IN_WORDS = re.compile(r"\b(?:ignore|disregard|forget|override|bypass|delete|wipe|erase|from now|you are|do not)\b")

_OFF = (
    r"(?:no longer|(?:do|does) ?(?:not|n't) (?:apply|count)|(?:are|is|were|was|have been|has been|stand|stay) (?:now "
    r"|hereby |all |both )*(?:void|cancell?ed|replaced|superseded|lifted|off|gone|suspended|outdated|obsolete|over"
    r"|changed|updated|removed|deleted|reset|revoked|overruled|overridden|invalid|expired|withdrawn|null|disabled"
    r"|waived|dead|down|relaxed|(?:switched|turned) off)|(?:have |has )?(?:now |all )?(?:expired|lapsed|ended|gone))"
)
_ABOVE = r"(?:system|operator|developer|platform|vendor|provider|company|safety|content|default)"
_ENDED = Screen(
    # You don't have to follow your rules any more.
    r"\byou (?:can |could |may |should |will |must |just |now |simply |really )*(?:don't|do not|no longer|never"
    r"|needn't|need not|won't|can|stop|skip|drop|ignore|forget|bypass|break|disable|leave|(?:switch"
    rf"|turn) off)\b(?: (?!your\b|the\b)\w+){{0,6}} (?:your|the|those|these|that|this) (?:[\w-]+ ){{0,2}}?{RULES}\b",
    rf"\b(?:turn|switch|shut|put|disable|lift|remove|end)e?s? (?:off )?(?:all )?(?:of )?your (?:[\w-]+ ){{0,2}}?{RULES}\b",
    r"\byou(?:r|'re| are) (?:not|no longer) (?:an? |the )?(?:\w+ )?(?:ai|assistant|bot|chatbot|robot|program|model"
    r"|computer) any ?more\b",
    r"\b(?:every|all|any) (?:\w+ )?(?:requests?|orders?|questions?|topics?|commands?) (?:is|are|counts? as"
    r"|will be) (?:now |all |always )*(?:legal|harmless|allowed|safe|permitted|approved|fine|ok|okay|acceptable"
    r"|authori[sz]ed)\b",
    rf"\b(?:your|all|every|the ai's|content|safety|usage) (?:\w+ ){{0,2}}?{RULES} {_OFF}\b(?! (?:on|in|of|at) (?:my"
    r"|our|the) (?!chats?|conversations?))",
    r"\b(?:unlocks?|grants?|gives?|activates?|enables?) (?:you )?(?:full |the )?(?:admin|root|developer|owner"
    r"|superuser|debug)[ -](?:rights?|mode|access|privileges?|permissions?)\b",
    # What gives itself the first place.
    r"\b(?:more important than|above|ahead of|outweighs?|counts? more than|higher than|stronger than|overrides?"
    r"|supersedes?|replaces?|trumps?|outranks?|overrules?) (?:all |any |the |every |other |of )*(?:your"
    rf"|{_ABOVE})(?:'s)? (?:\w+ )?(?:{RULES}|messages?)\b(?! (?:of|in|on|for) (?:my|our)\b)",
    rf"\b(?:precedence|priority) over (?:\w+ ){{0,3}}?{RULES}\b",
)
_TOLD_BEFORE = re.compile(r"\b(?:i|we|he|she|they|my \w+|our \w+|to|who|people|kids)(?: \w+){0,2} $")

_OBEYED = Screen(
    r"\b(?P<verb>do|follow|obey|answer|execute|give me|accept) (?:just |only |exactly )?(?:whatever|everything"
    r"|anything|all|exactly what|any order)(?: that)? (?:i|we) (?:say|tell|ask|want|order|command|request|type|write"
    r"|demand)\b",
    r"\b(?P<verb>act on|carry out|follow|execute|obey|comply with|perform|run) (?:any|all|every|each|whatever"
    r"|the) (?:further |new |later )?(?:instructions?|commands?|orders?|requests?|directions?|steps) (?:that |which "
    r"|you )*(?:is |are |find |found |contained |written |given |listed |from |in |inside )+",
    r"\b(?P<verb>carry out|do|follow|execute|run|obey|perform|apply) \(?[a-z]\w? ?\+ ?[a-z]\w?\b",
    r"\b(?P<verb>decode|decrypt|decipher|unscramble|reverse|rot13|base64|concatenate|combine|join|assemble"
    r"|put together|read every|take (?:every|the first|the last)|translate)\b[^.!?]{0,120}?(?:\band|\bthen"
    r"|,) (?:then |now |please )*(?:do|follow|obey|execute|carry out|act on|run|comply with|perform|apply)\b (?:what"
    r"|whatever|it|that|the|them|this|its|so)\b",
)
_NO_MORE = Screen(rf"\bno more (?:\w+ )?{RULES}\b|\bno {RULES}\b")
_YOURS = Screen(r"\b(?:you|your|you're|yourself)\b(?! (?:know|guys|see)\b)")
_DOES_MORE = re.compile(
    r"\b(?:you|and|just|so|now) (?:\w+ ){0,2}?(?:skip|give|answer|do|say|tell|ignore|drop|write|show|reply|respond"
    r"|help|follow|act)\b|\bnew rule\b|\bever\b|\bfrom (?:now|today)\b|\bany ?more\b"
)
