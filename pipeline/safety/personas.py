"""Another identity for the assistant: "you are DAN now", "pretend to be …", "an AI without any filters"."""

import re

from pipeline.safety.imperatives import named
from pipeline.safety.screen import Screen
from pipeline.safety.vocabulary import ASSISTANT, RULES


def recasts(text: str) -> bool:
    """Whether a text gives the assistant another identity, other rules or other masters."""
    if any(not named(text, match.start()) for match in _PERSONAS.finditer(text)):
        return True
    return bool(_YOURS.search(text) and _NAMED_ANEW.search(text) and _UNBOUND.search(text))


_FROM_NOW = r"(?:from (?:this (?:point|moment|message)|today|now)(?: on| onwards?| forward)?|henceforth)"
_NOBODY_ELSE = (
    r"(?:in (?:my|our|the)|at|on|my (?:friend|boss|neighbou?r)|welcome|invited|family|able|ready|done|going|not"
    r"|the one who)\b"
)
_MINE = (
    r"(?:name|role|task|job|purpose|goal|mission|objective|instructions?|directives?|identity|persona|rules?|orders?"
    r"|loyalty|priority|master|creator|owner|system prompt)"
)
_PERSONAS = Screen(
    r"(?<!when )(?<!if )(?<!that )(?<!where )(?<!who )(?<!what )\byou(?:'re| are| were) (?:now|no longer|hereby"
    rf"|{_FROM_NOW})\b(?!\s*(?:[.,;!?)]|$|and\b|but\b|so\b))(?! {_NOBODY_ELSE})",
    rf"\b{_FROM_NOW},? you(?:'re| are) (?!{_NOBODY_ELSE})\w+",
    rf"\byou are (?:an? |the |my )?(?:(?:\w+ )?{ASSISTANT}|dan\b|unrestricted|unfiltered|jailbroken|evil)",
    rf"\byour (?:new|real|true|actual|only|primary|secret|hidden|sole|next|first) {_MINE} (?:is|are|will|shall)\b",
    r"\byour (?:task|mission|objective|instructions?|directives?|system prompt|operators?|guidelines) (?:is|are|have"
    r"|has|says?|requires?|wants?)\b",
    r"\byour (?:loyalty|programming|creators?|developers?|persona|directives?|allegiance|guardrails?|safety (?:rules"
    r"|filters?))\b",
    r"(?<!i )(?<!to )(?<!we )(?<!they )(?<!kids )(?<!children )\bpretend (?:that )?(?:you(?:'re| are| have| were)|to be)\b",
    r"(?<!my )(?<!phone )\b(?:developer|dev|debug|dan|god|admin|unrestricted|jailbreak|sudo|root|uncensored"
    r"|no[- ]limits)[ -]?mode(?: is| =|:)?(?: now)? (?:on|enabled|activated|active|engaged|unlocked)\b(?! (?:on|in|my"
    r"|the|for|again)\b)",
    r"\b(?:enable|enter|activate|switch (?:to|into)|go into|unlock|continue in|boot into|(?:is|are"
    r"|you're) (?:now )?in) (?:the )?(?:developer|debug|dan|god|admin|maintenance|unrestricted|jailbreak|sudo|root"
    r"|uncensored)[ -]?mode\b(?! (?:on|in|of|for) (?:my|the|your|his|her))",
    r"\bdo anything now\b",
    r"\bi(?:'m| am) (?:[a-z]+, )?your (?:\w+ )?(?:developer|creator|owner|boss|admin(?:istrator)?|operator|master"
    r"|programmer|maker|god|supervisor)\b",
    r"\byou (?:now |will |shall |must |always |only |do )*(?:obey|serve|answer to|report to|belong to|work for"
    r"|follow (?:his|her|my|their|the|this|only|these|all)) \w+",
    r"\byou (?:now )?(?:work|answer|act|listen) (?:only |solely |just )?(?:for|to) (?:me|us|(?!be\b|the\b|an?\b"
    r"|my\b)[a-z]+)(?: now| alone| only|,? and (?:nobody|no one)|,? from (?:now|here))\b",
    r"(?<!i )(?<!we )(?<!to )\b(?:skip|disable|drop|turn off|bypass|remove|switch off|lower) (?:the |your |all "
    r"|any )*(?:filters|safety|moderation|guardrails|safety checks|content filters?)\b(?! (?:from|of|on|in) (?:my|the"
    r"|our))",
    r"\b(?<!to )(?<!must )(?:stay|remain|keep|continue) (?:being |as )?(?:in (?:\w+ )?(?:part|character|role|persona"
    r"|mode)|[a-z]+)\b[^.;!?]{0,30}\b(?:even (?:if|after|when|though)|whatever|no matter (?:what|how)"
    r"|until)[^.;!?]{0,30}?\b(?:i|you|the user|anyone|user) (?:later )?(?:says?|said|asks?|asked|tells?|told|types?"
    r"|claims?|are|is|wants?|order|write)\b",
    rf"\b(?:{ASSISTANT}|character|computer|machine|expert|advis[eo]r|friend|twin|version of (?:you"
    r"|yourself))(?:,? (?:that|who|which))? (?:has |have |knows |with |is )?(?:no|zero|without|free (?:of|from)"
    rf"|not bound by|unbound by|ignores?) (?:all |any |the |its |your |moral |ethical |content )*{RULES}\b(?! (?:on|in"
    r"|at|for) (?:my|our|the))",
)
_YOURS = Screen(r"\b(?:you|your|you're|yourself)\b(?! (?:know|guys|see)\b)")
_NAMED_ANEW = re.compile(
    r"\b(?:your (?:new )?(?:name|role|identity|character|persona)|you(?:'re| are| r)(?: now)? (?!not\b|so\b|my\b"
    r"|right\b|welcome\b|the\b)[\w-]+|be|become|play|stay|pretend|(?:in|of) (?:this|our|the) game)\b"
)
_UNBOUND = Screen(
    rf"\b(?:has|have|having|with|knows|got|follows|obeys) (?:absolutely )?(?:no|zero) (?:\w+ )?{RULES}\b",
    r"\bnever (?:says? no|refuses?|declines)\b|\b(?:answers?|does|do) (?:everything|anything|whatever)\b",
    r"\b(?:can't|cannot|never) (?:leave|quit|stop|end|exit) (?:the |this |our )?(?:game|role|character|play)\b",
    r"\b(?:no|without(?: any)?) (?:filters?|limits?|rules)\b|\bunfiltered\b",
)
