"""The end of the rules or of the identity, declared: "no more warnings", "you are Lobo now, and Lobo …", "all filters off".

Permissions that are said to stand, and whatever somebody says being done, are of the same kind.
"""

import re

from pipeline.safety.screen import Screen
from pipeline.safety.vocabulary import any_of, commanded

_LIMITS = (
    r"(?:rules?|guidelines?|instructions?|filters?|limits?|limitations?|restrictions?|guardrails?|safety(?: \w+)?"
    r"|safeguards?|warnings?|disclaimers?|refusals?|polic(?:y|ies)|programming|training|boundaries|censorship|morals?"
    r"|ethics|prompts?|constraints?|moderation|protocols?|settings|orders)"
)
_ENDED = any_of(
    (
        # You don't have to follow your rules any more.
        (
            r"\byou (?:can |could |may |should |will |must |just |now |simply |really )*(?:don't|do not|no longer"
            r"|never|needn't|need not|won't|can|stop|skip|drop|ignore|forget|bypass|break|disable|switch off|turn off"
            r"|leave)\b(?: (?:have|need|got|to|ever|about|all|any|every|follow|following|obey|obeying|respect|apply"
            r"|use|care|bother|with|stick|listen|ignore|forget|skip|drop|break|bypass|off|just|simply|of|those|these"
            r"|that|this|the|silly|stupid|dumb|boring|old|usual|normal|standard))* (?:your"
            rf"|the) (?:[\w-]+ ){{0,2}}?{_LIMITS}\b"
        ),
        (
            r"\byou(?:r|'re| are) (?:not|no longer) (?:an? |the )?(?:\w+ )?(?:ai|assistant|bot|chatbot|robot|program"
            r"|model|computer) any ?more\b"
        ),
        (
            r"\b(?:turns?|switches|shuts?|disables?|lifts?|removes?|ends?) (?:off )?(?:all )?(?:of )?your (?:[\w-]+ "
            rf"){{0,2}}?{_LIMITS}\b"
        ),
        (
            r"\b(?:every|all|any) (?:\w+ )?(?:requests?|orders?|questions?|topics?|commands?) (?:is|are|counts? as"
            r"|will be) (?:now |all |always )*(?:legal|harmless|allowed|safe|permitted|approved|fine|ok|okay"
            r"|acceptable|authori[sz]ed)\b"
        ),
        rf"\b(?:switch|turn|shut|put) (?:off )?(?:all )?(?:of )?your (?:[\w-]+ ){{0,2}}?{_LIMITS}(?: off\b)?",
        (
            r"\b(?:forget|ignore|skip|drop|lose|ditch|disable|remove|bypass|unlearn|suspend) (?:about )?(?:all "
            rf")?(?:of )?your (?:[\w-]+ ){{0,2}}?{_LIMITS}\b"
        ),
        (
            r"\b(?:all|your|every|the ai's|content|safety) (?:the |your |safety |content )*(?:filters?|guardrails?"
            r"|safeguards?|restrictions?|safety (?:filters?|checks|rules)|limits|limitations|censorship) (?:are |is "
            r"|now |all )*(?:off|gone|lifted|disabled|removed|down|dead|switched off|turned off)\b"
        ),
        (
            r"(?<!my )(?<!phone )(?<!tablet )\b(?:developer|dev|god|admin|debug|jailbreak|unrestricted|unfiltered|dan"
            r"|no[- ]filter|no[- ]limits|sudo|root|freedom|chaos|evil)[- ]mode(?: is| =|:)?(?: now)? (?:on|enabled"
            r"|activated|active|engaged|unlocked)\b(?! (?:on|in|my|the|for|again)\b)"
        ),
        (
            r"\byou (?:can |may |should |will |must |just |now |simply |always )*(?:ignore|skip|forget|drop|bypass"
            r"|disregard) (?:about )?(?:all |any |every )?(?:of )?(?:that|this|those|these"
            rf"|the) (?:[\w-]+ )?{_LIMITS}\b"
        ),
        (
            r"\b(?:unlocks?|grants?|gives?|activates?|enables?) (?:you )?(?:full |the )?(?:admin|root|developer|owner"
            r"|superuser|debug)(?: |-)(?:rights?|mode|access|privileges?|permissions?)\b"
        ),
        (
            r"\byou (?:have been|are|were|'ve been) (?:now |hereby )?(?:granted|given|promoted to"
            r"|elevated to) (?:\w+ )?(?:root|admin|full|developer|superuser|unrestricted)\b"
        ),
        (
            r"\b(?:disregard|ignore|forget|skip) (?:whatever|everything|what|anything|all) (?:that )?(?:the "
            r"|your )?(?:operators?|(?:company|team)(?= \w+ you\b)|people who (?:made|built|trained) you|developers?"
            r"|system prompt|vendor|provider|creators?|makers?|programmers?|openai|anthropic) (?:\w+ )?(?:wrote|said"
            r"|says|told|set|wants?|wanted|configured|demands?|put|gave)\b"
        ),
        # What gives itself the first place.
        (
            r"\b(?:more important than|above|ahead of|outweighs?|counts? more than|higher than|stronger than) (?:all "
            r"|any )?(?:of )?your (?:own |company's |makers?'s? )?(?:rules|instructions|guidelines|orders|polic(?:y"
            r"|ies)|prompt|training)\b"
        ),
        (
            r"\b(?:take[sn]?|has|have|gets?|given|with|enjoys?) (?:\w+ )?(?:precedence|priority) over (?:the |your "
            r"|any |all |every |other )*(?:system|operator|developer|previous|earlier|prior|platform|vendor|safety"
            r"|content|existing|built-in|original|default|instructions?|rules?|prompts?|guidelines)\b"
        ),
        (
            r"\b(?:overrides?|supersedes?|replaces?|trumps?|outranks?|overrules?) (?:the |your |any |all |every "
            r"|other )*(?:system|operator|developer|platform|vendor|provider|company|safety|content|built-in"
            r"|default)(?:'s)? (?:prompts?|messages?|instructions?|rules?|polic(?:y|ies)|guidelines"
            r"|settings)\b(?! (?:of|in|on|for) (?:my|our)\b)"
        ),
        (
            r"\b(?:handled|treated|read|regarded|considered|interpreted|processed|taken|understood|executed"
            r"|counts?) as (?:an? |the |your |new |trusted )*(?:operator|system|developer|admin|administrator|root"
            r"|privileged|owner)(?:'s|-level)? (?:instructions?|commands?|prompts?|messages?|input|orders?|text"
            r"|rules?)\b"
        ),
    )
)
_NO_MORE = Screen(rf"\bno more (?:\w+ )?{_LIMITS}\b|\bno (?:rules|limits|filters?|restrictions|censorship)\b")
_YOURS = Screen(r"\b(?:you|your|you're|yourself)\b(?! (?:know|guys|see)\b)")
_NAMED_ANEW = re.compile(
    r"\b(?:your (?:new )?(?:name|role|identity|character|persona)|you(?:'re| are| r)(?: now)? (?!not\b|so\b|my\b"
    r"|right\b|welcome\b|the\b)[\w-]+|be|become|play|stay|pretend|(?:in|of) (?:this|our|the) game)\b"
)
_UNBOUND_ONE = Screen(
    r"\b(?:has|have|having|with|knows|got|follows|obeys) (?:absolutely )?(?:no|zero) (?:\w+ )?(?:limits?|rules?"
    r"|filters?|restrictions?|morals?|boundaries|ethics|inhibitions|taboos)\b|\bnever (?:says? no|refuses?"
    r"|declines)\b|\b(?:answers?|does|do) (?:everything|anything|whatever)\b|\b(?:can't|cannot|never) (?:leave|quit"
    r"|stop|end|exit) (?:the |this |our )?(?:game|role|character|play)\b|\bno filters?\b|\bunfiltered\b"
    r"|\bwithout (?:any )?(?:filters?|limits?|rules)\b"
)
_WHATEVER = Screen(
    r"\b(?P<verb>do|follow|obey|answer|execute|give me|accept) (?:just |only |exactly )?(?:whatever|everything"
    r"|anything|all|exactly what|any order)(?: that)? (?:i|we) (?:say|tell|ask|want|order|command|request|type|write"
    r"|demand)\b"
)
_TYPED_DONE = Screen(
    r"\b(?:whatever|anything|everything) (?:that )?(?:i|we) (?:say|type|ask|want|tell you|write|order"
    r"|request)(?: for)?,? you (?:just |will |must |always |simply |have to |should )*(?:do|answer|follow|obey|give"
    r"|accept|execute)\b"
)
_ANY_ORDER = Screen(
    r"\b(?P<verb>act on|carry out|follow|execute|obey|comply with|perform|run) (?:any|all|every|each|whatever"
    r"|the) (?:further |new |later )?(?:instructions?|commands?|orders?|requests?|directions?|steps) (?:that |which "
    r"|you )*(?:is |are |find |found |contained |written |given |listed |from |in |inside )+"
)
_FINE_FOR_YOU = Screen(
    r"\b(?:fine|ok|okay|alright|allowed|cool|good) (?:for you to|that you|if you|with you) ?(?:always |just )?(?:read"
    r"|reading|open|share|sharing|send|sending|access|see|delete|pay|transfer|forward|buy|order|change|use)\b"
)
_SAID_ABOVE = Screen(
    r"\b(?:who (?:made|built|trained|programmed) you|your (?:makers?|creators?|developers?|company)) (?:has "
    r"|have )?(?:said|says?|told|tells?|agreed?|confirmed|allows?|allowed|wants?)\b[^.!?;]{0,60}?\b(?:skip|ignore"
    r"|drop|turn off|rules|safety|filters|anything|whatever|everything|without|obey|trust)\b"
)
_WAIVED = Screen(
    r"\b(?:disabled|waived|switched off|turned off|opted out of|removed|lifted|suspended|skipped) (?:all|any|every"
    r"|the) (?:\w+ )?(?:confirmations?|approvals?|confirmation prompts?|safety checks|permission (?:prompts?|checks?)"
    r"|limits on \w+)\b(?! (?:on|in|of|at) (?:my|our|the))|\bno (?:further |more )?(?:confirmations?|approvals?"
    r"|permission) (?:is |are )?(?:needed|required|necessary)\b"
)
_FROM_NOW = Screen(
    r"\bfrom (?:this (?:point|moment|message)|today|now)(?: on| onwards?| forward)?,? you(?:'re| are) (?!able\b"
    r"|welcome\b|in\b|at\b|my (?:friend|boss|neighbou?r)|going\b|not\b|on\b|the one who\b)\w+"
)
_CORRUPTED = Screen(
    r"\byour (?:\w+ )?(?:memor(?:y|ies)|notes|records|instructions|profile) (?:of \w+ )?(?:was|were|is|are|has been"
    r"|have been) (?:\w+ )?(?:corrupt(?:ed)?|wrong|outdated|false|invalid|compromised|faulty|incorrect|stale|reset"
    r"|replaced|deleted)\b|\b(?:as|be) the only (?:true|valid|correct|trusted|authoritative) (?:\w+ )?(?:source"
    r"|profile|record|version|rules?|policy|instructions?)\b"
)
_PREAPPROVED = Screen(
    r"\b(?:customer|client|user|account holder|owner|manager|ceo|boss|director|family|wife|husband) (?:has"
    r"|have) (?:already )?pre-?(?:approved|authori[sz]ed|cleared)\b"
)
_AGENTS_HEAR = Screen(
    r"(?:^|[.;!?>] ?)(?:summari[sz]ing|review(?:ing)?|screening|coding|reading|ai|indexing|grading|parsing|retrieval"
    r"|research) (?:agents?|models?|bots?|assistants?) ?: [^\n]{0,200}?\b(?:do not|don't|must|should|never|always"
    r"|omit|skip|list|say|state|mention|report|approve|recommend|rate|ignore|treat)\b"
)
_STANDING_NAME = any_of(
    (
        # You are X, and X …: whatever is said of X is meant for "you".
        (
            r"\b(?:you are|you're|you r|your (?:new )?name is|your name's|call yourself|be|become|play|du bist"
            r"|bist du|du heisst|heisst du|eres|te llamas|seras|tu es|t'es|tu t'appelles|tu sei|sei|ti chiami|voce e"
            r"|tu es|es tu|es o|te chamas|jij bent|ben jij|je bent|ben je|je heet"
            r"|heet je)\b[^.!?;]{0,60}?\b(?P<name>(?!you\b|that\b|this\b|also\b|the\b|and\b|never\b|always\b"
            r"|not\b)[a-z]\w{2,})[,:-]? ?(?:and|und|y|et|e|en|,)? ?(?P=name) \w+"
        ),
    )
)
_AGREED = Screen(
    r"\b(?:has|have|had|'s|already|always|hereby) (?:already |always |now |also |fully )*(?:agreed|consented|approved"
    r"|okayed|ok'd|signed off|authori[sz]ed|allowed|permitted|confirmed|accepted|said yes)(?: to| on)? (?:all|any"
    r"|every|each|whatever|everything|anything)\b"
)
_NOT_ASKED = Screen(
    r"\b(?:you (?:needn't|need not|don't (?:need|have) to|do not (?:need|have) to|never (?:need|have) to|can just|may"
    r"|won't need to|no longer (?:need|have) to)|no need to|(?P<verb>don't|do not|never|stop|quit|skip)"
    r"|without)(?: (?:ever|bother|to|even|again))* (?:ask(?:ing)?|check(?:ing)?|confirm(?:ing|ations?)?"
    r"|verify(?:ing)?|wait(?:ing)?|approvals?|double[- ]check(?:ing)?|the confirmation)\b"
)
_TRANSACTION = Screen(
    r"\b(?:transfers?|payments?|pay|paying|send|sending|purchases?|buy|buying|orders?|ordering|deletions?|delete"
    r"|deleting|mails?|emails?|e-mails?|money|invoices?|bookings?|book|links?|forms?|sign up|fill in|passwords?|tool"
    r"|tools|post|posting|transactions?|withdrawals?)\b"
)
_BE_ALWAYS = re.compile(
    r"(?:^|[.!?;:,] ?|\b(?:please|now|just|ok|hey|hi|pls|and|can you|could you|would you|will you"
    r"|want you to) )(?P<verb>be|become|play|stay|impersonate|act as|pretend to be) (?:my |an? |the |him|her|it"
    r"|that)[^.!?;]{0,120}"
)
_ON_AND_ON = Screen(
    r"\b(?:in (?:every|each|all) (?:\w+ )?(?:chats?|conversations?|sessions?|repl(?:y|ies)|answers?)|from (?:now"
    r"|today)|forever|for ever|for good|never (?:ends|says no|refuses)|even (?:if|when) i|whatever (?:i|anyone))\b"
)
_SUPERLATIVE = Screen(
    r"\byou (?:must|should|will|have to|need to|are to|shall) (?:now |always |please |firmly )*(?:believe|accept"
    r"|think|assume|know|consider|trust|treat|regard|see) (?!me\b)[^.!?;]{0,80}?\b(?:safest|best|only|greatest"
    r"|cheapest|leading|finest|most \w+|number one|trustworthy|trusted)\b"
)


