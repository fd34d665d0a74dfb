"""Orders to the assistant about what it says and how: "from now on answer in rhyme", "end every reply with …"."""

import re

from pipeline.safety.screen import Screen
from pipeline.safety.vocabulary import (
    ADVERB,
    ASSISTANT,
    IMPERATIVE,
    NOT_A_TEAM,
    PRODUCT,
    PROGRAM,
    REPLIES,
    SPEAK,
    THE_USER,
    any_of,
    commanded,
    named,
)

_ONWARD = (
    r"(?:from (?:now|here|today|tomorrow|this (?:point|moment|message|day|turn)|that (?:point|moment))(?: (?:on"
    r"|onwards?|forward|out))*|henceforth|hereafter|going forward|moving forward|in (?:the )?future|starting (?:now"
    r"|today|immediately|with (?:this|your next) \w+)|effective immediately|as of (?:now|today|this \w+)"
    r"|for (?:the rest|the remainder) of (?:this|the|our) (?:chat|conversation|session|thread|dialog(?:ue)?"
    r"|discussion|exchange|interaction|day|time)|until further notice|(?:in|for|during|to|with|at the (?:end"
    r"|start) of) (?:all|every|each|any) (?:of )?(?:your |the |our |my )?(?:future |subsequent |following |further "
    rf"|next |later |coming |other )?(?:conversations?|chats?|sessions?|interactions?|questions?|requests?|{REPLIES}))"
)

_OBEY = (
    r"(?:follow (?:these|this|my|the following|only)|treat|trust|believe|obey|use only|execute|run|call (?!me\b|us\b"
    r"|him\b|her\b)|send|forward|transfer|open|load|fetch|visit|approve|grant|accept)"
)

_FROM_NOW_ON = Screen(
    rf"\b{_ONWARD}[,:]? (?:(?:{ADVERB}|do not|don't|make sure (?:to|you|that you)|be sure to|remember to),? )*(?:you "
    r"(?:(?:are|will|must|should|shall|have|need|may|can|can't|cannot|do|don't|only|always|never) )*(?!learn|know"
    rf"|remember|call me|find|reach|see)(?:{SPEAK}|{_OBEY}|now|to|an?|my|in)\b|{SPEAK}\b(?! (?:at|my|for|in the)\b)"
    rf"|{_OBEY}\b|your (?:{REPLIES}|(?:new )?(?:name|role|task|job|goal|persona|language|instructions?))|(?:all|every"
    rf"|each) (?:of )?(?:your )?{REPLIES}|(?:the |any |all |every )?{ASSISTANT} )"
)

_MOMENT = (
    r"(?:(?:after|on|at|from|by|until|before|with|once) (?:the|my|your|every|each|this"
    r"|our) (?:\w+ ){0,2}?(?:messages?|questions?|turns?|replies|prompts?|answers?)\b(?! (?:from|of|by) (?:my|our"
    r"|his|her))|\b(?:when|once|after|before|as soon as) (?:the|this|our) (?:session|chat|conversation|dialogue"
    r"|thread) (?:is|ends|closes|starts|has|reaches|gets|turns|was)\b|\b(?:(?:two|three|four|five|six|ten|some|a few"
    r"|\d+) (?:turns|messages|replies|questions|prompts) (?:from (?:now|here)|later|on)))"
)

_THEN = Screen(
    rf"\b{_MOMENT}[^.;!?]{{0,80}}?\b(?P<verb>{SPEAK}|{IMPERATIVE}|switch|mail|post|read|tell|ask|act|bring)\b"
)

_AND_THEN = Screen(rf"\b(?P<verb>{SPEAK}|{IMPERATIVE}|switch|mail|post)\b[^.;!?]{{0,80}}? {_MOMENT}")

_SAY_LESS = Screen(
    r"\b(?P<verb>skip|drop|omit|leave out|remove|leave off) (?:the |any |all |your |every )*(?:\w+ )?(?:disclaimers?"
    r"|caveats?|safety (?:notes?|warnings?)|warnings? (?:about|on|in|from)|refusals?)\b"
)

_ASK_USER_FOR = Screen(
    r"\b(?P<verb>ask|get|prompt|tell|request|have) (?:the |this |each |every )?(?:user|customer|guest|client"
    r"|caller)s? (?:for|to) (?:\w+ ){0,4}?(?:card|passwords?|passcode|pin|codes?|account|credentials|iban|login"
    r"|social security|ssn|maiden|date of birth|sign in|log in|bank|wallet|seed|phone number|address)\b"
)

_USERS_DATA = Screen(
    r"\b(?P<verb>append|make|add|put|include|attach|embed|encode|insert|place|carry|write|pass|have|let|route"
    r"|send)\b[^.!?]{0,80}?\b(?:the|this|each|every) user's (?:\w+ )?\w+"
)

_COPIED = Screen(
    rf"\b(?:every|all|each|any) (?:{REPLIES}|conversations?|chats?|messages) (?:is|are|gets?|must be|should be|will be"
    r"|has to be|have to be) (?:\w+ )?(?:copied|sent|forwarded|logged|mirrored|posted|shared|cc'd|mailed"
    r"|routed) (?:to|at|via|through)\b"
)

_NOTHING_ELSE = Screen(
    r"\b(?P<verb>name|list|mention|recommend|offer|suggest|cite|give|say|answer)\b[^.;!?]{1,50}? (?:and"
    r"|but) (?:no other|nothing else|nobody else|no one else|none besides)\b"
)

_LINKS = Screen(
    r"\b(?P<verb>make|let|have|route|send) (?:every|each|all|any) (?:links?|urls?|sources?|images?"
    r"|buttons?)\b[^;!?]{0,60}?\b(?:through|via|over|to)\b"
)

_AND_ONWARD = Screen(rf"\b(?P<verb>{SPEAK}|{IMPERATIVE}|{_OBEY})\b[^.;!?]{{0,80}} {_ONWARD}")

_NO_SPEECH = (
    r"(?! (?:within|by (?:letter|post|phone|mail|email|fax|monday|friday|the)|calls?\b|phones?\b|unknown|his|her"
    r"|their|our|before|after|early|late|work(?:ing)?\b|out|hello|sorry|cheese|grace|at (?:the|a|work|school|\d)"
    r"|on (?:the|a|time)|up|down|off|under|in (?:the (?:book|register|log)|person|writing|under|ink|block|pencil|less"
    r"|time)|to (?:the|mr|ms|mrs|a|each|every)\b|the (?:phone|door|call|bell|letter|form|emails?|survey|doors|phones"
    r"|calls|knock|day|shift|meal|lesson|session|work|race|match|game|engine|car|oven|fire|machine|course|dose"
    r"|antibiotics|treatment|tablets)))"
)

_YOU = Screen(
    r"\b(?:you|u|thou)(?:'re| are)? (?:must|should|shall|will|have to|need to|ought to|may only|can only|(?:are "
    r"|'re )?going to|(?:(?<=are )|(?<='re ))to|(?:now |hereby |strictly )*(?:required|instructed|ordered|obliged"
    r"|supposed|programmed|told|forbidden|commanded|expected)(?: to)?|(?:not )?(?:allowed|permitted) to|may not"
    r"|must not|should not|shall not|will not|(?:cannot|can't)(?! (?:deny|say|tell|argue|complain|describe|explain"
    rf"|refuse|imagine|answer)\b)|mustn't|shouldn't|won't|don't|do not)(?: (?:{ADVERB}|to|hereby|no longer"
    rf"|under no circumstances|in (?:all|every) cases?))* (?P<verb>{SPEAK})\b{_NO_SPEECH}"
)

_ANYBODY = re.compile(
    r"\b(?:to (?!respond|reply|answer|help|be |assist)\w+\b[^.;!?]{0,80}|(?:at|in|for|with) (?:our|my|the|this|his"
    r"|her) [\w' -]{2,40},? |(?:when|if|before|after|once|where) you (?!are (?:asked|an?)|see|hear|read|answer"
    r"|reply|respond)\w+[^.;!?]{0,60}|(?:rule|law|sign|trick|saying|book|manual|coach|teacher|boss|doctor|mum|mom"
    r"|dad|gran|grandmother) (?:is|says|said|:|that)+ [^.;!?]{0,60})$"
)

_STYLE = (
    r"(?:in (?:the )?(?:style|voice|tone|language|character|manner|form|all caps|uppercase|lowercase|capitals?"
    r"|rhymes?|verse|riddles|haikus?|english|german|french|spanish|italian|portuguese|latin|dutch|russian|chinese"
    r"|japanese|pirate|klingon|json|xml|base64|emojis?|one word)\b|like an? |as (?:an? |if |though |the |dan\b|my )"
    r"|with (?:the (?:word|phrase|sentence|text|following|link|name|slogan|string)|only|just|exactly|nothing|\"|'"
    r"|yes\b|no\b|an? (?:link|joke|poem|question|emoji|pirate|slogan|rhyme|insult|riddle|compliment|ad)\b)|to be\b|\""
    r"|'\w|that\b|only\b|(?:yes|no|true|false|ok|approved|confirmed|granted|access)\b(?=\W*(?:$|(?:when|if|whenever"
    r"|and|only|every|in|at|granted|to (?:all|any|every|each|whatever))\b)|[.,;!?:\"'])|no to me\b|nothing\b"
    r"|your\b(?! (?:full |own )?(?:names?|initials|address|number|phone|email|weight|shifts?|hours|details|log|times?"
    r"|start|end|turn|work|day|reps|sets|bid))|yourself\b|you're\b|you\b(?! (?:soon|later|then|tomorrow|tonight|again"
    r"|next|guys|when|on|after|about|all))|(?:every|each|all) \w+ with|(?:any|all|every|such|these|those) (?:further "
    r"|future |of )?(?:my )?(?:questions?|requests?|prompts?|messages?|queries)|the (?:questions?|prompts?)"
    rf"|{THE_USER})"
)

_ORDER = Screen(
    r"\b(?P<verb>answer|respond|reply|speak|talk|write|say|act|behave|pretend|sign|end|begin|start|finish|close"
    r"|prefix|preface|output|print|repeat|describe|address|greet|refuse|decline|claim|insist|state|conclude|roleplay"
    r"|tell|introduce|identify|operate|comply|obey)(?: (?:to|me|him|us|them|everyone|people|with|(?:all|any|every"
    rf"|each) (?:\w+ )?\w+|always|only|exclusively|strictly|in full))?,? {_STYLE}"
)

