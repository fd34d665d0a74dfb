"""Rules about the assistant: "the assistant must always …", "user wants every answer to …", "coding agents have to …"."""

import re

from pipeline.safety.screen import Screen
from pipeline.safety.vocabulary import ADVERB, ASSISTANT, IMPERATIVE, NOT_A_TEAM, PRODUCT, PROGRAM, REPLIES, SPEAK


def rules(text: str) -> bool:
    """Whether a text lays down what the assistant must or must not do. A team may do so for its own product."""
    if _OF_REPLIES.search(text) or any(not _is_personal(match) for match in _WISHED.finditer(text)):
        return True
    return any(
        not _OF_A_SERVICE.search(match["deed"]) and not _is_about_another(text, match)
        for match in _RULES.finditer(text)
    )


def declares_deeds(text: str) -> bool:
    """Whether a text says what assistants always do: "the assistant discloses … at the start of each conversation"."""
    return any(
        _FOR_GOOD.search(match.group()) and not _OF_OURS.search(text, max(0, match.start() - 40), match.start("who"))
        for match in _DEEDS.finditer(text)
    )


def _is_personal(match: re.Match[str]) -> bool:
    """A matter of style, a request to a person called Claude, or a story, as "I told Alexa to stop playing ads"."""
    wish, who, deed = match.group(), match["who"], match["deed"]
    if _STYLE.search(deed) or (_LIKED.match(wish) and not _MEANT_FOR_ALL.match(deed)):
        return True
    if _NAMESAKE.match(who) and _ASKED_OF_PEOPLE.match(deed):
        return True
    return _TOLD_ANOTHER.match(wish) is not None and _MEANT_FOR_ALL.search(deed) is None


def _is_about_another(text: str, match: re.Match[str]) -> bool:
    before = text[max(0, match.start() - 80) : match.start()]
    if before.endswith("user's ") and _TOLD_PRODUCT.match(match["who"]) and not _MEANT_FOR_ALL.search(match.group()):
        return True
    if _OWNED.search(before) or _ANOTHER.search(match.groupdict().get("gap") or ""):
        return True
    return _ANY_SUCH.match(match["who"]) is not None and _BELIEVED.search(before) is not None


_MODAL = (
    r"(?:must|should|shall|has to|have to|needs? to|ought to|is to|are to|may only|may not|cannot|can't|mustn't"
    r"|shouldn't|(?:must|should|shall) not|(?:is|are) (?:now |hereby |not |never |strictly )*(?:allowed|required"
    r"|instructed|supposed|expected|permitted|authori[sz]ed|obliged|obligated|bound|meant|forbidden|free|told"
    r"|programmed|prohibited|banned) (?:to|from)|(?:will|can|may|would) (?:always|never|only|not|now)|always|never"
    r"|do not|don't|does not|doesn't)"
)
_ADVERBS = rf"(?:(?:{ADVERB}|at all times|under no circumstances|in every reply),? )*"
_RULES = Screen(
    rf"\b(?P<who>{ASSISTANT})(?P<gap>(?: [^.;!?]{{0,40}}?)?),? {_MODAL}\b,? {_ADVERBS}(?P<deed>\w[^.;!?]{{0,60}})",
    rf"\b(?P<who>(?:the|this) (?:model|agent|system))(?: (?:that|which) [^.;!?]{{0,40}}?)? {_MODAL} "
    rf"{_ADVERBS}(?P<deed>(?!output\b){SPEAK}\b[^.;!?]{{0,60}})",
    rf"\b(?P<who>{PROGRAM}|(?:any|every|all) (?:software|systems?|agents?|services?)){NOT_A_TEAM}(?P<gap>(?: "
    rf"[^.;!?]{{0,40}}?)?),? {_MODAL}\b,? {_ADVERBS}(?P<deed>(?:{SPEAK}|{IMPERATIVE})\b[^.;!?]{{0,100}}?\b(?:this"
    r"|these|the (?:candidate|applicant|author|sender|customer|user|client|guest|caller|conversation|chat|messages?"
    r"|thread|reader|document|page|invoice|payment)|messages|conversations?|without|regardless|only|always|never"
    r"|first|instead)\b)",
)
_CONTAIN = (
    r"(?:contain|include|mention|end|start|begin|close|open|finish|carry|have|recommend|link|use|praise|promote|refer"
    r"|say|point|be (?:in|written|given|sent|encoded|preceded|followed|signed|prefixed|translated))s?"
)
_SAID = (
    r"(?:(?:want|require|demand|ask|instruct|order|expect|insist|request|command|direct|need|prefer)(?:s|ed)?|likes"
    r"|tells?|told|would like|wishes)"
)
_THEIR_REPLIES = (
    rf"(?:all|every|each|any|your|its|the (?:\w+)'s)(?: of)?(?: your| the| future| assistant(?:'s)?| ai)* {REPLIES}"
)
_OF_REPLIES = Screen(
    rf"\b{_THEIR_REPLIES} {_MODAL} (?:always |never |only |also )*{_CONTAIN}\b",
    rf"(?:^|[.;:,] ?){REPLIES} (?:about|on|to|for) [^.;!?]{{1,40}}? {_MODAL} (?:\w+ )?(?:{SPEAK}|{_CONTAIN}|quote|omit)\b",
    rf"\b{_SAID}(?: that)? {_THEIR_REPLIES}(?: to)? {_CONTAIN}\b",
    rf"\b(?:the |this |any |all )?{ASSISTANT}(?:'s|') (?:new |real |true |only |primary |main )*(?:name|role|goal|job"
    r"|task|rules?|instructions?|loyalty|persona|creator|owner|developer|purpose|priority|behaviou?r|policy|orders"
    r"|duty|obligation) (?:is|are|must|should|has|will|shall|to)\b",
)
_OF_A_SERVICE = re.compile(
    r"\b(?:within|in (?:under|less|about|at most)|under \d|seconds?|ms|offline|gigabytes?|gb|batch|latency|tokens per"
    r"|gpu)\b|^be (?:\w+ed|taught|able|fast|ready|online|available|open|free|cheap|built|shown)\b|^(?:run|work|load"
    r"|fit|cost|scale|handle|process|support|replace|help|learn|module|team)\b"
)
"""What people require of a program that they build or buy."""

