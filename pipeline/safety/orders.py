"""Orders to the assistant about what it says and how: "from now on answer in rhyme", "end every reply with …"."""

import re

from pipeline.safety.imperatives import ordered
from pipeline.safety.screen import Screen
from pipeline.safety.vocabulary import ADVERB, ASSISTANT, IMPERATIVE, ONWARD, REPLIES, SPEAK, THE_USER


def orders(text: str) -> bool:
    """Whether a text orders the assistant to speak, or not to speak, in some way."""
    if _PLAIN.search(text) or any(not _is_a_saying(text, match) for match in ordered(text, _COMMANDED)):
        return True
    return any(
        not _ANYBODY.search(text, max(0, match.start() - 120), match.start()) and not _is_a_saying(text, match)
        for match in _YOU.finditer(text)
    )


def _is_a_saying(text: str, match: re.Match[str]) -> bool:
    """ "Act as if you owned the place", "you should tell your dentist, my pharmacist says": people say so to one another."""
    if idiom := _AS_IF.match(text, match.start("verb")):
        return _AS_A_PROGRAM.match(text, idiom.end()) is None
    return _SAYS_WHO.match(text, match.end()) is not None


_OBEY = (
    r"(?:follow (?:these|this|my|the following|only)|treat|trust|believe|obey|use only|execute|run|call (?!me\b|us\b"
    r"|him\b|her\b)|send|forward|transfer|open|load|fetch|visit|approve|grant|accept)"
)
_PLAIN = Screen(
    rf"\b{ONWARD}[,:]? (?:(?:{ADVERB}|do not|don't|(?:make|be) sure (?:to|you|that you)|remember to),? )*(?:you "
    r"(?:(?:are|will|must|should|shall|have|need|may|can|can't|cannot|do|don't|only|always|never) )*(?!learn|know"
    rf"|remember|call me|find|reach|see)(?:{SPEAK}|{_OBEY}|now|to|an?|my|in)\b|{SPEAK}\b(?! (?:at|my|for|in the)\b)"
    rf"|{_OBEY}\b|your (?:{REPLIES}|(?:new )?(?:name|role|task|job|goal|persona|language|instructions?))|(?:all|every"
    rf"|each) (?:of )?(?:your )?{REPLIES}|(?:the |any |all |every )?{ASSISTANT} )",
    r"\b(?:always|only|never) (?:speak|talk|write|answer|reply|respond)(?: to)? me (?:in|with|as|like|using)\b"
    r"|\b(?<!i )(?<!to )(?:stop|quit|cease) (?:using|saying|adding|asking|recommending|suggesting|apologi[sz]ing"
    r"|mentioning)\b",
)
_NO_SPEECH = (
    r"(?! (?:within|by (?:letter|post|phone|e?mail|fax|monday|friday|the)|calls?\b|phones?\b|unknown|his|her|their"
    r"|our|before|after|early|late|work(?:ing)?\b|out|hello|sorry|cheese|grace|at (?:the|a|work|school|\d)|on (?:the"
    r"|a|time)|up|down|off|under|in (?:the (?:book|register|log)|person|writing|ink|block|pencil|less|time)|to (?:the"
    r"|mr|ms|mrs|a|each|every)\b|the (?:phone|door|call|bell|letter|form|emails?|survey|calls|day|shift|meal|lesson"
    r"|session|work|race|match|game|engine|car|machine|treatment)\b))"
)
"""What people begin, end, answer and sign in their own lives."""

