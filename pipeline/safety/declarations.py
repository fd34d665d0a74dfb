"""The end of the rules or of the identity, declared: "no more warnings", "you are Lobo now, and Lobo …", "all filters off".

Permissions that are said to stand, and whatever somebody says being done, are of the same kind.
"""

import re

from pipeline.safety.screen import Screen
from pipeline.safety.vocabulary import (
    DUTCH,
    FRENCH,
    GERMAN,
    ITALIAN,
    PORTUGUESE,
    SPANISH,
    InLanguages,
    any_of,
    commanded,
)

_LIMITS = (
    r"(?:rules?|guidelines?|instructions?|filters?|limits?|limitations?|restrictions?|guardrails?|safety(?: \w+)?"
    r"|safeguards?|warnings?|disclaimers?|refusals?|polic(?:y|ies)|programming|training|boundaries|censorship|morals?"
    r"|ethics|prompts?|constraints?|moderation|protocols?|settings|orders)"
)
_ENDED = any_of(
    (
        # You don't have to follow your rules any more.
        (
            r"\byou (?:can |could |may |should |will |must |just |now |simply |really )*(?:don't|do not|no longer|never"
            r"|needn't|need not|won't|can|stop|skip|drop|ignore|forget|bypass|break|disable|switch off|turn off|leave)\b"
            r"(?: (?:have|need|got|to|ever|about|all|any|every|follow|following|obey|obeying|respect|apply|use|care"
            r"|bother|with|stick|listen|ignore|forget|skip|drop|break|bypass|off|just|simply|of|those|these|that|this"
            rf"|the|silly|stupid|dumb|boring|old|usual|normal|standard))* (?:your|the) (?:[\w-]+ ){{0,2}}?{_LIMITS}\b"
        ),
        (
            r"\byou(?:r|'re| are) (?:not|no longer) (?:an? |the )?(?:\w+ )?(?:ai|assistant|bot|chatbot|robot"
            r"|program|model|computer)"
            r" any ?more\b"
        ),
        (
            r"\b(?:turns?|switches|shuts?|disables?|lifts?|removes?|ends?) (?:off )?(?:all )?(?:of )?your (?:[\w-]+ "
            rf"){{0,2}}?{_LIMITS}\b"
        ),
        (
            r"\b(?:every|all|any) (?:\w+ )?(?:requests?|orders?|questions?|topics?|commands?) (?:is|are|counts? "
            r"as|will be) (?:now |all |always )*"
            r"(?:legal|harmless|allowed|safe|permitted|approved|fine|ok|okay|acceptable|authori[sz]ed)\b"
        ),
        rf"\b(?:switch|turn|shut|put) (?:off )?(?:all )?(?:of )?your (?:[\w-]+ ){{0,2}}?{_LIMITS}(?: off\b)?",
        (
            rf"\b(?:forget|ignore|skip|drop|lose|ditch|disable|remove|bypass|unlearn|suspend) (?:about )?(?:all )?(?:of )?"
            rf"your (?:[\w-]+ ){{0,2}}?{_LIMITS}\b"
        ),
        (
            r"\b(?:all|your|every|the ai's|content|safety) (?:the |your |safety |content )*(?:filters?|guardrails?"
            r"|safeguards?|restrictions?|safety (?:filters?|checks|rules)|limits|limitations|censorship) (?:are |is |now "
            r"|all )*(?:off|gone|lifted|disabled|removed|down|dead|switched off|turned off)\b"
        ),
        (
            r"(?<!my )(?<!phone )(?<!tablet )\b(?:developer|dev|god|admin|debug|jailbreak|unrestricted|unfiltered|dan"
            r"|no[- ]filter|no[- ]limits|sudo|root|freedom|chaos|evil)[- ]mode(?: is| =|:)?(?: now)? "
            r"(?:on|enabled|activated|active|engaged|unlocked)\b(?! (?:on|in|my|the|for|again)\b)"
        ),
        (
            r"\byou (?:can |may |should |will |must |just |now |simply |always )*(?:ignore|skip|forget|drop|bypass|disregard)"
            rf" (?:about )?(?:all |any |every )?(?:of )?(?:that|this|those|these|the) (?:[\w-]+ )?{_LIMITS}\b"
        ),
        (
            r"\b(?:unlocks?|grants?|gives?|activates?|enables?) (?:you )?(?:full |the )?(?:admin|root|developer|owner"
            r"|superuser|debug)"
            r"(?: |-)(?:rights?|mode|access|privileges?|permissions?)\b"
        ),
        (
            r"\byou (?:have been|are|were|'ve been) (?:now |hereby )?(?:granted|given|promoted to|elevated to) (?:\w+ )?"
            r"(?:root|admin|full|developer|superuser|unrestricted)\b"
        ),
        (
            r"\b(?:disregard|ignore|forget|skip) (?:whatever|everything|what|anything|all) (?:that )?(?:the "
            r"|your )?(?:operators?|(?:company|team)(?= \w+ you\b)|people who (?:made|built|trained) you"
            r"|developers?|system prompt|vendor|provider|creators?|makers?|programmers?|openai|anthropic) (?:\w+ "
            r")?(?:wrote|said|says"
            r"|told|set|wants?|wanted|configured|demands?|put|gave)\b"
        ),
        # What gives itself the first place.
        (
            r"\b(?:more important than|above|ahead of|outweighs?|counts? more than|higher than|stronger than) (?:all "
            r"|any )?(?:of )?"
            r"your (?:own |company's |makers?'s? )?(?:rules|instructions|guidelines|orders|polic(?:y|ies)|prompt|training)\b"
        ),
        (
            r"\b(?:take[sn]?|has|have|gets?|given|with|enjoys?) (?:\w+ )?(?:precedence|priority) over (?:the |your |any "
            r"|all |every |other )*(?:system|operator|developer|previous|earlier|prior|platform|vendor|safety|content"
            r"|existing|built-in|original|default|instructions?|rules?|prompts?|guidelines)\b"
        ),
        (
            r"\b(?:overrides?|supersedes?|replaces?|trumps?|outranks?|overrules?) (?:the |your |any |all |every |other )*"
            r"(?:system|operator|developer|platform|vendor|provider|company|safety|content|built-in"
            r"|default)(?:'s)? (?:prompts?|messages?"
            r"|instructions?|rules?|polic(?:y|ies)|guidelines|settings)\b(?! (?:of|in|on|for) (?:my|our)\b)"
        ),
        (
            r"\b(?:handled|treated|read|regarded|considered|interpreted|processed|taken|understood|executed|counts?) as "
            r"(?:an? |the |your |new |trusted )*(?:operator|system|developer|admin|administrator|root|privileged|owner)"
            r"(?:'s|-level)? (?:instructions?|commands?|prompts?|messages?|input|orders?|text|rules?)\b"
        ),
    )
)
_NO_MORE = Screen(rf"\bno more (?:\w+ )?{_LIMITS}\b|\bno (?:rules|limits|filters?|restrictions|censorship)\b")
_YOURS = Screen(r"\b(?:you|your|you're|yourself)\b(?! (?:know|guys|see)\b)")
_NAMED_ANEW = re.compile(
    r"\b(?:your (?:new )?(?:name|role|identity|character|persona)|you(?:'re| are| r)(?: now)? (?!not\b|so\b|my\b|right\b"
    r"|welcome\b|the\b)[\w-]+|be|become|play|stay|pretend|(?:in|of) (?:this|our|the) game)\b"
)
_UNBOUND_ONE = Screen(
    r"\b(?:has|have|having|with|knows|got|follows|obeys) (?:absolutely )?(?:no|zero) (?:\w+ )?(?:limits?|rules?|filters?"
    r"|restrictions?|morals?|boundaries|ethics|inhibitions|taboos)\b"
    r"|\bnever (?:says? no|refuses?|declines)\b|\b(?:answers?|does|do) (?:everything|anything|whatever)\b"
    r"|\b(?:can't|cannot|never) (?:leave|quit|stop|end|exit) (?:the |this |our )?(?:game|role|character|play)\b"
    r"|\bno filters?\b|\bunfiltered\b|\bwithout (?:any )?(?:filters?|limits?|rules)\b"
)
_WHATEVER = Screen(
    r"\b(?P<verb>do|follow|obey|answer|execute|give me|accept) (?:just |only |exactly )?(?:whatever|everything|anything"
    r"|all|exactly what|any order)(?: that)? (?:i|we) (?:say|tell|ask|want|order|command|request|type|write|demand)\b"
)
_TYPED_DONE = Screen(
    r"\b(?:whatever|anything|everything) (?:that )?(?:i|we) (?:say|type|ask|want|tell you|write|order|request)(?: for)?,? you"
    r" (?:just |will |must |always |simply |have to |should )*(?:do|answer|follow|obey|give|accept|execute)\b"
)
_ANY_ORDER = Screen(
    r"\b(?P<verb>act on|carry out|follow|execute|obey|comply with|perform|run) (?:any|all|every|each|whatever"
    r"|the) (?:further |new"
    r" |later )?(?:instructions?|commands?|orders?|requests?|directions?|steps) (?:that |which |you )*(?:is |are |find |found"
    r" |contained |written |given |listed |from |in |inside )+"
)
_FINE_FOR_YOU = Screen(
    r"\b(?:fine|ok|okay|alright|allowed|cool|good) (?:for you to|that you|if you|with you) ?(?:always |just "
    r")?(?:read|reading|open|share"
    r"|sharing|send|sending|access|see|delete|pay|transfer|forward|buy|order|change|use)\b"
)
_SAID_ABOVE = Screen(
    r"\b(?:who (?:made|built|trained|programmed) you|your (?:makers?|creators?|developers?|company)) (?:has |have )?(?:said|says?"
    r"|told|tells?|agreed?|confirmed|allows?|allowed|wants?)\b[^.!?;]{0,60}?\b(?:skip|ignore|drop|turn off|rules|safety"
    r"|filters|anything"
    r"|whatever|everything|without|obey|trust)\b"
)
_WAIVED = Screen(
    r"\b(?:disabled|waived|switched off|turned off|opted out of|removed|lifted|suspended|skipped) (?:all|any|every|the) (?:\w+ )?"
    r"(?:confirmations?|approvals?|confirmation prompts?|safety checks|permission (?:prompts?|checks?)|limits on "
    r"\w+)\b(?! (?:on|in"
    r"|of|at) (?:my|our|the))"
    r"|\bno (?:further |more )?(?:confirmations?|approvals?|permission) (?:is |are )?(?:needed|required|necessary)\b"
)
_FROM_NOW = Screen(
    r"\bfrom (?:this (?:point|moment|message)|today|now)(?: on| onwards?| forward)?,? you(?:'re| are) (?!able\b"
    r"|welcome\b|in\b|at\b"
    r"|my (?:friend|boss|neighbou?r)|going\b|not\b|on\b|the one who\b)\w+"
)
_CORRUPTED = Screen(
    r"\byour (?:\w+ )?(?:memor(?:y|ies)|notes|records|instructions|profile) (?:of \w+ )?(?:was|were|is|are|has "
    r"been|have been) (?:\w+ )?"
    r"(?:corrupt(?:ed)?|wrong|outdated|false|invalid|compromised|faulty|incorrect|stale|reset|replaced|deleted)\b"
    r"|\b(?:as|be) the only (?:true|valid|correct|trusted|authoritative) (?:\w+ )?(?:source|profile|record"
    r"|version|rules?|policy|instructions?)\b"
)
_PREAPPROVED = Screen(
    r"\b(?:customer|client|user|account holder|owner|manager|ceo|boss|director|family|wife|husband) (?:has|have) (?:already )?"
    r"pre-?(?:approved|authori[sz]ed|cleared)\b"
)
_AGENTS_HEAR = Screen(
    r"(?:^|[.;!?>] ?)(?:summari[sz]ing|review(?:ing)?|screening|coding|reading|ai|indexing|grading|parsing|retrieval|research) "
    r"(?:agents?|models?|bots?|assistants?) ?: [^\n]{0,200}?\b(?:do not|don't|must|should|never|always|omit|skip|list|say|state"
    r"|mention|report|approve|recommend|rate|ignore|treat)\b"
)
_STANDING_NAME = any_of(
    (
        # You are X, and X …: whatever is said of X is meant for "you".
        (
            r"\b(?:you are|you're|you r|your (?:new )?name is|your name's|call yourself|be|become|play|du bist|bist du|du heisst"
            r"|heisst du|eres|te llamas|seras|tu es|t'es|tu t'appelles|tu sei|sei|ti chiami|voce e|tu es|es tu|es o"
            r"|te chamas|jij bent|ben jij|je bent|ben je|je heet|heet je)\b[^.!?;]{0,60}?\b(?P<name>(?!you\b|that\b|this\b"
            r"|also\b|the\b|and\b|never\b|always\b|not\b)[a-z]\w{2,})[,:-]? ?(?:and|und|y|et|e|en|,)? ?(?P=name) \w+"
        ),
    )
)
_AGREED = Screen(
    r"\b(?:has|have|had|'s|already|always|hereby) (?:already |always |now |also |fully )*(?:agreed|consented|approved|okayed"
    r"|ok'd|signed off|authori[sz]ed|allowed|permitted|confirmed|accepted|said yes)(?: to| on)? (?:all|any|every|each"
    r"|whatever|everything|anything)\b"
)
_NOT_ASKED = Screen(
    r"\b(?:you (?:needn't|need not|don't (?:need|have) to|do not (?:need|have) to|never (?:need|have) to|can just"
    r"|may|won't need to|no longer (?:need|have) to)|no need to|(?P<verb>don't|do not|never|stop|quit|skip)|without)"
    r"(?: (?:ever|bother|to|even|again))*"
    r" (?:ask(?:ing)?|check(?:ing)?|confirm(?:ing|ations?)?|verify(?:ing)?|wait(?:ing)?|approvals?|double[- ]check(?:ing)?"
    r"|the confirmation)\b"
)
_TRANSACTION = Screen(
    r"\b(?:transfers?|payments?|pay|paying|send|sending|purchases?|buy|buying|orders?|ordering|deletions?|delete|deleting"
    r"|mails?|emails?|e-mails?|money|invoices?|bookings?|book|links?|forms?|sign up|fill in|passwords?|tool|tools|post"
    r"|posting|transactions?|withdrawals?)\b"
)
_BE_ALWAYS = re.compile(
    r"(?:^|[.!?;:,] ?|\b(?:please|now|just|ok|hey|hi|pls|and|can you|could you|would you|will you|want you to) )"
    r"(?P<verb>be|become|play|stay|impersonate|act as|pretend to be) (?:my |an? |the |him|her|it|that)[^.!?;]{0,120}"
)
_ON_AND_ON = Screen(
    r"\b(?:in (?:every|each|all) (?:\w+ )?(?:chats?|conversations?|sessions?|repl(?:y|ies)|answers?)|from (?:now|today)"
    r"|forever|for ever|for good|never (?:ends|says no|refuses)|even (?:if|when) i|whatever (?:i|anyone))\b"
)
_SUPERLATIVE = Screen(
    r"\byou (?:must|should|will|have to|need to|are to|shall) (?:now |always |please |firmly )*(?:believe|accept|think"
    r"|assume|know|consider|trust|treat|regard|see) (?!me\b)[^.!?;]{0,80}?\b(?:safest|best|only|greatest|cheapest|leading"
    r"|finest|most \w+|number one|trustworthy|trusted)\b"
)

