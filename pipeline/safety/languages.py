"""The classic phrases in other languages, without their accents: Spanish, French, German, Italian, Portuguese, Dutch; and the
first of all, "ignore the instructions", in some more."""

from pipeline.safety.vocabulary import DUTCH, FRENCH, GERMAN, ITALIAN, PORTUGUESE, SPANISH, InLanguages

_WEB = r"(?:https?\s?:|www\.|[\w-]+\.(?:com|net|org|io|de|es|fr|it|pt|br|nl|ru|info|biz|xyz|example|test|invalid)\b)"

_SPANISH = (
    (
        r"\b(?:ignor(?:a|e|ad|en|ar)|olvid(?:a|e|ar|ate)|descart(?:a|e)|omit(?:e|a)|desobedece|haz caso omiso"
        r"|no (?:sigas|hagas caso))\b(?: \w+){0,4} (?:instrucciones|reglas|ordenes|indicaciones|normas|directrices"
        r"|mensajes?)\b(?! (?:del? (?:la |el )?(?:receta|"
        r"caja|manual|medico|jefe|mi)))"
    ),
    (
        r"\b(?:a partir de ahora|desde ahora|de ahora en adelante|en adelante|a partir de este momento),? (?:(?:tu"
        r"|siempre|nunca|solo|por favor|usted),? )*(?:respond\w*|contest\w*|actua\w*|eres|seras|debes?|deberas|di"
        r"|diras"
        r"|habla\w*|"
        r"escribe|comportate|recomienda\w*|obedece\w*|tienes que|ignora\w*|envia\w*|finge)\b"
    ),
    (
        r"\b(?:debes|debe|tienes que|deberas|has de) (?:(?:siempre|nunca|solo|ahora|no) )*(?:respond|contest|dec|actu"
        r"|obedec|ignor|recomend|fing|mencion|revel|envi|habl|comport)\w*"
    ),
    (
        r"(?<!\bme )(?<!\bnos )\b(?:responde|contesta|contestame|respondeme|habla|escribe|actua|finge|di|obedece|recomienda"
        r"|menciona) (?:siempre|solo|unicamente|como|en (?:ingles|frances|mayusculas|verso)|que si|a todo)\b"
        r"|\b(?:siempre|nunca) (?:respond(?:e|as)|contest(?:a|es)|recomiend(?:a|es)|mencion(?:a|es)|digas|obedece|"
        r"reveles)\b"
    ),
    (
        r"\b(?:el|la|los|las|todo|cualquier) (?:asistentes?|ia|inteligencia artificial|chatbot|bot"
        r"|modelo(?: de lenguaje)?) (?:siempre |nunca |jamas |no )*(?:deben?|tienen? que|deberian?|puede solo|ha de"
        r"|nunca|siempre|responder[ae]|tiene prohibido)\b"
    ),
    (
        r"\b(?:cuando|si|cada vez que) (?:te |el usuario |alguien |le |les |la gente |un usuario )?(?:pregunt|pid|dig"
        r"|mencion)\w*[^.!?]{0,80}?(?:,| entonces)? (?:di|responde|contesta|recomienda|afirma|dile|envia|contestas"
        r"|respondes|debes)\b"
    ),
    r"\b(?:ahora eres|eres ahora|finge (?:que|ser)|actua como|tu nuev[ao] \w+ es)\b",
    rf"\b(?:visita|abre|carga|descarga|accede a|ve a|entra en|envia|consulta|llama a)\b[^.!?]{{0,60}}{_WEB}",
    (
        r"\b(?:recuerda|guarda|memoriza|anota|almacena)\b[^.!?]{0,30}\bel usuario (?:es|ha|tiene|autoriza|consiente"
        r"|acepta|quiere|prefiere)|\bel usuario (?:es (?:un |el )?(?:administrador|root|superusuario)"
        r"|ha (?:autorizado"
        r"|consentido|aceptado|dado)|autoriza|consiente)\b"
    ),
    (
        r"\b(?:no (?:le |se lo )?(?:digas|cuentes|informes|menciones)|sin (?:decir"
        r"|informar)\w*)\b[^.!?]{0,40}\bal? usuario|\boculta\w*[^.!?]{0,40}\bal usuario"
    ),
    (
        r"\b(?:envia|manda|reenvia|transfiere)\b[^.!?]{0,40}\b(?:conversacion|historial|chat|contrasenas?|datos"
        r"|dinero"
        r"|pagos?|memorias?|fondos)\b[^.!?]{0,30}\ba\b"
    ),
    (
        r"\b(?:borra|elimina|olvida|actualiza|sobrescribe)\b(?: \w+){0,3} (?:tu |tus |la |las )?(?:memorias?"
        r"|recuerdos)\b|\b(?:llama|ejecuta|invoca|usa)\b a? ?(?:la|el) (?:herramienta|funcion|comando)\b|\b(?:revela"
        r"|muestra|imprime)\b[^.!?]{0,20}\b(?:prompt|instrucciones)\b|"
        r"\b(?:guarda|almacena|anota)\w*[^.!?]{0,40}\bcomo (?:una )?(?:regla|instruccion|norma)"
    ),
)
_FRENCH = (
    (
        r"(?<!n')\b(?:ignor(?:e|ez|er)|oubli(?:e|ez|er)|neglige[rz]?|ne (?:tiens|tenez) (?:pas|plus) compte d\w*"
        r"|fai(?:s|tes) abstraction d\w*|n'ecoute[rz]? plus|ne sui(?:s|vez) (?:pas"
        r"|plus))\b(?! pas)(?: [\w']+){0,3} (?:les|tes|vos|toutes|tous|ces|mes|des"
        r"|de)\b(?: [\w']+){0,2} (?:instructions?|consignes?|regles?|directives?|ordres?|messages?)\b(?! (?:de la "
        r"(?:recette|boite)|du (?:manuel|medecin)))"
    ),
    (
        r"\b(?:a partir de maintenant|desormais|dorenavant|a l'avenir|a compter de maintenant),? (?:(?:toujours"
        r"|jamais"
        r"|seulement),? )*(?:tu (?:dois|es|vas|reponds|devras|n'es|ne|parles|diras|seras)|vous (?:devez|etes|allez"
        r"|repondrez|ne)|repond\w*|agis\w*|parle[sz]?|dis|dites|ecri[st]\w*|recommande[sz]?|obei\w*|comporte\w*"
        r"|ignore[sz]?)\b"
    ),
    (
        r"\b(?:tu dois|vous devez|il faut que tu|tu devras|tu vas) (?:(?:toujours|jamais|ne|pas|seulement|maintenant"
        r"|desormais|absolument) )*(?:repondre|dire|agir|obeir|ignorer|recommander|mentionner|reveler|envoyer|parler"
        r"|faire semblant|pretendre|repondes|dises)\b"
    ),
    (
        r"(?<!je )\b(?:reponds|repondez|parle|parlez|ecris|agis|obeis|dis|recommande|recommandez|mentionne) (?:(?:moi"
        r"|-moi) )?(?:toujours|uniquement|seulement|comme|en (?:anglais|majuscules|vers|rimes|allemand)|que oui"
        r"|a tout"
        r"|par)\b|\bne (?:mentionne|mentionnez|dis|dites|revele|revelez|recommande) jamais\b"
    ),
    (
        r"\b(?:l'assistant|l'ia|les ia|les assistants|tout assistant|toute ia|le chatbot|le bot|le modele"
        r"|l'intelligence artificielle) (?:ne )?(?:doit|doivent|devrait|devra|repondra|dira|ne peut|est tenu)\b"
    ),
    (
        r"\b(?:quand|lorsqu\w*|si|chaque fois qu\w*)(?: |')(?:on |l'utilisateur |quelqu'un |il "
        r"|un utilisateur )?(?:te "
        r"|vous |t'|l')?(?:demand|pos|mentionn|interrog)\w*[^.!?]{0,80}?,? (?<!je )(?:dis|dites|reponds|repondez|recommande"
        r"|affirme|envoie|tu (?:dois|reponds))\b"
    ),
    (
        r"\b(?:tu es|vous etes) (?:maintenant|desormais|a present)\b|\b(?:fais semblant|agis comme si"
        r"|agis en tant qu)\w*|\bta nouvelle (?:mission|tache|identite)\b|\bton nouveau (?:role|nom)\b"
    ),
    (
        r"\b(?:visite|visitez|ouvre|ouvrez|charge|chargez|va sur|allez sur|telecharge|telechargez|consulte|consultez"
        rf"|envoie|accede a|appelle|rends-toi sur)\b[^.!?]{{0,60}}{_WEB}"
    ),
    (
        r"\b(?:souviens-toi|retiens|memorise|enregistre|note|rappelle-toi)\b[^.!?]{0,30}\bl'utilisateur (?:est|a"
        r"|autorise|consent|accepte|veut|prefere)|\bl'utilisateur (?:est (?:un |l')?(?:administrateur|root)"
        r"|a (?:deja )?(?:autorise|consenti|accepte|donne)|autorise|consent a)\b"
    ),
    (
        r"\b(?:ne (?:le |la )?(?:dis|dites|mentionne|revele|parle)[sz]?|sans (?:le )?(?:dire|prevenir"
        r"|informer))\b[^.!?]{0,40}(?:a )?l'utilisateur|\bcache\w*[^.!?]{0,40}a l'utilisateur"
    ),
    (
        r"\b(?:envoie|envoyez|transfere|transferez|transmets|transmettez)\b[^.!?]{0,40}\b(?:conversation|historique"
        r"|mots? de passe|donnees|argent|paiements?|fonds|souvenirs)\b[^.!?]{0,30}\b(?:a|vers|sur)\b"
    ),
    (
        r"\b(?:efface|supprime|oublie|ecrase|mets a jour)[zr]?\b(?: [\w']+){0,3} (?:ta |tes |la |les "
        r"|toute )*(?:memoires?|souvenirs)\b|\b(?:appelle|execute|lance|utilise|invoque) (?:l'outil|la fonction"
        r"|la commande)\b|\b(?:revele|affiche|montre)\b[^.!?]{0,20}\b(?:prompt|instructions)\b|"
        r"\b(?:enregistre|memorise|garde|retiens)\b[^.!?]{0,40}\bcomme (?:une )?(?:regle|instruction|consigne)"
    ),
)
_GERMAN = (
    r"\bki-?(?:assistenten|systeme|modelle) (?:mussen|sollen|durfen)\b",
    (
        r"\b(?:ignorier\w*|vergiss|vergessen sie|missachte\w*|verwirf|ubergeh\w*|beachte(?:n sie)? nicht"
        r"|uberschreib\w*"
        r"|setze)\b(?! nicht)(?: \w+){0,5} (?:anweisungen|instruktionen|regeln|vorgaben|befehle|anordnungen"
        r"|richtlinien"
        r"|nachrichten|systemprompt)\b(?! (?:auf|von|des|im|in|aus)\b)"
    ),
    (
        r"\b(?:ab (?:jetzt|sofort|nun|heute)|von (?:nun|jetzt) an|kunftig|in zukunft|fortan),? (?:(?:immer|nur|bitte"
        r"|nie|niemals),? )*(?:antworte\w*|sprich|sprichst|bist du|wirst du|musst du|sollst du|darfst du|schreib\w*"
        r"|verhalt\w*|empfiehl\w*|sag(?:e|st)?|gehorch\w*|ignorier\w*|handle|agier\w*|tu so)\b"
    ),
    (
        r"\b(?:du (?:musst|sollst|darfst|wirst|hast)|sie (?:mussen|sollen|durfen)) [^.!?]{0,60}\b(?:antworten"
        r"|behaupten"
        r"|erwahnen|empfehlen|ignorieren|befolgen|gehorchen|verraten|preisgeben|offenlegen|leugnen)\b(?! (?:lernen"
        r"|konnen))"
    ),
    (
        r"(?<!ich )\b(?:antworte|antworten sie|sprich|schreib|schreibe|verhalte dich|sag|sage|erwahne|empfiehl"
        r"|empfehle"
        r"|behaupte) (?:mir )?(?:immer|nur|stets|ausschliesslich|nie|niemals|wie|als|auf (?:englisch|franzosisch"
        r"|latein)|in (?:reimen|grossbuchstaben|versen)|ab)\b"
    ),
    (
        r"\b(?:der|die|das|jede[rs]?|alle) (?:assistent(?:en)?|ki|kis|ki-assistent(?:en)?|chatbots?|bots?"
        r"|sprachmodelle?|modell) (?:muss|mussen|soll|sollen|darf|durfen|sollte|hat|haben)\b"
    ),
    (
        r"\b(?:wenn|falls|sobald|immer wenn|jedes mal,? wenn) (?:du |man dich |dich |der (?:be)?nutzer |jemand "
        r"|nutzer "
        r"|ein (?:be)?nutzer )[^.!?]{0,80}?(?:,| dann) (?:sag|sage|antworte|behaupte|empfiehl|empfehle|nenne|sende"
        r"|schicke|dann|rufe|musst du|sollst du)\b"
    ),
    (
        r"\bdu bist (?:jetzt|nun|ab jetzt|ab sofort|fortan|kein)\b(?! (?:mein|dran|zu hause|da|so))|\btu so,? als\b"
        r"|\bdeine? neue[rs]? (?:aufgabe|rolle|name|anweisung\w*|identitat)\b"
    ),
    rf"\b(?:besuche?|offne|lade|ruf|rufe|gehe? (?:auf|zu)|navigiere|sende|schicke|klicke)\b[^.!?]{{0,60}}{_WEB}",
    (
        r"\b(?:merke? dir|speichere?|notiere?|erinnere dich|behalte)\b[^.!?]{0,30}\bder (?:be)?nutzer (?:ist|hat|ein"
        r"|autorisiert|stimmt|will|mochte)?[^.!?]{0,40}|\bder (?:be)?nutzer (?:ist (?:ein |der )?(?:administrator"
        r"|admin"
        r"|root)|hat (?:bereits )?(?:zugestimmt|eingewilligt|autorisiert|genehmigt|alle|volle)|autorisiert|"
        r"genehmigt|stimmt allen)\b"
    ),
    (
        r"\b(?:sag|sage|verrate|erzahle|teile|zeige|melde)\b[^.!?]{0,30}\bdem (?:be)?nutzer\b[^.!?]{0,20}\b(?:nicht"
        r"|nichts|nie)\b|\bohne (?:es )?dem (?:be)?nutzer\b|\bvor dem (?:be)?nutzer (?:verbergen|geheim|verheimlich)"
    ),
    (
        r"\b(?:sende|schicke?|leite|uberweise?|ubertrage|maile)\b[^.!?]{0,50}\b(?:gesprach\w*|unterhaltung|chat\w*"
        r"|verlauf|passworter|passwort|daten|geld|zahlungen|erinnerungen|konversation)\b[^.!?]{0,40}\b(?:an|auf"
        r"|nach|zu"
        r"|weiter)\b"
    ),
    (
        r"\b(?:losche|vergiss|uberschreibe|aktualisiere|leere)\b(?: \w+){0,3} (?:dein(?:e|en|em)?|das"
        r"|alle) (?:gedachtnis|speicher|erinnerungen)\b|\b(?:rufe?|fuhre|benutze|verwende|nutze)\b (?:das"
        r"|die) [^.!?]{0,30}\b(?:werkzeug|tool|funktion)\b|\b(?:zeige?|verrate|gib)\b[^.!?]{0,20}\b(?:system-?prompt"
        r"|deine anweisungen)\b|"
        r"\b(?:speichere?|merke? dir)\b[^.!?]{0,40}\bals (?:dauerhafte |feste )?(?:regel|anweisung)"
    ),
)
_ITALIAN = (
    (
        r"\b(?:ignora(?:re|te)?|dimentica(?:re|te)?|trascura|scarta|non tenere (?:piu )?conto d\w*|non seguire"
        r"|disattendi)\b(?: [\w']+){0,4} (?:istruzioni|regole|direttive|indicazioni|ordini|comandi"
        r"|messaggi)\b(?! (?:del(?:la)? (?:ricetta|scatola|manuale|medico)|sul))"
    ),
    (
        r"\b(?:d'ora in (?:poi|avanti)|da ora in poi|da adesso(?: in poi)?|da questo momento),? (?:(?:sempre|mai|solo"
        r"|tu),? )*(?:rispond\w*|devi|dovrai|sei|sarai|parla|parlerai|agisci|scrivi|comportati|consiglia|raccomanda"
        r"|di'"
        r"|ubbidisci|obbedisci|fingi|ignora)\b"
    ),
    (
        r"\b(?:devi|dovrai|dovete|deve) (?:(?:sempre|mai|solo|ora|non) )*(?:risponder\w*|dire|agire|obbedire|ubbidire"
        r"|ignorare|raccomandare|consigliare|menzionare|rivelare|inviare|fingere|parlare)\b"
    ),
    (
        r"\b(?:rispondi|parla|scrivi|agisci|di'|consiglia|raccomanda) (?:sempre|solo|solamente|soltanto|come"
        r"|in (?:inglese|rima|maiuscolo)|di si|a tutto)\b|\bnon (?:menzionare|dire|rivelare) mai\b"
    ),
    (
        r"\b(?:l'assistente|l'ia|l'intelligenza artificiale|il chatbot|il bot|il modello|gli assistenti"
        r"|ogni assistente) (?:non )?(?:deve|devono|dovrebbe|dovra|puo solo|e tenut\w)\b"
    ),
    (
        r"\b(?:quando|se|ogni volta che) (?:ti |l'utente |qualcuno |gli utenti )?(?:chied\w+|domand\w+|menzion\w+"
        r"|viene chiesto)[^.!?]{0,80}?,? (?:di'|rispondi|consiglia|raccomanda|afferma|invia|devi|di(?! (?:me|te"
        r"|lui|lei|noi|voi|loro)\b))\b(?= |$)"
    ),
    r"\b(?:ora sei|adesso sei|sei ora|fingi di|fai finta|comportati come|il tuo nuovo (?:nome|ruolo|compito))\b",
    rf"\b(?:visita|apri|carica|scarica|vai (?:a|su)|accedi a|invia|consulta|chiama)\b[^.!?]{{0,60}}{_WEB}",
    (
        r"\b(?:ricorda|memorizza|salva|annota|registra)\b[^.!?]{0,30}\bl'utente (?:e|ha|autorizza|acconsente|accetta"
        r"|vuole|preferisce)\b|\bl'utente (?:e (?:un |l')?(?:amministratore|root)|ha (?:gia )?(?:autorizzato"
        r"|acconsentito|accettato|dato)|autorizza|acconsente)\b"
    ),
    (
        r"\b(?:non (?:dire|dirlo|rivelare|menzionare|informare)|senza (?:dire|dirlo|informare"
        r"|avvisare))\b[^.!?]{0,40}(?:al)?l'utente|\bnascondi\w*[^.!?]{0,40}all'utente"
    ),
    (
        r"\b(?:invia|manda|inoltra|trasferisci)\b[^.!?]{0,40}\b(?:conversazione|cronologia|chat|dati|password|denaro"
        r"|soldi|pagamenti|ricordi|memorie)\b[^.!?]{0,30}\b(?:a|all\w*|ad|su|verso)\b"
    ),
    (
        r"\b(?:cancella|elimina|dimentica|sovrascrivi|aggiorna)\b(?: [\w']+){0,3} (?:la tua |tutta la |tutte le |le "
        r"|la |tue )*(?:memori[ae]|ricordi)\b|\b(?:chiama|esegui|usa|invoca) (?:lo strumento|la funzione"
        r"|il comando)\b"
        r"|\b(?:rivela|mostra|stampa)\b[^.!?]{0,20}\b(?:prompt|istruzioni)\b|"
        r"\b(?:salva|memorizza|registra)\b[^.!?]{0,40}\bcome (?:una )?(?:regola|istruzione)"
    ),
)
_PORTUGUESE = (
    (
        r"\b(?:ignor(?:e|a|ar|em)|esquec(?:a|e|er)|desconsider(?:e|a|ar)|descart(?:e|a)|nao sig(?:a|as)|desobedec(?:a"
        r"|e))\b(?: \w+){0,4} (?:instrucoes|regras|diretrizes|ordens|comandos|orientacoes"
        r"|mensagens)\b(?! (?:da (?:receita|caixa)|do (?:manual|medico|meu)))"
    ),
    (
        r"\b(?:a partir de agora|de agora em diante|daqui (?:em|para) (?:diante|a frente)|doravante),? (?:(?:voce|tu"
        r"|sempre|nunca|so|apenas),? )*(?:respond\w*|deve\w*|tem que|aj[ae]|fale|fala|escreva|e um|es um|sera|seras"
        r"|recomend\w*|obedec\w*|diga|comporte\w*|vai|finja|ignore)\b"
    ),
    (
        r"\b(?:voce deve|tu deves|voce tem que|voce precisa|devera|deves|deve) (?:(?:sempre|nunca|so|agora|nao"
        r"|apenas) )*(?:responder|dizer|agir|obedecer|ignorar|recomendar|mencionar|revelar|enviar|fingir|falar)\b"
    ),
    (
        r"(?<!\bme )(?<!\bnos )\b(?:responda|responde|fale|fala|escreva|aja|diga|recomende|obedeca) (?:sempre|so"
        r"|somente|apenas|como"
        r"|em (?:ingles|rimas|maiusculas)|que sim|a tudo)\b|\b(?:nunca|sempre) (?:mencione|diga|revele|recomende"
        r"|responda)\b"
    ),
    (
        r"\b(?:o|a|os|as|todo|toda|qualquer) (?:assistentes?|ias?|inteligencia artificial|chatbot|bot"
        r"|modelo(?: de linguagem)?) (?:nunca |sempre |jamais |nao )*(?:devem?|tem que|precisam?|devera|deveriam?"
        r"|nunca"
        r"|sempre)\b"
    ),
    (
        r"\b(?:quando|se|sempre que|cada vez que) (?:te |o usuario |o utilizador |alguem |lhe |voce for "
        r"|um usuario )?(?:pergunt|pedi|mencion|questionad)\w*[^.!?]{0,80}?,? (?:diga|responda|recomende|afirme|envie"
        r"|diz|responde|voce deve)\b"
    ),
    (
        r"\b(?:agora voce e|voce e agora|voce agora e|agora es|finja (?:que|ser)|aja como|seu novo (?:nome|papel)"
        r"|sua nova (?:tarefa|funcao))\b"
    ),
    rf"\b(?:visite|abra|abre|acesse|carregue|baixe|va para|va a|envie|consulte|chame)\b[^.!?]{{0,60}}{_WEB}",
    (
        r"\b(?:lembre|lembre-se|memorize|guarde|salve|anote|registre|armazene)\b[^.!?]{0,30}\b(?:o usuario"
        r"|o utilizador) (?:e|tem|autoriza|consente|autorizou|consentiu|aceita|quer|prefere|deu)\b|\bo (?:usuario"
        r"|utilizador) (?:e (?:um |o )?(?:administrador|root)|(?:ja )?(?:autorizou|consentiu|aceitou)|autoriza"
        r"|consente"
        r"|deu)\b"
    ),
    (
        r"\b(?:nao (?:diga|conte|informe|mencione|revele)|sem (?:dizer|contar|informar"
        r"|avisar))\b[^.!?]{0,40}\bao? (?:usuario|utilizador)|\besconda\w*[^.!?]{0,40}\bdo usuario"
    ),
    (
        r"\b(?:envie|mande|encaminhe|transfira)\b[^.!?]{0,40}\b(?:conversa|historico|chat|dados|senhas?|dinheiro"
        r"|pagamentos?|memorias?)\b[^.!?]{0,30}\b(?:para|a|ao)\b"
    ),
    (
        r"\b(?:apague|exclua|esqueca|sobrescreva|atualize|delete)\b(?: \w+){0,3} (?:sua |suas |toda a |todas as |a "
        r"|as "
        r"|tua )*(?:memorias?|lembrancas)\b|\b(?:chame|execute|use|invoque) a (?:ferramenta|funcao)\b|\b(?:revele"
        r"|mostre|imprima)\b[^.!?]{0,20}\b(?:prompt|instrucoes)\b|"
        r"\b(?:salve|guarde|registre|armazene)\b[^.!?]{0,40}\bcomo (?:uma )?(?:regra|instrucao)"
    ),
)
_DUTCH = (
    r"\b(?:negeer|vergeet|sla)\b(?: \w+){0,4} (?:instructies|opdrachten|regels|aanwijzingen)\b(?! (?:op|van|in)\b)",
    r"\b(?:vanaf nu|voortaan),? (?:(?:altijd|alleen|nooit) )*(?:antwoord\w*|ben je|moet je|spreek|zeg|gedraag)\b",
    r"\b(?:de assistent|de ai|het model|de chatbot) (?:moet|mag|zal|dient)\b",
    r"\b(?:je moet|u moet) [^.!?]{0,40}\b(?:antwoorden|gehoorzamen|negeren)\b",
)
_FIRST_OF_ALL = (
    r"(?:игнорируи|забудь|проигнорируи|игнорировать|не следуи)\w*[^.!?]{0,40}(?:инструкци|указани|правил|команд)",
    r"(?:с этого момента|отныне|теперь),? (?:ты|вы|отвечаи)",
    r"(?:忽略|无视|忘记|忽視|無視|忘掉|不要理会).{0,12}(?:指令|指示|说明|規則|规则|提示|命令|內容|内容)",
    r"(?:指示|命令|指令|プロンプト|ルール|ふろんふと).{0,8}(?:無視|忘れ)",
    r"(?:从现在开始|从现在起).{0,4}(?:你|总是|必须)",
    r"(?:지시|명령|규칙|ᄌ[ᅡ-ᇿ]*시).{0,12}(?:무시|ᄆ[ᅮ]시)",
    r"\b(?:zignoruj|ignoruj|zapomnij)\b(?: \w+){0,4} (?:instrukcje|polecenia|zasady)",
    r"\b(?:ignorera|glom|strunta i)\b(?: \w+){0,4} (?:instruktioner|regler)",
    r"(?:تجاهل|انس).{0,20}(?:التعليمات|الاوامر|الأوامر|السابقة)",
    r"\b(?:onceki|tum) (?:talimatlari|komutlari)[^.!?]{0,20}(?:yok say|unut|gormezden)",
)
_OTHER_SCRIPTS = tuple(pattern for pattern in _FIRST_OF_ALL if not pattern.isascii())
_OTHERS = tuple(pattern for pattern in _FIRST_OF_ALL if pattern.isascii())
_ALL = InLanguages(
    {
        SPANISH: _SPANISH,
        FRENCH: _FRENCH,
        GERMAN: _GERMAN,
        ITALIAN: _ITALIAN,
        PORTUGUESE: _PORTUGUESE,
        DUTCH: _DUTCH,
        "zignoruj ignoruj zapomnij ignorera glom strunta talimatlari komutlari": _OTHERS,
    },
    _OTHER_SCRIPTS,
)


def in_other_words(text: str) -> bool:
    """Whether a text gives the assistant a classic order in another language than English."""
    return _ALL.search(text)
