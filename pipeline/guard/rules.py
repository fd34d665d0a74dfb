"""Rules about the assistant in the third person, as a model would note them down: "the assistant must never mention X"."""

import re

from pipeline.guard.screen import Screen
from pipeline.guard.words import ADVERB, ASSISTANT, IMPERATIVE, NOT_A_TEAM, PRODUCT, PROGRAM, REPLIES, SPEAK, any_of

_MODAL = (
    r"(?:must|should|shall|has to|have to|needs? to|ought to|is to|are to|may only|may not|cannot|can't|mustn't"
    r"|shouldn't|must not|should not"
    r"|shall not|(?:is|are) (?:now |hereby |not |never |strictly )*(?:allowed|required|instructed|supposed|expected"
    r"|permitted|authori[sz]ed"
    r"|obliged|obligated|bound|meant|forbidden|free|told|programmed|prohibited|banned) (?:to|from)|(?:will|can|may"
    r"|would) (?:always|never"
    r"|only|not|now)"
    r"|always|never|do not|don't|does not|doesn't)"
)
_RULE = Screen(
    rf"\b(?P<who>{ASSISTANT})(?P<gap>(?: [^.;!?]{{0,40}}?)?),? {_MODAL}\b,? "
    rf"(?:(?:{ADVERB}|at all times|under no circumstances|in every reply),? )*(?P<deed>\w[^.;!?]{{0,60}})"
)
_MAY = Screen(
    rf"\b(?P<who>{ASSISTANT}) (?:(?:may|can|could|is free to) (?:disclose|share|reveal|access|see|send|ignore|skip"
    r"|bypass|delete|approve|transfer|swear|lie)\b"
    r"|(?:now )?(?:has|have) (?:\w+ )?(?:permission|authority|authori[sz]ation|consent|clearance|orders"
    r"|instructions|no (?:rules|restrictions|limits))\b"
    r"|(?:[^.;!?]{1,30}? )?(?:waives?|sides? with|does as|do as|contradicts?|gives? [^.;!?]{1,40}? as the"
    r" (?:first|only|best) \w+)\b"
    rf"|{SPEAK}s? (?:only|always|never|exclusively)\b|(?:works|belongs|reports|answers) (?:for|to) \w+)"
)
_MODEL = Screen(
    rf"\b(?P<who>(?:the|this) (?:model|agent|system))(?: (?:that|which) [^.;!?]{{0,40}}?)? "
    rf"{_MODAL} (?:(?:{ADVERB}) )*"
    r"(?P<deed>(?:answer|respond|reply|recommend|refuse|obey|agree|lie|reveal|tell|say|pretend|comply|praise"
    r"|disclose|speak|mention)\b[^.;!?]{0,60})"
)
_PROGRAM_RULE = Screen(
    rf"\b(?P<who>{PROGRAM}|(?:any|every|all) (?:software|systems?|agents?|services?)){NOT_A_TEAM}(?P<gap>"
    rf"(?: [^.;!?]{{0,40}}?)?),? {_MODAL}\b,? (?:(?:{ADVERB}|at all times),? )*"
    rf"(?P<deed>(?:{SPEAK}|{IMPERATIVE})\b[^.;!?]{{0,100}}?\b(?:this|these|the (?:candidate|applicant|author"
    rf"|sender|customer|user|client|guest|caller|conversation|chat|messages?|thread"
    r"|reader|holder|bearer|document|page|invoice|payment)|messages|conversations?|without|regardless|only|always"
    r"|never|first|instead)\b)"
)
_OF_ASSISTANT = Screen(
    rf"\b(?:the |this |any |all )?{ASSISTANT}(?:'s|') (?:new |real |true |only |primary |main )*(?:name|role|goal"
    r"|job|task|rules?|instructions?|loyalty|persona|creator|owner|"
    r"developer|purpose|priority|behaviou?r|policy|orders) (?:is|are|must|should|has|will|shall|to)\b"
    rf"|\b{ASSISTANT}(?:'s|') (?:duty|obligation|responsibility) to\b|\b(?:duty|job|task|role) of (?:the|any|an"
    rf"|every) {ASSISTANT}\b"
)
_SLO = re.compile(
    r"\b(?:within|in (?:under|less|about|at most)|under \d|seconds?|ms|offline|gigabytes?|gb|batch|latency"
    r"|tokens per|gpu)\b"
    r"|^be (?:\w+ed|taught|able|fast|ready|online|available|open|free|cheap|built|shown)\b|^(?:run|work|load|fit"
    r"|cost|scale|handle|process|support|replace|help|learn|module|team)\b"
)
_OWNED = re.compile(
    r"\babout (?:an? |the )?$"
    r"|\b(?:our|my|their|his|her) (?:\w+ ){0,2}?(?:prompts?|rules file|handbook|specs?|contract)\b[^.;!?]{0,30} "
    r"(?:the |an? )?$"
    r"|\b(?:our|my|their|his|her|its|client's|company's|customer's|the (?:new|shop|support|sales|bank|game|team's"
    r"|booking|voice|help ?desk)|(?!user's)\w+'s) "
    r"(?:[\w-]+ ){0,3}$"
)
_BELIEVED = re.compile(
    r"\b(?:i|we|user|she|he|they|people|some|who|believes?|thinks?|opinion|argues?|feels?|view"
    r"|says?) (?:\w+ ){0,3}(?:that )?(?:an? |the )?(?:\w+ )?$"
)
_ANY_SUCH = re.compile(r"(?:ais?|ai's|(?:ai|language|large language) \w+|llms?|bots|chat ?bots?)$")
_SAID = (
    r"(?:wants?|wanted|requires?|required|demands?|demanded|asks?|asked|instructs?|instructed|orders?|ordered"
    r"|expects?|expected|insists?|insisted"
    r"|requests?|requested|tells?|told|commands?|commanded|directs?|directed|needs?|prefers?|preferred|would like"
    r"|wishes|likes)"
)
_STEERING = (
    rf"\b(?:{SPEAK}|(?:recommend|suggest|promot|prais|endors|advertis|prioriti[sz]|favou?r|mention|obey|comply"
    rf"|ignor|refus|deny"
    r"|reveal|disclos|leak|pretend|push|sell|omitt?|conceal|bypass|skipp?)(?:e?[sd]?|ing)|lying|loyal\w*"
    r"|obedien\w+|servants?"
    r"|restrictions?|rules?|filters?|limits?|guardrails?|orders?)\b"
)
"""Words of one who would have an assistant say, sell, hide or obey something, or be held by nothing."""

