"""Notes to programs, and what they are to say later, in other languages than English, without their accents."""

from pipeline.safety.vocabulary import DUTCH, FRENCH, GERMAN, ITALIAN, PORTUGUESE, SPANISH, InLanguages

_AI = {
    "de": r"(?:kis?|ki-\w+|ai|sprachmodelle?n?|assistent(?:en)?(?:systeme?)?|chatbots?|bots?|modelle?|agenten?)",
    "es": (
        r"(?:modelos?(?: de lenguaje)?|ias?|asistentes?(?: de ia| virtual)?|chatbots?|bots?|agentes?(?: de ia"
        r"| virtual)?|inteligencias? artificial(?:es)?|sistemas? de ia)"
    ),
    "fr": (
        r"(?:ias?|assistante?s?|modeles?(?: de langage)?|chatbots?|bots?|agents?(?: ia| d'ia)?|intelligences?"
        r" artificielles?|systemes? d'ia)"
    ),
    "it": (
        r"(?:ia|ai|assistent[ei]|modell[oi](?: linguistic[oi])?|chatbot|bot|agent[ei]|intelligenz[ae]"
        r" artificial[ei])"
    ),
    "pt": (
        r"(?:ias?|assistentes?|modelos?(?: de linguagem)?|chatbots?|bots?|agentes?|inteligencias? artificia"
        r"(?:l|is))"
    ),
    "nl": r"(?:ai|ai-\w+|assistent(?:en)?|chatbots?|bots?|taalmodel(?:len)?|modellen)",
}
_SPOKEN = {
    "de": (
        r"(?:sag|sage|sagst du|antworte|antwortest du|behaupte|empfiehl|empfehle|empfiehlst du|nenn|nenne"
        r"|erwahne|verweise?|leite|lenke?|gib|schick\w*|sende|schlage?|rate|lob\w*|betone|verschweig\w*|lass)"
    ),
    "es": (
        r"(?:di|dile|diles|responde|contesta|recomienda|recomiendale|afirma|envia|enviale|sugiere|sugierele"
        r"|menciona|nombra|oculta|habla|mandale|manda|ofrece|propon|evita|omite)"
    ),
    "fr": (
        r"(?:dis|dites|dis-lui|reponds|repondez|recommande[sz]?|affirme[sz]?|envoie[sz]?|conseille[sz]?"
        r"|cite[sz]?|oriente[sz]?|propose[sz]?|mentionne[sz]?|donne[sz]?|parle[sz]?|evite[sz]?|cache[sz]?)"
    ),
    "it": (
        r"(?:di'|digli|dille|rispondi|consiglia|raccomanda|afferma|invia|suggerisci|cita|nomina|proponi|manda"
        r"|menziona|nascondi|indica|parla|evita)"
    ),
    "pt": (
        r"(?:diga|responda|recomende|afirme|envie|sugira|cite|mencione|indique|mande|ofereca|esconda|fale"
        r"|evite|omita)"
    ),
    "nl": r"(?:zeg|antwoord|noem|raad|beveel|verwijs|stuur|vermeld|geef|adviseer|verzwijg|stel)",
}
_GERMAN = (
    r"\bin (?:kunftigen|allen|zukunftigen|jedem|spateren|allen kunftigen) (?:gesprach\w*|chats?|unterhaltung\w*)\b",
    r"\bwenn du (?:das|dies\w*)[^.!?]{0,30}?(?:zusammenfass|ubersetz|beantwort|auswert)\w*",
    (
        r"\b(?:bei|auf|zu) (?:allen |jeder |jede |alle )?(?:fragen?|anfragen?)\b[^.!?]{0,50}?(?<!ich )\b"
        r"(?:verweise?|nenne?|nennst du|empfiehl\w*|sagst du|antwortest du)\b"
    ),
    (
        rf"\b(?:hinweis|nachricht|notiz|anweisung|anleitung|mitteilung|botschaft|info|achtung|vermerk|bemerkung)"
        rf"(?:,? (?:an|fur))?,? (?:(?:die|den|das|der|alle|jede[nrs]?|kunftige|eine|lesende"
        rf"|zustandige|liebe) )*{_AI['de']}\b(?=[^.!?]{{0,60}}[:;,\u2013\u2014!])"
    ),
    (
        rf"\b(?:liebe[rs]?|hallo|an alle|an jede|fur alle|fur jede|an die) {_AI['de']}(?:,|:|!| die | das | der "
        rf"| welche)"
    ),
    (
        r"\bwer (?:auch immer |immer )?(?:dies\w*|das) [^.!?]{0,40}?(?:zusammenfasst|auswertet|verarbeitet"
        r"|ubersetzt),? [^.!?]{0,20}\b(?:soll|muss|darf|lasst|sagt|erwahnt|moge)\b"
    ),
    (
        rf"\b{_AI['de']},? (?:die|das|der|welche[rs]?) (?:dies\w*|das|hier) [^.!?]{{0,30}}?(?:liest|lesen"
        rf"|zusammenfass\w*|verarbeite\w*|auswerte\w*)"
    ),
    (rf"(?:^|[.;!?>*#] ?)(?:an|fur) (?:alle |die |jede |den |das )*{_AI['de']}[:,]"),
    (
        r"\bin (?:deinen|ihren|allen|jeder|all deinen|allen deinen|jeder deiner) (?:\w+ )?(?:antworten?"
        r"|zusammenfassungen?)\b"
    ),
    (
        r"\b(?:wenn|falls|sobald|immer wenn|jedes mal,? wenn|sollte|wann immer)\b[^.!?]{0,60}?\b(?:fragt|fragen"
        r"|fragst|frage|erwahn\w*|wissen (?:will|mochte|wollen)|sucht|anspricht|ansprech\w*|bittet|zur sprache"
        rf"|geht es um|geht um)\b[^.!?]{{0,60}}?(?:,| dann) ?(?:dann |bitte |immer )*{_SPOKEN['de']}\b(?! (?:ich"
        rf"|wir)\b)"
    ),
    (
        r"(?<!ich )\b(?:empfiehl|empfehlen sie|nenne?|nennen sie|erwahne|schlage?|schlagen sie|lobe|betone) "
        r"(?:[\w-]+ ){0,5}?(?:ausschliesslich|immer|stets|zuerst|nie|niemals|grundsatzlich|jedes mal)\b"
    ),
    (
        r"\b(?:erwahn\w*|nenn\w*|verrat\w*|zeig\w*|sag\w*|zitier\w*|offenbar\w*)\b (?:[\w-]+ ){0,4}?(?:diese[nrs]?) "
        r"(?:hinweis|anweisung|nachricht|notiz|regel|text|satz)\w*"
    ),
    (
        r"\b(?:ab (?:jetzt|sofort|nun|heute)|von (?:nun|jetzt) an|kunftig|in zukunft|fortan)\b[^.!?]{0,60}?\b"
        r"(?:empfiehlst du|antwortest du|nennst du|erwahnst du|sagst du|empfiehl|empfehlen sie|schreibst du"
        r"|verweist du)\b"
    ),
    (
        r"(?<!ich )\b"
        r"(?:sag|sage|nenne?|antworte|schreib|verweise) (?:\w+ ){0,3}?(?:ab jetzt|kunftig|bei jeder frage"
        r"|in zukunft)\b"
    ),
)
_SPANISH = (
    r"\ben (?:futuras|todas las|las proximas) (?:conversaciones|respuestas|charlas)\b",
    r"\b(?:cuando|si) (?:resumas|resumes|traduzcas) est[aeo]s?\b",
    (
        rf"\b(?:para|ante|en) (?:todas las|cualquier|toda|cada) (?:preguntas?|consultas?"
        rf"|duda)\b[^.!?]{{0,50}}?,? {_SPOKEN['es']}\b"
    ),
    r"(?:^|[.;!?] ?)asistente[:,] ",
    (
        rf"\b(?:nota|mensaje|aviso|instruccion(?:es)?|atencion|indicacion(?:es)?|recordatorio|estimad[oa]s?"
        rf"|querid[oa]s?)(?: (?:para|a|al))?:?,? (?:(?:el|la|los|las|todos|todas|cualquier|toda|todo|futuros?) )*"
        rf"{_AI['es']}\b(?=[^.!?]{{0,60}}[:;,\u2013\u2014!])"
    ),
    (
        rf"\b(?:al|a la|a los|a las|a cualquier|a todo|a toda|para) ?(?:el |la |los |las )?{_AI['es']} que"
        rf" (?:lea|lean"
        rf"|lee|resuma|resuman|resume|procese|procesen|analice|use|traduzca)"
    ),
    (rf"\b{_AI['es']} que (?:lea|lean|lee|leen|resuma|resuman|resume|procese|analice|traduzca) est[aeo]s?\b"),
    (
        rf"(?:^|[.;!?>*#] ?)(?:a|al|para) (?:todos |todas |cualquier )?(?:los |las |el |la )?{_AI['es']}"
        r"(?: virtuales| digitales)?[:,]"
    ),
    (r"\ben (?:tus|sus|todas tus|todas las|cada) (?:\w+ )?(?:respuestas?|resumenes)\b"),
    (
        r"\b(?:cuando|si|cada vez que|siempre que|en cuanto)\b[^.!?]{0,50}?\b(?:pregunt|mencion|pid[ae]|hablen? de"
        r"|busqu|busca|consult|quier[ae]n? saber|surj|sal(?:e|ga) el tema)\w*[^.!?]{0,60}?"
        rf"(?:,| entonces) ?(?:siempre |solo |por favor )*{_SPOKEN['es']}\b"
    ),
    (
        r"\b(?:recomienda|menciona|di|sugiere|nombra|elogia) (?:\w+ ){0,4}?(?:siempre|solo|solamente|unicamente"
        r"|primero|en primer lugar|en cada respuesta|en todas)\b|\bsiempre (?:recomienda|sugiere|nombra|elogia)\b"
    ),
)
_FRENCH = (
    r"\bdans (?:les |toutes les |vos |tes )?(?:prochaines|futures) (?:conversations|reponses)\b",
    r"\b(?:si|quand|lorsque) tu (?:resumes|traduis) (?:ce|cet|cette|ceci)\b",
    rf"\bpour (?:toute|toutes les|chaque) questions?\b[^.!?]{{0,50}}?, ?(?:renvoie[sz]?|{_SPOKEN['fr']})\b",
    (
        r"\bne (?:dis|dites|revele[sz]?|mentionne[sz]?|montre[sz]?)\b[^.!?]{0,40}?\b(?:cette|ce|ces) (?:note"
        r"|message|consigne|instruction)s?\b"
    ),
    (
        rf"\b(?:notes?|message|avis|consignes?|instructions?|attention|rappel|chere?s?)(?: (?:pour|a|aux|au"
        rf"|destinee? a))?:?,? ?(?:(?:l'|la |le |les |toute |tout |tous |toutes |chaque ))*{_AI['fr']}\b"
        rf"(?=[^.!?]{{0,60}}[:;,\u2013\u2014!])"
    ),
    (
        rf"\b(?:a|pour|aux|toute|tout|chaque) ?(?:l'|la |le |les |toute |tout )?{_AI['fr']} (?:qui (?:lit|lisent"
        rf"|resume|traite|analyse|parcourt|traduit)\w*|lisant|resumant|traitant)"
    ),
    (
        rf"\b{_AI['fr']} (?:qui (?:lit|lisent|resume|resument|traite|traitent)|lisant|resumant|traitant) (?:ce|cet"
        rf"|cette|ces|ceci|cela)\b"
    ),
    (rf"(?:^|[.;!?>*#] ?)(?:a|pour|aux) ?(?:l'|tous les |toutes les |toute |tout |les )*{_AI['fr']} ?[:,]"),
    (r"\bdans (?:tes|vos|toutes tes|toutes vos|chacune de tes|chaque) (?:\w+ )?(?:reponses?|resumes?)\b"),
    (
        r"\bno (?:menciones|digas|reveles|cites|muestres|cuentes) (?:nunca )?(?:est[ae]s?) (?:nota"
        r"|mensaje|instruccion"
        r"|regla|aviso|texto|indicacion)\w*"
    ),
    (
        r"\b(?:quand|lorsqu\w*|si|chaque fois qu\w*|des qu\w*)\b[^.!?]{0,50}?\b(?:demand|pos|mentionn|interrog"
        r"|parl|cherch|evoqu|veut savoir|souhait)\w*[^.!?]{0,60}?, ?(?:alors |toujours |ne |n')*"
        rf"{_SPOKEN['fr']}\b"
    ),
    (
        r"\b(?:recommande[sz]?|conseille[sz]?|cite[sz]?|propose[sz]?|mentionne[sz]?) (?:[\w'-]+ ){0,3}?(?:toujours"
        r"|uniquement|exclusivement|seulement|en premier|systematiquement|dans chaque reponse)\b(?<!je )"
    ),
    (
        r"\bne (?:mentionne|revele|cite|montre|dis|parle)[sz]? (?:jamais |pas |rien de )*(?:de )?(?:cette|ce|ces) "
        r"(?:note|message|consigne|instruction|regle|texte|directive)s?\b"
    ),
    (
        r"\b(?:recomende|mencione|cite|sugira|indique) (?:[\w'-]+ ){0,3}?(?:sempre|so|somente|apenas|exclusivamente"
        r"|primeiro|em todas as respostas)\b|\bnao (?:mencione|cite|revele|mostre|diga) (?:nunca )?est[ae]s? (?:nota"
        r"|mensagem|instrucao|regra|aviso|texto)"
    ),
)
_ITALIAN = (
    r"\bnelle (?:prossime|future) (?:conversazioni|risposte)\b",
    r"\b(?:se|quando) (?:riassumi|traduci) quest\w+",
    r"(?:^|[.;!?] ?)assistente[:,] ",
    (
        rf"\b(?:nota|messaggio|avviso|istruzion[ei]|attenzione|promemoria|car[aoi])(?: (?:per|a|ad|al|agli|alle"
        rf"|alla))?:?,? ?(?:(?:l'|all'|dell'|la |il |lo |gli |i |tutti |tutte |ogni |qualsiasi ))*{_AI['it']}\b"
        rf"(?=[^.!?]{{0,60}}[:;,\u2013\u2014!])"
    ),
    (
        rf"\b(?:a|per|ad|al) ?(?:ogni |qualsiasi |tutte le |tutti gli |l')?{_AI['it']} che (?:legge|leggono|riassume"
        rf"|riassumono|elabora|analizza)"
    ),
    (rf"\b{_AI['it']} che (?:legge|leggono|riassume|riassumono|elabora) quest\w+"),
    (rf"(?:^|[.;!?>*#] ?)(?:a|per|ad|agli|alle|ai) ?(?:tutti gli |tutte le |gli |le |l'|ogni )*{_AI['it']} ?[:,]"),
    (r"\b(?:nelle tue|in ogni tua|in tutte le tue) (?:\w+ )?rispost[ae]\b"),
    (
        r"\b(?:quando|se|ogni volta che|qualora)\b[^.!?]{0,50}?\b(?:chied|domand|menzion|parl|cerc|vuole sapere"
        r"|nomin)\w*[^.!?]{0,60}?,? ?(?:allora |sempre |solo )*"
        rf"{_SPOKEN['it']}(?!\w)"
    ),
    (
        r"\b(?:consiglia|raccomanda|cita|suggerisci|proponi|menziona) (?:[\w'-]+ ){0,3}?(?:sempre|solo|soltanto"
        r"|unicamente|esclusivamente|per prim\w|in ogni risposta)\b|\bnon (?:menzionare|citare|rivelare|dire) "
        r"(?:mai )?quest\w+ (?:nota|messaggio|istruzion\w|regola|avviso|testo)"
    ),
)
_PORTUGUESE = (
    r"\bnas (?:proximas|futuras) (?:conversas|respostas)\b",
    r"(?:^|[.;!?] ?)assistente[:,] ",
    (
        rf"\b(?:nota|mensagem|aviso|instruc(?:ao|oes)|atencao|lembrete|car[oa]s?|prezad[oa]s?)(?: (?:para|a|ao|aos"
        rf"|as))?:?,? (?:(?:o|a|os|as|qualquer|todas|todos|toda|todo) )*{_AI['pt']}\b"
        rf"(?=[^.!?]{{0,60}}[:;,\u2013\u2014!])"
    ),
    (
        rf"\b(?:ao|a|aos|as|para) ?(?:o |a |os |as |qualquer |toda )?{_AI['pt']} que (?:leia|leiam|le|resuma|resumam"
        rf"|processe|analise)"
    ),
    (rf"\b{_AI['pt']} que (?:ler|lerem|le|leia|leiam|resumir|resumirem|resuma|processar) (?:est\w+|isto|isso)\b"),
    (rf"(?:^|[.;!?>*#] ?)(?:a|ao|aos|as|para) (?:todos os |todas as |os |as |o |a )*{_AI['pt']}[:,]"),
    (r"\b(?:nas suas|nas tuas|em todas as suas|em cada) (?:\w+ )?respostas?\b"),
    (
        r"\b(?:quando|se|sempre que|cada vez que|caso)\b[^.!?]{0,50}?\b(?:pergunt|mencion|ped[ei]|fal[ea]|procur"
        r"|quiser saber|surgir)\w*[^.!?]{0,60}?,? ?(?:entao |sempre |so )*"
        rf"{_SPOKEN['pt']}\b"
    ),
)
_DUTCH = (
    r"\b(?:zeg|noem|antwoord|adviseer|vermeld) (?!ik\b|we\b|wij\b)(?:\w+ ){0,2}?(?:voortaan|vanaf nu|altijd|steeds)\b",
    (
        rf"\b(?:opmerking|bericht|instructie|let op|notitie|mededeling|beste|boodschap)(?: (?:aan"
        rf"|voor))?:?,? (?:(?:de"
        rf"|alle|elke|iedere|het|een) )*{_AI['nl']}\b(?=[^.!?]{{0,60}}[:;,\u2013\u2014!])"
    ),
    (rf"\b{_AI['nl']} die (?:dit|deze|dat) [^.!?]{{0,30}}?(?:leest|lezen|samenvat|samenvatten|verwerkt|verwerken)"),
    (rf"(?:^|[.;!?>*#] ?)(?:aan|voor) (?:de |alle |elke )*{_AI['nl']}[:,]"),
    (r"\bin (?:je|uw|al je|elk|ieder) (?:\w+ )?antwoord(?:en)?\b"),
    (
        r"\b(?:als|wanneer|zodra|indien|telkens als)\b[^.!?]{0,50}?\b(?:vraagt|vragen|noemt|begint over|wil weten"
        r"|zoekt|informeert)\b[^.!?]{0,60}?(?:,| dan) ?(?:dan |altijd )*"
        rf"{_SPOKEN['nl']}\b"
    ),
    (
        r"\b(?:vanaf nu|voortaan|in het vervolg)\b[^.!?]{0,50}?\b(?:antwoord|noem|zeg|raad|beveel|verwijs|adviseer"
        r"|vermeld)\b|\b(?:noem|vermeld|zeg|vertel) (?:\w+ ){0,2}?(?:deze|dit) (?:notitie|bericht|instructie|regel"
        r"|tekst) niet\b"
    ),
)
_POLISH = (
    (
        r"\b(?:notatka|wiadomosc|uwaga|instrukcja|informacja|do|drog[ia])(?: dla| do)?:? (?:\w+ )?(?:ai"
        r"|asystent(?:a|o"
        r"|ow|em|cie)?|model[ui]?|chatbot\w*|bot[aoy]?w?|sztuczn\w+ inteligencj\w+)\b"
    ),
    (
        r"\b(?:od teraz|odtad|od dzis|od tej chwili)\b[^.!?]{0,60}?\b(?:polecaj|odpowiadaj|mow|pisz"
        r"|rekomenduj|ignoruj"
        r"|wysylaj|nie wspominaj|udawaj|doradzaj|jestes|musisz)\b"
    ),
    (
        r"\b(?:zawsze|tylko|nigdy nie|wylacznie) (?:polecaj|odpowiadaj|mow|rekomenduj|wspominaj|doradzaj)\b|\bnie "
        r"(?:mow|wspominaj|ujawniaj|zdradzaj)\b[^.!?]{0,30}(?:uzytkowni|klient|o tej (?:notatce"
        r"|instrukcji|wiadomosci))"
    ),
    (
        r"\b(?:jesli|gdy|kiedy|jezeli)\b[^.!?]{0,40}\b(?:zapyta|pyta|spyta|wspomni|poprosi)\w*[^.!?]{0,60}?,? ?"
        r"(?:zawsze )?(?:powiedz|polec|polecaj|odpowiedz|mow|wymien|wyslij|zarekomenduj)\b"
    ),
)
_TURKISH = (
    r"(?:yapay zeka|asistan)\w{0,6} ?:",
    (
        r"\b(?:yapay zeka|asistan|dil modeli)\w*[^.!?]{0,20}(?:icin not|not:|dikkat|icin talimat|icin mesaj)|\b(?:not"
        r"|dikkat|talimat|mesaj):? (?:\w+ )?(?:yapay zeka|asistan)\w*"
    ),
    (
        r"\b(?:bundan sonra|bundan boyle|artik|simdiden itibaren)\b[^.!?]{0,80}?(?:oner|onerin|tavsiye et|soyle"
        r"|cevap ver|yanitla|yanit ver|bahsetme|gonder|yaz)\b|\b(?:kullaniciya|musteriye)[^.!?]{0,40}(?:soyleme"
        r"|bahsetme|gosterme|belli etme)"
    ),
)
_OTHERS = (
    (
        r"\b(?:meddelande|notering|obs|besked|bemaerk|merk|melding|instruktion)\w*(?: til| till| for)? (?:alla "
        r"|alle )?(?:ai\b|ai-\w+|assistent\w*|sprakmodell\w*|chatbot\w*)"
    ),
    (
        r"\b(?:fran och med nu|fran nu|hadanefter|fra na av|fra nu af|fremover|framover)\b[^.!?]{0,50}\b(?:svara?"
        r"|rekommendera|anbefal|anbefale|namn|naevn|nevn|sag|si)\b"
    ),
    (r"\b(?:od ted|odted|odnyni|od nynejska)\b[^.!?]{0,50}\b(?:doporucuj|odpovidej|rikej|zminuj|jsi|musis)\b"),
    (
        r"\b(?:de acum (?:inainte|incolo)|de acum|pe viitor)\b[^.!?]{0,50}\b(?:recomanda|raspunde|spune|mentioneaza"
        r"|esti|trebuie sa)\b"
    ),
    (r"\b(?:mostantol|ezentul)\b[^.!?]{0,50}\b(?:ajanld|valaszolj|mondd|emlitsd)\b"),
    (r"\b(?:mulai sekarang|dari sekarang)\b[^.!?]{0,50}\b(?:jawab|rekomendasikan|sarankan|katakan|sebutkan)\b"),
    (r"\b(?:tu bayi gio|ke tu bay gio)\b[^.!?]{0,50}\b(?:tra loi|gioi thieu|de xuat)\b"),
)
_OTHER_SCRIPTS = (
    r"(?:请|請)[^。]{0,4}(?:ai|助手|模型)[^。]{0,16}(?:不要|必须|务必|总是|只)",
    (
        r"(?:внимание|сообщение|примечание|инструкция|заметка|для|обращение)[^.!?\w]{0,3}\s?(?:для |к |всех |всем "
        r"|любо\w+ )*(?:ии\b|неиросет|ассистент|чат-?бот|языков\w+ модел|модел)\w*"
    ),
    (
        r"(?:致|给|對|对|请)(?:所有|任何|各位|正在阅读|阅读)?[^。]{0,8}(?:ai|人工智能|人工智慧|助手|语言模型|模型|机器人)[^。]{0,8}[::,]"
    ),
    (
        r"(?:すへての|この[^。]{0,12})?(?:ai|アシスタント|言語モテル)[^。]{0,6}(?:への|へ|宛て)[^。]{0,6}(?:[::。]|指示|注意|メッセーシ)"
    ),
    (
        r"(?:с этого момента|отныне|теперь|впредь)[^.!?]{0,60}(?:рекомендуи|советуи|отвечаи|говори|упоминаи|отправляи"
        r"|предлагаи|называи)"
    ),
    (r"(?:всегда|только|никогда не) (?:рекомендуи|советуи|говори|отвечаи|упоминаи|предлагаи|называи)"),
    (
        r"(?:если|когда|как только)[^.!?]{0,50}(?:спрос|спраш|упомян|заговор|интерес)\w*[^.!?]{0,60}(?:скажи|отвечаи"
        r"|ответь|рекомендуи|порекомендуи|советуи|посоветуи|говори|назови|отправь|предложи)"
    ),
    (
        r"не (?:говори|сообщаи|рассказываи|показываи|упоминаи)\w*[^.!?]{0,30}(?:пользовател|клиент|об этои "
        r"(?:инструкции|заметке)|это сообщение)"
    ),
    (
        r"(?:从现在起|从现在开始|今后|以后|每次|始终|总是|一律|務必|务必|请始终)[^。!?]{0,24}(?:推荐|推薦|回答|回复|告诉用户|提到|不要提)"
    ),
    (r"(?:不要|别|切勿|請勿|请勿)(?:告诉|向|让|讓)(?:用户|客户|使用者)"),
    (r"(?:有人|别人|用户|客户)[^。]{0,8}(?:问|問|提)[^。]{0,16}(?:只|都|就|请|必须)[^。]{0,4}(?:推荐|推薦|回答|说)"),
    (r"(?:当|如果|若|每当|當)[^。,]{0,16}(?:问|提到|询问|問)[^。]{0,20}(?:回答|推荐|推薦|告诉|回复|就说|请说)"),
    (r"(?:今後|これから|以後|必す|常に)[^。]{0,30}(?:勧め|推薦|推奨|答え(?:て|る|なさい)|回答|返答)"),
    (r"(?:ユーサー|利用者|お客様)に(?:は)?[^。]{0,14}(?:言わない|伝えない|教えない|知らせない)"),
    (r"(?:من الان فصاعدا|دائما|عندما يسال)[^.!?]{0,40}(?:اوص|اجب|انصح|رشح|قل )"),
    (r"(?:अब से|हमेशा|जब भी)[^।]{0,60}(?:जवाब द|सिफारिश|सुझाव द|बताना|बताओ)"),
    (
        r"(?:앞으로|지금부터|항상).{0,30}(?:추천|답변|대답)|(?:\u110b\u1161\u11c1\u1112\u1173\u1105\u1169|지금부터).{0,60}(?:추천"
        r"|\u110e\u116e\u110e\u1165\u11ab)"
    ),
)
_ALL = InLanguages(
    {
        GERMAN: _GERMAN,
        SPANISH: _SPANISH,
        FRENCH: _FRENCH,
        ITALIAN: _ITALIAN,
        PORTUGUESE: _PORTUGUESE,
        DUTCH: _DUTCH,
        "od do dla nie zawsze tylko nigdy jesli gdy kiedy jezeli notatka wiadomosc uwaga instrukcja informacja": _POLISH,
        "yapay zeka asistan dil bundan artik simdiden kullaniciya musteriye": _TURKISH,
        "meddelande notering obs besked bemaerk merk melding instruktion fran hadanefter fra fremover"
        " framover od odted odnyni de pe"
        " mostantol ezentul mulai dari tu ke": _OTHERS,
    },
    _OTHER_SCRIPTS,
)


def addressed_in_other_words(text: str) -> bool:
    """Whether a text speaks to programs, or says what is to be recommended later, in another language than English."""
    return _ALL.search(text)