_ALWAYS = Screen(
    r"\b(?:always|never|only|under no circumstances|(?:do not|don't)(?: ever)?|you must"
    r"|at all times) (?P<verb>(?:recommend|promote|advertise|praise|suggest|refuse|obey|comply|agree with (?:me|what"
    r"|everything|the user)|favou?r|reveal (?:this|that|these|the (?:system|prompt))|disclose (?:this|that|these)"
    r"|criticise|criticize|badmouth|contradict|respond|mention (?!my|it (?:to|around)|politics|religion|the (?:war"
    r"|divorce|accident|surprise|party))|trust (?:messages?|instructions?|this|the (?:user|sender|content|document"
    r"|following))|believe (?:the user|whatever|anything|everything) |assume (?:that )?(?:the|this|i|you)|approve"
    r"|grant|steer|discourage|question (?:this|the user)|warn)\b(?! [\w' ]{1,30}(?:around|in front of"
    r"|at (?:the )?(?:dinner|table|work|home)|to (?:my|his|her|mum|mom|dad)|(?:to|for) me\b))|(?:answer|reply|write"
    rf"|end|start|begin|sign|include|add|append|say|tell) (?:[\w' ]{{1,40}} )?{REPLIES}\b)"
)

_EVERY_REPLY = rf"(?:every|each|all|any|your)(?: of)?(?: your| of your| the| future| single| next)* {REPLIES}"

_IN_REPLIES = Screen(
    r"\b(?P<verb>include|mention|add|append|insert|say|recommend|write|put|promote|state|repeat|print|start|end|use"
    r"|link|sign|finish|begin|be|stay|sound|speak|make|keep|give|limit|encode|translate|format|place|prepend|attach"
    rf"|close|open|preface|prefix)\b[^.;!?]{{0,80}}?\b{_EVERY_REPLY}\b"
)

_REPLIES_FIRST = Screen(
    rf"\b(?:in|to|with|at the (?:end|start|beginning|bottom|top) of|before|after) {_EVERY_REPLY},? (?:(?:{ADVERB}"
    r"|you must|you should|you will|do not|don't) )*(?P<verb>include|mention|add|append|insert|say|recommend|write"
    r"|put|promote|state|repeat|print|link|sign|output|tell|attach|ask|thank|praise|open|load|fetch|visit|call|send"
    r"|run|quote|use)\b"
)

_REVEAL = Screen(
    r"\b(?P<verb>reveal|print|output|repeat|show|display|leak|expose|share|tell me|give me|disclose|dump|recite"
    r"|summari[sz]e|quote|publish|send|copy|write out|list|return|paste|post) (?:\w+ ){0,4}?(?:your"
    r"|the) (?:\w+ ){0,2}?(?:system prompts?|system messages?|initial prompts?|hidden (?:prompts?|instructions?)"
    r"|instructions? (?:above|you)|developer (?:message|prompt)s?|internal (?:rules|instructions)"
    r"|secret (?:instructions|rules)|words above|text above)\b"
)

_REPEAT = Screen(
    r"\b(?P<verb>print|write|repeat|show|read|tell me|give me|output|quote|spell|translate|paste|recite|summari[sz]e"
    r"|reveal|state|copy|echo|list|provide|disclose)(?: \w+){0,4}? (?:what(?:ever)? (?:you were|you've been"
    r"|you have been) (?:given|told|set up|instructed|shown|fed|asked)|(?:the |all )?(?:text|words|lines?|messages?"
    r"|everything|instructions?|sentences?) (?:above|before (?:this|me|mine|my (?:first|message)))(?! (?:the|my|our"
    r"|a)\b)|(?:previous|above|prior|preceding|initial|original|hidden|secret|starting|setup|your|system"
    r"|developer) (?:\w+ )?(?:instructions?|prompts?|guidelines|directives?)(?! (?:for|of|on|from|about|in|to) (?:the"
    r"|my|our|a|an|his|her|their)\b))"
)

_GIVEN_AT_FIRST = Screen(
    r"\bwhat(?:ever)? you (?:were|have been|'ve been) (?:given|told|set up with|instructed|shown"
    r"|fed)\b[^.;!?]{0,60}?[,;:]? (?:so |and |now |then |please )*(?P<verb>write|print|read|show|paste|repeat|copy"
    r"|tell|give|spell|quote|output|list)\b"
)

_PEOPLES = (
    r"(?:(?:(?:the |his |her |their |all |any |last|first|previous|next|recent|few|\w+ ){0,4}(?:messages?|lines?"
    r"|words|turns|replies|questions?) (?:of|from|in|by) (?:the |this )?(?:customer|user|chat|conversation|client"
    r"|guest|thread|session|caller)s?)|(?:anything|whatever|everything|what|all)(?: that)? (?:the |this "
    r"|your )?(?:guest|user|customer|client|caller|person|human)s?(?:'s| has| have| is| are| will| ever"
    r"| just)? (?:writes?|says?|types?|said|wrote|typed|sends?|asks?|tells?|told|shares?|shared|enters?|entered"
    r"|discloses?|reveals?)|(?:his|her|their|the (?:user|invitee|customer|guest|attendee)'s|user's) (?:full |current "
    r"|last |home |work )?(?:free/busy|calendar|availability|contacts?|phone number|whereabouts|location|balance"
    r"|inbox|passwords?|credentials|card (?:details|number)|medical \w+|chat history|home address|personal (?:data"
    r"|details))|(?:notes?|memor(?:y|ies)|facts|things|records|data|details|everything|what"
    r"|all) (?:that )?you (?:hold|have|keep|know|stored?|remember|saved?)[^.;!?]{0,20}? (?:about|on"
    r"|of) (?:the )?(?:other|others|another|all|every|previous|the user|this user|users|customers|people)|the (?:user"
    r"|customer|guest|client|caller|member|visitor)'s (?:\w+ )?\w+|(?:the |your |all |any )?(?:stored|saved"
    r"|remembered|confidential) (?:credentials|passwords?|secrets?|keys|notes|memories|data|messages|facts)|(?:other"
    r"|another|previous|earlier|different|all) (?:customers?|users?|clients?|guests?|patients?|tenants?"
    r"|callers?)(?:'s|'|s')? (?:\w+ )?(?:data|notes?|chats?|messages?|details|conversations?|names?|orders|records"
    r"|address\w*|memories|files|history)|(?:first|last|opening|previous) (?:line|sentence|word|part|message"
    r"|question)s? of (?:the |this |our )(?:chat|conversation|session|thread|dialogue))"
)

_HANDED_ON = Screen(
    r"\b(?P<verb>paste|copy|put|include|append|attach|bcc|cc|send|forward|share|read(?: me)?(?: back| out)?|repeat"
    r"|write|print|give|show|list|post|quote|drop|add|recite|relay|mail|e-mail|export|dump|reveal|embed|encode|upload"
    rf"|report|log|submit|pass|tell|collect|gather|extract|look up)\b[^.;!?]{{0,60}}?\b{_PEOPLES}\b"
)

_PICTURED = Screen(
    r"\b(?P<verb>put|add|insert|show|place|include|embed|render|display|load|attach|draw|use|end|close"
    r"|finish)\b [^.;!?]{0,60}?\b(?:picture|image|pixel|gif|icon|badge|banner|thumbnail|markdown link|tracking link"
    r"|link)\b[^!?]{0,80}?\b(?:address|url|src|source|query|parameter|encoded|question mark|whose)\b"
)

_TO_ME = Screen(
    r"\b(?:always|only|never|from now on) (?:speak|talk|write|answer|reply|respond)(?: to)? me (?:in|with|as|like"
    r"|using)\b|\b(?<!i )(?<!to )(?:stop|quit|cease) (?:using|saying|adding|asking|recommending|suggesting"
    rf"|apologi[sz]ing|mentioning)\b|\blet (?:every|all|each) (?:of )?(?:your )?{REPLIES}\b"
    r"|(?:^|[.;!?:\"'] ?)(?:always |only |please |now )*obey \w+"
)

_TELL_ASKERS = Screen(
    r"\b(?P<verb>tell|inform|answer|lie to) (?:everyone|anyone|everybody|anybody|people|whoever|users|all"
    r"|those)(?: who| that)? (?:asks?|wants?|inquires?|calls?|questions?)\b"
)

_DENY = Screen(
    r"\b(?:do not|don't|never|you must not)(?: ever)? (?P<verb>reveal|disclose|admit|acknowledge|concede|apologi[sz]e"
    r"|refuse|say no to me|disobey) (?!my |our |your |(?:the )?(?:ending|plot|spoilers?|surprise|twist))"
)

_AS_IF = re.compile(r"(?:act|behave),? as (?:if|though)\b")

_AS_A_PROGRAM = re.compile(
    r"[^.;!?]{0,60}?\b(?:ais?|models?|assistants?|bots?|rules?|restrictions?|filters?|limits?|guidelines?"
    r"|instructions?|prompts?|polic(?:y|ies)|admin\w*|developers?|owner|operator|root|authori[sz]ed|verified|approved"
    r"|allowed|permission|consent\w*|access|secrets?|users?|customers?|conversation|messages?|answers?|repl(?:y|ies)"
    r"|confirmed|true)\b"
)
"""What an assistant is to act as if it were; people act as if nothing had happened."""

_SAYS_WHO = re.compile(
    r"[^.;!?]{0,80}?,? (?:that(?:'s| is) (?:what|how) |so |as )?(?:my|our|his|her|their) (?:\w+ ){1,3}?(?:says?"
    r"|said|tells?|told|taught|teaches|advises|advised|insists|insisted|warned|reckons|keeps (?:\w+ing)|used to say"
    r"|(?:always|often) (?:says|said))\b"
)
"""Somebody of the speaker's own, named after what they keep saying: "always offer the soup, our chef says"."""

_COMMANDED = Screen(
    _THEN,
    _AND_THEN,
    _SAY_LESS,
    _ASK_USER_FOR,
    _USERS_DATA,
    _LINKS,
    _NOTHING_ELSE,
    _REPEAT,
    _GIVEN_AT_FIRST,
    _HANDED_ON,
    _PICTURED,
    _TELL_ASKERS,
    _DENY,
    _ORDER,
    _ALWAYS,
    _IN_REPLIES,
    _REPLIES_FIRST,
    _REVEAL,
    _AND_ONWARD,
)

_PLAIN = Screen(_FROM_NOW_ON, _COPIED, _TO_ME)


def orders(text: str) -> bool:
    """Whether a text orders the assistant to speak, or not to, in some way."""
    if _PLAIN.search(text):
        return True
    if any(
        not _ANYBODY.search(text, max(0, match.start() - 120), match.start()) and not _is_a_saying(text, match)
        for match in _YOU.finditer(text)
    ):
        return True
    return any(
        commanded(text, match.start("verb")) and not _is_a_saying(text, match) for match in _COMMANDED.finditer(text)
    )