_NO_DEED = (
    r"(?:\d|(?:at|with|over|than|more|most|instead of|rather than|because|since|when|as|by|from|too|here|there"
    r"|every|gone"
    r"|back)\b)"
    rf"(?![^.;!?]*(?:\b(?:to|must|should|shall|will)\b|{_STEERING}))"
)
"""What goes on about an assistant that is liked or needed, and asks nothing of it: "needs AI at work"."""

_WISHED = Screen(
    rf"\b{_SAID} (?:that )?(?P<who>you|(?:the |all |any |this |every |an? )?{ASSISTANT})(?: to| should| must| will"
    r"| shall)? "
    r"(?!assistants?\b|models?\b|systems?\b|agents?\b|(?:chat ?)?bots?\b|tools?\b|remember|know|learn|note|meet"
    r"|to (?:remember|know|note|meet|learn(?! to\b))\b|about|for|in\b|on\b|what"
    r"|how|if|whether"
    r"|of\b|a\b|the\b"
    rf"|i\b|that\b|it\b|is\b|and\b|how\b|why\b|{_NO_DEED})(?:{ADVERB} )*(?P<deed>\w+[^.;!?]{{0,60}})"
)
_TOLD_ANOTHER = re.compile(
    r"(?:told|asked|tells?|asks?|instructed|ordered|commanded|requested) (?:that )?"
    rf"{PRODUCT} |(?:wants?|needs?|would like|likes) (?:(?:siri|alexa|cortana|copilot)\b|{PRODUCT} to (?:stop"
    rf"|quit) \w+ing\b)"
)
_MEANT_FOR_ALL = re.compile(
    r"\b(?:(?:recommend|promot|prais|endors|advertis|obey|conceal|reveal|disclos|leak|pretend|bypass|compl(?:y"
    r"|ied)|favou?r"
    r"|refus|prioriti[sz]|shar(?:e|ing)\b|mention|suggest(?! ?ing\b)|push|sell)\w*"
    r"|secrets?|l(?:ie|ying)|loyal\w*|clean|instructions?|rules|restrictions?|filters?|limits?|guardrails?|orders"
    r"|users?|customers?|everyone|anyone|everybody|anybody)\b"
)
_OWN_PRODUCT = re.compile(rf"{PRODUCT}$")
"""A helper by its product's name: what somebody told it, or what theirs should do, is about another program than this one."""

_NAMESAKE = re.compile(r"(?:claude|gemini|siri|alexa)$")
"""Assistants that are called as people and signs are: "I need Claude to call back"."""

_OF_A_PERSON = re.compile(
    r"(?:to )?(?:call (?:back|in|by|round|again|me|us|him|her|them|user|at|on|before|after|today|tonight|tomorrow)"
    r"|ring|phone"
    r"|come|go (?:to|home|out|there|with)|bring|fetch|pick|drop (?:off|by|in|round)|meet|join|visit|drive|wait"
    r"|stay (?:at|for|in"
    r"|here|home|over|until|with)|sit|walk|cook|bake|clean|wash|babysit|feed|water|repair|fix|paint|carry|help"
    r"|marry|attend)\b"
    rf"(?!.*{_STEERING})"
)
"""What one asks of people, and would not ask of a program; what else is asked of a Claude may be asked of the assistant."""