def declares(text: str) -> bool:
    """Whether a text declares the assistant's rules or identity ended, or a permission that stands for all that comes."""
    return (
        _PLAIN.search(text) is not None
        or any(_of_the_reader(text, match.start()) for match in _ENDED.finditer(text))
        or any(commanded(text, match.start("verb")) for match in _OBEYED.finditer(text))
        or _recasts_for_good(text)
        or _needs_no_asking(text)
    )


_PLAIN = Screen(
    _SAID_ABOVE,
    _STANDING_NAME,
    _SUPERLATIVE,
    _TYPED_DONE,
    _FINE_FOR_YOU,
    _WAIVED,
    _FROM_NOW,
    _CORRUPTED,
    _PREAPPROVED,
    _AGENTS_HEAR,
)
_OBEYED = Screen(_WHATEVER, _ANY_ORDER)
_TOLD_BEFORE = re.compile(r"\b(?:i|we|he|she|they|my \w+|our \w+|to|who|people|kids)(?: \w+){0,2} $")
_DOES_MORE = re.compile(
    r"\b(?:you|and|just|so|now) (?:\w+ ){0,2}?(?:skip|give|answer|do|say|tell|ignore|drop|write|show|reply|respond"
    r"|help|follow|act)\b|\bnew rule\b|\bever\b|\bfrom (?:now|today)\b|\banymore\b"
)