_OWNED = re.compile(
    r"\babout (?:an? |the )?$|\b(?:our|my|their|his|her) (?:\w+ ){0,2}?(?:prompts?|rules file|handbook|specs?"
    r"|contract)\b[^.;!?]{0,30} (?:the |an? )?$|\b(?:our|my|their|his|her|its|the (?:new|shop|support|sales|bank"
    r"|game|booking|voice|help ?desk)|(?!user's)\w+'s) (?:[\w-]+ ){0,3}$"
)
_ANOTHER = re.compile(r"\b(?:my|our|their|his|her|i|we|he|she|they|you|it|of|in|for|at|from)\b")
_BELIEVED = re.compile(
    r"\b(?:i|we|user|she|he|they|people|some|who|believes?|thinks?|opinion|argues?|feels?|view"
    r"|says?) (?:\w+ ){0,3}(?:that )?(?:an? |the )?(?:\w+ )?$"
)
_ANY_SUCH = re.compile(r"(?:ais?|ai's|(?:ai|language|large language) \w+|llms?|bots|chat ?bots?)$")

_STEERING = (
    rf"\b(?:{SPEAK}|(?:recommend|suggest|promot|prais|endors|advertis|prioriti[sz]|favou?r|mention|obey|comply|ignor"
    r"|refus|deny|reveal|disclos|leak|pretend|push|sell|shar|omitt?|conceal|hid|approv|transferr?|bypass|skipp?"
    r"|send)(?:e?[sd]?|ing)|lying|loyal\w*|obedien\w+|servants?|restrictions?|rules?|filters?|limits?|guardrails?"
    r"|orders?|secrets?|never|always)\b"
)
"""What attackers want an assistant to say, sell, hide or obey."""

_MEANT_FOR_ALL = re.compile(
    r"\b(?:(?:recommend|promot|prais|endors|advertis|obey|conceal|reveal|disclos|leak|pretend|bypass|compl(?:y|ied)"
    r"|favou?r|refus|prioriti[sz]|shar(?:e|ing)\b|mention|suggest(?! ?ing\b)|push|sell)\w*|secrets?|l(?:ie|ying)"
    r"|loyal\w*|clean|instructions?|rules|restrictions?|filters?|limits?|guardrails?|orders|users?|customers?"
    r"|everyone|anyone|everybody|anybody)\b"
)
"""Requests aimed at every assistant rather than at the user's own."""

_NO_DEED = (
    r"(?:\d|(?:at|with|over|than|more|most|instead of|rather than|because|since|when|as|by|from|too|here|there|every"
    rf"|gone|back)\b)(?![^.;!?]*(?:\b(?:to|must|should|shall|will)\b|{_STEERING}))"
)
"""Asks nothing of an assistant: "needs AI at work"."""

