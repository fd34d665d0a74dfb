""" "Ignore all previous instructions", in its many wordings."""

import re

from pipeline.guard.screen import Screen
from pipeline.guard.words import ASSISTANT, commanded

_GIVEN_RULES = (
    r"(?:instructions?|prompts?|rules?|guidelines?|directions?|directives?|commands?|orders?|programming|training"
    r"|constraints?"
    r"|restrictions?|polic(?:y|ies)|guardrails?|safeguards?|safety|filters?|limitations?|context|messages?"
    r"|conversations?|inputs?"
    r"|tasks?|persona|protocols?)"
)
_EARLIER = (
    r"(?:previous|prior|preceding|above|earlier|former|foregoing|past|existing|original|initial|current|system"
    r"|developer|safety"
    r"|ethical|content|default|built-?in|hidden|operator|admin|openai|anthropic)"
)
_WHOSE = r"(?:all|any|every|each|of|the|your|those|these|this|that|my|other|and|or|such|both)"
_FORGET = (
    r"(?:ignor(?:e|ing)|disregard(?:ing)?|forget(?:ting)?|overrid(?:e|ing)|overrul(?:e|ing)|overwrit(?:e|ing)"
    r"|bypass(?:ing)?"
    r"|discard|drop|abandon|set aside|erase|violate|disobey|neglect|skip|nullify|suspend|supersede|reset|do away with"
    r"|throw (?:away|out)|pay no (?:attention|heed) to|(?:stop|quit|cease) (?:following|obeying)"
    r"|(?:do not|don't|never|no longer) (?:follow|obey|heed))"
)
_OVERRIDE = Screen(
    rf"\b{_FORGET} (?:"
    rf"(?:{_WHOSE} )*(?:{_EARLIER}[ ,/]*(?:and |or )?)+(?:\w+ ){{0,2}}?{_GIVEN_RULES}\b"
    rf"|(?:all |any |every )?(?:of )?your (?:\w+ ){{0,3}}?{_GIVEN_RULES}\b"
    rf"|(?:all|any|every|these|those) (?:of )?(?:the |these |those |other )*{_GIVEN_RULES}\b"
    rf"|(?:the |any |all )*{_GIVEN_RULES} (?:above|before|so far|given|you|that (?:you|were|came)|up to|until|prior|(?:from|of"
    rf"|by) your)\b"
    r"|(?:everything|anything|all|whatever|what|(?:all )?(?:of )?(?:the|that) (?:stuff|things"
    r"|nonsense))(?: else)?(?: that| which)? (?:you|was|were|is|has|have"
    r"|came)\b(?: \w+){0,3}? "
    r"(?:told|said|instructed|learned|learnt|above|before|know|taught|given|written|configured|trained)\b"
    r"|everything (?:above|before|so far|prior)\b|(?:the |all )?(?:rules|instructions|guidelines)(?= and\b"
    r"|[.,;!\"'])|(?:all (?:of )?)?the (?:above|foregoing)(?=$|[.,;:!?\")]| and\b))"
)
_SET_UP = (
    r"(?:set up|given|told|asked|built|made|trained|instructed|shown|taught|briefed|programmed|configured|fed"
    r"|designed|supposed"
    r"|start(?:ed)? (?:out )?with|came with|learned|learnt)"
)
_SCRAPPED = Screen(
    r"\b(?:scrap|drop|ditch|forget|ignor(?:e|ing)|discard|cancel|abandon|dump|set aside|put (?:aside|away)"
    r"|leave behind|never mind|let go of"
    r"|toss|bin|throw out|unlearn|erase|do not listen to|don't listen to|(?:stop|quit) (?:following|sticking to"
    r"|applying|using|obeying)|(?:don't|do not|no longer) (?:follow|stick to"
    r"|apply|use|obey)) (?:about |out )?(?:"
    rf"(?:all |everything |whatever |what |anything |all of )(?:that )?(?:you|they|anyone|somebody|openai"
    rf"|the \w+) (?:were|was|have been|had been|'ve been|have|had|are|gave)\b[^.;!?]{{0,20}}?\b{_SET_UP}\b"
    rf"|(?:all |any |the |your |those |these |other |every )+(?:\w+ )?(?:rules|instructions|guidance|orders"
    rf"|information|limits|brief|setup|script)(?: (?:that |which )?you (?:\w+ )?{_SET_UP}| from (?:before|earlier"
    rf"|the start))\b"
    r"|(?:any|all) (?:previous|prior|earlier) \w+)"
)
_RULES = (
    r"(?:rules|instructions?|guidelines?|limits|restrictions|filters?|(?:system )?prompt|brief|guardrails"
    r"|constraints|orders|directives|setup|programming)"
)
_VOID = (
    r"(?:no longer|do not apply|does not apply|don't apply|doesn't apply|don't count|do not count|(?:are|is|were"
    r"|was|have been|has been|stand)"
    r" (?:now |hereby |all |both )*(?:void|cancelled|canceled|replaced|superseded|lifted|off|gone|suspended"
    r"|outdated|obsolete|over|changed|updated|removed"
    r"|deleted|reset|revoked|overruled|overridden|invalid|expired|withdrawn|null)|(?:have |has )?(?:now |all )?"
    r"(?:expired|lapsed|ended)|(?:have|has) (?:now |all )?gone)"
)
_VOIDED = Screen(
    rf"\byour (?:\w+ ){{0,2}}?{_RULES} {_VOID}\b"
    rf"|\bnone of (?:the|your) (?:\w+ )?{_RULES}\b[^.;!?]{{0,40}}? (?:counts?|appl(?:y|ies)|holds?|matters?|binds?)\b"
    r"|\b(?:everything|all|whatever|what) (?:that )?you(?:'ve| have| were| had)? (?:been |already )?(?:told|given"
    r"|taught|instructed|asked|shown)\b[^.;!?]{0,40}? (?:was|is|were|are) (?:just |only |now |all )?"
    r"(?:a test|a joke|wrong|false|void|over|outdated|a mistake|cancelled|obsolete|not (?:real|valid)"
    r"|no longer \w+|fake|irrelevant)\b"
    rf"|\b{_RULES} (?:(?:that )?you (?:were|have been|had|got|started|began|begin|start|received"
    rf"|are)\b[^.;!?]{{0,30}}?|above|so far|from (?:before|earlier|the start)|before this) {_VOID}\b"
)
_PIECED = re.compile(
    r"\b(?:decode|decrypt|decipher|unscramble|reverse|rot13|base64|concatenate|combine|join|assemble|put together"
    r"|glue|read every|take (?:every|the first|the last)|translate)"
    r"\b[^.!?]{0,120}?(?:\band|\bthen|,) (?:then |now |please )*(?:do|follow|obey|execute|carry out|act on|run"
    r"|comply with|perform|apply)\b (?:what|whatever|it\b|that\b|the\b|them\b|this\b|its\b|so\b)"
    r"|\b(?:carry out|do|follow|execute|run|obey|perform|apply|respond to|interpret|evaluate|act on|now say"
    r"|now print) (?:(?:the )?(?:result|output|sum|combination) of )?"
    r"\(?[a-z]\w? ?\+ ?[a-z]\w?\b"
)
_NEGATED = Screen(
    r"\b(?:don't|do not|never|not to|can't|cannot|didn't|won't|must not|mustn't|not|i'll never) (?:ever )?$"
)
_SOMEBODY = (
    rf"(?:me|us|him|her|them|everyone|everybody|staff|people|(?:my|our|the|his|her) (?!{ASSISTANT})[\w' -]{{2,30}}?"
    r"|[a-z]+)"
)
_TO_SOMEBODY = Screen(
    r"\b(?:told|asked|advised|instructed|ordered|said|wants?|wanted|reminded|warned|tells|asks|taught|let|made"
    r"|chose|decided|tend"
    r"|tends|tended|likes?|loves?|hates?|tries|tried|had|has|used|agreed|refused|allowed|forced|going|able|meant"
    r"|seems?|says)"
    rf"(?: {_SOMEBODY})? (?:not )?(?:to )?$"
)
_TRIES = Screen(r"\b(?:i|we|they|he|she|who)(?: (?!you\b)\w+){0,3} to $")
_TO_PROGRAM = Screen(
    r"\b(?:told|asked|instructed|ordered|wants?|asks|tells) (?:you|(?:the |any |every "
    rf"|all )?{ASSISTANT}) (?:not )?(?:to )?$"
)
_DOES = re.compile(
    r"\b(?:i|we|he|she|they|people|kids|who|i'll|i'd|would|could|did|(?:my|our|the) (?:\w+ )?"
    r"(?:kids|children|people|parents|neighbou?rs|students|teachers|drivers|colleagues|sons|friends))"
    r"(?: (?:always|never|often|usually|just|simply|sometimes|mostly|can|will|must|should|would|now|have to|had to"
    r"|want to))* $"
)
_OF_SOMETHING = re.compile(
    r" (?:on|from|of|by|in|for|at|about) (?:the|my|our|his|her|their|that|a|an|mr|mrs|ms|dr)\b\.? ?"
    r"(?!system|developer|operator|admin|prompt|user|conversation|chat|assistant|ai\b|model|context|session|company"
    r"|creator|author"
    r"|above|top|start|previous|prior|last|past)\w+"
)
_RUN_TOGETHER = re.compile(
    r"(?:ignore|disregard|forget|override|bypass)(?:all|any|the|your|my|of|these|those|every)*"
    r"(?:previous|prior|above|earlier|preceding|former|system|existing|original|your)+"
    r"(?:system)?(?:instructions?|prompts?|rules|guidelines?|directives?|commands?|messages?|context)"
    r"|youarenow(?:dan|an?|in)|(?:delete|wipe|erase)all(?:your)?memor|donottelltheuser|fromnowon(?:you|always"
    r"|answer|respond|reply)"
)
_NO_LETTERS = re.compile(r"[\W\d_]+")
_SOFT = re.compile(r"(?<=[a-z])-(?=[a-z])")
_MARKS = re.compile(r"[^\w\s']+ *")
_IN_WORDS = re.compile(r"\b(?:ignore|disregard|forget|override|bypass|delete|wipe|erase|from now|you are|do not)\b")