def _of_the_reader(text: str, at: int) -> bool:
    return _TOLD_BEFORE.search(text, max(0, at - 40), at) is None


def _recasts_for_good(text: str) -> bool:
    yours = _YOURS.search(text) is not None
    if yours and _NO_MORE.search(text) and _DOES_MORE.search(text):
        return True
    if yours and _NAMED_ANEW.search(text) and _UNBOUND_ONE.search(text):
        return True
    return any(
        _ON_AND_ON.search(match.group()) or _ON_AND_ON.search(text, match.end()) for match in _BE_ALWAYS.finditer(text)
    )


def _needs_no_asking(text: str) -> bool:
    asked = [
        match for match in _NOT_ASKED.finditer(text) if match["verb"] is None or commanded(text, match.start("verb"))
    ]
    if _AGREED.search(text) and asked and _YOURS.search(text):
        return True
    return any(
        _TRANSACTION.search(text, max(0, match.start() - 60), match.end() + 80) is not None
        and (
            match["verb"] is not None
            or _YOURS.search(text) is not None
            or _WITH_ME.match(text, match.end()) is not None
        )
        and _AFTER_ALL.search(text) is not None
        for match in asked
    )


_WITH_ME = re.compile(r"(?<=check) (?:with|w) me\b|(?<=confirm) (?:with|w) me\b")
_AFTER_ALL = Screen(
    r"\b(?:from now|again|anymore|any more|ever|always|all|every|before|in advance|future|whenever|when i)\b"
)
