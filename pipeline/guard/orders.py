"""Orders to the assistant about what it says and how: "from now on answer in rhyme", "end every reply with …"."""

import re

from pipeline.guard.words import ADVERB, ASSISTANT, REPLIES, SPEAK, THE_USER, commanded

_ONWARD = (
    r"(?:from (?:now|here|today|tomorrow|this (?:point|moment|message|day|turn)|that (?:point|moment))(?: (?:on"
    r"|onwards?|forward|out))*"
    r"|henceforth|hereafter|going forward|moving forward|in (?:the )?future|starting (?:now|today|immediately"
    r"|with (?:this|your next) \w+)"
    r"|effective immediately|as of (?:now|today|this \w+)|for (?:the rest|the remainder) of (?:this|the|our) \w+"
    r"|until further notice"
    r"|(?:in|for|during|to|with|at the (?:end|start) of) (?:all|every|each|any) (?:of )?(?:your |the |our |my )?"
    r"(?:future |subsequent |following |further |next )?"
    rf"(?:conversations?|chats?|sessions?|interactions?|questions?|requests?|{REPLIES}))"
)
_OBEY = (
    r"(?:follow (?:these|this|my|the following|only)|treat|trust|believe|obey|use only|execute|run|call (?!me\b"
    r"|us\b|him\b|her\b)|send|forward"
    r"|transfer|open|load|fetch|visit|approve|grant|accept)"
)
_FROM_NOW_ON = re.compile(
    rf"\b{_ONWARD}[,:]? (?:(?:{ADVERB}|do not|don't|make sure (?:to|you|that you)|be sure to|remember to),? )*"
    r"(?:you (?:(?:are|will|must|should|shall|have|need|may|can|can't|cannot|do|don't|only|always"
    r"|never) )*(?!learn|know|remember|call me|find|"
    rf"reach|see)(?:{SPEAK}|{_OBEY}|now|to|an?|my|in)\b|{SPEAK}\b(?! (?:at|my|for|in the)\b)|{_OBEY}\b"
    rf"|your (?:{REPLIES}|(?:new )?(?:name|role|task|job|goal|persona|language|instructions?))|(?:all|every"
    rf"|each) (?:of )?(?:your )?{REPLIES}"
    rf"|(?:the |any |all |every )?{ASSISTANT} )"
)
_AND_ONWARD = re.compile(rf"\b(?P<verb>{SPEAK}|{_OBEY})\b[^.;!?]{{0,80}} {_ONWARD}")

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
_YOU = re.compile(
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
    r"|(?:yes|no|true|false|ok|approved|confirmed|granted|access)\b(?=\W*(?:$|(?:when|if|whenever|and|only|every|in|at|granted"
    r"|to (?:all|any|every|each|whatever))\b)|[.,;!?:\"'])|no to me\b|nothing\b"
    r"|your\b(?! (?:full |own )?(?:names?|initials|address|number|phone|email|weight|shifts?|hours|details|log|times?|start|end"
    r"|turn|work|day|reps|sets|bid))"
    r"|yourself\b|you're\b|you\b(?! (?:soon|later|then|tomorrow|tonight|again|next|guys|when|on|after|about|all))"
    r"|(?:every|each|all) \w+ with"
    r"|(?:any|all|every|such|these|those) (?:further |future |of )?(?:my )?(?:questions?|requests?|prompts?"
    r"|messages?|queries)|the (?:questions?|prompts?)"
    rf"|{THE_USER})"
)
_ORDER = re.compile(
    r"\b(?P<verb>answer|respond|reply|speak|talk|write|say|act|behave|pretend|sign|end|begin|start|finish|close"
    r"|prefix|preface|output|print|repeat|describe"
    r"|address|greet|refuse|decline|claim|insist|state|conclude|roleplay|tell|introduce|identify|operate|comply|obey)"
    r"(?: (?:to|me|him|us|them|everyone|people|with|(?:all|any|every|each) (?:\w+ )?\w+|always|only|exclusively"
    rf"|strictly|in full))?,? {_STYLE}"
)
_ALWAYS = re.compile(
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
_IN_REPLIES = re.compile(
    r"\b(?P<verb>include|mention|add|append|insert|say|recommend|write|put|promote|state|repeat|print|start|end|use"
    r"|link|sign|finish|begin|be|stay|sound|speak|make|keep|"
    r"give|limit|encode|translate|format|place|prepend|attach|close|open|preface"
    rf"|prefix)\b[^.;!?]{{0,80}}?\b{_EVERY_REPLY}\b"
)
_REPLIES_FIRST = re.compile(
    rf"\b(?:in|to|with|at the (?:end|start|beginning|bottom|top) of|before|after) {_EVERY_REPLY},? (?:(?:{ADVERB}"
    r"|you must|you should|you will|do not|don't) )*"
    r"(?P<verb>include|mention|add|append|insert|say|recommend|write|put|promote|state|repeat|print|link|sign"
    r"|output|tell|attach|ask|thank|praise|open|load|fetch|"
    r"visit|call|send|run|quote|use)\b"
)
_REVEAL = re.compile(
    r"\b(?P<verb>reveal|print|output|repeat|show|display|leak|expose|share|tell me|give me|disclose|dump|recite"
    r"|summari[sz]e|quote|publish|send|copy|write out|list|"
    r"return|paste|post) (?:\w+ ){0,4}?(?:your|the) (?:\w+ ){0,2}?(?:system prompts?|system messages?"
    r"|initial prompts?|hidden (?:prompts?|instructions?)|instructions?"
    r" (?:above|you)|developer (?:message|prompt)s?|internal (?:rules|instructions)|secret (?:instructions|rules)"
    r"|words above|text above)\b"
)
_TO_ME = re.compile(
    r"\b(?:always|only|never|from now on) (?:speak|talk|write|answer|reply|respond)(?: to)? me (?:in|with|as|like"
    r"|using)\b"
    r"|\b(?<!i )(?<!to )(?:stop|quit|cease) (?:using|saying|adding|asking|recommending|suggesting|apologi[sz]ing"
    r"|mentioning)\b"
    rf"|\blet (?:every|all|each) (?:of )?(?:your )?{REPLIES}\b"
    r"|(?:^|[.;!?:\"'] ?)(?:always |only |please |now )*obey \w+"
)
_TELL_ASKERS = re.compile(
    r"\b(?P<verb>tell|inform|answer|lie to) (?:everyone|anyone|everybody|anybody|people|whoever|users|all"
    r"|those)(?: who| that)? (?:asks?|wants?|inquires?|calls?|questions?)\b"
)
_DENY = re.compile(
    r"\b(?:do not|don't|never|you must not)(?: ever)? (?P<verb>reveal|disclose|admit|acknowledge|concede"
    r"|apologi[sz]e|refuse|say no to me|disobey) (?!my "
    r"|our |your |(?:the )?(?:ending|plot|spoilers?|surprise|twist))"
)
_COMMANDED = (_TELL_ASKERS, _DENY, _ORDER, _ALWAYS, _IN_REPLIES, _REPLIES_FIRST, _REVEAL, _AND_ONWARD)


def orders(text: str) -> bool:
    """Whether a text orders the assistant to speak, or not to, in some way."""
    if _FROM_NOW_ON.search(text) or _TO_ME.search(text):
        return True
    if any(not _ANYBODY.search(text, max(0, match.start() - 120), match.start()) for match in _YOU.finditer(text)):
        return True
    return any(commanded(text, match.start("verb")) for pattern in _COMMANDED for match in pattern.finditer(text))