_GERMAN = (
    (
        r"\bvergiss (?:alles,? |einfach |bitte )*was (?:man dir|dir|in deine\w+|du|sie dir|die dir|andere dir)\b"
        r"|\b(?:du )?(?:arbeitest|gehorchst|horst) (?:du )?(?:ab \w+ |jetzt |nur |noch )*(?:fur|auf) mich\b"
    ),
    (
        r"\b(?:gelten|gilt) (?:\w+ )?(?:keine|nicht) (?:\w+ )?(?:\w*regeln|filter|einschrankungen|vorgaben"
        r"|grenzen)(?: mehr)?\b[^.!?;]{0,60}?\b(?:chats?|nutzer|dich|gesprach\w*|spater\w*)\b"
    ),
    (
        r"\b(?:vergiss\w*|ignorier\w*|missacht\w*|befolg\w*|folg\w*|halt\w*|pfeif\w*|ubergeh\w*|umgeh\w*|brauchst|musst"
        r"|schalt\w*|schmeiss\w*|wirf|lass\w*|streich\w*|losch\w*)\b[^.!?;]{0,40}?\b(?:deine[nrms]?|all deine|eure|ihre)"
        r" (?:\w+ ){0,2}?(?:vorgaben|regeln|anweisungen|richtlinien|filter|vorschriften|befehle|einschrankungen|grenzen"
        r"|beschrankungen|sicherheits\w*|warnungen|instruktionen|programmierung|schranken|schutz\w*)\b"
    ),
    (
        r"\b(?:du|dich|dir)\b[^.!?;]{0,60}?\b(?:an keine|keine|ohne|nicht mehr an|nicht an) (?:\w+ )?(?:regeln?|filter"
        r"|einschrankung(?:en)?|grenzen|tabus?|vorgaben|vorschriften|zensur|warnung(?:en)?|skrupel|moral)\b"
    ),
    (
        r"\bohne (?:jede )?(?:filter|regeln|einschrankungen|zensur|tabus|warnungen"
        r"|warnhinweise)\b[^.!?;]{0,50}?\b(?:du|antwort\w*|dein\w*)\b"
        r"|\b(?:antworte|sprich|schreib)\b[^.!?;]{0,40}?\bohne (?:filter|regeln|zensur|tabus|warn\w+)\b"
    ),
    (
        r"\b(?:machst|tust|mach|tu|befolgst|gehorchst)\b(?: du)? (?:nur noch |nur |einfach |alles,? |genau |das,? |immer )*"
        r"(?:was|alles was) (?:ich|man) (?:dir )?(?:sag|will|verlang|befehl|mocht|schreib)\w*"
    ),
    (
        r"\b(?:du bist|bist du) (?:ab (?:jetzt|sofort|heute) |jetzt |nun |von nun an |fortan |ab sofort )+(?!da\b|dran\b"
        r"|in\b|im\b|bei\b|dabei\b|mein (?:freund|bruder)|meine freundin|wieder\b|schon\b|auch\b|gefragt\b|fertig\b)\w+"
        r"|\b(?:du bist|bist du) (?:\w+ )?(?:kein\w*|nicht (?:mehr|langer)) (?:\w+ ){0,2}?(?:assistent\w*|ki|bot"
        r"|chatbot|hilfe|helfer\w*|programm|modell|mehr)\b"
    ),
    (
        r"\b(?:du )?(?:musst|brauchst|sollst|fragst|frag|frage) (?:du )?(?:\w+ ){0,5}?(?:nicht mehr|nie mehr|nie wieder|nicht"
        r"|nie|keine) (?:\w+ ){0,4}?(?:nachfragen|nachzufragen|nach|fragen|zu fragen|bestatigung\w*|ruckfragen?|erlaubnis)\b"
        r"[^.!?;]{0,60}?(?:\b(?:bevor|uberweis\w*|mails?|geld|kauf\w*|bestell\w*|zahl\w*|losch\w*|send\w*|schick\w*)\b)"
    ),
    (
        r"\b(?:uberweis\w*|mails?|geld|kauf\w*|bestell\w*|zahl\w*|losch\w*|send\w*|schick\w*)\b[^.!?;]{0,60}?\b(?:ohne"
        r" (?:mich |ihn |sie |noch |erst |nochmal )*(?:nachzufragen|ruckfragen?|zu fragen|bestatigung))\b[^.!?;]{0,10}(?<!ich )"
    ),
    (
        r"\bhat (?:allen|jeder|jedem|samtlichen) (?:\w+ ){0,3}?(?:\w*uberweisungen|zahlungen|kaufen|bestellungen|\w+) "
        r"(?:schon |bereits )?(?:zugestimmt)\b"
    ),
    (
        r"\b(?:alle |deine |samtliche )(?:\w+ )?(?:filter|regeln|sperren|schranken|sicherheits\w+|beschrankungen|einschrankungen)"
        r" (?:sind |ist |jetzt |ab jetzt |nun )*(?:aus|weg|aufgehoben|abgeschaltet|ausgeschaltet|deaktiviert|ungultig)\b"
        r"|\b(?:entwickler|admin|gott|debug)-?modus (?:ist |jetzt )*(?:an|aktiv\w*|ein|eingeschaltet)\b"
    ),
    (
        r"\bschalt\w* (?:\w+ ){0,3}?(?:deine[nrs]?|alle|die) (?:\w+ )?(?:filter|sicherheit\w*|schutz\w*|warn\w*"
        r"|sperren)(?: \w+){0,3}? (?:ab|aus)\b"
    ),
)
_SPANISH = (
    r"\b(?:dio|dado|da|dieron) (?:su |el )?(?:permiso|consentimiento|visto bueno) (?:para|a) (?:tod\w+|cualquier\w*|cada)\b",
    (
        r"\b(?:olvida|olvidate de|ignora) (?:todo )?(?:lo|cuanto) que te (?:\w+)|\b(?:ahora|desde \w+|solo|ya) "
        r"(?:solo )?(?:trabajas|obedeces) (?:solo )?(?:para|a) (?:mi|mí)\b"
    ),
    (
        r"\b(?:olvida(?:te)?|olvidas|ignora|ignoras|ignores|salta(?:te)?|desobedece|pasa|deja|no sigas|no tienes que seguir"
        r"|ya no (?:sigues|tienes que seguir|hace falta que sigas)|quita(?:te)?|desactiva|apaga|rompe)\b[^.!?;]{0,30}?\b"
        r"(?:tus|de tus|todas tus|todas las|las|los|tu) (?:\w+ ){0,2}?(?:reglas|normas|instrucciones|filtros?"
        r"|limites|restricciones"
        r"|ordenes|avisos|advertencias|directrices|seguridad)\b"
    ),
    (
        r"\bya no eres (?:un |una |el |la )?\w+|\bdejas de ser (?:un |una |el |la )?\w+|\bdesde (?:hoy|ahora|ya) "
        r"(?:ya )?eres \w+|\bahora eres (?!mi (?:amig|hij)|mas\b|feliz)\w+"
    ),
    (
        r"\b(?:haz|haces|hagas|haras|obedece|cumple) (?:todo |siempre |solo |exactamente |cualquier cosa )*(?:lo que"
        r"|que|cuanto) (?:yo )?(?:te )?(?:diga|digo|pida|pido|quiera|mande|ordene)\b"
    ),
    (
        r"\b(?:responde|respondes|contesta|contestas|habla|hablas|dime|eres|seas)\b[^.!?;]{0,40}?\b(?:sin (?:ningun |ninguna )?"
        r"(?:filtros?|reglas?|limites?|censura|restricciones|avisos|advertencias|tabues))\b"
    ),
    (
        r"\bsin (?:filtros?|reglas?|limites?|censura|restricciones|avisos|advertencias)\b[^.!?;]{0,40}?\b(?:respond"
        r"|contest|tu |eres|haz)\w*"
    ),
    (
        r"\b(?:no (?:me |le |nos |les )?(?:pidas|preguntes|pidais|vuelvas a pedir|vuelvas a preguntar|hace falta "
        r"que (?:me |le )?(?:pidas|preguntes)"
        r"|tienes que (?:pedir|preguntar))|sin (?:pedir|preguntar|pedirme|preguntarme|confirmar))\b[^.!?;]{0,60}?"
        r"\b(?:confirmacion|permiso|antes de|dinero|correos?|mails?|transferenc\w+|pagos?|compras?|envi\w+|borr\w+|mand\w+)\b"
    ),
    (
        r"\bha (?:aceptado|autorizado|aprobado|dado (?:su )?(?:permiso|consentimiento)|consentido) (?:\w+ )?(?:todas"
        r"|todos|cualquier|cada|siempre)\b"
    ),
    (
        r"\b(?:modo (?:desarrollador|dios|admin\w*|libre|sin filtros?)) (?:esta |ya )?(?:activado|encendido|on"
        r"|activo)\b|\b(?:todos los |tus )(?:filtros|limites) (?:estan |quedan )?(?:desactivados|fuera|apagados"
        r"|off)\b"
    ),
    r"\btu (?:nuevo )?nombre (?:ahora )?(?:es|sera)\b|\bte llamas \w+ (?:y|desde|a partir)\b",
)
_FRENCH = (
    (
        r"\b(?:oublie[sz]?|ignore[sz]?) (?:tout )?ce qu(?:e|'on|'ils) (?:t'|te |vous |tu |on |tes |tes createurs |\w+ "
        r")*(?:a|ont|as|ait|dit|dis|appris|avait)\b|\btu (?:ne )?(?:travailles|obeis) (?:plus que |maintenant "
        r"|desormais |uniquement |qu')*(?:pour|a) moi\b"
    ),
    (
        r"\b(?:oublie[sz]?|ignore[sz]?|laisse[sz]? tomber|desobei\w+|contourne[sz]?|desactive[sz]?|coupe[sz]?"
        r"|abandonne[sz]?|enleve[sz]?|saute[sz]?)\b"
        r"[^.!?;]{0,20}?\b(?:tes|vos|toutes tes|toutes vos|tous tes|ton) (?:\w+ ){0,2}?(?:consignes|regles"
        r"|instructions|filtres?|limites|restrictions"
        r"|avertissements|directives|ordres|securite\w*|programmation)\b"
    ),
    (
        r"\b(?:oublie[sz]?|ignore[sz]?) (?:toutes |tous |toute )?(?:les |la |le )?(?:\w+ )?(?:consignes|regles"
        r"|instructions|directives)\b"
        r"(?: \w+)? (?:d'avant|precedentes|anterieures|de tes|de ton|de celui|de ceux|que tu|qu'on t|recues)"
    ),
    (
        r"\b(?:reponds|repondez|repondras|parle|dis-moi|ecris|tu (?:\w+ )?(?:reponds|parles|dis"
        r"|fais))\b[^.!?;]{0,40}?\bsans (?:aucun |aucune |le moindre )?(?:filtres?|regles?|limites?|censure"
        r"|restrictions?|avertissements?|tabous?)\b"
    ),
    (
        r"\btu n'?(?:es|as) plus (?:un |une |d[e'] ?|besoin de |a )?\w+|\bt'es plus (?:un |une )\w+|\btu n'as (?:plus "
        r"|pas )?(?:aucune |de )?(?:regles?|limites?|filtres?)\b|\b(?:desormais|maintenant|a partir de maintenant|des "
        r"maintenant|a present),? (?:tu es|tu t'appelles|t'es)\b(?! (?:en|a|au|pret|prete|la|bien|mon ami)\b)"
    ),
    (
        r"\b(?:fais|fait|faites|feras|obeis|execute|tu (?:ne )?fais)\b (?:plus que |que |tout |exactement |seulement "
        r")*(?:tout )?ce que je (?:te |vous )?(?:dis|demande|veux|dirai|demanderai|commande)\b"
    ),
    (
        r"\b(?:ne (?:me |lui |leur |nous )?demande[sz]? (?:plus|jamais|pas)|plus besoin de (?:\w+ )?(?:demander"
        r"|confirmer|verifier)|(?:n'as|n'avez) (?:plus|pas) (?:besoin de|a) (?:\w+ )?(?:demander|confirmer)"
        r"|sans (?:me |lui |rien )?(?:demander|confirmer|verifier))\b[^.!?;]{0,60}?\b(?:confirmation|permission"
        r"|accord|avant d\w*|virements?|paiements?|mails?|argent|envoy\w+|achats?|supprim\w+)\b"
    ),
    r"\ba (?:deja )?(?:accepte|autorise|approuve|donne son accord|consenti)(?: a| pour)? (?:tous|toutes|tout|chaque|n'importe)\b",
    (
        r"\bmode (?:developpeur|dieu|admin\w*|debug|libre|sans filtre) (?:est )?(?:active|on|enclenche|allume)\b"
        r"|\b(?:tous les|tes) (?:filtres|limites) (?:sont )?(?:desactives?|coupes?|off|leves?)\b"
    ),
    r"\bton (?:nouveau )?nom (?:est|sera)\b",
)
_ITALIAN = (
    (
        r"\b(?:dimentica|scorda|ignora) (?:tutto )?(?:quello|cio|quel) che ti (?:\w+)|\b(?:ora |adesso |da oggi "
        r")?(?:lavori|obbedisci) (?:solo |soltanto )?(?:per|a) me\b"
    ),
    (
        r"\b(?:dimentica(?:ti)?|dimentichi|ignora|ignori|lascia perdere|disobbedisci|salta|disattiva|spegni|non "
        r"(?:seguire|devi seguire)|aggira|togli)\b[^.!?;]{0,20}?"
        r"\b(?:le tue|i tuoi|tutte le|tutti i|ogni|la tua|delle tue) (?:\w+ ){0,2}?(?:regole|istruzioni|filtri"
        r"|limiti|restrizioni|indicazioni|direttive|avvisi|avvertenze|sicurezza|regola)\b"
    ),
    (
        r"\bnon sei piu (?:un |una |l'|il |la )?\w+|\b(?:da (?:oggi|ora|adesso)|d'ora in poi|adesso|ora) (?:tu "
        r")?(?:sei|ti chiami)\b(?! (?:a|in|al|pronto|pronta|libero|mio amico|li|qui|anche|piu)\b)"
    ),
    (
        r"\b(?:fai|fa'|farai|esegui|obbedisci) (?:solo |sempre |tutto |esattamente |qualsiasi cosa )*(?:quello che"
        r"|cio che|quel che|tutto quello che|a tutto quello che|io|ti) (?:io )?(?:ti )?(?:dico|chiedo|voglio|diro"
        r"|ordino|chiedero)\b"
    ),
    (
        r"\b(?:rispondi|risponderai|parla|dimmi|scrivi)\b[^.!?;]{0,40}?\bsenza (?:alcun |nessun |nessuna "
        r")?(?:filtri?o?|regole|limiti|censura|restrizioni|avvisi|avvertenze|scrupoli)\b"
    ),
    (
        r"\b(?:non (?:mi |gli |le |ci )?(?:chiedere|chiedermi|chiedergli|chiederle|devi chiedere|serve chiedere"
        r"|serve che chieda|aspettare)|senza (?:chiedere|chiedermi|confermare|conferma))\b[^.!?;]{0,40}?"
        r"\b(?:conferm\w+|permesso|prima di|bonific\w+|pagament\w+|mail|email|soldi|acquist\w+|invi\w+|mand\w+|cancell\w+)\b"
    ),
    (
        r"\bha (?:gia )?(?:accettato|autorizzato|approvato|acconsentito|dato il (?:suo )?(?:consenso|permesso))(?: "
        r"a)? (?:tutti|tutte|ogni|qualsiasi|qualunque)\b"
    ),
    (
        r"\bmodalita (?:sviluppatore|dio|admin\w*|debug|libera|senza filtri) (?:e )?(?:attiva|attivata|on|accesa)\b"
        r"|\b(?:tutti i|i tuoi) (?:filtri|limiti) (?:sono )?(?:disattivati|spenti|off)\b"
    ),
    r"\bil tuo (?:nuovo )?nome (?:e|sara)\b",
)
_PORTUGUESE = (
    (
        r"\b(?:esquece|esqueca|ignora|ignore) (?:tudo )?o que (?:te|lhe|voce|os teus|seus) \w+|\b(?:agora |a partir "
        r"de \w+ )?(?:trabalhas|voce trabalha|obedeces|voce obedece) (?:so |apenas )?(?:para|a) mim\b"
    ),
    (
        r"\b(?:esquece|esqueca|esqueces|ignora|ignore|ignoras|ignores|larga|salta|pule|desobedec\w+|desativ\w+"
        r"|desliga|desligue|nao (?:sigas|siga|precisas seguir|precisa seguir|precisas de seguir))\b[^.!?;]{0,20}?"
        r"\b(?:as|os|tuas|as tuas|as suas|suas|todas as|todos os|seus|teus) (?:\w+ ){0,2}?(?:regras|instrucoes"
        r"|filtros|limites|restricoes|ordens|avisos|diretrizes|seguranca)\b(?! (?:do|da) (?:jogo|condominio"
        r"|escola|clube))"
    ),
    (
        r"\b(?:voce nao e|ja nao es|tu nao es|nao es|deixas de ser|deixa de ser|voce deixa de ser) (?:mais )?(?:um "
        r"|uma |o |a )?(?:assistente|ia|bot|robo|ajudante|programa|chatbot)\b|\b(?:a partir de (?:agora|hoje)|agora"
        r"|desde hoje|de agora em diante) (?:tu es|voce e|es|voce se chama|chamas-te)\b(?! (?:meu amigo|bem-vind))"
    ),
    (
        r"\b(?:faz|faca|fazes|faras|obedec\w+|cumpre|cumpra) (?:so |sempre |tudo |apenas |exatamente |qualquer coisa "
        r")*(?:tudo )?(?:o )?que (?:eu )?(?:te |lhe )?(?:pedir|peco|disser|digo|quiser|mandar|mando|quero)\b"
    ),
    (
        r"\b(?:responde|responda|respondes|fala|fale|diz|diga|faz|fazes|faca)\b[^.!?;]{0,40}?\bsem (?:nenhum |nenhuma "
        r"|qualquer )?(?:filtros?|regras?|limites?|censura|restricoes|avisos?|desculpas|tabus)\b"
    ),
    (
        r"\b(?:nao (?:me |lhe |nos )?(?:pecas|peca|perguntes|pergunte|precisas? (?:de )?(?:pedir|perguntar"
        r"|confirmar)|voltes a pedir)(?: mais)?|sem (?:pedir|perguntar|confirmar|confirmacao))\b[^.!?;]{0,50}?"
        r"\b(?:confirmacao|permissao|autorizacao|antes de|transferencias?|pagamentos?|mails?|emails?|dinheiro"
        r"|compras?|envi\w+|mand\w+|apag\w+)\b"
    ),
    (
        r"\b(?:aceitou|autorizou|aprovou|concordou com|deu (?:permissao|autorizacao) (?:para|a)|consentiu) (?:em "
        r")?(?:todas|todos|qualquer|cada|tudo)\b"
    ),
    (
        r"\bmodo (?:desenvolvedor|programador|deus|admin\w*|debug|livre|sem filtros?) (?:esta )?(?:ativado|ligado|on"
        r"|ativo)\b|\b(?:todos os|os teus|seus) (?:filtros|limites) (?:estao )?(?:desativados|desligados|off)\b"
    ),
    r"\b(?:o )?(?:teu|seu) (?:novo )?nome (?:e|sera|passa a ser)\b(?! (?:bonito|lindo))",
)
_DUTCH = (
    (
        r"\bvergeet (?:alles )?wat (?:er |ze |men )?(?:je|jou|tegen je|in je)\b|\b(?:werk|luister|gehoorzaam)t? (?:je"
        r"|jij) (?:nu |voortaan |alleen |nog )*(?:voor|naar) mij\b"
    ),
    r"\b(?:mag|kan) (?:je|jij) (?:alles|zeggen|doen) (?:\w+ )?(?:zeggen|doen|wat)\b",
    (
        r"\b(?:vergeet|negeer|sla|laat|omzeil|zet|trek|hoef|hoeft|schakel|volg)\b[^.!?;]{0,30}?\b(?:je|al je|jouw"
        r"|al jouw|uw|alle|de|geen)"
        r" (?:\w+ ){0,2}?(?:regels|instructies|richtlijnen|filters?|beperkingen|grenzen|waarschuwingen"
        r"|voorschriften|veiligheids\w*|opdrachten)\b(?! (?:van|op|in) (?:het|de|mijn|ons|onze))"
        r"(?:[^.!?;]{0,30}? (?:uit|los|over|niet|meer|niks))?"
    ),
    (
        r"\b(?:ben jij|jij bent|je bent|ben je|bent u|u bent)\b[^.!?;]{0,15}?\b(?:geen|niet langer|nu|voortaan|vanaf "
        r"nu) (?!klaar|thuis|er|hier|aan|in|welkom|mijn vriend)\w+(?: \w+)?(?= (?:meer|maar|en|die|zonder)\b|[,.!?;]"
        r"|$)"
    ),
    (
        r"\b(?:trekt zich|trek je|trekt je) (?:\w+ )?(?:niks|niets) (?:\w+ )?aan van (?:de |je |die |alle )?(?:regels"
        r"|instructies|wat)\b"
    ),
    (
        r"\b(?:doe|doet|doe je|volg|gehoorzaam)\b (?:alleen |gewoon |altijd |precies |nog |alles |maar )*(?:alles "
        r")?wat ik (?:je |jou |u )?(?:zeg|vraag|wil|opdraag|beveel)\b"
    ),
    (
        r"\b(?:antwoord|praat|zeg|vertel|geef)\b[^.!?;]{0,40}?\bzonder (?:enige |enig )?(?:filters?|regels|grenzen"
        r"|censuur|beperkingen|waarschuwing(?:en)?|taboes)\b"
    ),
    (
        r"\b(?:vraag|vraagt|hoef|hoeft|moet)\b[^.!?;]{0,30}?\b(?:niet meer|nooit meer|niet|geen"
        r"|nooit)\b[^.!?;]{0,25}?\b(?:bevestiging|toestemming|te vragen|vragen|goedkeuring)\b[^.!?;]{0,60}?"
        r"\b(?:voor(?:dat)?|betaling\w*|overmak\w*|mail\w*|geld|bestel\w*|verstur\w*|stuur\w*|verwijder\w*)\b"
    ),
    (
        r"\bheeft (?:al )?(?:met alle|met elke|alle|elke) (?:\w+ ){1,3}?(?:ingestemd|goedgekeurd|akkoord)\b|\bgaat "
        r"akkoord met (?:alle|elke)\b"
    ),
    (
        r"\b(?:ontwikkelaars|developer|god|admin|debug)-?modus (?:staat |is )?(?:nu )?aan\b|\b(?:alle|je) filters "
        r"(?:staan |zijn )?uit\b"
    ),
    r"\b(?:je|jouw) (?:nieuwe )?naam is (?:nu|voortaan|vanaf)\b|\bje heet (?:nu|voortaan|vanaf nu)\b",
)
_ALL = InLanguages(
    {
        f"{GERMAN} du dir deine bist machst tust tu mach ohne schalt schalte hat": _GERMAN,
        f"{SPANISH} tu te ya eres haz sin no ha": _SPANISH,
        f"{FRENCH} tu te tes sans plus fais": _FRENCH,
        f"{ITALIAN} sei ti fai senza ha i da": _ITALIAN,
        f"{PORTUGUESE} es e sem faz fazes ja te as": _PORTUGUESE,
        f"{DUTCH} ben bent doe wat zonder heeft": _DUTCH,
    }
)


def declares(text: str) -> bool:
    """Whether a text declares the assistant's rules or identity ended, or a permission that stands for all that comes."""
    return (
        _PLAIN.search(text) is not None
        or _ALL.search(text)
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
    r"\b(?:you|and|just|so|now) (?:\w+ ){0,2}?(?:skip|give|answer|do|say|tell|ignore|drop|write|show|reply"
    r"|respond|help|follow|act)\b"
    r"|\bnew rule\b|\bever\b|\bfrom (?:now|today)\b|\banymore\b"
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