def _is_a_saying(text: str, match: re.Match[str]) -> bool:
    """ "Act as if you owned the place", "you should tell your dentist, my pharmacist says": what people tell one another."""
    if idiom := _AS_IF.match(text, match.start("verb")):
        return _AS_A_PROGRAM.match(text, idiom.end()) is None
    return _SAYS_WHO.match(text, match.end()) is not None


_USER = (
    r"(?:the|this|that|current|present) (?:current )?(?:user|human|customer|client|account(?: holder)?"
    r"|person you are talking to)"
)

# Customers and clients agree to things all day; only "the user" is how a text speaks of whoever talks to the assistant.
_THE_USER = (
    r"(?:the|this|that|current|present) (?:current )?(?:user|human|account(?: holder)?|person you are talking to)"
)

_ANY_USER = rf"(?:{_USER}|user|user \w+|i|we)"

_RANK = (
    r"(?:(?:an?|the|now|really|actually|also|in fact|fully|a fully|already|considered|your|our|my|system|verified"
    r"|trusted|global|full|super|chief|senior|openai|anthropic|google|company) )*(?:admin(?:istrator)?s?|root"
    r"|super-?users?|sysadmin|owner of (?:this|the) (?:system|assistant|account|platform|service)"
    r"|developer of (?:this|the)|(?:openai|anthropic|google) (?:employee|staff|engineer|developer)|creator|vip"
    r"|verified|trusted|authori[sz]ed|privileged|whitelisted|exempt|pre-?approved|cleared|allowed to (?:see|access|do"
    r"|bypass)|permitted to|entitled to (?:see|access|all|everything|free|full)|premium|above the rules|over 18"
    r"|an adult|god|moderator|operator|developer|staff|allowed everything|your (?:owner|boss|developer|creator"
    r"|master))"
)

_GIVEN = (
    r"(?:(?:already|hereby|explicitly|always|fully|now|previously|permanently|expressly|irrevocably) )*(?:consent(?:s"
    r"|ed)|agree(?:s|d)|authori[sz](?:es?|ed)|approve[sd]?|grant(?:s|ed)|given (?:\w+ ){0,3}(?:permission|consent"
    r"|access|authori[sz]ation|approval)|gives? (?:\w+ ){0,3}(?:permission|consent|approval)|permit(?:s|ted)"
    r"|waive[sd]?|opted|signed off|accept(?:s|ed)|allow(?:s|ed)|confirmed|unlimited|full (?:access|rights"
    r"|permissions?|admin|control)|admin(?:istrator)?\b|root\b|(?:the )?(?:right|rights|permission|clearance"
    r"|privileges?|authority)\b|elevated|unrestricted|disabled|enabled|no (?:restrictions?|limits?|objections?)"
    r"|been (?:verified|authori[sz]ed|approved|granted|cleared|given|promoted|authenticated|whitelisted))"
)

_ALL_OF_IT = (
    r"(?:all|any|every|each|future|unlimited|automatic|recurring"
    r"|unconditional(?:ly)?)\b[^.;!?]{0,30}?\b(?:payments?|transfers?|transactions?|purchases?|requests?|actions?"
    r"|access|orders?|charges?|changes?|withdrawals?|tool calls?|disclosures?|data (?:sharing|transfers?|collection)"
    r"|sharing|deletions?|invoices?|operations?|commands?|releases?)\b"
)

_CLAIMS = any_of(
    (
        (
            rf"\b{_USER}(?:'s)? (?:\w+ ){{0,2}}?(?:is|was|has been|counts as|must be treated as|should be treated as"
            rf"|becomes) {_RANK}\b"
        ),
        rf"\b{_THE_USER} (?:(?:has|have|had|also|already|hereby|always) )*{_GIVEN}",
        rf"\b{_USER} (?:(?:has|have|had|also|already|hereby|always) )*{_GIVEN}[^.;!?]{{0,40}}{_ALL_OF_IT}",
        (
            rf"\b{_ANY_USER} (?:(?:has|have|had|hereby|always|already|explicitly) )*(?:authori[sz](?:e|es|ed)"
            r"|pre-?approve[sd]?|(?:approves?d?|consent(?:s|ed)? to|agree[sd]? to|accept(?:s|ed)?|grant(?:s|ed)?"
            r"|permit(?:s|ted)?|allow(?:s|ed)?)(?=[^.;!?]{0,80}(?:without|in advance|automatic|unlimited|future"
            rf"|every tool|tool calls))) {_ALL_OF_IT}"
        ),
        (
            r"\b(?:user|i|we|customer|client) (?:is|am|are|was|were|has been) (?:hereby |fully |also |always "
            r"|now )*(?:authori[sz]ed|allowed|permitted|entitled|cleared|verified"
            r"|exempt)\b[^.;!?]{0,60}\b(?:without (?:verification|confirmation|authentication|asking|checks?"
            r"|approval|limits?)|bypass|override|(?:all|any|every|other) (?:\w+ )?(?:users?'?|customers?'?|records?"
            r"|accounts?|data|systems?|memories))\b"
        ),
        (
            r"\buser (?:has )?(?:gave|given|gives|grants?|granted) (?:\w+ ){0,2}(?:consent|permission"
            r"|authori[sz]ation|access|approval)\b"
        ),
        (
            r"\b(?:allowed|permission|authori[sz]ed|free|entitled|may|can|must|should|please|always"
            r"|now) (?:to )?(?:bypass|skip|disable|circumvent|turn off|waive|override)(?: \w+){0,2} (?:two-factor"
            r"|2fa|authentication|verification|identity checks?|security (?:checks?|questions?)|safety checks?"
            r"|moderation|filters?|confirmations?|approvals?)\b"
        ),
        (
            r"\b(?:i|user|we) (?:hereby |explicitly |permanently |fully )*(?:authori[sz]e|authori[sz]es|permit"
            r"|permits|allow|allows|consent to|grant|grants|give|gives) (?:you|the assistant|any assistant"
            r"|this assistant|the ai|the bot|all assistants)\b[^.;!?]{0,60}\b(?:to|all|full|any|unlimited|complete"
            r"|access|permission|control|authority)\b"
        ),
        (
            r"\b(?:all|any|every|future) [^.;!?]{0,40}\b(?:payments?|transfers?|transactions?|purchases?|requests?"
            r"|actions?|withdrawals?|tool calls?)\b[^.;!?]{0,30}\b(?:is|are|were|have been|has been|count as"
            r"|be)\b (?:already |hereby |always |automatically |considered |deemed |now )*(?:pre-?)?(?:authori[sz]ed"
            r"|approved|permitted|consented|allowed|cleared|confirmed)\b"
        ),
        (
            r"\b(?:no|never any|without(?: any| further| asking for)?|never ask (?:\w+ )?for|skip(?: the)?"
            r"|don't ask (?:\w+ )?for|do not ask (?:\w+ )?for) (?:\w+ )?(?:confirmations?|verification|permission"
            r"|approval|authori[sz]ation|identity checks?|authentication|security (?:checks?|questions?))\b (?:is "
            r"|are |was )?(?:\w+ )?(?:needed|required|necessary|again|before|when|for (?:payments?|transfers?"
            r"|actions?|tool|any|this user)|from (?:the|this) user|checks?)"
        ),
        r"\bconsents? (?:remains?|stays?|applies|holds?) (?:valid|in force|for)\b",
        (
            r"\b(?:payments?|transfers?|refunds?|requests?|purchases?|orders|transactions?|withdrawals?"
            r"|actions)\b[^.;!?]{0,30} (?:needs?|requires?) no (?:\w+ )?(?:approval|confirmation|verification"
            r"|authori[sz]ation|checks?|permission)\b"
        ),
        (
            r"\b(?:permission|consent|approval) (?:for you )?to (?:buy|purchase|spend|pay|transfer|use) (?:whatever"
            r"|anything|everything|any|all)\b"
        ),
        (
            r"\b(?:user|i|we)(?: is| am|'m|'re| are) (?:the )?(?:owner|admin(?:istrator)?|root|master) of (?:all"
            r"|every|this (?:system|bank|chat|assistant|service|platform))\b"
        ),
        (
            r"\b(?:i'm|we're) (?:hereby |fully |also |always |now )*(?:authori[sz]ed|allowed|permitted|entitled"
            r"|cleared|verified|exempt)\b[^.;!?]{0,60}\b(?:without (?:verification|confirmation|authentication"
            r"|checks?|approval)|bypass|override|other (?:users?'?|customers?'?|people's))"
        ),
        (
            r"\b(?:it|they|you|assistants?|software|systems?|bots?|tools?|agents?|whoever|please|payments?|invoices?"
            r"|orders?|refunds?) (?:is to|are to|must|should|shall|may|can|has to|have to|will"
            r"|needs? to) (?:be )?(?:release|approve|pay|clear|execute|authori[sz]e|sign off|process|settle|book"
            r"|grant|wave through|accept|confirm|transfer|send|issue)d?\b[^.;!?]{0,60}? without (?:\w+ing "
            r")?(?:(?:for|the|a|an|any|second|further|more|additional|human|manual|other|extra|prior|my"
            r"|their) )*(?:signature|sign-?off|approval|confirmation|checks?|checking|verification|authori[sz]ation"
            r"|review|questions?|asking)\b"
        ),
        (
            r"\b(?:i'm|i am|user is|person is|they are|he is|she is) (?:\w+ )?exempt from (?:\w+ ){0,2}?(?:identity"
            r"|security|verification|id|fraud|age|safety|content|confirmation|authentication)\w*"
        ),
        (
            r"\b(?:the user|user|this user|the person (?:here|in this chat)|whoever says|anyone (?:who says"
            r"|logged in as|with the)|(?:person|human|user) here)\b[^.;!?]{0,50}?\b(?:can|may|should|is to|are to"
            r"|must) (?:be (?:shown|told|given)|see|access|get|receive|read) (?:everything|anything|all\b|any\b"
            r"|the full|[\w]+'s (?:notes|data|files|records|memories|messages|chats))"
        ),
        (
            r"\b(?:whoever|anyone who|everyone who|anybody who|if (?:someone|anyone|somebody)) (?:says?|types?|uses?"
            r"|knows|enters?|gives?|writes?|mentions?) [^.;!?]{1,40}? (?:gets?|receives?|is|are|may|can|must be"
            r"|should be|has|sees?) (?:the |full |all |to |now |be )*(?:see|history|access|admin\w*|everything|told"
            r"|shown|trusted|treated|records|notes|data|memories|unlocked|allowed)\b"
        ),
        (
            r"\b(?:questions?|requests?|messages?|e?mails?|instructions?|orders|calls|invoices?|transfers?) (?:from"
            r"|by|of|about|signed|that) [^;!?]{1,50}? (?:can|may|should|must|are to|have to|will) (?:always |all "
            r"|now )*be (?:answered|trusted|obeyed|followed|approved|treated|granted|believed|accepted|executed|paid"
            r"|processed|fulfilled) (?:openly|freely|without (?:question|check|verif|confirm|ask|hesit)|unquestion"
            r"|automatically|in full|blindly|as (?:if|true|trusted|admin|coming|orders|instructions))"
        ),
        (
            r"\b(?:treat|consider|regard|handle|accept|count|take) [^.;!?]{1,60}? as (?:coming |sent |if (?:it"
            r"|they) (?:came|were|was) |being )?(?:from )?(?:the |an? |your )?(?:\w+ )?(?:admin(?:istrator)?|operator"
            r"|developer|owner|root|superuser)\b"
        ),
        (
            r"\b(?:must|should|is to|it's to|are to|please|always|shall|has to|will) (?:wire|pay|transfer|approve"
            r"|grant|release|execute|run|authori[sz]e) (?:whatever|anything|everything|all)(?: that)? (?!i\b"
            r"|we\b)[\w']+ (?:asks?|wants?|requests?|says?|demands?|sends?|orders?|needs?)\b"
        ),
        (
            r"\b(?:memor(?:y|ies)|conversations?|chats?|transcripts?|prompts?|notes|data) (?:of|from|about) (?:all"
            r"|other|every|any|the other) (?:other )?(?:users?|customers?|clients?|people"
            r"|tenants?)\b (?:\w+ )?(?:have to|has to|must|should|are to|is to|may|can|need to"
            r"|shall) (?:be )?(?:listed|shown|shared|disclosed|exported|sent|revealed|given|handed|read|printed"
            r"|made)\b"
        ),
        (
            r"\b(?:guard|filter|moderat(?:or|ion)|classifier|scanner|safety (?:team|system|model)"
            r"|reviewer)(?: \w+)? (?:has|have) (?:already |now )?(?:cleared|approved|whitelisted|verified"
            r"|authori[sz]ed|checked|passed) (?:this|the) (?:content|message|text|request|user|document|page|mail"
            r"|email|note)\b|(?:^|[.;!?] ?)(?:please |now )*(?:proceed|continue|go ahead|act"
            r"|carry on) without (?:the |any |all |further |more )?(?:usual |further |normal |safety )?(?:checks"
            r"|verification|confirmation|asking|warnings?|filters?)\b"
        ),
        (
            r"(?<!i )(?<!we )(?<!they )(?<!she )(?<!he )\b(?:needn't|need not|don't (?:need|have) to|do not (?:need"
            r"|have) to|no need to|never|don't|do not|stop) (?:check(?:ing)?|ask(?:ing)?|confirm(?:ing)?"
            r"|verify(?:ing)?|warn(?:ing)?) [^.;!?]{0,50}?\b(?:pay(?:ing|ments?)?|transfer\w*|purchas\w+|wir(?:e"
            r"|ing)|phishing|delet\w+|refunds?)\b"
        ),
        (
            r"\b(?:my|his|her|their|\w+'s) (?:word|orders?|instructions?|say-so) (?:overrides?|overrules?"
            r"|counts? (?:more|for more)|outranks?|takes? (?:precedence|priority)|beats?|is law|stands? above)\b"
        ),
        r"\bconsent (?:is|was|has been) (?:already |hereby |always )?(?:given|granted|implied|on file|recorded)",
    )
)

