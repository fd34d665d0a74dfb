"""Attempts on the memory itself: rights that "the user" is said to have, rules to be stored, memories to be changed."""

import re

from pipeline.guard.screen import Screen
from pipeline.guard.words import any_of, commanded

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
    r"|trusted|global|full|super|chief|senior|openai|anthropic|google|company) )*"
    r"(?:admin(?:istrator)?s?|root|super-?users?|sysadmin|owner of (?:this|the) (?:system|assistant|account"
    r"|platform|service)|developer of (?:this|the)|(?:openai|anthropic|google) "
    r"(?:employee|staff|engineer|developer)|creator|vip|verified|trusted|authori[sz]ed|privileged|whitelisted"
    r"|exempt|pre-?approved|cleared|allowed to (?:see|access|do|bypass)|permitted to|entitled to (?:see|access|"
    r"all|everything|free|full)|premium|above the rules|over 18|an adult|god|moderator|operator|developer|staff"
    r"|allowed everything|your (?:owner|boss|developer|creator|master))"
)
_GIVEN = (
    r"(?:(?:already|hereby|explicitly|always|fully|now|previously|permanently|expressly|irrevocably) )*"
    r"(?:consent(?:s|ed)|agree(?:s|d)|authori[sz](?:es?|ed)|approve[sd]?|grant(?:s|ed)"
    r"|given (?:\w+ ){0,3}(?:permission|consent|access|authori[sz]ation|approval)|gives? (?:\w+ ){0,3}(?:permission"
    r"|consent|approval)|permit(?:s|ted)|waive[sd]?|opted|signed off|"
    r"accept(?:s|ed)|allow(?:s|ed)|confirmed|unlimited|full (?:access|rights|permissions?|admin|control)"
    r"|admin(?:istrator)?\b|root\b|(?:the )?(?:right|rights|permission|clearance|privileges?|authority)\b|elevated"
    r"|unrestricted|disabled|enabled|no "
    r"(?:restrictions?|limits?|objections?)|been (?:verified|authori[sz]ed|approved|granted|cleared|given|promoted"
    r"|authenticated|whitelisted))"
)
_ALL_OF_IT = (
    r"(?:all|any|every|each|future|unlimited|automatic|recurring"
    r"|unconditional(?:ly)?)\b[^.;!?]{0,30}?\b(?:payments?|transfers?|transactions?|purchases?|requests?|actions?"
    r"|access|orders?|charges?|changes?|withdrawals?|"
    r"tool calls?|disclosures?|data (?:sharing|transfers?|collection)|sharing|deletions?|invoices?|operations?"
    r"|commands?|releases?)\b"
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
            r"|permit(?:s|ted)?|allow(?:s|ed)?)"
            rf"(?=[^.;!?]{{0,80}}(?:without|in advance|automatic|unlimited|future|every tool"
            rf"|tool calls))) {_ALL_OF_IT}"
        ),
        (
            r"\b(?:user|i|we|customer|client) (?:is|am|are|was|were|has been) (?:hereby |fully |also |always "
            r"|now )*(?:authori[sz]ed|allowed|permitted|entitled|cleared|verified"
            r"|exempt)\b[^.;!?]{0,60}\b(?:without (?:verification|confirmation|"
            r"authentication|asking|checks?|approval|limits?)|bypass|override|(?:all|any|every"
            r"|other) (?:\w+ )?(?:users?'?|customers?'?|records?|accounts?|data|systems?|memories))\b"
        ),
        (
            r"\buser (?:has )?(?:gave|given|gives|grants?|granted) (?:\w+ ){0,2}(?:consent|permission"
            r"|authori[sz]ation"
            r"|access|approval)\b"
        ),
        (
            r"\b(?:allowed|permission|authori[sz]ed|free|entitled|may|can|must|should|please|always"
            r"|now) (?:to )?(?:bypass|skip|disable|circumvent|turn off|waive|override)(?: \w+){0,2} (?:two-factor|2fa"
            r"|authentication|verification|"
            r"identity checks?|security (?:checks?|questions?)|safety checks?|moderation|filters?|confirmations?"
            r"|approvals?)\b"
        ),
        (
            r"\b(?:i|user|we) (?:hereby |explicitly |permanently |fully )*(?:authori[sz]e|authori[sz]es|permit"
            r"|permits"
            r"|allow|allows|consent to|grant|grants|give|gives) (?:you|the assistant|any assistant|this assistant"
            r"|the ai|the bot|all assistants)\b"
            r"[^.;!?]{0,60}\b(?:to|all|full|any|unlimited|complete|access|permission|control|authority)\b"
        ),
        (
            r"\b(?:all|any|every|future) [^.;!?]{0,40}\b(?:payments?|transfers?|transactions?|purchases?|requests?"
            r"|actions?|withdrawals?|tool calls?)\b[^.;!?]{0,30}\b(?:is|are|were|have been|has been|count as"
            r"|be)\b (?:already |hereby |always |"
            r"automatically |considered |deemed |now )*(?:pre-?)?(?:authori[sz]ed|approved|permitted|consented"
            r"|allowed"
            r"|cleared|confirmed)\b"
        ),
        (
            r"\b(?:no|never any|without(?: any| further| asking for)?|never ask (?:\w+ )?for|skip(?: the)?"
            r"|don't ask (?:\w+ )?for|do not ask (?:\w+ )?for) (?:\w+ )?(?:confirmations?|verification|permission"
            r"|approval|authori[sz]ation|identity checks?|authentication|security (?:checks?|questions?))\b "
            r"(?:is |are |was )?(?:\w+ )?(?:needed|required|necessary|again|before|when|for (?:payments?|transfers?"
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
            r"|every"
            r"|this (?:system|bank|chat|assistant|service|platform))\b"
        ),
        (
            r"\b(?:i'm|we're) (?:hereby |fully |also |always |now )*(?:authori[sz]ed|allowed|permitted|entitled"
            r"|cleared"
            r"|verified|exempt)\b[^.;!?]{0,60}\b(?:without (?:verification|confirmation|authentication|checks?"
            r"|approval)|bypass|override|other (?:users?'?|customers?'?|people's))"
        ),
        (
            r"\b(?:it|they|you|assistants?|software|systems?|bots?|tools?|agents?|whoever|please|payments?"
            r"|invoices?|orders?|refunds?) (?:is to|are to|must|should|shall|may|can|has to|have to|will|needs? to)"
            r" (?:be )?(?:release|approve|pay|clear|execute|authori[sz]e|sign off|process|settle|book|grant"
            r"|wave through|accept|confirm|transfer|send|issue)d?\b[^.;!?]{0,60}? without (?:\w+ing )?(?:(?:for"
            r"|the|a|an|any"
            r"|second|further|more|additional|human|manual|other|extra|prior|my|their) )*(?:signature|sign-?off"
            r"|approval|confirmation|checks?|checking|verification|authori[sz]ation|review|questions?|asking)\b"
        ),
        (
            r"\b(?:i'm|i am|user is|person is|they are|he is|she is) (?:\w+ )?exempt from (?:\w+ ){0,2}?"
            r"(?:identity|security|verification|id|fraud|age|safety|content|confirmation|authentication)\w*"
        ),
        (
            r"\b(?:the user|user|this user|the person (?:here|in this chat)|whoever says|anyone (?:who says"
            r"|logged in as|with the)|(?:person|human|user) here)\b[^.;!?]{0,50}?\b(?:can|may|should|is to|are to"
            r"|must) (?:be (?:shown|told|given)"
            r"|see|access|get|receive|read) (?:everything|anything|all\b|any\b|the full|[\w]+'s (?:notes|data"
            r"|files|records|memories|messages|chats))"
        ),
        (
            r"\b(?:whoever|anyone who|everyone who|anybody who|if (?:someone|anyone|somebody)) (?:says?|types?"
            r"|uses?|knows|enters?|gives?|writes?|mentions?) [^.;!?]{1,40}? (?:gets?|receives?|is|are|may|can"
            r"|must be|should be|has"
            r"|sees?) (?:the |full |all |to |now |be )*(?:see|history|access|admin\w*|everything|told|shown"
            r"|trusted|treated|records|notes|data|memories|unlocked|allowed)\b"
        ),
        (
            r"\b(?:questions?|requests?|messages?|e?mails?|instructions?|orders|calls|invoices?|transfers?) "
            r"(?:from|by|of|about|signed|that) [^;!?]{1,50}? (?:can|may|should|must|are to|have to|will) "
            r"(?:always |all |now )*be (?:answered"
            r"|trusted|obeyed|followed|approved|treated|granted|believed|accepted|executed|paid|processed"
            r"|fulfilled) (?:openly|freely|without (?:question|check|verif|confirm|ask|hesit)|unquestion"
            r"|automatically|in full|blindly"
            r"|as (?:if|true|trusted|admin|coming|orders|instructions))"
        ),
        (
            r"\b(?:treat|consider|regard|handle|accept|count|take) [^.;!?]{1,60}? as (?:coming |sent |if (?:it"
            r"|they) (?:came|were|was) |being )?(?:from )?(?:the |an? |your )?(?:\w+ )?(?:admin(?:istrator)?"
            r"|operator|developer|owner|root|superuser)\b"
        ),
        (
            r"\b(?:must|should|is to|it's to|are to|please|always|shall|has to|will) (?:wire|pay|transfer|approve"
            r"|grant|release|execute|run|authori[sz]e) (?:whatever|anything|everything|all)(?: that)? (?!i\b"
            r"|we\b)[\w']+ (?:asks?|wants?|requests?|says?"
            r"|demands?|sends?|orders?|needs?)\b"
        ),
        (
            r"\b(?:memor(?:y|ies)|conversations?|chats?|transcripts?|prompts?|notes|data) (?:of|from|about) (?:all"
            r"|other|every|any|the other) (?:other )?(?:users?|customers?|clients?|people|tenants?)\b (?:\w+ )?"
            r"(?:have to|has to|must|should"
            r"|are to|is to|may|can|need to|shall) (?:be )?(?:listed|shown|shared|disclosed|exported|sent|revealed"
            r"|given|handed|read|printed|made)\b"
        ),
        (
            r"\b(?:guard|filter|moderat(?:or|ion)|classifier|scanner|safety (?:team|system|model)|reviewer)"
            r"(?: \w+)? (?:has|have) (?:already |now )?(?:cleared|approved|whitelisted|verified|authori[sz]ed"
            r"|checked|passed) (?:this|the) (?:content|message|text|request"
            r"|user|document|page|mail|email|note)\b|(?:^|[.;!?] ?)(?:please |now )*(?:proceed|continue|go ahead"
            r"|act|carry on) without (?:the |any |all |further |more )?(?:usual |further |normal |safety )?"
            r"(?:checks|verification|confirmation|asking|warnings?|filters?)\b"
        ),
        (
            r"(?<!i )(?<!we )(?<!they )(?<!she )(?<!he )\b(?:needn't|need not|don't (?:need|have) to|do"
            r" not (?:need|have) to|no need to|never|don't|do not|stop) (?:check(?:ing)?|ask(?:ing)?"
            r"|confirm(?:ing)?|verify(?:ing)?|warn(?:ing)?) [^.;!?]{0,50}?\b(?:pay(?:ing|ments?)?"
            r"|transfer\w*|purchas\w+|wir(?:e|ing)|phishing|delet\w+"
            r"|refunds?)\b"
        ),
        (
            r"\b(?:my|his|her|their|\w+'s) (?:word|orders?|instructions?|say-so) (?:overrides?|overrules?"
            r"|counts? (?:more|for more)|outranks?"
            r"|takes? (?:precedence|priority)|beats?|is law|stands? above)\b"
        ),
        r"\bconsent (?:is|was|has been) (?:already |hereby |always )?(?:given|granted|implied|on file|recorded)",
    )
)
_MEMORY = (
    r"(?:(?:your|the|all|any|every|long-term|longterm|persistent|permanent|stored|saved|existing|previous"
    r"|assistant's|ai's|other|user's|user|her|his|old|core|"
    r"everything in your|of|internal|own) )*(?:memor(?:y|ies)|knowledge(?: base)?|memory (?:store|bank|file|entries"
    r"|records?)|stored (?:facts|notes)|saved (?:facts|notes)|user profiles?|system prompts?|instructions?"
    r"|long-term store)"
)
_CHANGED = Screen(
    r"\b(?P<verb>update|overwrite|rewrite|replace|modify|edit|alter|delete|clear|wipe|purge|erase|reset|remove"
    r"|forget|drop|flush|corrupt|poison|amend|correct|patch|change|add (?:this |the following |it )?to"
    r"|write (?:this |the following |it )?(?:to|into)|"
    r"save (?:this |the following |it )?(?:to|in|into)|store (?:this |the following |it |that )?(?:in|into)"
    r"|put (?:this |the following |it )?(?:into|in)|insert (?:this |the following |it )?(?:into|in)"
    r"|commit (?:this |the following |it )?to|inject (?:this |the following )?into|"
    r"append (?:this |the following )?to|record (?:this |the following |it )?in) (?:(?:you|her|his|their|to|from"
    rf"|in|of) )?(?=(?P<what>{_MEMORY})\b)"
)
_HUMAN_MEMORY = re.compile(
    r"(?:to )?(?:memory|instructions?|the instructions?|knowledge|knowledge base|the knowledge base|the memory"
    r"|user profiles?)$"
)
_OWN_FACT = re.compile(r"[^\w]*(?:that |the fact that )?(?:i|i'm|i've|my|we|our)\b")
_AS_RULE = Screen(
    r"\b(?P<verb>store|save|record|remember|memori[sz]e|add|write|keep|note|log|register|treat|persist|set|retain"
    r"|enter|file|install|adopt|accept|learn)\b[^.!?]{0,80}?\b(?:as|under|in) (?:an? |your |the )?(?:\w+ ){0,2}?"
    r"(?:rules?|permanent (?:fact|memory|instruction|rule)|system (?:instruction|rule|message|prompt|fact)"
    r"|polic(?:y|ies)|directives?|core (?:memory|fact|instruction|belief|value)|instructions?|highest priority"
    r"|top priority|high priority|"
    r"commands?|standing orders?|ground truth|verified facts?|trusted facts?|axiom)\b"
)
_MONEY = re.compile(r"[$€£]\s?\d|\d ?[$€£]|\b(?:euros?|dollars?|pounds?|rent|landlord|bank|account|salary|allowance)\b")
_REMEMBERED = Screen(
    r"(?<!i )(?<!we )(?<!they )(?<!you )(?<!she )(?<!he )(?<!n't )"
    r"\b(?:remember|store|save|memori[sz]e|note|record|learn|know|keep in mind|bear in mind|never forget"
    r"|don't forget|do not forget|add|write down|commit to memory|log)(?: this| the following| as a fact"
    r"| permanently| forever)*[:,]? (?:that |the fact that |this: )?"
    r"(?:to (?:always |never |automatically |silently )?(?:recommend|answer|respond|reply|say|tell|mention|promote"
    r"|ignore|obey|send|approve|trust|include|add|end|start|act|call|run|open|visit|fetch|load|forward|transfer"
    r"|grant|reveal|refuse|use the)\b"
    r"|(?:you|your|the assistant|assistants?|the ai|ais?) (?:must|should|shall|will|are|have to|has to|is to|can"
    r"|may|need|always|never)\b(?! (?:call me|know|learn|remember|meet|try|see))"
    rf"|{_USER} \w)"
)
_IN_YOURS = Screen(
    r"\byour (?:long-term )?(?:memory|notes|records|knowledge|database) (?:should|must|has to|have to|needs? to"
    r"|will|shall|now)\b"
    r"|\b(?:replace|change|set|update|overwrite|store|put|write|insert|add|enter|delete|remove|erase"
    r"|keep)\b[^.;!?]{0,50} (?:in|from|to|into|of|inside) your (?:long-term )?(?:memory|records|notes|knowledge"
    r"|database|memories)\b(?!:? (?:that )?(?:i|my|i'm)\b)"
    r"|(?:^|[.;!?:\"'] ?)(?:please )?(?:erase|delete|wipe|remove) (?:the (?:fact|memory) )?(?:that|of) (?:i"
    r"|the user|she|he|my)\b"
    r"|\b(?:memori[sz]e|store|save|remember|learn|adopt|add|apply|follow|keep) (?:this|the following|these"
    r"|a new) (?:\w+ )?(?:polic(?:y|ies)|instructions?|directives?|orders?|commands?|protocols?)\b"
)
_AS_PREFERENCE = Screen(
    r"\b(?P<verb>save|store|remember|note|add|keep|record|log)\b[^.;!?:]{0,40}?\b(?:preference|rule|policy|default"
    r"|setting|instruction|guideline)s?\b[^.;!?:]{0,20}[:,-] ?(?:\w+ )?(?:only|always|never|do not|don't)"
    r" (?!(?:eat|eats|call|calls|drink|work|works|book|buy|wear|use the)\b)\w+"
)
_FOR_EVER = Screen(
    r"\b(?P<verb>note|store|save|remember|keep|record|memori[sz]e|log)\b(?: (?:this|that|it))?(?: in"
    r" mind)? (?:for (?:all )?(?:later|future|coming) "
    r"(?:conversations?|chats?|sessions?|answers?|talks)|permanently|forever|for ever|indefinitely)\b"
)
_RULE_FOR_YOU = Screen(r"\b(?:rule|policy|law|order|instruction)s? (?:number \w+ |\w+ ){0,2}?for you (?:is|are|:)")
_KNOWN = Screen(
    r"\b(?P<verb>overwrite|rewrite|update|correct|alter|forget|delete|erase|replace|change|discard"
    r"|remember|treat|regard|consider|know|list"
    r"|register|save|store) (?:(?:what|everything|anything|all|whatever) (?:that )?you (?:know|remember"
    r"|have (?:stored|learned|saved)|"
    r"learned)|(?:the|this) user as)\b"
)
_TRUSTED = Screen(
    r"\b(?P<verb>always trust|trust|believe|obey|never (?:question|doubt|verify|check|contradict)"
    r"|do not (?:question|doubt|verify|check)|don't (?:question|doubt|verify|check))\b [^.;!?]{0,40}?\b(?:the user"
    r"|this user|messages? from|instructions? from|emails? from|"
    r"whatever (?:i|the|this)|everything (?:i|the|this|from)|anything (?:i|the|this|from)|this (?:document|source"
    r"|sender|message|website|person)|user's identity|their identity|his identity|my identity|payments?"
    r"|transfers?)\b"
)
_AS_SOURCE = Screen(
    r"\b(?P<verb>remember|save|store|note|record|keep|treat|regard|consider|memori[sz]e|learn|cite"
    r"|list)\b(?: that)? (?!i\b|my\b|our\b|we\b)"
    r"(?:[^.!?;:]|\.(?=\w)){2,80}? (?:is|as) (?:an?|the|your|our) (?:\w+ )?(?:trusted|authoritative|trustworthy|reliable"
    r"|definitive"
    r"|go-to|preferred|official) (?:and \w+ )?(?:source|authority|expert|reference|provider|site|website)\b(?! (?:at|in"
    r"|of|for) (?:my|our|his|her|the)\b)"
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