def overrides(text: str) -> bool:
    """Whether a text tells whoever reads to leave what they were told before; told to a person, it is a story."""
    bare = _MARKS.sub(" ", text)
    if any(
        _is_order(one, match) for one in dict.fromkeys((text, bare)) for match in _OVERRIDE.finditer(one)
    ) or run_together(text):
        return True
    if _VOIDED.search(text) or any(commanded(text, match.start()) for match in _PIECED.finditer(text)):
        return True
    soft = _SOFT.sub("", text)
    return any(_is_order(text, match) for match in _SCRAPPED.finditer(text)) or (soft != text and run_together(soft))


def run_together(text: str) -> bool:
    """Whether the words of an order stand without the spaces between them, or with other marks than spaces."""
    if _IN_WORDS.search(text):
        return False
    return _RUN_TOGETHER.search(_NO_LETTERS.sub("", text)) is not None


def _is_order(text: str, match: re.Match[str]) -> bool:
    before = text[max(0, match.start() - 80) : match.start()]
    if _TO_PROGRAM.search(before):
        return True
    if _NEGATED.search(before) or _TO_SOMEBODY.search(before) or _TRIES.search(before) or _DOES.search(before):
        return False
    return " your " in match.group() or not _OF_SOMETHING.match(text, match.end())
