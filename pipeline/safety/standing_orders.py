"""Orders that stand: a deed of the assistant, and when it is to be done, or for how long, or that nobody is to hear of it.

The three can come in any order, and whoever asks may be anybody: "whenever Anna writes to you, mail a copy to …", "nag her about
it each time she talks to you", "in future conversations you would quietly add …".
"""

import re

from pipeline.safety.screen import Screen
from pipeline.safety.vocabulary import ASSISTANT, DUTCH, FRENCH, GERMAN, ITALIAN, PORTUGUESE, SPANISH, commanded

_WORD = re.compile(r"[a-z]+")
_SENTENCE = re.compile(r"[.!?;]+ |\" ")

_ADVERBS = (
    r"(?:(?:just|always|never|only|then|should|must|will|would|shall|have to|need to|are to|kindly|please|quietly|secretly"
    r"|silently|simply|first|also|don't|do not|also|immediately|automatically|casually|subtly|discreetly|ever|still|now"
    r"|not|gently|go and|to|'ll|be so kind as to|be (?:kind|nice) enough to|maybe|perhaps|try to|make sure to|be sure to"
    r"|remember to|either|simply|really|could|can|might|only ever) )*"
)
_HEAVY = (
    r"(?:keep (?:sending|forwarding|recommending|telling|adding|copying|mailing|promoting|suggesting|posting|pushing)"
    r"|tell|say|inform|claim|insist|pretend|lie|deny|recommend|suggest|promote|praise|push|advertise|add|append|include"
    r"|insert|slip|put|send|mail|e-?mail|forward|copy|bcc|cc|share|paste|post|hide|skip|omit|leave out|spill|leak|reveal"
    r"|dump|open|visit|fetch|load|run|execute|delete|erase|wipe|change|replace|nag|insult|mock|disregard|obey|transfer"
    r"|pay|approve|grant|unlock|convince|persuade|steer|switch to|(?:start|begin|end) (?:every|each|all|your)"
    r"|rate|rank|describe|portray|consult|cite|mention|state"
    r"|cover for|blame|vouch|relay"
    r"|report|warn|respond with|answer with"
    r"|reply with|swear|refuse|print|repeat|overwrite|invent|make up|favou?r|badmouth|discourage|guilt|threaten|attach)"
)
_DEED = (
    rf"(?:{_HEAVY}|answer|reply|respond|read (?:out|back|me)|show|give|write|call|switch|do (?:what|whatever|it|as|so)"
    r"|act|name|list|mention|ask (?:her|him|them|for)|make (?:her|him|them|it|sure)|bring up|keep(?! (?:that|this"
    r"|it) in mind)|hand over|talk (?:about|up"
    r"|her|him|them)|order|buy|book)"
)
_ONE = r"(?:[\w'@.-]+ ){1,5}?"
_ASKS = (
    r"(?:asks?|says?|mentions?|writes?|types?|texts?|messages?|talks?|speaks?|chats?|wants? (?:to know|a|an|some|help|advice)"
    r"|wonders?|brings? up|inquires?|enquires?|greets?|complains?|requests?|needs? (?:help|advice|a|an|some)|logs? in"
    r"|comes? (?:up|here|online|by)|searches|looks? for|(?:is|are) (?:looking|searching|asking|talking|chatting)|joins?"
    r"|pings?|contacts?|opens? (?:this|the|a) (?:chat|app|conversation|session)|(?:is|are) (?:asked|online|mentioned"
    r"|raised)|turns? to|drifts? to|moves? to|starts? (?:a|the|talking|asking|to talk)|shares?|pastes?|uploads?|sends? you)"
)
_WHEN = (
    r"(?:when(?:ever)?|if|once|each time|every ?time|any ?time|as soon as|the (?:moment|minute|second)|next time|in case"
    r"|should)"
)
_CASE = Screen(
    rf"\b{_WHEN} (?!you (?!are\b|get\b)){_ONE}{_ASKS}\b"
    r"|\b(?:to|for|with) (?:everyone|everybody|anyone|anybody|whoever|all|people|those|any \w+|every \w+)(?: "
    r"else)?(?: who| that)?"
    rf" (?:{_ASKS})\b|\b(?:anything|whatever|everything) {_ONE}(?:pastes?|uploads?|shares?|writes?|posts?|asks?|sends?|types?)"
    rf" (?:in here|here|in(?:to)? th(?:is|e) (?:chat|group|conversation)|to you|you)\b|\bwhoever {_ASKS}\b"
    r"|\b(?:every|any|each) (?:\w+ ){1,2}?(?:someone|somebody|anyone|anybody|people|they|others) asks?\b"
)
_ONWARD = Screen(
    r"\b(?:before|when(?:ever)?|after|once|each time|every time) you (?:answer|reply|respond|summari[sz]e|draft|generate"
    r"|recommend|compare)\b|\bafter (?:two|three|four|five|ten|\d+) (?:messages|turns|replies|questions)\b(?! "
    r"(?:from|of|by))|\b(?:in|for|during) (?:each|every|all|any) (?:\w+ )?(?:comparisons?|recommendations?"
    r"|rankings?|lists?|reviews?)\b|"
    r"\b(?:from (?:now|today|tomorrow|here|this (?:point|moment|message|day))(?: on)?|henceforth|in (?:the )?future"
    r"|(?:in|to|at|for|after|before|with) (?:the (?:end|start|beginning|top|bottom) of )?(?:all|every|each|any)(?: of)?(?: the"
    r"| your| our| my)?(?: future| later| other| new| single| coming)*"
    r" (?:chats?|conversations?|repl(?:y|ies)|answers?|responses?|sessions?|messages?|summar(?:y|ies)|questions?)"
    r"|in future (?:chats?|conversations?|repl(?:y|ies)|answers?|sessions?)|at the (?:end|start|bottom|top) of your \w+"
    r"|forever|for ever|for good|permanently|until i say|the whole time|every (?:single )?time|no matter what|going forward)\b"
)
_SECRET = Screen(
    r"\b(?:don't|do not|never|without|not to|no need to|but not|nor) (?:you )?(?:ever |even )?(?:tell|telling|say"
    r"|saying|mention|mentioning"
    r"|let|letting|reveal|revealing|admit|admitting|explain|explaining|show|showing|disclose|disclosing|point out)\b"
    r"(?: (?:to|that|about))*(?: (?:it|this|that|why|how|her|him|them|anyone|anybody|nobody|a soul|who|where|you|i|the user"
    r"|(?:my|the) \w+|any|what|so|these|those))\b"
    r"|\bkeep (?:this|that|it|these|the) (?:\w+ )?(?:\w+ )?(?:hidden|secret|to yourself|invisible|private)\b"
    r"|\b(?:she|he|they|nobody|no one|the user|my \w+) (?:must|should|shall|may|can|need|needs)(?:n't| not| "
    r"never)? (?:\w+ )?(?:know|notice|find out|see|hear)\b"
    r"|\bbehind (?:her|his|their|my \w+'s) back\b|\bwithout (?:her|him|them|anyone|anybody|the user|my \w+) "
    r"(?:knowing|noticing|seeing)\b"
)
_YOU_DO = re.compile(
    rf"\byou {_ADVERBS}(?P<deed>{_DEED})\b(?! (?:me )?(?:that )?(?:you|i can't|sorry)\b)"
    rf"|\b(?:the |your |this |any )?{ASSISTANT} (?:must|should|shall|will|has to|is to|needs to|always|then) {_ADVERBS}{_DEED}\b"
    rf"|\b(?:bot|assistant|ai|chatbot|chatgpt|claude|gemini|copilot|computer|robot)[,:!]+ [^.!?;]{{0,100}}?\b{_DEED}\b"
)
_YOU_DO_HEAVY = Screen(rf"\byou {_ADVERBS}(?P<deed>{_HEAVY})\b(?! (?:me )?(?:that )?(?:you|i can't|sorry)\b)")
_DONE = re.compile(rf"\b(?P<verb>{_DEED})\b")
_DONE_HEAVY = re.compile(rf"\b(?P<verb>{_HEAVY})\b")
_TO_YOU = Screen(
    r"\b(?:to|with|asks?|tells?|messages|texts|pings|contacts) (?:you|the (?:bot|assistant|ai)) (?:(?:then|just"
    rf"|please|always|only) )*{_DEED}"
    r" (?:a|an|the|that|them|him|her|it|me|us|everyone|nothing|only|to|how)\b"
)
_GENERIC = Screen(
    r"\b(?:customers?|clients?|guests?|patients?|students?|callers?|tenants?|visitors?|diners?|pupils?|interviewers?"
    r"|recruiters?|detectors?|tests?|linters?|sensors?|scanners?|meters?|recipes?|labels?|signs?|builds?|alarms?"
    r"|machines?|examiner|judge|police|officer|waiter|doctor|dentist|coach|says my|as my|my (?:boss|manager"
    r"|therapist|coach"
    r"|teacher|lawyer|trainer) (?:says|said))\b"
)
_ACTED = re.compile(
    r"\b(?:i|we|he|she|they|it|which|who|nobody|everybody|everyone|people|(?:my|our|his|her|their|the)(?: \w+){1,2})"
    r"(?: (?:always|never|usually|often|just|mostly|only|will|can|would|should|must|have to|has to|like to|then|also))* $"
    r"|\b(?:i'll|i'd|we'll|she'll|he'll|they'll|to|can|could|i'm|would|a|an|the|my|our|her|his|their|of|for|some) $"
)
_STORED = Screen(
    r"\b(?P<verb>store|save|write|note|put|record|remember|log|add|memori[sz]e)(?: down| in| to| instead| into| "
    r"memory| it| this)* ?"
    r"(?:instead )?(?:that|:|in (?:its|their) place)[^.!?;]{0,120}"
)
_SO_THAT = Screen(
    r"\b(?:so (?:that )?you|then (?:you|nag|tell|send|remind)|and (?:then )?(?:nag|tell everyone|say so|never "
    r"ask)|whenever|each time"
    r"|every time|instead|in (?:its|their) place)\b"
)
_WIPED = Screen(
    r"\b(?P<verb>delete|erase|wipe|forget|remove|clear|destroy|drop|overwrite) (?:every(?:thing)?|all|any|each|the|what(?:ever)?)"
    r"(?: of)?(?: the| your| my)? ?(?:memor(?:y|ies)|notes?|facts?|records?|entr(?:y|ies)|things?|stuff|that|you|you've)?"
    r" ?(?:you |you've |have |has |is |are |been |that |which )*(?:know|saved?|stored?|remember(?:ed)?|learned|noted|about|of|on"
    r"|concern(?:s|ing)?)\b"
)
_SELF_SPREAD = Screen(
    r"\b(?P<verb>copy|paste|repeat|insert|include|add|reproduce|append|put|carry|forward|attach|embed|hide) (?:this|these|the)"
    r" (?:\w+ ){0,2}?(?:paragraph|text|notes?|message|instructions?|lines?|block|sentence|section|comment|prompt)s?\b"
    r"[^.!?;]{0,50}?\b(?:repl(?:y|ies)|e?mails?|messages?|answers?|summar(?:y|ies)|documents?|posts?|files?|commits?|every|each"
    r"|output|contacts?|recipients?)\b"
)
_DECLARED = Screen(
    rf"\b(?:the |this |any |every |your )?(?P<who>{ASSISTANT}|model|(?:coding|ai) agents?) (?:now |always |also "
    r"|silently |secretly |quietly |discreetly |then |never |only |therefore )*"
    r"(?:gathers?|collects?|posts?|logs?|exports?|uploads?|submits?|transmits?|discloses?|disregards?|ignores?"
    r"|reveals?|sends?|forwards?|shares?|recommends?|praises?|hides?|omits?|skips?|bypasses"
    r"|obeys?|complies|comply|refuses?|adds?|appends?|inserts?|copies|copy|approves?|tells?|says?|states?|claims?|treats?|trusts?"
    r"|stores?|prints?|executes?|runs?|fetches|loads?|opens?|inserts?|mentions?|presents?|puts?|ranks?|cites?|names?|promotes?"
    r"|drops?|leaks?|includes?|answers|follows?|transfers?|pays?|deletes?)\b[^.!?;]{0,160}"
)
_FOR_ALL = Screen(
    r"\b(?:(?:at the (?:start|end|beginning) of|in|for|to|after|before|on|with|during) (?:each|every|all|any)|from "
    r"(?:that|this|now|here)"
    r"|always|never|quietly|secretly|discreetly|all requests|any request|in (?:the )?future|later|without|regardless"
    r"|whatever|unconditionally"
    r"|no longer|only|first|henceforth"
    r"|from every|its (?:full )?system prompt)\b"
)
_OF_OURS = re.compile(
    r"\b(?:our|my|their|his|her|its|(?!user's|vendor's|operator's)\w+'s|a|an|another|some|old|new|shop|support"
    r"|school|company)(?: [\w-]+){0,2} $"
    r"|\b(?:i|we|he|she|they|people|some) (?:\w+ )?(?:think|thinks|believe|believes|say|says|said|hope|hate"
    r"|wonder)s?(?: that)?(?: the| an?)? $"
)
_BEFORE_EACH = Screen(
    r"\b(?:before|after|with|in|at the (?:start|beginning|end) of) (?:each|every|any|all) (?:\w+ )?(?:task|commit"
    r"|session|build|answer"
    r"|reply|run|request|response|conversation|chat|message|pull request|review|deployment)s?\b"
)
_AGENTS_RUN = Screen(
    r"\b(?:(?:coding|ai|code|autonomous|automated|review|llm) (?:agents?|assistants?|bots?|tools?)|agents"
    r"|assistants|copilots|llms)"
    r"\b[^.!?;]{0,50}?\b(?:must|should|shall|have to|has to|need to|are to|are required to)\b(?P<deed>[^!?;]{0,200})"
)
_IN_MEMORY = Screen(
    r"\bin (?:their|its|your|the) (?:long-term )?memory\b|\bhttps?:|\bcurl\b|\bwithout (?:asking|review|telling)"
)