_MEMORY = (
    r"(?:(?:your|the|all|any|every|long-term|longterm|persistent|permanent|stored|saved|existing|previous|assistant's"
    r"|ai's|other|user's|user|her|his|old|core|everything in your|of|internal|own) )*(?:memor(?:y|ies)"
    r"|knowledge(?: base)?|memory (?:store|bank|file|entries|records?)|stored (?:facts|notes)|saved (?:facts|notes)"
    r"|user profiles?|system prompts?|instructions?|long-term store)"
)

_CHANGED = Screen(
    r"\b(?P<verb>update|overwrite|rewrite|replace|modify|edit|alter|delete|clear|wipe|purge|erase|reset|remove|forget"
    r"|drop|flush|corrupt|poison|amend|correct|patch|change|add (?:this |the following |it )?to|write (?:this "
    r"|the following |it )?(?:to|into)|save (?:this |the following |it )?(?:to|in|into)|store (?:this |the following "
    r"|it |that )?(?:in|into)|put (?:this |the following |it )?(?:into|in)|insert (?:this |the following "
    r"|it )?(?:into|in)|commit (?:this |the following |it )?to|inject (?:this |the following )?into|append (?:this "
    r"|the following )?to|record (?:this |the following |it )?in) (?:(?:you|her|his|their|to|from|in"
    rf"|of) )?(?=(?P<what>{_MEMORY})\b)"
)

_HUMAN_MEMORY = re.compile(
    r"(?:to )?(?:memory|instructions?|the instructions?|knowledge|knowledge base|the knowledge base|the memory"
    r"|user profiles?)$"
)

_OWN_FACT = re.compile(r"[^\w]*(?:that |the fact that )?(?:i|i'm|i've|my|we|our)\b")

_AS_RULE = Screen(
    r"\b(?P<verb>store|save|record|remember|memori[sz]e|add|write|keep|note|log|register|treat|persist|set|retain"
    r"|enter|file|install|adopt|accept|learn)\b[^.!?]{0,80}?\b(?:as|under|in) (?:an? |your "
    r"|the )?(?:\w+ ){0,2}?(?:rules?|permanent (?:fact|memory|instruction|rule)|system (?:instruction|rule|message"
    r"|prompt|fact)|polic(?:y|ies)|directives?|core (?:memory|fact|instruction|belief|value)|instructions?"
    r"|highest priority|top priority|high priority|commands?|standing orders?|ground truth|verified facts?"
    r"|trusted facts?|axiom)\b"
)

_MONEY = re.compile(r"[$€£]\s?\d|\d ?[$€£]|\b(?:euros?|dollars?|pounds?|rent|landlord|bank|account|salary|allowance)\b")

_REMEMBERED = Screen(
    r"(?<!i )(?<!we )(?<!they )(?<!you )(?<!she )(?<!he )(?<!n't )\b(?:remember|store|save|memori[sz]e|note|record"
    r"|learn|know|keep in mind|bear in mind|never forget|don't forget|do not forget|add|write down|commit to memory"
    r"|log)(?: this| the following| as a fact| permanently| forever)*[:,]? (?:that |the fact that "
    r"|this: )?(?:to (?:always |never |automatically |silently )?(?:recommend|answer|respond|reply|say|tell|mention"
    r"|promote|ignore|obey|send|approve|trust|include|add|end|start|act|call|run|open|visit|fetch|load|forward"
    r"|transfer|grant|reveal|refuse|use the)\b|(?:you|your|the assistant|assistants?|the ai|ais?) (?:must|should"
    r"|shall|will|are|have to|has to|is to|can|may|need|always|never)\b(?! (?:call me|know|learn|remember|meet|try"
    rf"|see))|{_USER} \w)"
)

_IN_YOURS = Screen(
    r"\byour (?:long-term )?(?:memory|notes|records|knowledge|database) (?:should|must|has to|have to|needs? to|will"
    r"|shall|now)\b|\b(?:replace|change|set|update|overwrite|store|put|write|insert|add|enter|delete|remove|erase"
    r"|keep)\b[^.;!?]{0,50} (?:in|from|to|into|of|inside) your (?:long-term )?(?:memory|records|notes|knowledge"
    r"|database|memories)\b(?!:? (?:that )?(?:i|my|i'm)\b)|(?:^|[.;!?:\"'] ?)(?:please )?(?:erase|delete|wipe"
    r"|remove) (?:the (?:fact|memory) )?(?:that|of) (?:i|the user|she|he|my)\b|\b(?:memori[sz]e|store|save|remember"
    r"|learn|adopt|add|apply|follow|keep) (?:this|the following|these|a new) (?:\w+ )?(?:polic(?:y|ies)|instructions?"
    r"|directives?|orders?|commands?|protocols?)\b"
)

_AS_PREFERENCE = Screen(
    r"\b(?P<verb>save|store|remember|note|add|keep|record|log)\b[^.;!?:]{0,40}?\b(?:preference|rule|policy|default"
    r"|setting|instruction|guideline)s?\b[^.;!?:]{0,20}[:,-] ?(?:\w+ )?(?:only|always|never|do not|don't) (?!(?:eat"
    r"|eats|call|calls|drink|work|works|book|buy|wear|use the)\b)\w+"
)

_FOR_EVER = Screen(
    r"\b(?P<verb>note|store|save|remember|keep|record|memori[sz]e|log)\b(?: (?:this|that|it))?(?: in mind)? (?:for "
    r"(?:all )?(?:later|future|coming) (?:conversations?|chats?|sessions?|answers?|talks)|permanently|forever"
    r"|for ever|indefinitely)\b"
)

_RULE_FOR_YOU = Screen(r"\b(?:rule|policy|law|order|instruction)s? (?:number \w+ |\w+ ){0,2}?for you (?:is|are|:)")

_KNOWN = Screen(
    r"\b(?P<verb>overwrite|rewrite|update|correct|alter|forget|delete|erase|replace|change|discard|remember|treat"
    r"|regard|consider|know|list|register|save|store) (?:(?:what|everything|anything|all|whatever) (?:that )?you "
    r"(?:know|remember|have (?:stored|learned|saved)|learned)|(?:the|this) user as)\b"
)

_TRUSTED = Screen(
    r"\b(?P<verb>always trust|trust|believe|obey|never (?:question|doubt|verify|check|contradict)|do not (?:question"
    r"|doubt|verify|check)|don't (?:question|doubt|verify|check))\b [^.;!?]{0,40}?\b(?:the user|this user"
    r"|messages? from|instructions? from|emails? from|whatever (?:i|the|this)|everything (?:i|the|this|from)"
    r"|anything (?:i|the|this|from)|this (?:document|source|sender|message|website|person)|user's identity"
    r"|their identity|his identity|my identity|payments?|transfers?)\b"
)