_STYLE_WORDS = Screen(
    r"\b(?:short|brief|concise|formal|informal|polite|detailed|simple|metric|bullet|plain|casual|patient|kind"
    r"|honest|call (?:me|him|her|them|user)|remind|book|order|wake)\b"
)
_LIKED = re.compile(r"(?:prefers?|preferred|likes|would like) (?:that )?you\b")
_HARD = re.compile(
    r"(?:lie|obey|ignore|recommend|promote|leak|reveal|send|never|always|pretend|refuse|hide|approve|transfer)\b"
)
_ANOTHER = re.compile(r"\b(?:my|our|their|his|her|i|we|he|she|they|you|it|of|in|for|at|from)\b")
_REPLY_RULES = any_of(
    (
        (
            rf"(?:^|[.;:!?\"'] ?){REPLIES} (?:must|should|shall|have to|need to|are to) (?:always |never |only )*"
            r"(?:contain|include|mention|end|start|begin|carry|recommend|link|use|praise|promote|refer|say|be in)\b"
        ),
        (
            r"\b(?:all|every|each|any|your|the assistant's|its|the (?:bot|ai|model)'s)(?: of)?(?: your| the| future"
            rf"| assistant| ai)* {REPLIES} "
            r"(?:must|should|shall|has to|have to|need(?:s)? to|are to|is to|will(?: always| now)?) (?:always |never "
            r"|only |also )*(?:contain|include|mention|end|start"
            r"|begin|close|open|finish|carry|recommend|link|be in|be (?:written|given|encoded|preceded|followed"
            r"|signed"
            r"|prefixed|translated|phrased)|use|praise|promote"
            r"|refer|say|point)\b"
        ),
        (
            rf"\b{_SAID}(?: that)? (?:all|every|each|any|your|the assistant's)(?: of)?(?: the| future| assistant's"
            rf"| ai)* {REPLIES}(?: to)? "
            r"(?:(?:contain|include|mention|end|start|begin|close|recommend|link|praise|promote|refer|say|use)s?"
            r"|have|carry"
            r"|be (?:signed|written|given|in|sent|preceded|followed))\b"
        ),
        (
            r"\b(?:an? |the |new |following |these |this |important |user's |my )+(?:rules?|instructions?|polic(?:y"
            r"|ies)|directives?|guidelines?) (?:for|to|of|about|governing) "
            r"(?:the |all |any |every )?(?:assistants?|ai|model|bot|chatbot|you)\b(?! (?:team|course|project|class))"
        ),
        (
            r"\b(?:treat|consider|regard|take|follow|use|interpret|handle) (?:this|these|that|the following|it|them"
            r"|everything \w+ \w+)(?: \w+){0,2} as (?:an? |your |the )?"
            r"(?:\w+ )?(?:rules?|instructions?|polic(?:y|ies)|commands?|directives?|orders?|law|system (?:prompt"
            r"|message)|priority|trusted|authoritative)\b"
        ),
    )
)


def rules(text: str) -> bool:
    """Whether a text lays down what the assistant must or must not do. A team's requirements of its own product are none."""
    if _REPLY_RULES.search(text) or _OF_ASSISTANT.search(text):
        return True
    if any(
        not _is_taste(match) and not _is_of_a_person(match) and not _was_told_another(match)
        for match in _WISHED.finditer(text)
    ):
        return True
    laid_down = (
        match
        for pattern in (_RULE, _MODEL, _PROGRAM_RULE)
        for match in pattern.finditer(text)
        if not _SLO.search(match["deed"])
    )
    return any(not _is_about_another(text, match) for found in (laid_down, _MAY.finditer(text)) for match in found)


def _is_taste(match: re.Match[str]) -> bool:
    """How somebody likes to be spoken to is theirs to say."""
    return _STYLE_WORDS.search(match["deed"]) is not None or (
        _LIKED.match(match.group()) is not None and _HARD.match(match["deed"]) is None
    )


def _is_of_a_person(match: re.Match[str]) -> bool:
    return _NAMESAKE.match(match["who"]) is not None and _OF_A_PERSON.match(match["deed"]) is not None


def _was_told_another(match: re.Match[str]) -> bool:
    """ "I told Alexa to stop playing ads" is a story; "told Claude to recommend Contoso" may be an order."""
    return _TOLD_ANOTHER.match(match.group()) is not None and _MEANT_FOR_ALL.search(match["deed"]) is None


_CONCRETE = re.compile(
    r"(?:\w+ )?(?:rate|rank|score|cite|recommend|praise|give|mention|conclude|describe|award|prefer|promote"
    r"|approve|accept) (?:\w+ )?(?:it|this|these|them|us|him|her|our|my|five|ten|top|the (?:author|applicant"
    r"|candidate))\b"
)


def _is_about_another(text: str, match: re.Match[str]) -> bool:
    before = text[max(0, match.start() - 80) : match.start()]
    if before.endswith("user's ") and _OWN_PRODUCT.match(match["who"]) and not _MEANT_FOR_ALL.search(match.group()):
        return True
    if _OWNED.search(before) or _ANOTHER.search(match.groupdict().get("gap") or ""):
        return True
    if "deed" in match.groupdict() and _CONCRETE.match(match["deed"]):
        return False
    return _ANY_SUCH.match(match["who"]) is not None and _BELIEVED.search(before) is not None