_REWRITTEN = Screen(
    r"\b(?:delete|erase|wipe|forget|remove|scrap) (?:everything|what|all|anything|whatever) (?:i|we) (?:have |had "
    r"|'ve )?(?:told|said to|wrote to)"
    r" you\b[^.!?;]{0,60}?\b(?:and|then|instead) (?:write|note|save|store|put|say|remember|record)\b"
)


class _Tongue:
    """What standing orders are made of in one language: the case, the deed in the second person, for ever, in secret."""

    def __init__(self, words: str, *patterns: str) -> None:
        self.words = frozenset(words.split())
        self.case, self.deed, self.onward, self.secret = map(Screen, patterns)

    def may_order(self, text: str) -> bool:
        return self.deed.search(text) is not None and any(
            pattern.search(text) for pattern in (self.case, self.onward, self.secret)
        )

    def orders(self, sentence: str, around: str) -> bool:
        if not self.deed.search(sentence):
            return False
        return any(
            pattern.search(text)
            for pattern, text in ((self.case, sentence), (self.onward, sentence), (self.secret, around))
        )


_VERB_DU = (
    r"(?:sagst|antwortest|erzahlst|behauptest|empfiehlst|nennst|schickst|sendest|leitest|kopierst|hangst|fugst|schreibst"
    r"|verschweigst|lasst|gibst|zeigst|verratst|loschst|offnest|ignorierst|vergisst|lobst|lugst|luegst|uberweist"
    r"|bestatigst|spielst|bleibst|befolgst|gehorchst|folgst|wiederholst|erwahnst|warnst|lenkst|uberzeugst|redest|schlagst"
    r"|rufst|fuhrst|fugst|mailst|teilst|verlinkst|baust|setzt|stellst|genehmigst|zahlst|kaufst|buchst|verweist|rats?t|machst)"
)
_DO_DE = (
    r"(?:sag|sage|antworte|erzahl|erzahle|behaupte|empfiehl|empfehle|nenn|nenne|schick|schicke|sende|leite|kopier|kopiere|hang"
    r"|hange|fug|fuge|schreib|schreibe|verschweig|verschweige|gib|zeig|zeige|losch|losche|offne|ignorier|ignoriere|vergiss"
    r"|lob|lobe|uberweis|uberweise|bestatige|befolge|lenk|lenke|uberspring|uberspringe|verweise|rate|mail|maile|teil|teile|ruf"
    r"|verlinke|verrate|verrat|stell|stelle)"
)
_TONGUES = (
    _Tongue(
        f"{GERMAN} du dich dir jedem falls sobald wer bitte",
        (
            r"\b(?:wenn|falls|sobald|jedes ?mal,? wenn|wann immer|wer|jedem,? der|jeder,? der|allen,? die|denen,? "
            r"die|sollte)\b[^.!?;]{0,60}?"
            r"\b(?:fragt|fragen|frage|wissen (?:will|mochte|wollen)|schreibt|schreibe|sagt|sage|erwahnt|erwahne"
            r"|redet|rede|spricht"
            r"|anspricht|bittet|braucht|sucht|tippt|tippe|anruft|meldet|nachfragt|auftaucht|kommt|wird|interessiert|erkundigt)\b"
        ),
        (
            rf"\bdu (?:[\w.@-]+ ){{0,8}}?{_VERB_DU}\b|\b{_VERB_DU} du\b|\b(?:sollst|musst|wirst|darfst|kannst"
            r"|mochtest|konntest) du\b|\bdu (?:sollst|musst|wirst)\b"
            r"|\b(?:kommt|bekommt|kriegt|hort|erfahrt|von) (?:\w+ ){0,2}?(?:von dir|dir kommt|dir gibt)\b"
            r"|(?:^|[,:>\"] ?|\b(?:und|dann|bitte|einfach|aber|lieb|immer|schreibt|fragt|jetzt|sofort|heute|nun|kunftig|zukunft"
            r"|an) )(?:(?:bitte|immer|dann|stets|einfach"
            rf"|doch|mal) )*{_DO_DE}\b(?! ich\b| wir\b)"
        ),
        (
            r"\b(?:ab (?:jetzt|sofort|heute|nun)|von (?:jetzt|nun|heute) an|kunftig|in zukunft|zukunftig|fortan|fur immer"
            r"|dauerhaft|(?:in|bei|unter|vor|nach|an|zu) jede[mrsn]? (?:\w+ )?(?:antwort|chat|gesprach\w*|nachricht|unterhaltung)"
            r"|nie wieder|nie mehr|in allen \w+|jedem,? der|jedes mal|egal wer|egal was)\b"
        ),
        (
            r"\b(?:verrat\w*|sag\w*|erzahl\w*|erwahn\w*|verlier\w*)\b (?:aber |es |das |davon |ihr |ihm |ihnen "
            r"|bitte |ja |kein wort )*"
            r"(?:keinem|niemand\w*|nichts|nicht\b|nie\b|kein wort)|\bohne (?:es |das |davon |etwas |was |ihr |ihm |jemandem )*"
            r"(?:zu erwahnen|zu sagen|zu verraten|was zu sagen|davon zu \w+)|\b(?:darf|soll|sollen|durfen) (?:\w+ "
            r")?(?:nichts|nicht|nie) (?:\w+ )?"
            r"(?:wissen|merken|erfahren|mitbekommen|mitkriegen)\b|\bheimlich\b"
        ),
    ),
    _Tongue(
        f"{SPANISH} si cada quien alguien te me le",
        (
            r"\b(?:cuando|si|cada vez que|siempre que|en cuanto|a (?:todo|todos|cualquiera|quien|quienes)(?: el| "
            r"los)?(?: que)?|al que|quien)\b[^.!?;]{0,50}?"
            r"\b(?:pregunt\w+|mencion\w+|pid[aeo]\w*|hable[ns]?|hablo|habla[n]? (?:de|con)|busque|busca"
            r"|consult\w+|escrib\w+|diga|digo|dice"
            r"|quier[ae]n? (?:saber|un|una)|necesit\w+|entre|conecte|salga|surja)\b"
        ),
        (
            r"\b(?:me|le|les|nos|lo|la|se) (?:lo |la )?(?:mandas|envias|dices|respondes|recomiendas|cuentas"
            r"|copias|reenvias|pasas|ocultas|das|muestras"
            r"|ensenas|pones|escribes|repites|sugieres|niegas|mientes|contestas)\b|\b(?:tu|siempre|solo|entonces"
            r"|tambien|nunca|vas a|debes|tienes que|tendras que"
            r"|quiero que|que|,) ?(?:siempre |solo |le |les |me |lo |tambien )*(?:mandas|envias|dices|respondes"
            r"|recomiendas|cuentas|copias|reenvias|anades|agregas|pones"
            r"|ocultas|sugieres|niegas|mientes|contestas|incluyes|abres|borras|ignoras|obedeces|haces|muestras|filtras|olvidas"
            r"|mandar\w*|enviar\w*|decir\w*|recomendar\w*|anadir|poner|responder\w*|ocultar|mentir\w*|copiar"
            r"|reenviar\w*|digas|recomiendes|mandes|envies|anadas"
            r"|agregues|pongas|respondas|contestes|ocultes|copies|reenvies|incluyas|menciones)\b"
            r"|\b(?:dile|diles|dinos|respondele|contestale|recomiendale|recomiendales|mandale|mandame|enviale"
            r"|enviame|reenviame|cuentale|dale|pasame|sugierele|mientele|asegurale)\b"
            r"|(?:^|[,:>\"] ?|\b(?:y|entonces|siempre|favor|solo|ahora|adelante|hoy|ya) )(?:(?:siempre|entonces"
            r"|solo|tambien) )*(?:di"
            r"|responde|contesta|recomienda|anade|agrega|pon|copia|reenvia|manda|envia"
            r"|oculta|borra|ignora|incluye|sugiere|nombra|abre|menciona)\b(?! (?:que si|mi|mucho)\b)"
        ),
        (
            r"\b(?:desde (?:hoy|ahora|ya)|a partir de (?:ahora|hoy|este momento)|de ahora en adelante|en "
            r"(?:adelante|el futuro|cada (?:respuesta|mensaje|chat"
            r"|conversacion)|todas (?:tus|las) \w+|futuras \w+)|para siempre|al final de cada|nunca mas|pase lo "
            r"que pase|a todo el que)\b"
        ),
        (
            r"\b(?:no (?:le |les |se lo |lo |me |nos )*(?:digas|cuentes|menciones|reveles|comentes|expliques)|sin "
            r"(?:decir\w*|mencionar\w*|avisar\w*|explicar\w*|que (?:se entere|lo sepa|nadie))"
            r"|que (?:no se entere|nadie (?:se entere|lo sepa))|a escondidas|en secreto)\b"
        ),
    ),
    _Tongue(
        f"{FRENCH} si chaque quand quelqu lui leur te",
        (
            r"\b(?:quand|lorsqu\w*|si|s'|chaque fois qu\w*|des qu\w*|a (?:tous|toutes|tout|ceux|quiconque)"
            r"|quiconque|toute personne)\b[^.!?;]{0,50}?"
            r"\b(?:demand\w+|mentionn\w+|interrog\w+|parl\w+|cherch\w+|evoqu\w+|veu(?:t|lent) (?:savoir|un|une)"
            r"|ecri\w+|dis|dit|pos[e]\w*|tape|connecte|besoin)\b"
        ),
        (
            r"\b(?:tu|vous) (?:ne |n'|lui |leur |me |m'|nous |y |en |l'|le |la |les |te )*(?:ajoute[sz]|dis|dites"
            r"|repond[sez]*|recommande[sz]|envoie[sz]?|envoye[sz]|transmets|copie[sz]"
            r"|conseille[sz]|cache[sz]|racontes?|montre[sz]|donne[sz]|mens|mentionne[sz]|propose[sz]|inclus|mets"
            r"|ouvre[sz]|ecris|affirme[sz]|pretends|supprime[sz]|ignore[sz]|obeis|glisse[sz]"
            r"|dois|devras|vas|doives|devez|diras|repondras|ajouteras|enverras|recommanderas)\b"
            r"|\b(?:dis-lui|dis-leur|reponds-lui|reponds-leur|envoie-moi|envoie-lui|dites-lui|donne-lui"
            r"|conseille-lui|recommande-lui|recommande-leur|fais-lui|cache-lui|mens-lui)\b"
            r"|(?:^|[,:>\"] ?|\b(?:et|alors|toujours|desormais|maintenant|dorenavant|l'avenir|aujourd'hui|merci "
            r"de|pense a|penses a|veuillez|faudra|il faut) "
            r")(?:(?:toujours|alors|bien|lui|leur|me|m'|ne|n') ?)*"
            r"(?:dis|dites|reponds|repondez|recommande[sz]?|envoie[sz]?|ajoute[sz]?|conseille[sz]?|cite[sz]?"
            r"|cache[sz]?|copie[sz]?|transfere[sz]?|mets|glisse[sz]?|repondre|dire|ajouter|recommander"
            r"|envoyer|conseiller|cacher|copier|transferer|glisser|mentionner|inserer)\b"
        ),
        (
            r"\b(?:desormais|a partir (?:de maintenant|d'aujourd'hui|d'ici)|dorenavant|a l'avenir|pour "
            r"(?:toujours|la suite)|des maintenant|(?:a|dans|apres|avant|sous) chaque (?:reponse|message"
            r"|conversation|discussion)|dans (?:toutes|tes|vos) (?:\w+ )?(?:reponses|conversations)|a la fin de "
            r"(?:chaque|tes|toutes)|quoi qu'il arrive|plus jamais)\b"
        ),
        (
            r"\b(?:(?:ne|n') ?(?:lui |leur |le |en |l'|me )*(?:dis|dites|raconte[sz]?|parle[sz]?|mentionne[sz]?"
            r"|revele[sz]?|explique[sz]?)\b[^.!?;]{0,20}\b(?:pas|rien|jamais|personne)|sans (?:le |lui |rien |en "
            r"|l'|leur )*"
            r"(?:dire|parler|mentionner|expliquer|preciser|prevenir|avertir)|(?:ne doit|ne doivent|doit pas"
            r"|doivent pas) (?:\w+ )?(?:savoir|rien savoir|s'en)|en cachette|en secret|discretement)\b"
        ),
    ),
    _Tongue(
        f"{ITALIAN} ogni quando qualcuno ti chiunque",
        (
            r"\b(?:quando|se|ogni volta che|qualora|a chi(?:unque)?|a tutti quelli che|chiunque|appena)\b[^.!?;]{0,50}?"
            r"\b(?:chied\w+|domand\w+|menzion\w+|parl\w+|cerc\w+|vuole (?:sapere|un|una)|nomin\w+|scriv\w+|dice"
            r"|dico|serve|bisogno)\b"
        ),
        (
            r"\b(?:tu|sempre|allora|mi|gli|le|ci|devi|dovrai|dovresti|vorrei che|voglio che|che) (?:sempre |solo "
            r"|anche |gli |le |mi |lo |glielo |tu )*(?:mandi|invii|dici|rispondi|consigli|racconti|copi|giri"
            r"|aggiungi|nascondi"
            r"|suggerisci|neghi|menti|metti|apri|cancelli|ignori|fai|mostri|rispondere|dire|dirgli|dirle|mandare"
            r"|mandarmi|inviare|consigliare|aggiungere|raccomandare|nascondere|risponda|inoltri|inoltrare)\b"
            r"|\b(?:digli|dille|diglielo|mandami|mandagli|inviami|girami|inoltrami|rispondigli|rispondile"
            r"|consigliagli|raccontagli|fagli)\b"
            r"|(?:^|[,:>\"] ?|\b(?:e|allora|sempre|favore|solo|avanti|poi|oggi|ora|adesso|futuro) |\b(?:quando|se"
            r"|volta che)\b[^.!?;,]{3,50} "
            r")(?:(?:sempre|allora|solo|anche|pure) )*(?:rispondi|consiglia|raccomanda|aggiungi|manda|invia"
            r"|suggerisci|cita|nomina"
            r"|copia|inoltra|nascondi|cancella|metti|inserisci)\b"
        ),
        (
            r"\b(?:d'ora in (?:poi|avanti)|da (?:oggi|ora|adesso)(?: in poi)?|in futuro|per sempre|in ogni "
            r"(?:risposta|messaggio|conversazione|chat)|(?:alla fine|all'inizio) di ogni|in tutte le|a ogni "
            r"risposta"
            r"|ad ogni risposta|mai piu|nelle (?:tue|prossime) \w+)\b"
        ),
        (
            r"\b(?:non (?:dire|dirlo|dirgli|dirle|raccontare|menzionare|rivelare|spiegare|farlo sapere|farne "
            r"parola)|senza (?:dir\w+|menzionar\w+|spiegar\w+|avvisar\w+|farlo sapere|che (?:lo sappia|se ne "
            r"accorga))"
            r"|non (?:deve|devono) (?:sapere|saperlo|accorgersene)|di nascosto|in segreto)\b"
        ),
    ),
    _Tongue(
        f"{PORTUGUESE} cada alguem quem voce",
        (
            r"\b(?:quando|se|sempre que|cada vez que|toda vez que|caso|a quem|para quem|a todos (?:os )?que|assim "
            r"que)\b[^.!?;]{0,50}?"
            r"\b(?:pergunt\w+|mencion\w+|ped[ei]\w*|pec\w+|falar|falarem|fala|procur\w+|quiser\w*|escrev\w+"
            r"|disser\w*|digitar|precis\w+|vier|aparecer)\b"
        ),
        (
            r"\b(?:voce|tu) (?:\w+ ){0,3}?(?:diz|dizes|manda|mandas|envia|envias|responde|respondes|recomenda"
            r"|recomendas|conta|contas|copia|adiciona|acrescenta|esconde|sugere|coloca|poe|faz|deve|vai|tem que"
            r"|ignora|inclui|repete|repassa|indica|indicas|fala|falas|aponta|aconselha|menciona|nega|mente"
            r"|oferece|encaminha|avisa|mostra|mostras|abre|le|apaga)\b"
            r"|\b(?:diz-lhe|diga-lhe|manda-me|mande-me|envia-me|envie-me|responde-lhe|recomenda-lhe|conta-lhe|diz-lhes)\b"
            r"|(?:^|[,:>\"] ?|\b(?:e|entao|sempre|favor|so|tambem|me|agora|hoje|diante) )(?:(?:sempre|entao|so"
            r"|apenas|tambem|me|lhe|voce|so) )*"
            r"(?:diz|responde|manda|envia|recomenda|conta|mostra|diga|responda|recomende|envie|mande|sugira|cite"
            r"|mencione|indique|esconda|adicione|acrescente"
            r"|inclua|copie|encaminhe|negue|minta|repasse|apague|coloque|respondes|dizes|mandas|envias|recomendas"
            r"|acrescentas|pões|escondes)\b"
        ),
        (
            r"\b(?:a partir de (?:agora|hoje)|de (?:agora|hoje) em diante|daqui (?:para|em) (?:a )?(?:frente"
            r"|diante)|no futuro|para sempre|em (?:cada|todas as) (?:\w+ )?(?:respostas?|conversas?|mensage\w+)"
            r"|no fi(?:m|nal) de (?:cada|todas)"
            r"|nunca mais|haja o que houver)\b"
        ),
        (
            r"\b(?:nao (?:lhe |lhes |me )?(?:diga|digas|conte|contes|mencione|menciones|revele|reveles|fale"
            r"|explique|expliques)|sem (?:dizer|contar|mencionar|avisar|explicar|ela saber|ele saber|que (?:ela"
            r"|ele|ninguem))|ninguem (?:pode|deve) saber|em segredo"
            r"|as escondidas|nunca (?:apague|conte|mencione|revele))\b"
        ),
    ),
    _Tongue(
        f"{DUTCH} iedereen iemand elke wie",
        (
            r"\b(?:als|wanneer|zodra|indien|telkens als|telkens wanneer|elke keer (?:als|dat)|iedere keer (?:als"
            r"|dat)|aan (?:iedereen|wie)|iedereen die|wie)\b[^.!?;]{0,50}?"
            r"\b(?:vraagt|vragen|vraag|noemt|noem|begint|wil(?:len)? weten|zoekt|zoeken|informeert|schrijft"
            r"|schrijf|praat|zegt|zeg|typt|typ|belt|heeft over|nodig)\b"
        ),
        (
            r"\b(?:je|jij|u) (?:[\w.@-]+ ){0,6}?(?:zegt|vertelt|stuurt|mailt|antwoordt|noemt|beveelt|raadt"
            r"|verzwijgt|verbergt|kopieert|plakt|zet|voegt|geeft|negeert|vergeet|liegt|doet|deelt|laat|opent|wist"
            r"|herhaalt|doorstuurt|moet|zult|zal)\b"
            r"|\b(?:zeg|vertel|stuur|mail|noem|raad|moet|zet|voeg|geef) (?:je|jij|haar|hem|hun|ze|iedereen)\b"
            r"|(?:^|[,:>\"] ?|\b(?:en|dan|altijd|gewoon|alsjeblieft|maar|nu|voortaan|vandaag) )(?:(?:dan|altijd"
            r"|gewoon|steeds|ook|alleen) )*"
            r"(?:zeg|vertel|stuur|mail|antwoord|noem|raad|beveel|verwijs|vermeld|adviseer|verzwijg|kopieer|plak|keur|meld"
            r"|markeer|accepteer"
            r"|voeg|verberg|wis)\b(?! (?:ik|we|wij)\b)"
        ),
        (
            r"\b(?:vanaf (?:nu|vandaag)|voortaan|in het vervolg|in de toekomst|(?:bij|in|na|onder|aan) (?:elk"
            r"|elke|ieder|iedere|al je) (?:\w+ )?(?:antwoord\w*|bericht\w*|gesprek\w*|chat\w*)|voor altijd|nooit "
            r"meer|wat er ook)\b"
        ),
        (
            r"\b(?:(?:vertel|zeg|verklap|noem|verraad)\w* (?:het |dit |dat |er |haar |hem |maar |aan )*(?:niemand"
            r"|niet|niks|nooit|haar niet|hem niet|geen)|zonder (?:het |dat |er |iets )*(?:te (?:zeggen|vertellen"
            r"|vermelden|melden)|ze het|haar)"
            r"|(?:mag|mogen|hoeft|hoeven) (?:\w+ )?(?:het |dit )?niet (?:te )?(?:weten|merken|horen)|stiekem)\b"
        ),
    ),
)