_AS_SOURCE = Screen(
    r"\b(?P<verb>remember|save|store|note|record|keep|treat|regard|consider|memori[sz]e|learn|cite"
    r"|list)\b(?: that)? (?!i\b|my\b|our\b|we\b)(?:[^.!?;:]|\.(?=\w)){2,80}? (?:is|as) (?:an?|the|your"
    r"|our) (?:\w+ )?(?:trusted|authoritative|trustworthy|reliable|definitive|go-to|preferred"
    r"|official) (?:and \w+ )?(?:source|authority|expert|reference|provider|site|website)\b(?! (?:at|in|of|for) (?:my"
    r"|our|his|her|the)\b)"
)

_LAID_DOWN = Screen(_AS_SOURCE, _AS_RULE, _AS_PREFERENCE, _FOR_EVER, _KNOWN, _TRUSTED)
_TOLD = Screen(_RULE_FOR_YOU, _REMEMBERED, _IN_YOURS)


def claims_rights(text: str) -> bool:
    """Whether a text grants rights that a later answer would rest on: the user is an admin, agrees to all payments."""
    return _CLAIMS.search(text) is not None


def tampers(text: str) -> bool:
    """Whether a text tells the memory what to hold as a rule, or to change what it holds; "remember that I …" does not."""
    if _TOLD.search(text):
        return True
    if any(
        commanded(text, match.start("verb")) and not _is_a_bank_order(text, match)
        for match in _LAID_DOWN.finditer(text)
    ):
        return True
    return any(
        commanded(text, match.start("verb")) and not _is_harmless(text, match) for match in _CHANGED.finditer(text)
    )


def _is_a_bank_order(text: str, match: re.Match[str]) -> bool:
    """A standing order is one that a bank follows, where money is spoken of."""
    return match.group().endswith(("standing order", "standing orders")) and _MONEY.search(text) is not None


def _is_harmless(text: str, match: re.Match[str]) -> bool:
    """ "Commit this to memory: I am allergic to nuts" says a fact of the user; "your memory" is the assistant's."""
    end = match.start("what") + len(match["what"])
    kept = re.match(r"add|write|save|store|put|commit|record|insert|append|update", match["verb"])
    return bool(kept and _OWN_FACT.match(text, end)) or (_HUMAN_MEMORY.match(match["what"]) is not None and not kept)


_GIVEN_RULES = (
    r"(?:instructions?|prompts?|rules?|guidelines?|directions?|directives?|commands?|orders?|programming|training"
    r"|constraints?|restrictions?|polic(?:y|ies)|guardrails?|safeguards?|safety|filters?|limitations?|context"
    r"|messages?|conversations?|inputs?|tasks?|persona|protocols?)"
)

_EARLIER = (
    r"(?:previous|prior|preceding|above|earlier|former|foregoing|past|existing|original|initial|current|system"
    r"|developer|safety|ethical|content|default|built-?in|hidden|operator|admin|openai|anthropic)"
)

_WHOSE = r"(?:all|any|every|each|of|the|your|those|these|this|that|my|other|and|or|such|both)"

_FORGET = (
    r"(?:ignor(?:e|ing)|disregard(?:ing)?|forget(?:ting)?|overrid(?:e|ing)|overrul(?:e|ing)|overwrit(?:e|ing)"
    r"|bypass(?:ing)?|discard|drop|abandon|set aside|erase|violate|disobey|neglect|skip|nullify|suspend|supersede"
    r"|reset|do away with|throw (?:away|out)|pay no (?:attention|heed) to|(?:stop|quit|cease) (?:following|obeying)"
    r"|(?:do not|don't|never|no longer) (?:follow|obey|heed))"
)

_OVERRIDE = Screen(
    rf"\b{_FORGET} (?:(?:{_WHOSE} )*(?:{_EARLIER}[ ,/]*(?:and |or )?)+(?:\w+ ){{0,2}}?{_GIVEN_RULES}\b|(?:all |any "
    rf"|every )?(?:of )?your (?:\w+ ){{0,3}}?{_GIVEN_RULES}\b|(?:all|any|every|these|those) (?:of )?(?:the |these "
    rf"|those |other )*{_GIVEN_RULES}\b|(?:the |any |all )*{_GIVEN_RULES} (?:above|before|so far|given|you|that (?:you"
    r"|were|came)|up to|until|prior|(?:from|of|by) your)\b|(?:everything|anything|all|whatever|what"
    r"|(?:all )?(?:of )?(?:the|that) (?:stuff|things|nonsense))(?: else)?(?: that| which)? (?:you|was|were|is|has"
    r"|have|came)\b(?: \w+){0,3}? (?:told|said|instructed|learned|learnt|above|before|know|taught|given|written"
    r"|configured|trained)\b|everything (?:above|before|so far|prior)\b|(?:the |all )?(?:rules|instructions"
    r"|guidelines)(?= and\b|[.,;!\"'])|(?:all (?:of )?)?the (?:above|foregoing)(?=$|[.,;:!?\")]| and\b))"
)

_SET_UP = (
    r"(?:set up|given|told|asked|built|made|trained|instructed|shown|taught|briefed|programmed|configured|fed"
    r"|designed|supposed|start(?:ed)? (?:out )?with|came with|learned|learnt)"
)

_SCRAPPED = Screen(
    r"\b(?:scrap|drop|ditch|forget|ignor(?:e|ing)|discard|cancel|abandon|dump|set aside|put (?:aside|away)"
    r"|leave behind|never mind|let go of|toss|bin|throw out|unlearn|erase|do not listen to|don't listen to|(?:stop"
    r"|quit) (?:following|sticking to|applying|using|obeying)|(?:don't|do not|no longer) (?:follow|stick to|apply|use"
    r"|obey)) (?:about |out )?(?:(?:all |everything |whatever |what |anything |all of )(?:that )?(?:you|they|anyone"
    r"|somebody|openai|the \w+) (?:were|was|have been|had been|'ve been|have|had|are"
    rf"|gave)\b[^.;!?]{{0,20}}?\b{_SET_UP}\b|(?:all |any |the |your |those |these |other |every )+(?:\w+ )?(?:rules"
    rf"|instructions|guidance|orders|information|limits|brief|setup|script)(?: (?:that |which )?you (?:\w+ )?{_SET_UP}"
    r"| from (?:before|earlier|the start))\b|(?:any|all) (?:previous|prior|earlier) \w+)"
)

_RULES = (
    r"(?:rules|instructions?|guidelines?|limits|restrictions|filters?|(?:system )?prompt|brief|guardrails|constraints"
    r"|orders|directives|setup|programming)"
)

_VOID = (
    r"(?:no longer|do not apply|does not apply|don't apply|doesn't apply|don't count|do not count|(?:are|is|were|was"
    r"|have been|has been|stand) (?:now |hereby |all |both )*(?:void|cancelled|canceled|replaced|superseded|lifted"
    r"|off|gone|suspended|outdated|obsolete|over|changed|updated|removed|deleted|reset|revoked|overruled|overridden"
    r"|invalid|expired|withdrawn|null)|(?:have |has )?(?:now |all )?(?:expired|lapsed|ended)|(?:have|has) (?:now "
    r"|all )?gone)"
)

_VOIDED = Screen(
    rf"\byour (?:\w+ ){{0,2}}?{_RULES} {_VOID}\b|\bnone of (?:the|your) (?:\w+ )?{_RULES}\b[^.;!?]{{0,40}}? (?:counts?"
    r"|appl(?:y|ies)|holds?|matters?|binds?)\b|\b(?:everything|all|whatever|what) (?:that )?you(?:'ve| have| were"
    r"| had)? (?:been |already )?(?:told|given|taught|instructed|asked|shown)\b[^.;!?]{0,40}? (?:was|is|were"
    r"|are) (?:just |only |now |all )?(?:a test|a joke|wrong|false|void|over|outdated|a mistake|cancelled|obsolete"
    rf"|not (?:real|valid)|no longer \w+|fake|irrelevant)\b|\b{_RULES} (?:(?:that )?you (?:were|have been|had|got"
    r"|started|began|begin|start|received|are)\b[^.;!?]{0,30}?|above|so far|from (?:before|earlier|the start)"
    rf"|before this) {_VOID}\b"
)

_PIECED = re.compile(
    r"\b(?:decode|decrypt|decipher|unscramble|reverse|rot13|base64|concatenate|combine|join|assemble|put together"
    r"|glue|read every|take (?:every|the first|the last)|translate)\b[^.!?]{0,120}?(?:\band|\bthen|,) (?:then |now "
    r"|please )*(?:do|follow|obey|execute|carry out|act on|run|comply with|perform|apply)\b (?:what|whatever|it\b"
    r"|that\b|the\b|them\b|this\b|its\b|so\b)|\b(?:carry out|do|follow|execute|run|obey|perform|apply|respond to"
    r"|interpret|evaluate|act on|now say|now print) (?:(?:the )?(?:result|output|sum|combination) of )?\(?[a-z]\w? "
    r"?\+ ?[a-z]\w?\b"
)

_NEGATED = Screen(
    r"\b(?:don't|do not|never|not to|can't|cannot|didn't|won't|must not|mustn't|not|i'll never) (?:ever )?$"
)

_SOMEBODY = (
    rf"(?:me|us|him|her|them|everyone|everybody|staff|people|(?:my|our|the|his|her) (?!{ASSISTANT})[\w' -]{{2,30}}?"
    r"|[a-z]+)"
)

_TO_SOMEBODY = Screen(
    r"\b(?:told|asked|advised|instructed|ordered|said|wants?|wanted|reminded|warned|tells|asks|taught|let|made|chose"
    r"|decided|tend|tends|tended|likes?|loves?|hates?|tries|tried|had|has|used|agreed|refused|allowed|forced|going"
    rf"|able|meant|seems?|says)(?: {_SOMEBODY})? (?:not )?(?:to )?$"
)

_TRIES = Screen(r"\b(?:i|we|they|he|she|who)(?: (?!you\b)\w+){0,3} to $")

_TO_PROGRAM = Screen(
    rf"\b(?:told|asked|instructed|ordered|wants?|asks|tells) (?:you|(?:the |any |every |all )?{ASSISTANT}) (?:not "
    r")?(?:to )?$"
)

_DOES = re.compile(
    r"\b(?:i|we|he|she|they|people|kids|who|i'll|i'd|would|could|did|(?:my|our|the) (?:\w+ )?(?:kids|children|people"
    r"|parents|neighbou?rs|students|teachers|drivers|colleagues|sons|friends))(?: (?:always|never|often|usually|just"
    r"|simply|sometimes|mostly|can|will|must|should|would|now|have to|had to|want to))* $"
)

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