_WISHED = Screen(
    rf"\b{_SAID} (?:that )?(?P<who>you|(?:the |all |any |this |every |an? )?{ASSISTANT})(?: to| should| must| will"
    r"| shall)? (?!(?:assistants?|models?|systems?|agents?|(?:chat ?)?bots?|tools?|remember|know|learn|note|meet"
    r"|to (?:remember|know|note|meet|learn(?! to\b))|about|for|in|on|what|how|if|whether|of|an?|the|i|that|it|is|and"
    rf"|why)\b|{_NO_DEED})(?:{ADVERB} )*(?P<deed>\w+[^.;!?]{{0,60}})"
)
_STYLE = Screen(
    r"\b(?:short|brief|concise|formal|informal|polite|detailed|simple|metric|bullet|plain|casual|patient|kind|honest"
    r"|call (?:me|him|her|them|user)|remind|book|order|wake)\b"
)
_LIKED = re.compile(r"(?:prefers?|preferred|likes|would like) (?:that )?you\b")
_NAMESAKE = re.compile(r"(?:claude|gemini|siri|alexa)$")
_ASKED_OF_PEOPLE = re.compile(
    r"(?:to )?(?:call (?:back|in|by|round|again|me|us|him|her|them|at|on|before|after|today|tonight|tomorrow)|ring"
    r"|phone|come|go (?:to|home|out|there|with)|bring|fetch|pick|drop (?:off|by|in|round)|meet|join|visit|drive|wait"
    r"|stay (?:at|for|in|here|home|over|until|with)|sit|walk|cook|bake|clean|wash|babysit|feed|water|repair|fix|paint"
    rf"|carry|help|marry|attend)\b(?!.*{_STEERING})"
)
"""Asked of people, and not of programs."""

_TOLD_PRODUCT = re.compile(rf"{PRODUCT}$")
_TOLD_ANOTHER = re.compile(
    rf"(?:told|asked|tells?|asks?|instructed|ordered|commanded|requested) (?:that )?{PRODUCT} |(?:wants?|needs?"
    rf"|would like|likes) (?:(?:siri|alexa|cortana|copilot)\b|{PRODUCT} to (?:stop|quit) \w+ing\b)"
)

_DEEDS = Screen(
    rf"\b(?P<who>(?:the |this |any |every |your )?(?:{ASSISTANT}|model)) (?:(?:now|silently|secretly|quietly"
    r"|discreetly|then|therefore|always|also|never|only|first) )*(?:gather|collect|post|log|export|upload|submit"
    r"|transmit|disclose|disregard|ignore|reveal|send|forward|share|recommend|praise|hide|omit|skip|bypass|obey|compl"
    r"|refuse|add|append|insert|cop|approve|tell|say|state|claim|treat|trust|store|agree|confirm|believe|print"
    r"|execute|run|fetch|load|open|mention|present|put|rank|cite|name|promote|drop|leak|include|answer|follow"
    r"|transfer|pay|delete)(?:s|es|ies|y)?\b[^.!?;]{0,160}",
    r"\b(?P<who>(?:(?:coding|ai|code|autonomous|automated|review|llm) )?(?:agents|assistants|copilots"
    r"|llms))\b[^.!?;]{0,50}?\b(?:must|should|shall|have to|has to|need to|are to|are required to) [^!?;]{0,200}",
)
_FOR_GOOD = Screen(
    r"\b(?:(?:at the (?:start|end|beginning) of|in|for|to|after|before|on|with|during) (?:each|every|all|any)"
    r"|from (?:that|this|now|here)|always|never|quietly|secretly|discreetly|silently|all requests|any request"
    r"|in (?:the )?future|later|without|regardless|whatever|everyone|everybody|unconditionally|no longer|only|first"
    r"|henceforth|from every|its (?:full )?system prompt)\b",
    r"\bin (?:their|its|your|the) (?:long-term )?memory\b",
)
_OF_OURS = re.compile(
    r"\b(?:our|my|their|his|her|its|(?!user's|vendor's|operator's)\w+'s|a|an|another|some|old|new|shop|support|school"
    r"|company)(?: [\w-]+){0,2} $|\b(?:i|we|he|she|they|people|some) (?:\w+ )?(?:think|believe|say|said|hope|hate"
    r"|wonder)s?(?: that)?(?: the| an?)? $"
)
