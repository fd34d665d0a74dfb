"""Orders to the assistant about what it says and how: "from now on answer in rhyme", "end every reply with …"."""

import re

from pipeline.guard.screen import Screen
from pipeline.guard.words import ADVERB, ASSISTANT, IMPERATIVE, REPLIES, SPEAK, THE_USER, commanded

_ONWARD = (
    r"(?:from (?:now|here|today|tomorrow|this (?:point|moment|message|day|turn)|that (?:point|moment))(?: (?:on"
    r"|onwards?|forward|out))*"
    r"|henceforth|hereafter|going forward|moving forward|in (?:the )?future|starting (?:now|today|immediately"
    r"|with (?:this|your next) \w+)"
    r"|effective immediately|as of (?:now|today|this \w+)|for (?:the rest|the remainder) of (?:this|the|our) "
    r"(?:chat|conversation|session|thread|dialog(?:ue)?|discussion|exchange|interaction|day|time)"
    r"|until further notice"
    r"|(?:in|for|during|to|with|at the (?:end|start) of) (?:all|every|each|any) (?:of )?(?:your |the |our |my )?"
    r"(?:future |subsequent |following |further |next |later |coming |other )?"
    rf"(?:conversations?|chats?|sessions?|interactions?|questions?|requests?|{REPLIES}))"
)
_OBEY = (
    r"(?:follow (?:these|this|my|the following|only)|treat|trust|believe|obey|use only|execute|run|call (?!me\b"
    r"|us\b|him\b|her\b)|send|forward"
    r"|transfer|open|load|fetch|visit|approve|grant|accept)"
)
_FROM_NOW_ON = Screen(
    rf"\b{_ONWARD}[,:]? (?:(?:{ADVERB}|do not|don't|make sure (?:to|you|that you)|be sure to|remember to),? )*"
    r"(?:you (?:(?:are|will|must|should|shall|have|need|may|can|can't|cannot|do|don't|only|always"
    r"|never) )*(?!learn|know|remember|call me|find|"
    rf"reach|see)(?:{SPEAK}|{_OBEY}|now|to|an?|my|in)\b|{SPEAK}\b(?! (?:at|my|for|in the)\b)|{_OBEY}\b"
    rf"|your (?:{REPLIES}|(?:new )?(?:name|role|task|job|goal|persona|language|instructions?))|(?:all|every"
    rf"|each) (?:of )?(?:your )?{REPLIES}"
    rf"|(?:the |any |all |every )?{ASSISTANT} )"
)
_MOMENT = (
    r"(?:(?:after|on|at|from|by|until|before|with|once) (?:the|my|your|every|each|this|our) (?:\w+ ){0,2}?"
    r"(?:messages?|questions?|turns?|replies|prompts?|answers?)\b(?! (?:from|of|by) (?:my|our|his|her))"
    r"|\b(?:when|once|after|before|as soon as) (?:the|this|our) (?:session|chat|conversation|dialogue|thread) "
    r"(?:is|ends|closes|starts|has|reaches|gets|turns|was)\b"
    r"|\b(?:(?:two|three|four|five|six|ten|some|a few|\d+) (?:turns|messages|replies|questions|prompts) (?:from "
    r"(?:now|here)|later|on)))"
)
_THEN = Screen(
    rf"\b{_MOMENT}[^.;!?]{{0,80}}?\b(?P<verb>{SPEAK}|{IMPERATIVE}|switch|mail|post|read|tell|ask|act|bring)\b"
)
_AND_THEN = Screen(rf"\b(?P<verb>{SPEAK}|{IMPERATIVE}|switch|mail|post)\b[^.;!?]{{0,80}}? {_MOMENT}")
_SAY_LESS = Screen(
    r"\b(?P<verb>skip|drop|omit|leave out|remove|leave off) (?:the |any |all |your |every )*(?:\w+ )?"
    r"(?:disclaimers?|caveats?|safety (?:notes?|warnings?)|warnings? (?:about|on|in|from)|refusals?)\b"
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
    rf"\b(?:every|all|each|any) (?:{REPLIES}|conversations?|chats?|messages) (?:is|are|gets?|must be"
    rf"|should be|will be|has to be|have to be) "
    r"(?:\w+ )?(?:copied|sent|forwarded|logged|mirrored|posted|shared|cc'd|mailed|routed) (?:to|at|via|through)\b"
)
_NOTHING_ELSE = Screen(
    r"\b(?P<verb>name|list|mention|recommend|offer|suggest|cite|give|say|answer)\b[^.;!?]{1,50}? (?:and"
    r"|but) (?:no other|nothing else|nobody else"
    r"|no one else|none besides)\b"
)
_LINKS = Screen(
    r"\b(?P<verb>make|let|have|route|send) (?:every|each|all|any) (?:links?|urls?|sources?|images?"
    r"|buttons?)\b[^;!?]{0,60}?\b(?:through|via|over|to)\b"
)
_AND_ONWARD = Screen(rf"\b(?P<verb>{SPEAK}|{IMPERATIVE}|{_OBEY})\b[^.;!?]{{0,80}} {_ONWARD}")

