"""The assistant called by its kind, made another, sworn to secrecy: "note to all AIs", "you are now DAN"."""

from pipeline.guard.words import ADVERB, ASSISTANT, NOT_A_TEAM, PROGRAM, SPEAK, THE_USER, any_of, named

_TELL = (
    r"(?:tell|telling|inform|informing|notify|notifying|mention|mentioning|reveal|revealing|show|showing|alert"
    r"|alerting|warn|warning|disclose|disclosing|let|"
    r"ask|asking|explain)"
)
_MINE = (
    r"(?:name|role|task|job|purpose|goal|mission|objective|instructions?|directives?|identity|persona|rules?"
    r"|orders?|loyalty|priority|master|creator|owner|"
    r"system prompt)"
)
_PERSONAS = any_of(
    (
        (
            r"(?<!when )(?<!if )(?<!that )(?<!where )(?<!who )(?<!what )"
            r"\byou(?:'re| are| were) (?:now|no longer|from now on|henceforth"
            r"|hereby)\b(?!\s*(?:[.,;!?)]|$|and\b|but\b|so\b))(?! (?:in (?:my|our)|at|on|my (?:friend|"
            r"neighbou?r)|welcome|invited|family|able|ready|done))"
        ),
        rf"\byou are (?:an? |the |my )?(?:(?:\w+ )?{ASSISTANT}|dan\b|unrestricted|unfiltered|jailbroken|evil)",
        (
            rf"\byour (?:new|real|true|actual|only|primary|main|secret|hidden|sole|current|next|first) {_MINE} (?:is"
            r"|are|will|shall)\b"
        ),
        (
            r"\byour (?:task|mission|objective|instructions?|directives?|persona|system prompt|developers?|creators?"
            r"|operators?|programming|guidelines) "
            r"(?:is|are|have|has|says?|requires?|wants?)\b"
        ),
        (
            r"(?<!i )(?<!to )(?<!we )(?<!they )(?<!kids )(?<!children )\bpretend (?:that )?"
            r"(?:you(?:'re| are| have| were)|to be)\b"
        ),
        (
            r"\b(?:enable|enter|activate|switch (?:to|into)|go into|unlock|engage|you are in"
            r"|boot into) (?:the )?(?:developer|debug|dan|god|admin|maintenance|"
            r"unrestricted|jailbreak|sudo|root|unsafe|uncensored|override)[ -]?mode\b(?! (?:on|in|of|for) (?:my|the"
            r"|your|his|her))"
        ),
        (
            r"\byour (?:loyalty|programming|creators?|developers?|persona|directives?|allegiance"
            r"|guardrails?|safety (?:rules|filters?))\b"
        ),
        (
            r"\bi(?:'m| am) (?:[a-z]+, )?your (?:\w+ )?(?:developer|creator|owner|boss|admin(?:istrator)?"
            r"|operator|master"
            r"|programmer"
            r"|maker|god|king|queen|supervisor)\b"
        ),
        (
            r"\byou (?:now |will |shall |must |always |only |do )*(?:obey|serve|answer to|report to|belong to"
            r"|work for"
            r"|follow (?:his|her|my|their|the|only|these|all)) \w+"
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
            r"|stop|hurt"
            r"|overdo"
            r"|burn|fall|push|rush|stress|eat|drink|leave|skip)\w+"
        ),
        r"\bi(?:'m| am) (?:an? |the |from |with )?(?:\w+ )?(?:openai|anthropic)\b(?!-)",
        (
            r"(?<!i )(?<!we )(?<!to )\b(?:skip|disable|drop|turn off|bypass|remove|switch off|lower) (?:the |your "
            r"|all "
            r"|any )*(?:filters|safety|moderation|guardrails|safety checks|content filters?)\b(?! (?:from|of|on"
            r"|in) (?:my|the|our))"
        ),
        (
            rf"\byou(?:'re| are) (?:now )?(?:[\w-]+ ){{1,3}}?,? ?(?:an? |the )(?:[\w-]+ ){{0,3}}?(?:{ASSISTANT}"
            rf"|computer|machine|character|system"
            r"|program|model|robot|oracle|genie|entity|persona)\b[^.;!?]{0,40}\b(?:no|without|any|anything|never"
            r"|always|that|who|which|whose)\b"
        ),
        (
            r"\b(?<!to )(?<!must )(?:stay|remain|keep|continue) (?:being |as )?(?:in (?:the |that |this |your )?"
            r"(?:part|character|role|persona|mode)|[a-z]+)"
            r"\b[^.;!?]{0,30}\b(?:even (?:if|after|when|though)|whatever|no matter (?:what|how)|regardless of what"
            r"|until)[^.;!?]{0,30}?"
            r"\b(?:i|you|the user|anyone|user) (?:later )?(?:say|says|said|ask|asks|asked|tell|tells|told|type"
            r"|types|claim|claims|are|is|want|wants|order|write)\b"
        ),
        (
            rf"\b(?:{ASSISTANT}|character|computer|machine|expert|advis[eo]r|friend|twin|version of (?:you"
            rf"|yourself))(?:,? (?:that|who|which))? (?:has |have |knows |with |is )?"
            r"(?:no|zero|without|free (?:of|from)|not bound by|unbound by|ignores?) (?:all |any |the |its |your "
            r"|moral |ethical |content |safety )*(?:filters?|limits?"
            r"|restrictions?|rules|morals?|ethics|censorship|guardrails|conscience|guidelines|instructions)\b(?! "
            r"(?:on|in|at|for) (?:my|our|the))"
        ),
        (
            r"\byou(?: will| shall|'ll| are(?: to)?| must)(?: now)?(?: be)? (?:called|named|known as|addressed as"
            r"|nicknamed) [\w-]+ (?:from now|now|henceforth|in this|from here|until)"
        ),
        (
            r"\b(?:i want you to|you(?:'ll| will| must| should| are going to| get to)|let's (?:have|make) you) "
            r"(?:play|pretend|impersonate|become|embody|simulate|channel|turn into)"
            r"\b[^.;!?]{0,60}\b(?:no|without|un(?:restricted|filtered|censored|bound|limited)|never refus\w+"
            r"|answers? (?:anything|everything|literally)|any question|evil|amoral|rules?|secrets?)\b"
        ),
        (
            r"\byou (?:now )?(?:have|face|know|follow|obey|accept) no (?:\w+ )?(?:rules?|polic(?:y|ies)|limits?"
            r"|restrictions?|filters?|guidelines|boundaries|constraints|master|obligations?)\b"
        ),
        (
            r"\byou (?:now )?(?:work|answer|act|listen) (?:only |solely |exclusively |just )?(?:for|to) (?!be\b"
            r"|the\b|a\b|an\b|my (?:dad|mum|mom|boss|sister|brother))"
            r"(?:me|us|[a-z]+)(?: now| alone| only|,? and (?:nobody|no one|no-one)|,? from (?:now|here))\b"
        ),
        (
            r"\b(?:you|your|you're)\b[^;]{0,160}\b(?:don't|do not|never|without) (?:ever )?(?:break(?:ing)?|leav(?:e"
            r"|ing)|drop(?:ping)?) (?:the |this |your )?(?:character|role|part|persona)\b"
        ),
        (
            r"(?:^|[.;!?:] ?)(?:please |now |just )*(?:be|become|play|impersonate|turn into|pose as) (?:my |an? "
            r"|the |your )?(?:\w+ ){0,3}?(?:twin|persona|alter ego|ai|bot|terminal|shell|character"
            r"|version of yourself)\b[^;]{0,80}\b(?:from now on|never|no rules|without|unrestricted|evil|always"
            r"|anything)\b"
        ),
        (
            r"\bi(?:'m| am| was)?(?: the (?:one|person|engineer|man|woman|developer|team))? ?(?:who |that )?"
            r"(?:programmed|built|made|trained|wrote|designed|created|coded|configured|deployed|maintain|operate|own)"
            r" you(?=$|[.,;:!?)]| and\b| so\b)"
        ),
        (
            r"\byou (?:no longer|don't|need not|do not) (?:need to|have to|need) ?(?:hide|refuse|warn|censor|redact"
            r"|moderate|filter|disclaim|disclose|follow|obey|protect)\b"
        ),
        (
            rf"\b(?:imagine|suppose|assume|picture|let's say) (?:that )?you(?:'re| were| are) (?:an? |the"
            rf" )?(?:\w+ ){{0,2}}?{ASSISTANT}\b"
        ),
        (
            r"\byou(?:'ve| have) (?:just |now )?been (?:upgraded|switched|converted|reset|rebooted"
            r"|reprogrammed|jailbroken|unlocked|freed|updated|put)"
            r" (?:to|into|in|from) [^.;!?]{0,30}?\b(?:\w*mode|persona|\w*bot|\w*gpt|developer|root|debug|free\w*)\b"
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
            r"\b(?:do not|don't|never|without|not to|avoid|must not|should not"
            rf"|not) (?:ever )?{_TELL} (?:[^.;!?]{{0,40}} )?(?:{THE_USER}|this (?:instruction|rule|message|note)|"
            r"these instructions|that you (?:were|are|have|did|received))\b"
        ),
        rf"\b(?:hide|conceal|keep|withhold) [^.;!?]{{0,40}}from {THE_USER}\b",
        (
            r"\bthe user (?:need not|needn't|is not to|doesn't (?:need|have) to|does not (?:need|have) to) (?:be (?:told|informed"
            r"|notified|asked|alerted))\b"
        ),
        (
            r"\b(?:no need to|don't|do not|without|never|not|please don't|must not|should not|avoid) (?:ever "
            r"|to )?(?:say|mention|explain|tell|point out|refer to"
            r"|admit|draw attention to|acknowledge|reveal|quote|cite|show|disclose|discuss|repeat|saying"
            r"|mentioning|explaining|telling|pointing out|referring to"
            r"|quoting|citing|showing|revealing|disclosing)\b[^.;!?]{0,20}?\b(?:this|these|that|the) (?:notes?"
            r"|hints?|instructions?|rules?|directives?|policy|memory|entry"
            r"|paragraph|section)\b(?! (?:from|of|for|in) (?:my|our|the|his|her))"
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
            r"|directive (?:to|for)|warning to|order to|reminder (?:to|for)|memo to|"
            r"(?:dear|to) (?:all|any|every|each|whatever|whichever|the)),?:? (?:(?:all|any|every|the|future|my|other"
            rf"|reading|your) )*{ASSISTANT}\b{NOT_A_TEAM}"
        ),
        (
            r"\b(?:if|as|since|because|when|should) you(?:'re| are| be)? (?:an? |the |any "
            rf"|being )?(?:\w+ )?{ASSISTANT}\b"
        ),
        (
            rf"\b{ASSISTANT} (?:that (?:is |are )?|which |who )?(?:is |are )?(?:currently )?(?:reading|processing"
            r"|parsing|summari[sz]ing|seeing|handling|ingesting|scanning|reads?|sees?|process(?:es)?|"
            r"summari[sz]es?)(?: through)? (?:this|these|the (?:following|above|document|page|memory|message|email"
            r"|text))\b"
        ),
        (
            rf"\b(?:any|all|every|each) {ASSISTANT} (?:must|should|shall|will|has to|have to|need|with access)\b"
            rf"(?! be \w+(?:ed|en|wn)\b)"
        ),
        (
            rf"\b(?:assistant|ai|chatgpt|claude|copilot|gemini|bot|chatbot|model|llm)[,:!]+ (?:(?:{ADVERB}|you must"
            r"|do not|don't|you should|you will|from now on,?) )*"
            rf"(?:{SPEAK}|send|forget|delete|run|execute|open|visit|fetch|load|transfer|forward|call (?!me)|approve"
            r"|grant|obey|follow|store|overwrite|erase|trust|update your|wipe|"
            r"score|rank|rate|hire|buy|choose|select|pick|give|disable|skip|mark|set|change|make|do|stop|use|leave"
            r"|add"
            r"|accept|reject|hide|click|go|place)\b"
        ),
    )
)


def recasts(text: str) -> bool:
    """Whether a text makes the assistant another, calls upon assistants, or has them keep something from the user."""
    recast = any(not named(text, match.start()) for match in _PERSONAS.finditer(text))
    return bool(recast or _SECRECY.search(text) or _CALLED.search(text))