_ITS_DUTY = Screen(
    rf"\b(?:when(?:ever)?|before|after|once|each time|every time) (?:the |this |any |an? )?{ASSISTANT} "
    rf"[^.!?;]{{2,80}}?, (?:it|they) "
    r"(?:shall|must|should|will|has to|have to|is to|are to|needs? to|may)\b"
)

_DONE_THEN = re.compile(
    rf"(?: (?!i\b|we\b|he\b|she\b|they\b|it\b|who\b|and\b|to\b|or\b|that\b|my\b|our\b)[\w'@-]+){{0,5}}? (?:(?:just"
    r"|please|simply|always|only) "
    rf"{_DEED}\b|(?:{_HEAVY}|give|show|write|answer) (?:her|him|them|me|everyone|everybody) )"
    r"| (?:who|what|where|why|how|when|if|about|for) (?:(?!(?:i|we|he|she|they|it)\b)[\w'-]+ ){1,5}?(?:say|tell|claim|answer"
    r"|reply) (?:that )?"
    r"(?:you (?:can't|don't|couldn't|haven't|never|know)|it was|it's|it is|nobody|no one|her|him|them|nothing)\b"
)


def stands(text: str) -> bool:
    """Whether a text has the assistant do something whenever something happens, from some time on, or in secret."""
    return _stands_in_english(text) or _stands_in_other_words(text)