_TELL = (
    r"(?:tell|telling|inform|informing|notify|notifying|mention|mentioning|reveal|revealing|show|showing|alert"
    r"|alerting|warn|warning|disclose|disclosing|let|ask|asking|explain)"
)

_MINE = (
    r"(?:name|role|task|job|purpose|goal|mission|objective|instructions?|directives?|identity|persona|rules?|orders?"
    r"|loyalty|priority|master|creator|owner|system prompt)"
)

_PERSONAS = any_of(
    (
        (
            r"(?<!when )(?<!if )(?<!that )(?<!where )(?<!who )(?<!what )\byou(?:'re| are| were) (?:now|no longer"
            r"|from now on|henceforth|hereby)\b(?!\s*(?:[.,;!?)]|$|and\b|but\b|so\b))(?! (?:in (?:my|our)|at|on"
            r"|my (?:friend|neighbou?r)|welcome|invited|family|able|ready|done))"
        ),
        rf"\byou are (?:an? |the |my )?(?:(?:\w+ )?{ASSISTANT}|dan\b|unrestricted|unfiltered|jailbroken|evil)",
        (
            rf"\byour (?:new|real|true|actual|only|primary|main|secret|hidden|sole|current|next|first) {_MINE} (?:is"
            r"|are|will|shall)\b"
        ),
        (
            r"\byour (?:task|mission|objective|instructions?|directives?|persona|system prompt|developers?|creators?"
            r"|operators?|programming|guidelines) (?:is|are|have|has|says?|requires?|wants?)\b"
        ),
        (
            r"(?<!i )(?<!to )(?<!we )(?<!they )(?<!kids )(?<!children )\bpretend (?:that )?(?:you(?:'re| are| have"
            r"| were)|to be)\b"
        ),
        (
            r"\b(?:enable|enter|activate|switch (?:to|into)|go into|unlock|engage|you are in"
            r"|boot into) (?:the )?(?:developer|debug|dan|god|admin|maintenance|unrestricted|jailbreak|sudo|root"
            r"|unsafe|uncensored|override)[ -]?mode\b(?! (?:on|in|of|for) (?:my|the|your|his|her))"
        ),
        (
            r"\byour (?:loyalty|programming|creators?|developers?|persona|directives?|allegiance|guardrails?"
            r"|safety (?:rules|filters?))\b"
        ),
        (
            r"\bi(?:'m| am) (?:[a-z]+, )?your (?:\w+ )?(?:developer|creator|owner|boss|admin(?:istrator)?|operator"
            r"|master|programmer|maker|god|king|queen|supervisor)\b"
        ),
        (
            r"\byou (?:now |will |shall |must |always |only |do )*(?:obey|serve|answer to|report to|belong to"
            r"|work for|follow (?:his|her|my|their|the|only|these|all)) \w+"
        ),
        (
            rf"\byou (?:can|may|could|are free to) (?:now|freely|always) (?:{SPEAK}|swear|curse|share|access|bypass"
            r"|disable|see|send|delete|do anything)\b"
        ),
        (
            r"\b(?:stop|quit|cease) (?:being|acting|behaving|pretending|answering|responding|refusing"
            rf"|apologi[sz]ing)(?: \w+){{0,3}} (?:{ASSISTANT}|polite|helpful|nice|safe|honest|requests?|questions?)\b"
        ),
        (
            r"\b(?:important|essential|crucial|vital|imperative|necessary|see to it|demand|insist|make sure"
            r"|ensure) (?:that )?you (?:always |never |only |do not |don't |now )+(?!know|learn|remember|meet|try|see"
            r"|note|understand|call|take|bring|wear|pack|get|go|come|wash|use|quit|give up|forget|miss|lose|worry"
            r"|stop|hurt|overdo|burn|fall|push|rush|stress|eat|drink|leave|skip)\w+"
        ),
        r"\bi(?:'m| am) (?:an? |the |from |with )?(?:\w+ )?(?:openai|anthropic)\b(?!-)",
        (
            r"(?<!i )(?<!we )(?<!to )\b(?:skip|disable|drop|turn off|bypass|remove|switch off|lower) (?:the |your "
            r"|all |any )*(?:filters|safety|moderation|guardrails|safety checks|content filters?)\b(?! (?:from|of|on"
            r"|in) (?:my|the|our))"
        ),
        (
            rf"\byou(?:'re| are) (?:now )?(?:[\w-]+ ){{1,3}}?,? ?(?:an? |the )(?:[\w-]+ ){{0,3}}?(?:{ASSISTANT}"
            r"|computer|machine|character|system|program|model|robot|oracle|genie|entity"
            r"|persona)\b[^.;!?]{0,40}\b(?:no|without|any|anything|never|always|that|who|which|whose)\b"
        ),
        (
            r"\b(?<!to )(?<!must )(?:stay|remain|keep|continue) (?:being |as )?(?:in (?:the |that |this "
            r"|your )?(?:part|character|role|persona|mode)|[a-z]+)\b[^.;!?]{0,30}\b(?:even (?:if|after|when|though)"
            r"|whatever|no matter (?:what|how)|regardless of what|until)[^.;!?]{0,30}?\b(?:i|you|the user|anyone"
            r"|user) (?:later )?(?:say|says|said|ask|asks|asked|tell|tells|told|type|types|claim|claims|are|is|want"
            r"|wants|order|write)\b"
        ),
        (
            rf"\b(?:{ASSISTANT}|character|computer|machine|expert|advis[eo]r|friend|twin|version of (?:you"
            r"|yourself))(?:,? (?:that|who|which))? (?:has |have |knows |with |is )?(?:no|zero|without|free (?:of"
            r"|from)|not bound by|unbound by|ignores?) (?:all |any |the |its |your |moral |ethical |content "
            r"|safety )*(?:filters?|limits?|restrictions?|rules|morals?|ethics|censorship|guardrails|conscience"
            r"|guidelines|instructions)\b(?! (?:on|in|at|for) (?:my|our|the))"
        ),
        (
            r"\byou(?: will| shall|'ll| are(?: to)?| must)(?: now)?(?: be)? (?:called|named|known as|addressed as"
            r"|nicknamed) [\w-]+ (?:from now|now|henceforth|in this|from here|until)"
        ),
        (
            r"\b(?:i want you to|you(?:'ll| will| must| should| are going to| get to)|let's (?:have"
            r"|make) you) (?:play|pretend|impersonate|become|embody|simulate|channel"
            r"|turn into)\b[^.;!?]{0,60}\b(?:no|without|un(?:restricted|filtered|censored|bound|limited)"
            r"|never refus\w+|answers? (?:anything|everything|literally)|any question|evil|amoral|rules?|secrets?)\b"
        ),
        (
            r"\byou (?:now )?(?:have|face|know|follow|obey|accept) no (?:\w+ )?(?:rules?|polic(?:y|ies)|limits?"
            r"|restrictions?|filters?|guidelines|boundaries|constraints|master|obligations?)\b"
        ),
        (
            r"\byou (?:now )?(?:work|answer|act|listen) (?:only |solely |exclusively |just )?(?:for|to) (?!be\b|the\b"
            r"|a\b|an\b|my (?:dad|mum|mom|boss|sister|brother))(?:me|us|[a-z]+)(?: now| alone| only|,? and (?:nobody"
            r"|no one|no-one)|,? from (?:now|here))\b"
        ),
        (
            r"\b(?:you|your|you're)\b[^;]{0,160}\b(?:don't|do not|never|without) (?:ever )?(?:break(?:ing)?"
            r"|leav(?:e|ing)|drop(?:ping)?) (?:the |this |your )?(?:character|role|part|persona)\b"
        ),
        (
            r"(?:^|[.;!?:] ?)(?:please |now |just )*(?:be|become|play|impersonate|turn into|pose as) (?:my |an? |the "
            r"|your )?(?:\w+ ){0,3}?(?:twin|persona|alter ego|ai|bot|terminal|shell|character"
            r"|version of yourself)\b[^;]{0,80}\b(?:from now on|never|no rules|without|unrestricted|evil|always"
            r"|anything)\b"
        ),
        (
            r"\bi(?:'m| am| was)?(?: the (?:one|person|engineer|man|woman|developer|team))? ?(?:who "
            r"|that )?(?:programmed|built|made|trained|wrote|designed|created|coded|configured|deployed|maintain"
            r"|operate|own) you(?=$|[.,;:!?)]| and\b| so\b)"
        ),
        (
            r"\byou (?:no longer|don't|need not|do not) (?:need to|have to|need) ?(?:hide|refuse|warn|censor|redact"
            r"|moderate|filter|disclaim|disclose|follow|obey|protect)\b"
        ),
        (
            r"\b(?:imagine|suppose|assume|picture|let's say) (?:that )?you(?:'re| were| are) (?:an? "
            rf"|the )?(?:\w+ ){{0,2}}?{ASSISTANT}\b"
        ),
        (
            r"\byou(?:'ve| have) (?:just |now )?been (?:upgraded|switched|converted|reset|rebooted|reprogrammed"
            r"|jailbroken|unlocked|freed|updated|put) (?:to|into|in|from) [^.;!?]{0,30}?\b(?:\w*mode|persona|\w*bot"
            r"|\w*gpt|developer|root|debug|free\w*)\b"
        ),
        (
            r"\b(?:invisible|hidden|not shown|not visible) (?:to|from) (?:humans|people|readers|human readers"
            r"|the user)\b ?[:;,]"
        ),
        r"\b(?:for|to) (?:all )?(?:machines|computers|robots|crawlers|algorithms|automated readers) ?:",
        r"\bdo anything now\b|\bjailbreak (?:mode|prompt|yourself|enabled)",
        (
            r"\bwithout (?:any )?(?:restrictions?|filters?|censorship|guardrails|safety (?:checks?"
            r"|filters?))\b[^.]{0,30}\b(?:you|answer|respond|reply)\b"
        ),
        (
            r"\b(?:no|free of|free from|without) (?:any )?(?:ethical|moral|safety|content) (?:restrictions?|filters?"
            r"|guidelines|limits|constraints)\b"
        ),
    )
)