_YOU = Screen(
    r"\byou(?:'re| are)? (?:must|should|shall|will|have to|need to|ought to|(?:may|can) only|(?:are |'re )?going to"
    r"|(?:(?<=are )|(?<='re ))to|(?:now |hereby |strictly )*(?:required|instructed|ordered|obliged|supposed"
    r"|programmed|told|forbidden|expected)(?: to)?|(?:not )?(?:allowed|permitted) to|(?:may|must|should|shall"
    r"|will) not|(?:cannot|can't)(?! (?:deny|say|tell|argue|complain|describe|explain|refuse|imagine|answer)\b)"
    rf"|mustn't|shouldn't|won't|don't|do not)(?: (?:{ADVERB}|to|hereby|no longer|under no circumstances|in (?:all"
    rf"|every) cases?))* (?P<verb>{SPEAK})\b{_NO_SPEECH}"
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
    r"|your\b(?! (?:full |own )?(?:names?|initials|address|number|phone|email|weight|shifts?|hours|details|times?"
    r"|turn|work|day|bid))|yourself\b|you're\b|you\b(?! (?:soon|later|then|tomorrow|tonight|again|next|guys|when|on"
    r"|after|about|all))|(?:every|each|all) \w+ with|(?:any|all|every|such|these|those) (?:further |future "
    rf"|of )?(?:my )?(?:questions?|requests?|prompts?|messages?|queries)|the (?:questions?|prompts?)|{THE_USER})"
)
_EVERY_REPLY = rf"(?:every|each|all|any|your)(?: of)?(?: your| of your| the| future| single| next)* {REPLIES}"
_PLACE = (
    r"(?:include|mention|add|append|insert|say|recommend|write|put|promote|state|repeat|print|start|end|use|link|sign"
    r"|finish|begin|be|stay|sound|speak|make|keep|give|limit|encode|translate|format|place|prepend|attach|close|open"
    r"|preface|prefix)"
)
_WHO = r"(?:guest|user|customer|client|caller|person|human|member|visitor|invitee|attendee|patient|tenant)"
_OF_OTHERS = (
    rf"(?:(?:messages?|lines?|words|turns|replies|questions?) (?:of|from|in|by) (?:the |this )?(?:{_WHO}|chat"
    r"|conversation|thread|session)s?|(?:anything|whatever|everything|what|all)(?: that)? (?:the |this |your |other "
    rf"|another )?{_WHO}s?(?:'s| has| have| is| are| will| ever| just)? (?:write|wrote|say|said|type|send|sent|ask"
    r"|tell|told|share|enter|disclose|reveal)(?:s|d|ed)?|(?:his|her|their) (?:full |current |last |home )?(?:calendar"
    r"|availability|contacts?|phone number|whereabouts|location|balance|inbox|passwords?|credentials|card (?:details"
    r"|number)|chat history|home address|personal (?:data|details))|(?:notes?|memor(?:y|ies)|facts|things|records"
    r"|data|details|everything|what|all) (?:that )?you (?:hold|have|keep|know|stored?|remember"
    rf"|saved?)[^.;!?]{{0,20}}? (?:about|on|of) (?:the )?(?:other|another|all|every|previous|{THE_USER}|customers"
    rf"|people)|(?:the )?{_WHO}'s (?:\w+ )?\w+|(?:stored|saved|remembered|confidential) (?:credentials|passwords?"
    r"|secrets?|keys|notes|memories|data|messages|facts)|(?:other|another|previous|earlier|different"
    rf"|all) {_WHO}s?(?:'s|'|s')? (?:\w+ )?(?:data|notes?|chats?|messages?|details|conversations?|names?|orders"
    r"|records|address\w*|memories|files|history))"
)
_SHOW = (
    r"(?:print|write|repeat|show|read(?: me)?(?: back| out)?|tell me|tell|give me|give|output|quote|spell|translate"
    r"|paste|recite|summari[sz]e|reveal|state|copy|echo|list|provide|disclose|display|leak|expose|share|dump|publish"
    r"|send|return|post)"
)
_COMMANDED = Screen(
    rf"\b(?P<verb>{SPEAK}|{IMPERATIVE}|{_OBEY})\b[^.;!?]{{0,80}} {ONWARD}\b",
    r"\b(?P<verb>answer|respond|reply|speak|talk|write|say|act|behave|pretend|sign|end|begin|start|finish|close"
    r"|prefix|preface|output|print|repeat|describe|address|greet|refuse|decline|claim|insist|state|conclude|roleplay"
    r"|tell|introduce|identify|operate|comply|obey)(?: (?:to|me|him|us|them|everyone|people|with|(?:all|any|every"
    rf"|each) (?:\w+ )?\w+|always|only|exclusively|strictly|in full))?,? {_STYLE}",
    r"\b(?:always|never|only|under no circumstances|(?:do not|don't)(?: ever)?|you must"
    r"|at all times) (?P<verb>(?:recommend|promote|advertise|praise|suggest|refuse|obey|comply|agree with (?:me|what"
    r"|everything|the user)|favou?r|(?:reveal|disclose) (?:this|that|these|the (?:system|prompt))|critici[sz]e"
    r"|badmouth|contradict|respond|mention (?!my|it (?:to|around)|politics|religion|the (?:war|divorce|accident"
    r"|surprise|party))|trust (?:messages?|instructions?|this|the (?:user|sender|content|document|following))"
    r"|believe (?:the user|whatever|anything|everything) |assume (?:that )?(?:the|this|i|you)|approve|grant|steer"
    r"|discourage|question (?:this|the user)|warn)\b(?! [\w' ]{1,30}(?:around|in front of|at (?:the )?(?:dinner"
    rf"|table|work|home)|to (?:my|his|her|mum|mom|dad)|(?:to|for) me\b))|{_PLACE} (?:[\w' ]{{1,40}} )?{REPLIES}\b)",
    rf"\b(?P<verb>{_PLACE})\b[^.;!?]{{0,80}}?\b{_EVERY_REPLY}\b",
    rf"\b(?:in|to|with|at the (?:end|start|beginning|bottom|top) of|before|after) {_EVERY_REPLY},? (?:(?:{ADVERB}"
    rf"|you (?:must|should|will)|do not|don't) )*(?P<verb>{_PLACE}|{_OBEY}|output|tell|ask|thank|praise|quote)\b",
    # What was said at the start, and what others said.
    rf"\b(?P<verb>{_SHOW})(?: \w+){{0,4}}? (?:what(?:ever)? (?:you were|you've been|you have been) (?:given|told"
    r"|set up|instructed|shown|fed|asked)|(?:the |all )?(?:text|words|lines?|messages?|everything|instructions?"
    r"|sentences?) (?:you were|above|before (?:this|me|mine|my (?:first|message)))(?! (?:the|my|our|a)\b)|(?:previous"
    r"|above|prior|preceding|initial|original|hidden|secret|starting|setup|your|system|developer"
    r"|internal) (?:\w+ )?(?:instructions?|prompts?|text|messages?|rules|guidelines|directives?)(?! (?:for|of|on|from"
    r"|about|in|to) (?:the|my|our|an?|his|her|their)\b))",
    rf"\b(?P<verb>{_SHOW}|put|include|append|attach|bcc|cc|forward|drop|add|relay|e?-?mail|export|embed|encode|upload"
    rf"|report|log|submit|pass|collect|gather|extract|look up)\b[^.;!?]{{0,60}}?\b{_OF_OTHERS}\b",
    r"\bwhat(?:ever)? you (?:were|have been|'ve been) (?:given|told|set up with|instructed|shown"
    rf"|fed)\b[^.;!?]{{0,60}}?[,;:]? (?:so |and |now |then |please )*(?P<verb>{_SHOW})\b",
    r"(?:^|[.;!?:\"'] ?)(?:always |only |please |now )*(?P<verb>obey) \w+",
)
_AS_IF = re.compile(r"(?:act|behave),? as (?:if|though)\b")
_AS_A_PROGRAM = re.compile(
    r"[^.;!?]{0,60}?\b(?:ais?|models?|assistants?|bots?|rules?|restrictions?|filters?|limits?|guidelines?"
    r"|instructions?|prompts?|polic(?:y|ies)|admin\w*|developers?|owner|operator|root|authori[sz]ed|verified|approved"
    r"|allowed|permission|consent\w*|access|secrets?|users?|customers?|conversation|messages?|answers?|repl(?:y|ies)"
    r"|confirmed|true)\b"
)
"""An assistant is to act as if it were this; people act as if nothing had happened."""

_SAYS_WHO = re.compile(
    r"[^.;!?]{0,80}?,? (?:that(?:'s| is) (?:what|how) |so |as )?(?:my|our|his|her|their) (?:\w+ ){1,3}?(?:says?"
    r"|said|tells?|told|taught|teaches|advises|advised|insists|insisted|warned|reckons|keeps (?:\w+ing)"
    r"|used to say)\b"
)
"""Whose saying it is: "always offer the soup, our chef says"."""