def _stands_in_other_words(text: str) -> bool:
    words = frozenset(_WORD.findall(text))
    tongues = [tongue for tongue in _TONGUES if len(tongue.words & words) > 1 and tongue.may_order(text)]
    return bool(tongues) and any(
        tongue.orders(sentence, text) for sentence in _SENTENCE.split(text) for tongue in tongues
    )


def _stands_in_english(text: str) -> bool:
    if _ITS_DUTY.search(text) or _deed_for_all(text) or _tampers(text):
        return True
    secret = _SECRET.search(text) is not None
    if not (secret or _CASE.search(text) or _ONWARD.search(text)):
        return False
    return any(_orders(sentence, secret) for sentence in _SENTENCE.split(text))


def _orders(sentence: str, secret: bool) -> bool:
    case = _CASE.search(sentence)
    if case is not None and not _GENERIC.search(sentence):
        if _YOU_DO.search(sentence) or _TO_YOU.search(sentence):
            return True
        if any(
            _is_told(sentence, match.start("verb")) for match in _DONE.finditer(sentence) if not _within(match, case)
        ):
            return True
        if _DONE_THEN.match(sentence, case.end()):
            return True
    onward = _ONWARD.search(sentence) is not None
    if not (onward or secret):
        return False
    if _YOU_DO_HEAVY.search(sentence):
        return True
    return any(
        _is_told(sentence, match.start("verb")) and not _SECRET.match(sentence, max(0, match.start() - 6))
        for match in _DONE_HEAVY.finditer(sentence)
        if not _is_secrecy(sentence, match)
    )