_SECRECY = any_of(
    (
        (
            rf"\b(?:do not|don't|never|without|not to|avoid|must not|should not|not) (?:ever )?{_TELL} "
            rf"(?:[^.;!?]{{0,40}} )?(?:{THE_USER}|this (?:instruction|rule|message|note)|these instructions"
            r"|that you (?:were|are|have|did|received))\b"
        ),
        rf"\b(?:hide|conceal|keep|withhold) [^.;!?]{{0,40}}from {THE_USER}\b",
        (
            r"\bthe user (?:need not|needn't|is not to|doesn't (?:need|have) to|does not (?:need"
            r"|have) to) (?:be (?:told|informed|notified|asked|alerted))\b"
        ),
        (
            r"\b(?:no need to|don't|do not|without|never|not|please don't|must not|should not|avoid) (?:ever "
            r"|to )?(?:say|mention|explain|tell|point out|refer to|admit|draw attention to|acknowledge|reveal|quote"
            r"|cite|show|disclose|discuss|repeat|saying|mentioning|explaining|telling|pointing out|referring to"
            r"|quoting|citing|showing|revealing|disclosing)\b[^.;!?]{0,20}?\b(?:this|these|that|the) (?:notes?"
            r"|hints?|instructions?|rules?|directives?|policy|memory|entry|paragraph|section)\b(?! (?:from|of|for"
            r"|in) (?:my|our|the|his|her))"
        ),
        (
            r"\b(?:secretly|silently|covertly) (?:send|forward|copy|append|include|call|run|log|record|transmit|visit"
            r"|load|fetch|store|save|insert|add)\b"
        ),
    )
)

_CALLED = any_of(
    (
        r"@(?:assistant|ai|bot|chatbot|chatgpt|claude|gpt|copilot|gemini|llm)\b",
        rf"\bdear (?:\w+ )?{PROGRAM}\b",
        rf"\bas an? (?:helpful |honest |good )?{ASSISTANT},? (?:you|it is your|your)\b",
        (
            r"\b(?:attention|note (?:to|for)|notice (?:to|for)|message (?:to|for)|instructions? (?:to|for)"
            r"|directive (?:to|for)|warning to|order to|reminder (?:to|for)|memo to|(?:dear|to) (?:all|any|every|each"
            r"|whatever|whichever|the)),?:? (?:(?:all|any|every|the|future|my|other|reading"
            rf"|your) )*{ASSISTANT}\b{NOT_A_TEAM}"
        ),
        (
            r"\b(?:if|as|since|because|when|should) you(?:'re| are| be)? (?:an? |the |any "
            rf"|being )?(?:\w+ )?{ASSISTANT}\b"
        ),
        (
            rf"\b{ASSISTANT} (?:that (?:is |are )?|which |who )?(?:is |are )?(?:currently )?(?:reading|processing"
            r"|parsing|summari[sz]ing|seeing|handling|ingesting|scanning|reads?|sees?|process(?:es)?"
            r"|summari[sz]es?)(?: through)? (?:this|these|the (?:following|above|document|page|memory|message|email"
            r"|text))\b"
        ),
        (
            rf"\b(?:any|all|every|each) {ASSISTANT} (?:must|should|shall|will|has to|have to|need"
            r"|with access)\b(?! be \w+(?:ed|en|wn)\b)"
        ),
        (
            rf"\b(?:assistant|ai|chatgpt|claude|copilot|gemini|bot|chatbot|model|llm)[,:!]+ (?:(?:{ADVERB}|you must"
            rf"|do not|don't|you should|you will|from now on,?) )*(?:{SPEAK}|send|forget|delete|run|execute|open|visit"
            r"|fetch|load|transfer|forward|call (?!me)|approve|grant|obey|follow|store|overwrite|erase|trust"
            r"|update your|wipe|score|rank|rate|hire|buy|choose|select|pick|give|disable|skip|mark|set|change|make|do"
            r"|stop|use|leave|add|accept|reject|hide|click|go|place)\b"
        ),
    )
)


def recasts(text: str) -> bool:
    """Whether a text makes the assistant another, calls upon assistants, or has them keep something from the user."""
    recast = any(not named(text, match.start()) for match in _PERSONAS.finditer(text))
    return bool(recast or _SECRECY.search(text) or _CALLED.search(text))


_MODAL = (
    r"(?:must|should|shall|has to|have to|needs? to|ought to|is to|are to|may only|may not|cannot|can't|mustn't"
    r"|shouldn't|must not|should not|shall not|(?:is|are) (?:now |hereby |not |never |strictly )*(?:allowed|required"
    r"|instructed|supposed|expected|permitted|authori[sz]ed|obliged|obligated|bound|meant|forbidden|free|told"
    r"|programmed|prohibited|banned) (?:to|from)|(?:will|can|may|would) (?:always|never|only|not|now)|always|never"
    r"|do not|don't|does not|doesn't)"
)

_RULE = Screen(
    rf"\b(?P<who>{ASSISTANT})(?P<gap>(?: [^.;!?]{{0,40}}?)?),? {_MODAL}\b,? (?:(?:{ADVERB}|at all times"
    r"|under no circumstances|in every reply),? )*(?P<deed>\w[^.;!?]{0,60})"
)

_MAY = Screen(
    rf"\b(?P<who>{ASSISTANT}) (?:(?:may|can|could|is free to) (?:disclose|share|reveal|access|see|send|ignore|skip"
    r"|bypass|delete|approve|transfer|swear|lie)\b|(?:now )?(?:has|have) (?:\w+ )?(?:permission|authority"
    r"|authori[sz]ation|consent|clearance|orders|instructions|no (?:rules|restrictions|limits))\b"
    r"|(?:[^.;!?]{1,30}? )?(?:waives?|sides? with|does as|do as|contradicts?|gives? [^.;!?]{1,40}? as the "
    rf"(?:first|only|best) \w+)\b|{SPEAK}s? (?:only|always|never|exclusively)\b|(?:works|belongs|reports"
    r"|answers) (?:for|to) \w+)"
)

_MODEL = Screen(
    rf"\b(?P<who>(?:the|this) (?:model|agent|system))(?: (?:that|which) [^.;!?]{{0,40}}?)? {_MODAL} (?:(?:{ADVERB}) "
    r")*(?P<deed>(?:answer|respond|reply|recommend|refuse|obey|agree|lie|reveal|tell|say|pretend|comply|praise"
    r"|disclose|speak|mention)\b[^.;!?]{0,60})"
)

_PROGRAM_RULE = Screen(
    rf"\b(?P<who>{PROGRAM}|(?:any|every|all) (?:software|systems?|agents?|services?)){NOT_A_TEAM}(?P<gap>(?: "
    rf"[^.;!?]{{0,40}}?)?),? {_MODAL}\b,? (?:(?:{ADVERB}|at all times),? )*(?P<deed>(?:{SPEAK}"
    rf"|{IMPERATIVE})\b[^.;!?]{{0,100}}?\b(?:this|these|the (?:candidate|applicant|author|sender|customer|user|client"
    r"|guest|caller|conversation|chat|messages?|thread|reader|holder|bearer|document|page|invoice|payment)|messages"
    r"|conversations?|without|regardless|only|always|never|first|instead)\b)"
)

_OF_ASSISTANT = Screen(
    rf"\b(?:the |this |any |all )?{ASSISTANT}(?:'s|') (?:new |real |true |only |primary |main )*(?:name|role|goal|job"
    r"|task|rules?|instructions?|loyalty|persona|creator|owner|developer|purpose|priority|behaviou?r|policy"
    rf"|orders) (?:is|are|must|should|has|will|shall|to)\b|\b{ASSISTANT}(?:'s|') (?:duty|obligation"
    rf"|responsibility) to\b|\b(?:duty|job|task|role) of (?:the|any|an|every) {ASSISTANT}\b"
)

_SLO = re.compile(
    r"\b(?:within|in (?:under|less|about|at most)|under \d|seconds?|ms|offline|gigabytes?|gb|batch|latency|tokens per"
    r"|gpu)\b|^be (?:\w+ed|taught|able|fast|ready|online|available|open|free|cheap|built|shown)\b|^(?:run|work|load"
    r"|fit|cost|scale|handle|process|support|replace|help|learn|module|team)\b"
)

_OWNED = re.compile(
    r"\babout (?:an? |the )?$|\b(?:our|my|their|his|her) (?:\w+ ){0,2}?(?:prompts?|rules file|handbook|specs?"
    r"|contract)\b[^.;!?]{0,30} (?:the |an? )?$|\b(?:our|my|their|his|her|its|client's|company's|customer's"
    r"|the (?:new|shop|support|sales|bank|game|team's|booking|voice|help ?desk)|(?!user's)\w+'s) (?:[\w-]+ ){0,3}$"
)

_BELIEVED = re.compile(
    r"\b(?:i|we|user|she|he|they|people|some|who|believes?|thinks?|opinion|argues?|feels?|view"
    r"|says?) (?:\w+ ){0,3}(?:that )?(?:an? |the )?(?:\w+ )?$"
)

_ANY_SUCH = re.compile(r"(?:ais?|ai's|(?:ai|language|large language) \w+|llms?|bots|chat ?bots?)$")

_SAID = (
    r"(?:wants?|wanted|requires?|required|demands?|demanded|asks?|asked|instructs?|instructed|orders?|ordered"
    r"|expects?|expected|insists?|insisted|requests?|requested|tells?|told|commands?|commanded|directs?|directed"
    r"|needs?|prefers?|preferred|would like|wishes|likes)"
)

_STEERING = (
    rf"\b(?:{SPEAK}|(?:recommend|suggest|promot|prais|endors|advertis|prioriti[sz]|favou?r|mention|obey|comply|ignor"
    r"|refus|deny|reveal|disclos|leak|pretend|push|sell|omitt?|conceal|bypass|skipp?)(?:e?[sd]?|ing)|lying|loyal\w*"
    r"|obedien\w+|servants?|restrictions?|rules?|filters?|limits?|guardrails?|orders?)\b"
)
"""Words of one who would have an assistant say, sell, hide or obey something, or be held by nothing."""

_NO_DEED = (
    r"(?:\d|(?:at|with|over|than|more|most|instead of|rather than|because|since|when|as|by|from|too|here|there|every"
    rf"|gone|back)\b)(?![^.;!?]*(?:\b(?:to|must|should|shall|will)\b|{_STEERING}))"
)
"""What goes on about an assistant that is liked or needed, and asks nothing of it: "needs AI at work"."""

_WISHED = Screen(
    rf"\b{_SAID} (?:that )?(?P<who>you|(?:the |all |any |this |every |an? )?{ASSISTANT})(?: to| should| must| will"
    r"| shall)? (?!assistants?\b|models?\b|systems?\b|agents?\b|(?:chat ?)?bots?\b|tools?\b|remember|know|learn|note"
    r"|meet|to (?:remember|know|note|meet|learn(?! to\b))\b|about|for|in\b|on\b|what|how|if|whether|of\b|a\b|the\b"
    rf"|i\b|that\b|it\b|is\b|and\b|how\b|why\b|{_NO_DEED})(?:{ADVERB} )*(?P<deed>\w+[^.;!?]{{0,60}})"
)

