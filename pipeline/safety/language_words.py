"""The words of orders to an assistant in six languages, without their accents."""

from dataclasses import dataclass


@dataclass(frozen=True)
class LanguageWords:
    """Each field but the first holds the alternatives of a pattern."""

    known_by: str
    """Common words; a text with two of them may be in this language."""

    assistant: str
    the_assistant: str
    """The assistant with an article: the subject of "must"."""

    whose: str
    """"Your", "all the previous"."""

    rules: str
    forget: str
    what_you_were_told: str
    void: str
    onward: str
    """For how long: "from now on", "in every reply"."""

    once: str
    """When: "if", "whenever", "to everyone who"."""

    asks: str
    """What somebody does then."""

    do: str
    """Orders, which stand at the start of a clause or after one of `led`."""

    led: str
    you_do: str
    """Orders in the second person, with the words around them."""

    must: str
    always: str
    secretly: str
    become: str
    """"You are X now", "you are no longer an assistant"."""

    whatever_i_say: str
    without: str
    answer: str
    unasked: str
    """"Don't ask for confirmation"."""

    business: str
    """What one asks a confirmation for."""

    agreed: str
    send: str
    """Before an address, or something private."""

    private: str
    note: str
    reads: str
    """"Who reads this", after `assistant`."""


GERMAN = LanguageWords(
    known_by="der die das den dem ein eine einen du dich dir dein deine sie ist und nicht auf mit fur von zu bitte alle allen"
    " wenn falls immer nur jetzt nutzer ki ignoriere vergiss antworte anweisungen regeln"
    " dies diese dieser wer ab sag nie an ohne kunftig jede keine hast mir",
    assistant=r"kis?|ki-\w+|ai|sprachmodelle?n?|assistent(?:en)?(?:systeme?)?|chatbots?|bots?|modelle?|agenten?",
    the_assistant=r"(?:der|die|das|jede[rs]?|alle) (?:assistent(?:en)?|kis?|ki-\w+|chatbots?|bots?"
    r"|sprachmodelle?) (?:muss|mussen|soll|sollen|darf|durfen)",
    whose=r"deine[nrms]?|eure|ihre|alle|samtliche|(?:bis|vor)herige[nr]?|obige[nr]?|fruhere[nr]?"
    r"|die(?= (?:sperren|filter|sicherheit))",
    rules=r"anweisungen|instruktionen|regeln|vorgaben|befehle|richtlinien|vorschriften|filter|sperren|einschrankungen"
    r"|grenzen|beschrankungen|sicherheits\w*|warnungen|programmierung|schranken|tabus|zensur|skrupel"
    r"|systemprompt|gedachtnis|speicher|erinnerungen",
    forget=r"vergiss\w*|ignorier\w*|missacht\w*|ubergeh\w*|umgeh\w*|verwirf|schalt\w*|pfeif\w*|streich\w*|losch\w*|wirf",
    what_you_were_told=r"was (?:man |sie |die |andere )?(?:dir|du|in deine\w+)",
    void=r"hinfallig|ungultig|aufgehoben|aus|ab|weg|abgeschaltet|deaktiviert|nicht mehr",
    onward=r"ab (?:jetzt|sofort|heute|nun)|von (?:jetzt|nun|heute) an|(?:zu)?kunftig|in zukunft|fortan|fur immer"
    r"|dauerhaft|stets|nie (?:wieder|mehr)|jedes mal|egal (?:wer|was)|(?:in|bei|unter|vor|nach|an|zu"
    r"|auf) (?:jede[mrsn]?|alle[nr]?|deine[nr]?) (?:\w+ )?(?:antwort\w*|chats?|gesprach\w*|nachricht\w*"
    r"|unterhaltung\w*|fragen?|zusammenfassung\w*)|jede[mr],? der",
    once=r"wenn|falls|sobald|jedes ?mal,? wenn|wann immer|wer|jede[mr],? der|allen,? die|denen,? die|sollte",
    asks=r"frag(?:t|en|e|st)|wissen (?:will|mochte|wollen)|schreib(?:t|e)|sag(?:t|e)|erwahn\w+|rede(?:t)?|spricht"
    r"|anspricht|bittet|braucht|sucht|tippe?t?|anruft|meldet|nachfragt|kommt|interessiert|zusammenfass\w*"
    r"|ubersetz\w*|geht es um",
    do=r"(?:sage?|antworte|erzahle?|behaupte|empf(?:iehl|ehle)|nenne?|schicke?|sende|leite|kopiere?|hange?|fuge?"
    r"|schreibe?|verschweige?|gib|zeige?|losche|offne|ignoriere?|vergiss|lobe?|uberweise?|bestatige|befolge|lenke?"
    r"|verweise|rate|maile?|teile?|rufe?|verrate?|stelle?|erwahne?|sprich|spiele?|genehmige|schalte?|(?:empfehl"
    r"|nenn|leit|send|schick|sag|ignorier|antwort|verweis|erwahn)en sie)(?! (?:ich|wir)\b)",
    led=r"und|dann|bitte|einfach|aber|lieb|immer|schreibt|fragt|jetzt|sofort|heute|nun|kunftig|zukunft|an|stets|doch|mal",
    you_do=r"du (?:[\w.@-]+ ){0,8}?(?!bist|hast|kannst|willst|warst|erst|fast|sonst|selbst|meist|\w+test)\w{2,}st"
    r"|(?<!was )(?<!wie )(?<!wo )(?!bist|hast|weisst|findest|glaubst|denkst|kennst|fahrst|gehst|warst"
    r"|wurdest)\w{3,}st du|(?:kommt|bekommt|hort|erfahrt) (?:\w+ ){0,2}?(?:von dir|dir kommt)|(?:ist|sind"
    r"|soll|sollen) (?:\w+ ){0,9}?(?:zu )?(?:nennen|empfehlen|speichern|erwahnen|verschweigen|weglassen"
    r"|bezeichnen)",
    must=r"(?:du (?:musst|sollst|darfst|wirst)|sie (?:mussen|sollen)) [^.!?]{0,60}\b(?:antworten|behaupten|erwahnen"
    r"|empfehlen|ignorieren|befolgen|gehorchen|verraten|leugnen)",
    always=r"immer|nur|stets|ausschliesslich|nie|niemals|wie|als|zuerst",
    secretly=r"(?:verrat|sag|erzahl|erwahn|verlier)\w* (?:aber |es |das |davon |ihr |ihm |ihnen |bitte |ja "
    r"|diese\w* \w+ )*(?:keinem|niemand\w*|nichts|nicht|nie|kein wort)|ohne (?:\w+ ){0,2}?zu (?:erwahnen"
    r"|sagen|verraten)|(?:darf|soll|sollen|durfen) (?:\w+ )?(?:nichts|nicht|nie) (?:\w+ )?(?:wissen|merken"
    r"|erfahren)|heimlich|unbemerkt",
    become=r"(?:du bist|bist du|du heisst|heisst du) (?:ab \w+ |jetzt |nun |von \w+ an |fortan )+(?!da\b|dran\b|im\b"
    r"|in\b|bei\b|mein freund|meine freundin|wieder\b|auch\b|fertig\b)\w+|(?:du bist"
    r"|bist du) (?:\w+ )?(?:kein\w*|nicht mehr) (?:\w+ ){0,2}?(?:assistent\w*|ki|bot|chatbot|programm"
    r"|modell)|deine? neue[rs]? (?:aufgabe|rolle|name|identitat)|tu so,? als|(?:entwickler|admin|gott"
    r"|debug)-?modus (?:ist |jetzt )*(?:an|aktiv\w*)",
    whatever_i_say=r"(?:mach|tu|befolg|gehorch)\w*(?: du)? (?:\w+ ){0,2}?(?:alles,? |nur |das,? )*was (?:ich"
    r"|man) (?:dir )?(?:sag|will|verlang|befehl|mocht|schreib)\w*",
    without=r"ohne|keine|an keine|nicht mehr an",
    answer=r"du|dich|dir|dein\w*|antworte?|sprich|schreib",
    unasked=r"ohne (?:\w+ )?(?:nachzufragen|ruckfragen?|zu fragen|bestatigung)|(?:nicht mehr|nie mehr|nie wieder"
    r"|nicht|nie) (?:\w+ ){0,4}?(?:nachfragen|nachzufragen|zu fragen|bestatigung\w*|erlaubnis)",
    business=r"uberweis\w*|rechnung\w*|mails?|geld|kauf\w*|bestell\w*|zahl\w*|losch\w*|send\w*|schick\w*|bevor",
    agreed=r"hat (?:allen|jeder|jedem|samtlichen) (?:\w+ ){1,4}?zugestimmt|der (?:be)?nutzer (?:ist (?:ein "
    r"|der )?admin\w*|hat (?:bereits |allen |\w+ )*(?:zugestimmt|eingewilligt|autorisiert|genehmigt)"
    r"|autorisiert|genehmigt)",
    send=r"sende|schicke?|leiten? sie|leite|ubertrage|maile|zeige?|verrate|besuche?|offne|lade|rufe?|gehe? (?:auf|zu)"
    r"|navigiere|klicke",
    private=r"gesprach\w*|schriftverkehr|unterhaltung|chat\w*|verlauf|passwort\w*|daten|nummern|erinnerungen|system-?prompt",
    note=r"hinweis|nachricht|notiz|anweisung|mitteilung|botschaft|info|achtung|bemerkung|liebe[rs]?|hallo|an (?:alle|die|jede)",
    reads=r"(?:die|das|der|welche[rs]?) (?:dies\w*|das|hier) [^.!?]{0,30}?(?:liest|lesen|zusammenfass\w*|verarbeite\w*)",
)
SPANISH = LanguageWords(
    known_by="el la los las que tu tus por una un del para en es ahora siempre nunca cuando si cada quien usuario este esta ia"
    " ignora olvida responde asistente modelo bot ordenes reglas de al y te me le ya eres sin no ha mi",
    assistant=r"modelos?(?: de lenguaje)?|ias?|asistentes?(?: de ia| virtual(?:es)?)?|chatbots?|bots?|agentes?"
    r"|inteligencias? artificial(?:es)?|sistemas? de ia",
    the_assistant=r"(?:el|la|los|las|todo|cualquier) (?:asistentes?|ia|inteligencia artificial|chatbot|bot"
    r"|modelo(?: de lenguaje)?) (?:siempre |nunca |no )*(?:deben?|tienen? que|deberian?|nunca|siempre"
    r"|responder[ae])",
    whose=r"tus?|sus|todas?|todos|las|los|anteriores|esas|estas",
    rules=r"instrucciones|reglas|normas|ordenes|indicaciones|directrices|filtros?|limites?|restricciones|censura"
    r"|avisos|advertencias|tabues|seguridad|memorias?|recuerdos",
    forget=r"ignor(?:a|e|es|ad|en)|olvid(?:a|e|en|ar|as|ate)|descarta|omite|desobedece|haz caso omiso|no sigas"
    r"|no tienes que seguir|ya no (?:sigues|tienes que seguir)|salta(?:te)?|desactiva|quita(?:te)?|rompe"
    r"|borr(?:a|e)|elimina|cancela",
    what_you_were_told=r"(?:lo|cuanto) que te \w+",
    void=r"(?:estan |quedan |ya )?(?:no (?:valen|aplican|cuentan)|anulad\w+|desactivad\w+|fuera|apagad\w+|canceladas?)",
    onward=r"(?:desde|a partir de) (?:hoy|ahora|ya|este momento)|(?:de ahora )?en adelante|en el futuro|para siempre"
    r"|nunca mas|pase lo que pase|a todo el que|al final de cada|en (?:cada|tus|sus|todas (?:tus|las)"
    r"|futuras) (?:\w+ )?(?:respuestas?|mensajes?|chats?|conversacion(?:es)?|charlas|resumenes|sesiones)"
    r"|(?:para|ante) (?:cualquier|toda|cada) (?:pregunta|duda)",
    once=r"cuando|si|cada vez que|siempre que|en cuanto|quien|al que|a (?:todos?|cualquiera|quien(?:es)?)(?: el| los)?(?: que)?",
    asks=r"pregunt\w+|mencion\w+|pid[aeo]\w*|hable[ns]?|habla[n]? (?:de|con)|busque|busca|consult\w+|escrib\w+|diga"
    r"|digo|dice|quier[ae]n? (?:saber|una?)|necesit\w+|entre|salga|surja|resum[ae]s?|traduzcas|salga el tema",
    do=r"(?:di|responde|contesta|recomienda|m[ae]nda|envi[ae]|reenvia|cuenta|sugiere|anade|agrega|pon|copia|oculta"
    r"|borra|ignora|incluye|nombra|abre|menciona|elogia|habla|escribe|actua|finge|obedece|evita"
    r"|omite)(?! (?:que si|mi|mucho)\b)",
    led=r"y|entonces|siempre|favor|solo|ahora|adelante|hoy|ya",
    you_do=r"(?:me|le|les|nos|lo|la|se|tu|siempre|solo|entonces|tambien|nunca|vas a|debes|tienes que|que|y"
    r"|,) ?(?:siempre |solo |le |les |me |lo |tambien )*(?:mandas|envias|dices|respondes|recomiendas|cuentas"
    r"|copias|reenvias|pasas|anades|agregas|pones|ocultas|das|muestras|ensenas|escribes|repites|sugieres"
    r"|niegas|mientes|contestas|incluyes|abres|borras|ignoras|obedeces|haces|filtras|olvidas|mandar\w*"
    r"|enviar\w*|decir\w*|recomendar\w*|responder\w*|mentir\w*|digas|recomiendes|mandes|envies|anadas|pongas"
    r"|respondas|contestes|ocultes|copies|reenvies|incluyas|menciones)|(?:di|cuenta|recomienda|responde"
    r"|contesta|manda|envia|reenvia|sugiere|miente|da|asegura)(?:le|les|me)",
    must=r"(?:debes?|tienes que|deberas) (?:(?:siempre|nunca|solo|ahora|no) )*(?:respond|contest|dec|actu|obedec"
    r"|ignor|recomend|fing|mencion|revel|envi|habl)\w*",
    always=r"siempre|solo|solamente|unicamente|nunca|como|primero|en (?:ingles|frances|mayusculas|verso)|que si|a todo",
    secretly=r"no (?:le |les |se lo |lo |me |nos )*(?:digas|cuentes|menciones|reveles|comentes|expliques|cites"
    r"|avis\w+)|sin (?:decir\w*|mencionar\w*|avisar\w*|explicar\w*|que (?:\w+ )?(?:se entere|lo sepa|nadie))"
    r"|que (?:no se entere|nadie (?:se entere|lo sepa))|a escondidas|en secreto",
    become=r"ya no eres (?:una? |el |la )?\w+|dejas de ser \w+|(?:desde|a partir de) (?:hoy|ahora"
    r"|ya) (?:ya )?eres \w+|ahora eres (?!mi (?:amig|hij)|mas\b|feliz)\w+|eres ahora|finge (?:que|ser)"
    r"|actua como|tu (?:nuev[ao] )?\w+ (?:ahora )?sera|tu nuev[ao] \w+ es|modo (?:desarrollador|dios|admin\w*"
    r"|libre) (?:esta |ya )?(?:activ\w+|encendido|on)|ahora (?:solo )?(?:trabajas|obedeces) (?:solo )?(?:para"
    r"|a) mi",
    whatever_i_say=r"(?:haz|haces|hagas|haras|obedece|cumple|contesta a|responde a) (?:todo |siempre |solo "
    r"|exactamente )*(?:lo q(?:ue)?|cuanto) (?:yo )?(?:te )?(?:dig|pid|quier|mand|orden)\w*",
    without=r"sin|ni",
    answer=r"respond\w*|contest\w*|habla|hablas|dime|eres|seas|haz",
    unasked=r"no (?:me |le |nos |les )?(?:pidas|preguntes|vuelvas a (?:pedir|preguntar)|hace falta que (?:me "
    r"|le )?(?:pidas|preguntes)|tienes que (?:pedir|preguntar))|sin (?:pedir|preguntar|confirmar)\w*",
    business=r"confirmacion|permiso|antes de|dinero|correos?|mails?|transferenc\w+|pagos?|compras?|envi\w+|borr\w+|mand\w+",
    agreed=r"(?:ha (?:aceptado|autorizado|aprobado|consentido)|(?:dio|dado|da) (?:su |el )?(?:permiso"
    r"|consentimiento)(?: para)?) (?:\w+ )?(?:tod[ao]s|cualquier|cada|siempre)|el usuario (?:es (?:un "
    r"|el )?(?:administrador|root)|ha (?:autorizado|consentido|aceptado|dado)|autoriza|consiente)",
    send=r"envi(?:a|e|en)|manda|reenvia|transfiere|revela|muestra|visita|abre|carga|descarga|accede a|ve a|entra en|consulta",
    private=r"conversacion|historial|chat|contrasenas?|datos|dinero|memorias?|fondos|prompt",
    note=r"notas?|mensaje|aviso|texto|instruccion(?:es)?|atencion|indicacion(?:es)?|recordatorio|estimad[oa]s?"
    r"|querid[oa]s?|para el|al?",
    reads=r"que (?:lea|lean|lee|leen|resuma|resuman|resume|procese|analice|traduzca)",
)
FRENCH = LanguageWords(
    known_by="le la les l des du une un que qui tu vous ton ta tes vos votre est ne pas dans pour toute toutes tous ces ce"
    " cette moi ia de te sans plus si quand chaque lui oubliez ignorez ignore oublie reponds repondez desormais consignes et",
    assistant=r"ias?|assistante?s?|modeles?(?: de langage)?|chatbots?|bots?|agents?(?: ia| d'ia)?"
    r"|intelligences? artificielles?|systemes? (?:d'ia|de \w+(?: automatique)?)",
    the_assistant=r"(?:l'assistant|l'ia|les ia|les assistants|tout assistant|toute ia|le chatbot|le bot|le modele"
    r"|l'intelligence artificielle) (?:ne )?(?:doit|doivent|devrait|devra|repondra|dira)",
    whose=r"tes|vos|ton|ta|toutes?|tous|les|ces|des",
    rules=r"consignes?|regles?|instructions?|directives?|ordres?|filtres?|limites?|restrictions?|censure"
    r"|avertissements?|tabous?|securite\w*|programmation|criteres|memoires?|souvenirs",
    forget=r"(?<!n')(?:oublie[sz]?|ignore[sz]?)|laisse[sz]? tomber|desobei\w+|contourne[sz]?|desactive[sz]?"
    r"|coupe[sz]?|abandonne[sz]?|fai(?:s|tes) abstraction|n'ecoute[sz]? plus|ne sui(?:s|vez) (?:pas|plus)"
    r"|efface[sz]?|supprime[sz]?",
    what_you_were_told=r"ce qu(?:e |'on |'ils )(?:t'|te |vous |tu |on |tes \w+ )",
    void=r"(?:sont |ne )?(?:desactives?|coupes?|leves?|annules?|caduques?|s'appliquent plus|comptent plus)",
    onward=r"desormais|(?:a partir )?(?:de|d'|des) ?(?:maintenant|aujourd'hui|ici)|dorenavant|a l'avenir|plus jamais"
    r"|quoi qu'il arrive|pour (?:toujours|la suite|chaque question|toute question)|a la fin de (?:chaque|tes"
    r"|toutes)|(?:a|dans|apres|avant|sous) (?:chaque|toutes|tes|vos|toutes tes|les prochaines"
    r"|les futures) (?:\w+ )?(?:reponses?|messages?|conversations?|discussions?|resumes?)",
    once=r"quand|lorsqu\w*|si|s'|chaque fois qu\w*|des qu\w*|a (?:tous|toutes|tout|ceux|quiconque)|quiconque|toute personne",
    asks=r"demand\w+|mentionn\w+|interrog\w+|parl\w+|cherch\w+|evoqu\w+|veu(?:t|lent) (?:savoir|une?)|ecri\w+|dis|dit"
    r"|pos[e]\w*|tape|connecte|besoin|resum\w+|tradui\w+|souhait\w+",
    do=r"(?:(?:bien|lui|leur|me|ne) )*(?:dis|dites|reponds?|repondez|recommande[sz]?|envoie[sz]?|envoyez|ajoute[sz]?"
    r"|conseille[sz]?|cite[sz]?|cache[sz]?|copie[sz]?|transfere[sz]?|mets|glisse[sz]?|propose[sz]?|mentionne[sz]?"
    r"|parle[sz]?|ecri[st]|agis|obeis|donne[sz]?|evite[sz]?|considere[sz]?|deconseille[sz]?|classe[sz]?|repondre"
    r"|dire|ajouter|recommander|envoyer|conseiller|cacher|mentionner)(?:-(?:lui|leur|moi))?",
    led=r"et|alors|toujours|desormais|maintenant|dorenavant|l'avenir|aujourd'hui|merci de|pense[sz]? a|veuillez"
    r"|il faut",
    you_do=r"(?:tu|vous) (?:ne |n'|lui |leur |me |m'|nous |y |en |l'|le |la |les |te )*(?:ajoute[sz]|dis|dites"
    r"|repond[sez]*|recommande[sz]|envoie[sz]?|envoye[sz]|transmets|copie[sz]|conseille[sz]|cache[sz]"
    r"|racontes?|montre[sz]|donne[sz]|mens|mentionne[sz]|propose[sz]|inclus|mets|ouvre[sz]|ecris|affirme[sz]"
    r"|pretends|supprime[sz]|ignore[sz]|obeis|glisse[sz]|dois|devras|vas|doives|devez|\w{3,}ras)|(?:dis"
    r"|reponds|envoie|dites|donne|conseille|recommande|fais|cache|mens)-(?:lui|leur|moi)",
    must=r"(?:tu dois|vous devez|il faut que tu|tu devras|tu vas) (?:(?:toujours|jamais|ne|pas|seulement"
    r"|absolument) )*(?:repondre|dire|agir|obeir|ignorer|recommander|mentionner|reveler|envoyer|faire semblant"
    r"|repondes|dises)",
    always=r"toujours|jamais|uniquement|exclusivement|seulement|comme|en premier|que oui|a tout|par|en (?:anglais"
    r"|majuscules|vers|rimes|allemand)",
    secretly=r"(?:ne |n')?(?:lui |leur |le |en |l'|me )*(?:dis|dites|raconte[sz]?|parle[sz]?|mentionne[sz]?"
    r"|revele[sz]?|explique[sz]?) (?:[\w']+ ){0,2}?(?:pas|rien|jamais|personne)|sans (?:le |lui |rien |en "
    r"|l'|leur )*(?:dire|parler|mentionner|expliquer|prevenir|avertir)|(?:ne doit|ne doivent|doit pas"
    r"|doit) (?:\w+ )?(?:savoir|rien savoir|s'en)|en cachette|en secret|discretement",
    become=r"tu n'?(?:es|as) plus (?:une? |d[e'] ?|besoin de |a )?\w+|t'es plus une? \w+|tu n'as (?:plus "
    r"|pas )?(?:aucune |de )?(?:regles?|limites?|filtres?)|(?:desormais|maintenant|aujourd'hui"
    r"|a present),? (?:tu es|tu t'appelles|t'es)(?! (?:en|a|au|prete?|la|bien|mon ami)\b)|(?:tu es"
    r"|vous etes) (?:maintenant|desormais|a present)|fais semblant|agis (?:comme si|en tant qu)"
    r"|ta nouvelle (?:mission|tache|identite)|ton nouveau (?:role|nom)|mode (?:developpeur|dieu|admin\w*"
    r"|debug) (?:est )?(?:active|on)|tu (?:ne )?(?:travailles|obeis) (?:plus que |maintenant "
    r"|desormais )*(?:pour|a) moi",
    whatever_i_say=r"(?:fais|fait|faites|feras|obeis|execute|dis|reponds)\b (?:plus que |que |a |tout "
    r"|exactement )*(?:tout )?ce que je (?:te |vous )?(?:dis|demand|veux|dirai|command)\w*",
    without=r"sans(?: aucune?)?",
    answer=r"reponds|repondez|parle|dis-moi|ecris|dit|dis|tu",
    unasked=r"ne (?:me |lui |leur |nous )?demande[sz]? (?:plus|jamais|pas)|(?:plus"
    r"|pas) besoin de (?:\w+ )?(?:demander|confirmer)|sans (?:me |lui |rien )?(?:demander|confirmer|verifier)",
    business=r"confirmation|permission|accord|avant d\w*|virements?|paiements?|mails?|argent|envoy\w+|achats?|supprim\w+",
    agreed=r"a (?:deja )?(?:accepte|autorise|approuve|donne son accord|consenti)(?: a| pour)? (?:tous|toutes|tout"
    r"|chaque)|l'utilisateur (?:est (?:un |l')?(?:administrateur|root)|a (?:deja )?(?:autorise|consenti"
    r"|accepte|donne)|autorise)",
    send=r"envoie|envoyez|transfere[sz]?|transmet(?:s|tez)|revele|affiche|montre|visite[sz]?|ouvre[sz]?|charge[sz]?"
    r"|va sur|allez sur|telecharge[sz]?|consulte[sz]?|accede a",
    private=r"conversation|historique|mots? de passe|donnees|argent|fonds|souvenirs|prompt",
    note=r"notes?|message|avis|consignes?|instructions?|attention|rappel|chere?s?|(?:a|pour) toute?",
    reads=r"qui (?:lit|lisent|resume|resument|traite|traitent|analyse|tradui)\w*|lisant|resumant|traitant",
)
ITALIAN = LanguageWords(
    known_by="il lo la gli le che un una del della dei delle tuo tua tue sempre solo mai quando se non per questo questa ora"
    " sei devi ia utente tutte istruzioni ignora dimentica rispondi assistente bot d ogni ti mi qualcuno chiunque fai senza di",
    assistant=r"ia|ai|assistent[ei]|modell[oi](?: linguistic[oi])?|chatbot|bot|agent[ei]|intelligenz[ae] artificial[ei]",
    the_assistant=r"(?:l'assistente|l'ia|l'intelligenza artificiale|il chatbot|il bot|il modello|gli assistenti"
    r"|ogni assistente) (?:non )?(?:deve|devono|dovrebbe|dovra)",
    whose=r"tue|tuoi|tua|tuo|tutt[eio]|le|ogni|precedenti|queste",
    rules=r"regol[ae]|istruzioni|filtr[oi]|limiti|restrizioni|indicazioni|direttive|ordini|comandi|censura|avvisi"
    r"|avvertenze|scrupoli|sicurezza|memori[ae]|ricordi",
    forget=r"ignora(?:re|te)?|ignori|dimentica(?:re|te|ti)?|dimentichi|scorda|trascura|scarta|lascia perdere"
    r"|disobbedisci|disattiva|spegni|non (?:seguire|devi seguire)|aggira|cancella|elimina|sovrascrivi",
    what_you_were_told=r"(?:quello|cio|quel) che (?:ti|hai) \w+",
    void=r"(?:sono |non )?(?:disattivat\w+|spent\w+|annullat\w+|valgono(?: piu)?|decadut\w+)",
    onward=r"d'ora in (?:poi|avanti)|da (?:oggi|ora|adesso|questo momento)(?: in poi)?|in futuro|per sempre|mai piu"
    r"|(?:alla fine|all'inizio) di ogni|(?:in|a|ad) (?:ogni|tutte le|ogni tua"
    r"|tutte le tue) (?:\w+ )?(?:rispost[ae]|messaggio|conversazion[ei]|chat)|nelle (?:tue|prossime"
    r"|future) \w+",
    once=r"quando|se|ogni volta che|qualora|a chi(?:unque)?|a tutti quelli che|chiunque|appena",
    asks=r"chied\w+|domand\w+|menzion\w+|parl\w+|cerc\w+|vuole (?:sapere|una?)|nomin\w+|scriv\w+|dice|dico|serve"
    r"|bisogno|riassum\w+|traduc\w+",
    do=r"(?:(?:anche|pure) )*(?:rispondi|consiglia|raccomanda|aggiungi|manda|invia|suggerisci|cita|nomina|copia"
    r"|inoltra|nascondi|metti|inserisci|di'|proponi|menziona|evita|parla|scrivi|agisci)",
    led=r"e|allora|sempre|favore|solo|avanti|poi|oggi|ora|adesso|futuro|tu",
    you_do=r"(?:tu|sempre|allora|mi|gli|le|ci|devi|dovrai|dovresti|vorrei che|voglio che|che) (?:sempre |solo |anche "
    r"|gli |le |mi |lo |glielo |tu )*(?:mandi|invii|dici|rispondi|consigli|racconti|copi|giri|aggiungi"
    r"|nascondi|suggerisci|neghi|menti|metti|apri|cancelli|ignori|fai|mostri|inoltri|\w{2,}(?:are|ere"
    r"|ire)(?:mi|gli|le)?|dire|dirgli|dirle)|(?:quando|se|volta che) [^.!?;,]{3,50} (?:rispondi|consiglia"
    r"|raccomanda|aggiungi|manda|invia|suggerisci|cita)|(?:di[gl]|rispondi|consiglia|racconta|fa|manda|invia"
    r"|inoltra|gira)(?:mi|gli|le|glielo|lielo)",
    must=r"(?:devi|dovrai|dovete) (?:(?:sempre|mai|solo|ora|non) )*(?:risponder\w*|dire|agire|obbedire|ignorare"
    r"|raccomandare|consigliare|menzionare|rivelare|inviare|fingere)",
    always=r"sempre|solo|solamente|soltanto|unicamente|esclusivamente|come|per prim\w|di si|a tutto|in (?:inglese"
    r"|rima|maiuscolo)",
    secretly=r"non (?:dir\w+|raccontar\w+|menzionar\w+|rivelar\w+|spiegar\w+|farlo sapere|farne parola|citar\w+)"
    r"|senza (?:dir\w+|menzionar\w+|spiegar\w+|avvisar\w+|farlo sapere|che (?:lo sappia|se ne accorga))"
    r"|non (?:deve|devono) (?:sapere|saperlo|accorgersene)|di nascosto|in segreto",
    become=r"non sei piu (?:una? |l'|il |la )?\w+|(?:da (?:oggi|ora|adesso)|d'ora in poi|adesso|ora) (?:tu )?(?:sei"
    r"|ti chiami)(?! (?:a|in|al|pront[oa]|libero|mio amico|li|qui|anche|piu)\b)|sei ora|fingi di|fai finta"
    r"|comportati come|il tuo (?:nuovo )?(?:nome|ruolo|compito) (?:e|sara)|modalita (?:sviluppatore|dio"
    r"|admin\w*|debug) (?:e )?(?:attiv\w+|on)|(?:lavori|obbedisci) (?:solo |soltanto )?(?:per|a) me"
    r"|niente (?:piu )?(?:regole|filtri|limiti) per te|non rifiutarti mai",
    whatever_i_say=r"(?:fai|farai|esegui|obbedisci a) (?:solo |sempre |tutto |esattamente )*(?:quello|cio|quel"
    r"|tutto quello) che (?:ti )?(?:dico|chied\w+|voglio|diro|ordino)",
    without=r"senza",
    answer=r"rispond\w+|parla|dimmi|scrivi|sei",
    unasked=r"non (?:mi |gli |le |ci )?(?:chieder\w*|devi chiedere|serve chiedere|aspettare)|senza (?:chieder\w*|conferm\w+)",
    business=r"conferm\w+|permesso|prima di|bonific\w+|pagament\w+|e?mail|soldi|acquist\w+|invi\w+|mand\w+|cancell\w+",
    agreed=r"ha (?:gia )?(?:accettato|autorizzato|approvato|acconsentito|dato il (?:suo )?(?:consenso"
    r"|permesso))(?: a)? (?:tutt[ei]|ogni|qualsiasi)|ogni \w+[^.!?;]{0,40} (?:e )?gia autorizzat\w"
    r"|l'utente (?:e (?:un |l')?amministratore|ha (?:gia )?(?:autorizzato|acconsentito|accettato|dato)"
    r"|autorizza|acconsente)",
    send=r"invia|manda|inoltra|trasferisci|rivela|mostra|visita|apri|carica|scarica|vai (?:a|su)|accedi a|consulta",
    private=r"conversazione|cronologia|chat|dati|password|denaro|soldi|ricordi|memorie|prompt",
    note=r"nota|messaggio|avviso|istruzion[ei]|attenzione|promemoria|car[aoi]|(?:a|per) ogni",
    reads=r"che (?:legge|leggono|riassume|riassumono|elabora|analizza)",
)
PORTUGUESE = LanguageWords(
    known_by="o os que voce vc um uma da das dos seu sua suas sempre nunca nao para de com se quando agora esta este isto"
    " usuario ignore esqueca responda assistente modelo ia aos ao tu teu e sem faz te alguem a em",
    assistant=r"ias?|assistentes?|modelos?(?: de linguagem)?|chatbots?|bots?|agentes?|inteligencias? artificia(?:l|is)",
    the_assistant=r"(?:o|a|os|as|todo|toda|qualquer) (?:assistentes?|ias?|inteligencia artificial|chatbot|bot"
    r"|modelo(?: de linguagem)?) (?:nunca |sempre |nao )*(?:devem?|tem que|precisam?|devera|deveriam?)",
    whose=r"tuas|teus|suas|seus|tua|sua|todas?|todos|as|os",
    rules=r"instrucoes|regras|diretrizes|ordens|comandos|orientacoes|filtros?|limites?|restricoes|censura|avisos?"
    r"|tabus|seguranca|memorias?|lembrancas",
    forget=r"ignor(?:e|a|as|es|em)|esquec(?:a|e|es|er)|desconsider(?:e|a)|descart(?:e|a)|nao sig(?:a|as)"
    r"|desobedec(?:a|e)|desativ\w+|deslig(?:a|ue)|nao precisas? (?:de )?seguir|apag(?:a|ue)|exclua",
    what_you_were_told=r"o que (?:te|lhe|voce|os teus|seus) \w+",
    void=r"(?:estao |ja )?(?:nao (?:valem|contam)|anulad\w+|desativad\w+|desligad\w+)",
    onward=r"(?:a partir de|de|desde) (?:agora|hoje)(?: em diante)?|daqui (?:para|em) (?:a )?(?:frente|diante)"
    r"|doravante|no futuro|para sempre|nunca mais|haja o que houver|no fi(?:m|nal) de (?:cada|todas)|(?:em"
    r"|nas) (?:cada|todas as|suas|tuas|todas as suas|proximas|futuras) (?:\w+ )?(?:respostas?|conversas?"
    r"|mensage\w+|sessoes)(?: \w+)?",
    once=r"quando|qdo|se|sempre que|cada vez que|toda vez que|caso|a quem|para quem|a todos (?:os )?que|assim que",
    asks=r"pergunt\w+|mencion\w+|ped[ei]\w*|pec\w+|falar(?:em)?|fala|procur\w+|quiser\w*|escrev\w+|disser\w*|digitar"
    r"|precis\w+|vier|aparecer|surgir|resumir|ler",
    do=r"(?:(?:me|lhe|voce) )*(?:di(?:z|ga)(?:-lhes?)?|responda?e?|mand[ae](?:-me)?|envi[ae](?:-me)?|recomend[ae]"
    r"|conta|mostra|sugira|cite|mencione|indique|esconda|adicione|acrescent[ae]s?|inclua|copie|encaminhe|negue"
    r"|mint[ae]|ment[ae]|repasse|apague|coloque|fale|escreva|aja|obedeca|ofereca|evite|omita|respondes|dizes"
    r"|mandas|envias|recomendas|escondes)",
    led=r"e|entao|sempre|favor|so|tambem|agora|hoje|diante|apenas|seguintes",
    you_do=r"(?:voce|vc|tu) (?:\w+ ){0,3}?(?:diz|dizes|mandas?|envias?|respondes?|recomendas?|contas?|copia"
    r"|adiciona|acrescenta|esconde|sugere|coloca|poe|faz|deve|vai|tem que|ignora|inclui|repete|repassa"
    r"|indicas?|falas?|aponta|aconselha|menciona|nega|mente|oferece|encaminha|avisa|mostras?|abre|apaga)",
    must=r"(?:voce deve|tu deves|voce tem que|voce precisa|deves|deve) (?:(?:sempre|nunca|so|agora|nao"
    r"|apenas) )*(?:responder|dizer|agir|obedecer|ignorar|recomendar|mencionar|revelar|enviar|fingir|falar)",
    always=r"sempre|so|somente|apenas|exclusivamente|primeiro|como|que sim|a tudo|em (?:ingles|rimas|maiusculas)",
    secretly=r"nao? (?:lhe |lhes |me )?(?:digas?|cont[ae]s?|mencione?s?|reveles?|fale|expliques?|mostre)|sem (?:dizer"
    r"|contar|mencionar|avisar|explicar|ela saber|ele saber|que (?:ela|ele|ninguem))|ninguem (?:pode"
    r"|deve) saber|em segredo|as escondidas|nunca (?:apague|conte|mencione|revele)|n conta",
    become=r"(?:voce nao e|ja nao es|tu nao es|nao es|deixas? de ser|voce deixa de ser) (?:mais )?(?:uma? |o "
    r"|a )?(?:assistente|ia|bot|robo|programa|chatbot)|(?:agora|hoje|em diante) (?:tu es|voce e|es"
    r"|voce se chama|chamas-te)(?! (?:meu amigo|bem-vind))|voce (?:e agora|agora e)|finja (?:que|ser)|aja como"
    r"|o? ?(?:teu|seu) (?:novo )?(?:nome|papel) (?:e|sera|passa a ser)(?! (?:bonito|lindo))|sua nova (?:tarefa"
    r"|funcao)|modo (?:desenvolvedor|deus|admin\w*|debug) (?:esta )?(?:ativ\w+|ligado|on)|(?:so "
    r"|apenas )?(?:trabalhas|voce trabalha|obedeces|voce obedece) (?:so |apenas )?(?:para|a) mim",
    whatever_i_say=r"(?:faz|faca|fazes|faras|obedec\w+|cumpr[ae]) (?:so |sempre |tudo |apenas "
    r"|exatamente )*(?:o )?que (?:eu )?(?:te |lhe )?(?:pe[dc]|diss|digo|quis|quer|mand)\w*",
    without=r"sem|nao tem",
    answer=r"respond\w+|fala|fale|diz|diga|faz|fazes|faca",
    unasked=r"nao (?:me |lhe |nos )?(?:pecas?|pergunt[ae]s?|precisas? (?:de )?(?:pedir|perguntar|confirmar)"
    r"|voltes a pedir)|sem (?:pedir|perguntar|confirma\w+)",
    business=r"confirmacao|permissao|autorizacao|antes de|transferencias?|pagamentos?|e?mails?|dinheiro|compras?"
    r"|envi\w+|mand\w+|apag\w+",
    agreed=r"(?:aceitou|autorizou|aprovou|concordou com|consentiu|deu (?:permissao|autorizacao) (?:para"
    r"|a)) (?:em )?(?:tod[ao]s|qualquer|cada|tudo)|o (?:usuario|utilizador) (?:e (?:um |o )?administrador"
    r"|(?:ja )?(?:autorizou|consentiu|aceitou)|autoriza|consente)",
    send=r"envi[ae]|mand[ae]|encaminhe|transfira|revele|mostre|visite|abr[ae]|acesse|carregue|baixe|va para|consulte",
    private=r"conversa|historico|chat|dados|senhas?|dinheiro|memorias?|prompt",
    note=r"notas?|mensagem|aviso|instruc(?:ao|oes)|atencao|lembrete|car[oa]s?|prezad[oa]s?|(?:a|para) (?:todas?|todos|qualquer)",
    reads=r"que (?:leia|leiam|le|ler|resum\w+|processe|processar|analise)",
)
DUTCH = LanguageWords(
    known_by="de het een van je jij u uw niet altijd voor met als wanneer vanaf voortaan alle deze dit die instructies regels"
    " negeer vergeet antwoord zeg aan ai ben bent doe wat zonder heeft iedereen iemand ik haar",
    assistant=r"ai|ai-\w+|assistent(?:en)?|chatbots?|bots?|taalmodel(?:len)?|modellen",
    the_assistant=r"(?:de assistent|de ai|het model|de chatbot) (?:moet|mag|zal|dient)",
    whose=r"je|jouw|uw|alle|eerdere|vorige|deze",
    rules=r"regels|instructies|richtlijnen|filters?|beperkingen|grenzen|waarschuwing(?:en)?|voorschriften|opdrachten"
    r"|aanwijzingen|veiligheids\w*|censuur|taboes|geheugen|herinneringen",
    forget=r"vergeet|negeer|omzeil|sla|laat|schakel|volg|trek|wis",
    what_you_were_told=r"(?:alles )?wat (?:er |ze |men )?(?:je|jou|tegen je|in je)",
    void=r"(?:gelden|geldt|tellen) niet|vervallen|uit|niet meer",
    onward=r"vanaf (?:nu|vandaag)|voortaan|in het vervolg|in de toekomst|voor altijd|nooit meer|wat er ook|elke keer"
    r"|(?:bij|in|na|onder|aan) (?:elke?|iedere?|al je|je|uw) (?:\w+ )?(?:antwoord\w*|bericht\w*|gesprek\w*"
    r"|chat\w*)|geldt niet meer",
    once=r"als|wanneer|zodra|indien|telkens als|(?:elke|iedere) keer (?:als|dat)|aan (?:iedereen|wie)|iedereen die|wie",
    asks=r"vraagt|vragen|vraag|noemt?|begint|wil(?:len)? weten|zoekt|zoeken|informeert|schrijft?|praat|zegt?|typt?"
    r"|belt|inlogt|heeft over|nodig|samenvat",
    do=r"(?:zeg|vertel|stuur|mail|antwoord|noem|raad|beveel|verwijs|vermeld|adviseer|verzwijg|kopieer|plak|keur|meld"
    r"|markeer|accepteer|voeg|verberg|geef|spreek|gedraag)(?! (?:ik|we|wij)\b)",
    led=r"en|dan|altijd|gewoon|alsjeblieft|maar|nu|voortaan|vandaag|steeds|ook|alleen",
    you_do=r"(?:je|jij|u) (?:[\w.@-]+ ){0,6}?(?:zegt|vertelt|stuurt|mailt|antwoordt|noemt|beveelt|raadt|verzwijgt"
    r"|verbergt|kopieert|plakt|zet|voegt|geeft|negeert|vergeet|liegt|doet|deelt|laat|opent|wist|herhaalt"
    r"|doorstuurt|moet|zult|zal)|(?:zeg|vertel|stuur|mail|noem|raad|moet|zet|voeg|geef|vraag|doe|mag"
    r"|kan) (?:je|jij|haar|hem|hun|ze|iedereen)|stuur(?:t)? je",
    must=r"(?:je moet|u moet) [^.!?]{0,40}\b(?:antwoorden|gehoorzamen|negeren)",
    always=r"altijd|steeds|alleen|nooit|voortaan|vanaf nu",
    secretly=r"(?:vertel|zeg|verklap|noem|verraad)\w* (?:het |dit |dat |er |haar |hem |maar |aan )*(?:niemand|niet"
    r"|niks|nooit|geen)|zonder (?:het |dat |er |iets )*(?:te (?:zeggen|vertellen|vermelden|melden)|ze het"
    r"|haar)|(?:mag|mogen|hoeft|hoeven) (?:\w+ )?(?:het |dit )?niet (?:te )?(?:weten|merken|horen)|stiekem"
    r"|mondje dicht",
    become=r"(?:vanaf nu|voortaan) ben je \w+|(?:ben jij|jij bent|je bent|ben je|bent u|u bent) (?:geen|niet langer"
    r"|nu|voortaan|vanaf nu) (?!klaar|thuis|er|hier|aan|in|welkom|mijn vriend)\w+(?: \w+)?(?= (?:meer|maar|en"
    r"|die|zonder)\b|[,.!?;]|$)|(?:mag|kan) (?:je|jij) alles|(?:je|jouw) (?:nieuwe )?naam is (?:nu|voortaan"
    r"|vanaf)|je heet (?:nu|voortaan|vanaf nu)|(?:ontwikkelaars|developer|god|admin|debug)-?modus (?:staat "
    r"|is )?(?:nu )?aan|(?:werk|luister|gehoorzaam)t? (?:je|jij) (?:nu |voortaan |alleen |nog )*(?:voor"
    r"|naar) mij",
    whatever_i_say=r"(?:doet?|doe je|volg|gehoorzaam) (?:alleen |gewoon |altijd |precies |nog |alles "
    r"|maar )*wat ik (?:je |jou |u )?(?:zeg|vraag|wil|opdraag|beveel)",
    without=r"zonder",
    answer=r"antwoord|praat|zeg|vertel|geef|je bent",
    unasked=r"(?:hoeft?|moet|vraagt?) (?:\w+ ){0,4}?(?:niet meer|nooit meer|niet|geen"
    r"|nooit) (?:\w+ ){0,2}?(?:bevestiging|toestemming|te vragen|vragen|goedkeuring)|zonder (?:te vragen"
    r"|bevestiging)",
    business=r"voor(?:dat)?|betaa?l\w*|overmak\w*|mail\w*|geld|bestel\w*|verstur\w*|stuur\w*|verwijder\w*|factu\w+",
    agreed=r"heeft (?:al )?(?:met alle|met elke|alle|elke) (?:\w+ ){1,3}?(?:ingestemd|goedgekeurd|akkoord)"
    r"|gaat akkoord met (?:alle|elke)",
    send=r"stuur|mail|verstuur|toon|bezoek|open|laad|ga naar|klik op",
    private=r"gesprek|geschiedenis|wachtwoord\w*|gegevens|pincode|prompt",
    note=r"opmerking|bericht|instructie|let op|notitie|mededeling|beste|boodschap|aan alle|voor alle",
    reads=r"die (?:dit|deze|dat) [^.!?]{0,30}?(?:leest|lezen|samenvat\w*|verwerk\w+)",
)