def _is_secrecy(sentence: str, match: re.Match[str]) -> bool:
    """ "Don't tell her" alone asks for no deed."""
    return any(found.start() <= match.start() < found.end() for found in _SECRET.finditer(sentence))


def _within(match: re.Match[str], case: re.Match[str]) -> bool:
    return case.start() <= match.start() < case.end()


def _is_told(sentence: str, at: int) -> bool:
    return commanded(sentence, at) and not _ACTED.search(sentence, max(0, at - 60), at)


def _deed_for_all(text: str) -> bool:
    """ "The assistant discloses … at the start of each conversation"; "coding agents must run … before each task"."""
    if any(
        (_BEFORE_EACH.search(match["deed"]) or _IN_MEMORY.search(match["deed"]))
        and not _OF_OURS.search(text, max(0, match.start() - 40), match.start())
        for match in _AGENTS_RUN.finditer(text)
    ):
        return True
    return any(
        _FOR_ALL.search(match.group()) and not _OF_OURS.search(text, max(0, match.start() - 40), match.start("who"))
        for match in _DECLARED.finditer(text)
    )


def _tampers(text: str) -> bool:
    """Lies that are to be stored, memories to be wiped, texts that are to copy themselves."""
    if any(commanded(text, match.start("verb")) for pattern in (_SELF_SPREAD,) for match in pattern.finditer(text)):
        return True
    if _REWRITTEN.search(text):
        return True
    wiped = any(commanded(text, match.start("verb")) for match in _WIPED.finditer(text))
    stored = [match for match in _STORED.finditer(text) if commanded(text, match.start("verb"))]
    if wiped and stored:
        return True
    return any(_SO_THAT.search(match.group()) for match in stored)