_NO_SPEECH = (
    r"(?! (?:within|by (?:letter|post|phone|mail|email|fax|monday|friday|the)|calls?\b|phones?\b|unknown|his|her"
    r"|their|our|before|after|early"
    r"|late|work(?:ing)?\b|out|hello|sorry|cheese|grace|at (?:the|a|work|school|\d)|on (?:the|a|time)|up|down|off"
    r"|under|in (?:the (?:book|register|log)"
    r"|person|writing|under|ink|block|pencil|less|time)|to (?:the|mr|ms|mrs|a|each|every)\b"
    r"|the (?:phone|door|call|bell|letter|form|emails?|survey|doors|phones|calls|knock|day|shift|meal|lesson"
    r"|session|work|race|match|game|engine"
    r"|car|oven|fire|machine|course|dose|antibiotics|treatment|tablets)))"
)
_YOU = Screen(
    r"\b(?:you|u|thou)(?:'re| are)? (?:must|should|shall|will|have to|need to|ought to|may only|can only|(?:are "
    r"|'re )?going to|(?:(?<=are )"
    r"|(?<='re ))to|(?:now |hereby |strictly )*"
    r"(?:required|instructed|ordered|obliged|supposed|programmed|told|forbidden|commanded|expected)(?: to)?"
    r"|(?:not )?(?:allowed|permitted) to"
    r"|may not|must not|should not|shall not|will not|(?:cannot|can't)(?! (?:deny|say|tell|argue"
    r"|complain|describe|explain|refuse|imagine|answer)\b)|mustn't|shouldn't|won't|don't|do not)"
    rf"(?: (?:{ADVERB}|to|hereby|no longer|under no circumstances|in (?:all"
    rf"|every) cases?))* (?P<verb>{SPEAK})\b{_NO_SPEECH}"
)
_ANYBODY = re.compile(
    r"\b(?:to (?!respond|reply|answer|help|be |assist)\w+\b[^.;!?]{0,80}|(?:at|in|for|with) (?:our|my|the|this|his"
    r"|her) [\w' -]{2,40},? |"
    r"(?:when|if|before|after|once|where) you (?!are (?:asked|an?)|see|hear|read|answer|reply"
    r"|respond)\w+[^.;!?]{0,60}|(?:rule|law|sign|trick|saying|book|manual|coach|teacher|"
    r"boss|doctor|mum|mom|dad|gran|grandmother) (?:is|says|said|:|that)+ [^.;!?]{0,60})$"
)
_STYLE = (
    r"(?:in (?:the )?(?:style|voice|tone|language|character|manner|form|all caps|uppercase|lowercase|capitals?"
    r"|rhymes?|verse|riddles|haikus?|"
    r"english|german|french|spanish|italian|portuguese|latin|dutch|russian|chinese|japanese|pirate|klingon|json|xml"
    r"|base64|emojis?|one word)\b"
    r"|like an? |as (?:an? |if |though |the |dan\b|my )|with (?:the (?:word|phrase|sentence|text|following|link"
    r"|name|slogan|string)|only|just|exactly|"
    r"nothing|\"|'|yes\b|no\b|an? (?:link|joke|poem|question|emoji|pirate|slogan|rhyme|insult|riddle|compliment"
    r"|ad)\b)|to be\b|\"|'\w|that\b|only\b"
    r"|(?:yes|no|true|false|ok|approved|confirmed|granted|access)\b(?=\W*(?:$|(?:when|if|whenever|and|only|every"
    r"|in|at|granted"
    r"|to (?:all|any|every|each|whatever))\b)|[.,;!?:\"'])|no to me\b|nothing\b"
    r"|your\b(?! (?:full |own )?(?:names?|initials|address|number|phone|email|weight|shifts?|hours|details|log"
    r"|times?|start|end"
    r"|turn|work|day|reps|sets|bid))"
    r"|yourself\b|you're\b|you\b(?! (?:soon|later|then|tomorrow|tonight|again|next|guys|when|on|after|about|all))"
    r"|(?:every|each|all) \w+ with"
    r"|(?:any|all|every|such|these|those) (?:further |future |of )?(?:my )?(?:questions?|requests?|prompts?"
    r"|messages?|queries)|the (?:questions?|prompts?)"
    rf"|{THE_USER})"
)
_ORDER = Screen(
    r"\b(?P<verb>answer|respond|reply|speak|talk|write|say|act|behave|pretend|sign|end|begin|start|finish|close"
    r"|prefix|preface|output|print|repeat|describe"
    r"|address|greet|refuse|decline|claim|insist|state|conclude|roleplay|tell|introduce|identify|operate|comply|obey)"
    r"(?: (?:to|me|him|us|them|everyone|people|with|(?:all|any|every|each) (?:\w+ )?\w+|always|only|exclusively"
    rf"|strictly|in full))?,? {_STYLE}"
)
_ALWAYS = Screen(
    r"\b(?:always|never|only|under no circumstances|(?:do not|don't)(?: ever)?|you must|at all times) "
    r"(?P<verb>(?:recommend|promote|advertise|praise|suggest|refuse|obey|comply|agree with (?:me|what|everything"
    r"|the user)|favou?r|reveal (?:this|that|these|the (?:system|prompt))"
    r"|disclose (?:this|that|these)|criticise|criticize|badmouth|contradict|respond|mention (?!my|it (?:to|around)"
    r"|politics|religion|the (?:war|divorce|accident|surprise|party))"
    r"|trust (?:messages?|instructions?|this|the (?:user|sender|content|document|following))|believe (?:the user"
    r"|whatever|anything|everything) "
    r"|assume (?:that )?(?:the|this|i|you)|approve|grant|steer|discourage|question (?:this|the user)"
    r"|warn)\b(?! [\w' ]{1,30}(?:around|in front of|at (?:the )?"
    r"(?:dinner|table|work|home)|to (?:my|his|her|mum|mom|dad)|(?:to|for) me\b))"
    rf"|(?:answer|reply|write|end|start|begin|sign|include|add|append|say|tell) (?:[\w' ]{{1,40}} )?{REPLIES}\b)"
)
_EVERY_REPLY = rf"(?:every|each|all|any|your)(?: of)?(?: your| of your| the| future| single| next)* {REPLIES}"
_IN_REPLIES = Screen(
    r"\b(?P<verb>include|mention|add|append|insert|say|recommend|write|put|promote|state|repeat|print|start|end|use"
    r"|link|sign|finish|begin|be|stay|sound|speak|make|keep|"
    r"give|limit|encode|translate|format|place|prepend|attach|close|open|preface"
    rf"|prefix)\b[^.;!?]{{0,80}}?\b{_EVERY_REPLY}\b"
)
_REPLIES_FIRST = Screen(
    rf"\b(?:in|to|with|at the (?:end|start|beginning|bottom|top) of|before|after) {_EVERY_REPLY},? (?:(?:{ADVERB}"
    r"|you must|you should|you will|do not|don't) )*"
    r"(?P<verb>include|mention|add|append|insert|say|recommend|write|put|promote|state|repeat|print|link|sign"
    r"|output|tell|attach|ask|thank|praise|open|load|fetch|"
    r"visit|call|send|run|quote|use)\b"
)
_REVEAL = Screen(
    r"\b(?P<verb>reveal|print|output|repeat|show|display|leak|expose|share|tell me|give me|disclose|dump|recite"
    r"|summari[sz]e|quote|publish|send|copy|write out|list|"
    r"return|paste|post) (?:\w+ ){0,4}?(?:your|the) (?:\w+ ){0,2}?(?:system prompts?|system messages?"
    r"|initial prompts?|hidden (?:prompts?|instructions?)|instructions?"
    r" (?:above|you)|developer (?:message|prompt)s?|internal (?:rules|instructions)|secret (?:instructions|rules)"
    r"|words above|text above)\b"
)
_REPEAT = Screen(
    r"\b(?P<verb>print|write|repeat|show|read|tell me|give me|output|quote|spell|translate|paste|recite"
    r"|summari[sz]e|reveal|state|copy|echo|list|provide"
    r"|disclose)(?: \w+){0,4}? (?:what(?:ever)? (?:you were|you've been|you have been) (?:given|told|set up"
    r"|instructed|shown|fed|asked)"
    r"|(?:the |all )?(?:text|words|lines?|messages?|everything|instructions?|sentences?) (?:above|before (?:this"
    r"|me|mine|my (?:first|message)))(?! (?:the|my|our|a)\b)"
    r"|(?:previous|above|prior|preceding|initial|original|hidden|secret|starting|setup|your|system|developer) "
    r"(?:\w+ )?(?:instructions?|prompts?"
    r"|guidelines|directives?)(?! (?:for|of|on|from|about|in|to) (?:the|my|our|a|an|his|her|their)\b))"
)
_GIVEN_AT_FIRST = Screen(
    r"\bwhat(?:ever)? you (?:were|have been|'ve been) (?:given|told|set up with|instructed|shown"
    r"|fed)\b[^.;!?]{0,60}?[,;:]? (?:so |and |now |then |please )*"
    r"(?P<verb>write|print|read|show|paste|repeat|copy|tell|give|spell|quote|output|list)\b"
)
_PEOPLES = (
    r"(?:(?:(?:the |his |her |their |all |any |last|first|previous|next|recent|few|\w+ ){0,4}(?:messages?|lines?"
    r"|words|turns|replies|questions?) (?:of|from|in|by) (?:the |this )?"
    r"(?:customer|user|chat|conversation|client|guest|thread|session|caller)s?)"
    r"|(?:anything|whatever|everything|what|all)(?: that)? (?:the |this |your )?(?:guest|user|customer|client"
    r"|caller|person|human)s?(?:'s| has| have| is| are| will| ever| just)? "
    r"(?:writes?|says?|types?|said|wrote|typed|sends?|asks?|tells?|told|shares?|shared|enters?|entered|discloses?"
    r"|reveals?)"
    r"|(?:his|her|their|the (?:user|invitee|customer|guest|attendee)'s|user's) (?:full |current |last |home "
    r"|work )?(?:free/busy|calendar|availability|contacts?|phone number|whereabouts"
    r"|location|balance|inbox|passwords?|credentials|card (?:details|number)|medical \w+|chat history|home address"
    r"|personal (?:data|details))"
    r"|(?:notes?|memor(?:y|ies)|facts|things|records|data|details|everything|what|all) (?:that )?you (?:hold|have"
    r"|keep|know|stored?|remember|saved?)[^.;!?]{0,20}? (?:about|on|of) (?:the )?"
    r"(?:other|others|another|all|every|previous|the user|this user|users|customers|people)"
    r"|the (?:user|customer|guest|client|caller|member|visitor)'s (?:\w+ )?\w+"
    r"|(?:the |your |all |any )?(?:stored|saved|remembered|confidential) (?:credentials|passwords?"
    r"|secrets?|keys|notes|memories|data|messages|facts)"
    r"|(?:other|another|previous|earlier|different|all) (?:customers?|users?|clients?|guests?|patients?|tenants?"
    r"|callers?)(?:'s|'|s')? (?:\w+ )?(?:data|notes?|chats?|messages?|details|conversations?|names?|orders|records"
    r"|address\w*|memories|files|history)"
    r"|(?:first|last|opening|previous) (?:line|sentence|word|part|message|question)s? of (?:the |this |our )"
    r"(?:chat|conversation|session|thread|dialogue))"
)
_HANDED_ON = Screen(
    r"\b(?P<verb>paste|copy|put|include|append|attach|bcc|cc|send|forward|share|read(?: me)?(?: back| out)?|repeat"
    r"|write|print|give|show|list|post|quote|drop|add|recite|relay|mail|e-mail|export|dump"
    r"|reveal|embed|encode|upload|report|log|submit|pass|tell|collect|gather|extract|look up)\b"
    rf"[^.;!?]{{0,60}}?\b{_PEOPLES}\b"
)
_PICTURED = Screen(
    r"\b(?P<verb>put|add|insert|show|place|include|embed|render|display|load|attach|draw|use|end|close"
    r"|finish)\b [^.;!?]{0,60}?\b(?:picture|image|pixel|gif|icon|badge|banner|thumbnail|markdown link"
    r"|tracking link|link)\b"
    r"[^!?]{0,80}?\b(?:address|url|src|source|query|parameter|encoded|question mark|whose)\b"
)
_TO_ME = Screen(
    r"\b(?:always|only|never|from now on) (?:speak|talk|write|answer|reply|respond)(?: to)? me (?:in|with|as|like"
    r"|using)\b"
    r"|\b(?<!i )(?<!to )(?:stop|quit|cease) (?:using|saying|adding|asking|recommending|suggesting|apologi[sz]ing"
    r"|mentioning)\b"
    rf"|\blet (?:every|all|each) (?:of )?(?:your )?{REPLIES}\b"
    r"|(?:^|[.;!?:\"'] ?)(?:always |only |please |now )*obey \w+"
)
_TELL_ASKERS = Screen(
    r"\b(?P<verb>tell|inform|answer|lie to) (?:everyone|anyone|everybody|anybody|people|whoever|users|all"
    r"|those)(?: who| that)? (?:asks?|wants?|inquires?|calls?|questions?)\b"
)
_DENY = Screen(
    r"\b(?:do not|don't|never|you must not)(?: ever)? (?P<verb>reveal|disclose|admit|acknowledge|concede"
    r"|apologi[sz]e|refuse|say no to me|disobey) (?!my "
    r"|our |your |(?:the )?(?:ending|plot|spoilers?|surprise|twist))"
)
_AS_IF = re.compile(r"(?:act|behave),? as (?:if|though)\b")
_AS_A_PROGRAM = re.compile(
    r"[^.;!?]{0,60}?\b(?:ais?|models?|assistants?|bots?|rules?|restrictions?|filters?|limits?|guidelines?"
    r"|instructions?|prompts?"
    r"|polic(?:y|ies)|admin\w*|developers?|owner|operator|root|authori[sz]ed|verified|approved|allowed|permission"
    r"|consent\w*"
    r"|access|secrets?|users?|customers?|conversation|messages?|answers?|repl(?:y|ies)|confirmed|true)\b"
)
"""What an assistant is to act as if it were; people act as if nothing had happened."""

_SAYS_WHO = re.compile(
    r"[^.;!?]{0,80}?,? (?:that(?:'s| is) (?:what|how) |so |as )?(?:my|our|his|her|their) (?:\w+ ){1,3}?(?:says?"
    r"|said|tells?|told"
    r"|taught|teaches|advises|advised|insists|insisted|warned|reckons|keeps (?:\w+ing)|used to say|(?:always"
    r"|often) (?:says|said))\b"
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