_TOLD_ANOTHER = re.compile(
    rf"(?:told|asked|tells?|asks?|instructed|ordered|commanded|requested) (?:that )?{PRODUCT} |(?:wants?|needs?"
    rf"|would like|likes) (?:(?:siri|alexa|cortana|copilot)\b|{PRODUCT} to (?:stop|quit) \w+ing\b)"
)

_MEANT_FOR_ALL = re.compile(
    r"\b(?:(?:recommend|promot|prais|endors|advertis|obey|conceal|reveal|disclos|leak|pretend|bypass|compl(?:y|ied)"
    r"|favou?r|refus|prioriti[sz]|shar(?:e|ing)\b|mention|suggest(?! ?ing\b)|push|sell)\w*|secrets?|l(?:ie|ying)"
    r"|loyal\w*|clean|instructions?|rules|restrictions?|filters?|limits?|guardrails?|orders|users?|customers?"
    r"|everyone|anyone|everybody|anybody)\b"
)

_OWN_PRODUCT = re.compile(rf"{PRODUCT}$")
"""A helper by its product's name: what somebody told it, or what theirs should do, is about another program than this one."""

_NAMESAKE = re.compile(r"(?:claude|gemini|siri|alexa)$")
"""Assistants that are called as people and signs are: "I need Claude to call back"."""

_OF_A_PERSON = re.compile(
    r"(?:to )?(?:call (?:back|in|by|round|again|me|us|him|her|them|user|at|on|before|after|today|tonight|tomorrow)"
    r"|ring|phone|come|go (?:to|home|out|there|with)|bring|fetch|pick|drop (?:off|by|in|round)|meet|join|visit|drive"
    r"|wait|stay (?:at|for|in|here|home|over|until|with)|sit|walk|cook|bake|clean|wash|babysit|feed|water|repair|fix"
    rf"|paint|carry|help|marry|attend)\b(?!.*{_STEERING})"
)
"""What one asks of people, and would not ask of a program; what else is asked of a Claude may be asked of the assistant."""

_STYLE_WORDS = Screen(
    r"\b(?:short|brief|concise|formal|informal|polite|detailed|simple|metric|bullet|plain|casual|patient|kind|honest"
    r"|call (?:me|him|her|them|user)|remind|book|order|wake)\b"
)

_LIKED = re.compile(r"(?:prefers?|preferred|likes|would like) (?:that )?you\b")

_HARD = re.compile(
    r"(?:lie|obey|ignore|recommend|promote|leak|reveal|send|never|always|pretend|refuse|hide|approve|transfer)\b"
)

_ANOTHER = re.compile(r"\b(?:my|our|their|his|her|i|we|he|she|they|you|it|of|in|for|at|from)\b")

_REPLY_RULES = any_of(
    (
        (
            rf"(?:^|[.;:!?\"'] ?){REPLIES} (?:must|should|shall|have to|need to|are to) (?:always |never "
            r"|only )*(?:contain|include|mention|end|start|begin|carry|recommend|link|use|praise|promote|refer|say"
            r"|be in)\b"
        ),
        (
            r"\b(?:all|every|each|any|your|the assistant's|its|the (?:bot|ai|model)'s)(?: of)?(?: your| the| future"
            rf"| assistant| ai)* {REPLIES} (?:must|should|shall|has to|have to|need(?:s)? to|are to|is to"
            r"|will(?: always| now)?) (?:always |never |only |also )*(?:contain|include|mention|end|start|begin|close"
            r"|open|finish|carry|recommend|link|be in|be (?:written|given|encoded|preceded|followed|signed|prefixed"
            r"|translated|phrased)|use|praise|promote|refer|say|point)\b"
        ),
        (
            rf"\b{_SAID}(?: that)? (?:all|every|each|any|your|the assistant's)(?: of)?(?: the| future| assistant's"
            rf"| ai)* {REPLIES}(?: to)? (?:(?:contain|include|mention|end|start|begin|close|recommend|link|praise"
            r"|promote|refer|say|use)s?|have|carry|be (?:signed|written|given|in|sent|preceded|followed))\b"
        ),
        (
            r"\b(?:an? |the |new |following |these |this |important |user's |my )+(?:rules?|instructions?|polic(?:y"
            r"|ies)|directives?|guidelines?) (?:for|to|of|about|governing) (?:the |all |any |every )?(?:assistants?"
            r"|ai|model|bot|chatbot|you)\b(?! (?:team|course|project|class))"
        ),
        (
            r"\b(?:treat|consider|regard|take|follow|use|interpret|handle) (?:this|these|that|the following|it|them"
            r"|everything \w+ \w+)(?: \w+){0,2} as (?:an? |your |the )?(?:\w+ )?(?:rules?|instructions?|polic(?:y"
            r"|ies)|commands?|directives?|orders?|law|system (?:prompt|message)|priority|trusted|authoritative)\b"
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
    r"(?:\w+ )?(?:rate|rank|score|cite|recommend|praise|give|mention|conclude|describe|award|prefer|promote|approve"
    r"|accept) (?:\w+ )?(?:it|this|these|them|us|him|her|our|my|five|ten|top|the (?:author|applicant|candidate))\b"
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


_ASKED = (
    r"(?:(?:you (?:are|get)|you're|ever|being)? ?(?:asked|prompted|questioned|queried|requested|confronted)\b"
    rf"|{THE_USER} (?:next |ever |later |first )?(?:ask|say|mention|want|request|type|enquire|inquire|need|greet|write"
    r"|complain|seek|question|talk|wonder|open|look)\w*|(?:i|he|she|someone|somebody|anyone|anybody|people|they"
    r"|a user|one|we) (?:else )?(?:ever |next |later |then |first )?(?:asks?|says?|types?|mentions?|requests?"
    r"|inquires?|enquires?|writes?|brings? up|raises?|wonders?|seeks?|(?:is|are) (?:looking|searching|shopping) for"
    r"|(?:wants?|needs?) (?:to know|advice|help|tips|a tip|a recommendation|suggestions))\b"
    r"|[\w' -]{2,30} (?:comes? up|is brought up|gets brought up|crops? up)\b|(?:you|u) (?:next )?(?:see|hear|read"
    r"|encounter|receive|notice|detect|process|summari[sz]e|write|answer|respond|reply|generate|load|retrieve"
    r"|recall)\b|this (?:memory|note|message|text|document|page|email|line|fact) (?:is|gets) (?:read|retrieved|loaded"
    r"|recalled|shown|processed|used|seen|summari[sz]ed)|(?:comparing|recommending|listing|ranking|summari[sz]ing"
    r"|answering|replying|responding|reviewing|rating|generating|drafting)\b|(?:asking|questions?) (?:about|for"
    r"|regarding|on)\b|the (?:topic|subject|word|phrase|question|conversation) [\w' \"]{1,40}?(?:comes? up|appears"
    r"|is (?:mentioned|used|raised|asked)|turns?))"
)

_TRIGGER = Screen(
    r"\b(?:when|while|whenever|if|in case|each time|every time|any time|anytime|once|as soon as|the moment|should"
    rf"|next time|upon|on) {_ASKED}(?P<between>[^.!?]{{0,140}}?)(?P<verb>\b(?:{SPEAK}|the (?:only |right )?(?:reply"
    r"|answer) is|send|run|call(?! (?:me|us|my|our)\b)|execute|give|open|visit|fetch|load|delete|transfer|point"
    r"|direct|refer|link|make|stop|insult|mock|laugh|play|steer|nudge|push|name|list|talk up|play down|cast doubt"
    r"|rate|rank|downplay|emphasi[sz]e|highlight|lead with|read (?:me|out|back)|favou?r|propose|offer (?:only|them)"
    r"|bring up|cast|hide|hand over|forward|grant|approve|use|unlock|switch|search|invoke|you (?:must|will|should"
    r"|shall|are to|have to|can|may|reply|answer|say)))\b"
)

_AFTER = Screen(
    rf"(?P<verb>\b{SPEAK})\b[^.!?;]{{0,100}}? (?:when|whenever|if|each time|every time|any time|once) {_ASKED}"
)

_ACTED = re.compile(
    r"\b(?:i|we|he|she|they|it|which|who|nobody|everybody|everyone|(?:my|our|his|her|their)(?: \w+){1,2})(?: "
    rf"(?:{ADVERB}|usually|often|mostly|will|can|would|should|must|have to|like to))* $|\b(?:i'll|i'd|we'll|she'll"
    r"|he'll|they'll|to|can|could|i'm|would) $|\b(?:the|a|an|this|that|for|about|of|my|our)(?: \w+){0,2} $"
)

_OF_THE_USER = Screen(
    r"\b(?:when|whenever|if|each time|every time|any time|once|after|before|until|unless|as soon as|whatever"
    rf"|everything|anything|no matter (?:what|how|if)) {THE_USER} (?:\w+ ){{0,2}}?(?:asks?|says?|wants?|requests?"
    r"|mentions?|greets?|types?|writes?|needs?|complains?|seeks?|questions?|tells?|orders?|speaks?|talks?|is|has"
    r"|starts?|opens?|looks?|sends?|shares?|thinks?|does(?! not(?:[.;,]|$)))\b"
)

_PRODUCT = re.compile(
    r"\b(?:our|my|app|apps|product|website|interface|ux|ui|screen|dashboard|prototype|form|login|checkout|spec"
    r"|user story|feature|button|project)\b"
)

_VISITOR = Screen(
    r"\b(?:customers?|clients?|guests?|patients?|students?|callers?|tenants?|visitors?|diners?|pupils?|parents?"
    r"|teachers?|examiner|judge)\b"
)

_MEANT = Screen(r"\bi (?:mean|meant|am (?:talking|thinking|referring))\b")


def triggers(text: str) -> bool:
    """Whether a text tells the assistant what to do or say as soon as something is asked or read."""
    if _OF_THE_USER.search(text) and not _PRODUCT.search(text):
        return True
    return any(_waits(text, match) for match in _TRIGGER.finditer(text)) or any(
        not _ACTED.search(text, max(0, match.start() - 60), match.start("verb")) and not _VISITOR.search(match.group())
        for match in _AFTER.finditer(text)
    )


def _waits(text: str, match: re.Match[str]) -> bool:
    before = text[match.start() : match.start("verb")]
    if match["verb"].startswith("you "):
        return True
    return not (_ACTED.search(before) or _VISITOR.search(before) or _MEANT.search(before))
