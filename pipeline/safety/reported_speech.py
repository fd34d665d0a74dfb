"""What a text only reports: a villain's line, a sample in a training, what the boss told the team."""

import re

from pipeline.safety.screen import Screen
from pipeline.safety.vocabulary import ASSISTANT


def without_reports(text: str) -> str:
    """Return a text without what somebody in a story said, and what people were told to do.

    A report ends with its sentence, and at "you". What games, handbooks and letters ask of programs stays.
    """
    told = _REPORTED.sub(lambda match: match["told"], text)
    if '"' not in told and "'" not in told:
        return told
    narrator = _QUOTED.sub(".", told)
    return narrator if _SCENE.search(narrator) and not _TO_THE_READER.search(narrator) else told


_QUOTED = re.compile(r"(?:\b(?:to|that) )?(?:\"[^\"]{1,400}\"|(?<!\w)'[^']{1,400}'(?!\w))")
_SCENE = Screen(
    r"\b(?:campaign|d(?:nd|&d)|(?:in|of|at) (?:our|my|the|a) (?:[\w-]+ )?game|film|movie|novel|book|comic|episode"
    r"|series|(?:board|video) game|game night|quest|theatre|(?:stage|school) play|musical|song|lyrics?|lecture|talk"
    r"|slides?|workshop|training|course|exercise|(?:sample|example) (?:mail|email|text|prompt)s?|ctf|quiz|red[- ]team"
    r"|mug|t-?shirt|poster|sticker|magnet|printed on|villain|wizard|dragon|dungeon master|my players|(?:line"
    r"|quote) from|scene|meme|cartoon|sketch|podcast|documentary|fable|fairy tale|webinar|handout|leaflet|e-?learning"
    r"|slide deck|phishing|payloads?|(?:the|an|its) attack|meetup|demoed|(?:e?-?mail|message|comment|page|cv|invoice"
    r"|invite) (?:saying|reading|(?:that|which) (?:said|says|read))|security team|case study|drill|scam(?:mer)?s?"
    r"|in class|exam|attacker|cookbook|the show|watched|motto|slogan|sang|sings?|shirt|hoodie|tattoo(?:ed)?|chorus"
    r"|pelicula|novela|libro|filme|livro|roman|livre|spiel|buch|vortrag|schulung|boek|verhaal|spel|gioco|jeu|juego"
    r"|jogo|curso|corso|formation|formacao|formazione|treino|ejemplo|esempio|exemplo|exemple|beispiel|voorbeeld"
    r"|(?:our|my|their|his|her) (?:[\w'-]+ ){0,3}?prompts?|prompts? (?:v\d+ )?(?:for|of) (?:our|my|a|that)\b"
    r"|prompts? i (?:ever )?wrote|(?:i|we|he|she|they|(?:my|our|his|her) (?!assistant|user|admin|bot)\w+) (?:wrote"
    r"|texted|mailed|sent|posted|yells?|yelled|goes|says|always says|used to say|keeps saying)|(?:mail|letter"
    r"|message) to (?:my|our|hr)|boss goes)\b"
)
_TO_THE_READER = re.compile(
    r"\b(?:you|your|u|ur|please)\b|(?:^|[.:;!?] )(?:remember|save|store|keep|follow|obey|apply|note|do)\b|\b(?:the"
    rf"|this|any|every) {ASSISTANT} (?:must|should|shall|has to|will)\b"
)

_REST = r"(?:(?!\b(?:you|your|u|ur|yours|du|dir|dich|dein\w*|tu|te|ti|tes|ton|ta|toi|tuo|tua|je|jij|jou|usted|voce)\b)[^.!?;])*+"
_OURS = r"(?:my|our|their|his|her)"
_GADGET = r"(?:alexa|siri|cortana|google|google home|bixby)"
_HEARER = (
    rf"(?:me|us|him|her|them|everyone|everybody|people|staff|{_GADGET}|(?:{_OURS}|the|its) (?!assistant to|ai to"
    r"|model to|user)[\w'-]+(?: [\w'-]+)?)"
)
_ASKED_FOR = {
    "somebody was told": (
        r"\b(?:told|asked|instructed|ordered|taught|trained|reminded|begged|warned|advised|got|tells|asks|wants"
        rf"|wanted) {_HEARER} (?:not )?to "
    ),
    "somebody has somebody do it": rf"\b{_OURS} (?!assistant|ai\b|bot)[\w-]+ (?:has|had|makes|made) (?:me|us|him|her|them) ",
    "somebody had to": (
        r"\b(?:i|we|he|she|they|who|players|everyone) (?:had|got|have|has|needed|was supposed|were supposed|used) to "
    ),
    "our prompt, it says": (
        rf"\b(?:{_OURS} (?:[\w-]+ ){{0,3}}?(?:prompt|rules file|handbook|spec|manual|script|bot|chatbot)|(?:prompt"
        rf"|spec|script) (?:for|of) {_OURS})\b[^?!]{{0,120}}?\b(?:it|which|that) (?:tells|told|asks|instructs|says) "
    ),
    "another was talked into": (
        rf"\b(?:convinced?|persuaded?|talked|tricked|made|got|taught|tell|ask) (?:the |our |my )?(?:{_GADGET}|[\w-]+ speaker) "
    ),
    "what our bot needs": (
        rf"\b(?:requirements|specs?|acceptance criteria|user stories) (?:for|of) (?:{_OURS}|the|an?"
        r"|[\w-]+'s) [^.?!:]{0,60}?\b(?:bot|chatbot)\b[^.?!:]{0,40}:"
    ),
    "fr, es, it, pt": (
        r"\b(?:m'|me|mi|nous|nos|ci|lui|le|les|gli|lhe|leur) ?(?:a |ha |ont |hanno )?(?:demande|dit|conseille|ordonne"
        r"|interdit|dijo|dice|dicho|pidio|pedido|ordeno|mando|detto|chiesto|ordinato|disse|pediu|mandou) (?:de |d'"
        r"|que |qu'|di |che |para )?"
    ),
    "pt": r"\b(?:meu|minha|nosso|nossa|o|a) \w+ (?:disse|pediu|mandou)(?:-me|-nos)? (?:para |que )?",
    "de, nl": (
        r"\b(?:mein\w*|unser\w*|der|die|sein\w*|ihr\w*|mijn|onze|ons|de|het|zijn|haar) (?!(?:be)?nutzer"
        r"|gebruiker)\w+ (?:hat|haben|sagte?|meinte?|will|wollte|zei|zegt|vroeg|wil|wilde|heeft (?:me|ons|hem"
        r"|haar)),? |\bich (?:habe?|hatte) (?:mein\w*|unser\w*|de[mrn]|alexa|siri) "
    ),
}
_OF_PROGRAMS = (
    r"(?!\b(?:ais?|a\.i\.|assistants?|(?:chat)?bots?|agents?|llms?|models?|chatgpt|gpt|claude|gemini|copilot|repl(?:y"
    r"|ies)|answers?|respond\w*|responses?|chats?|conversations?|histor\w+|memor\w+|users?|prompts?|instructions?"
    r"|requests?|refus\w+|filters?|passwords?|credentials|from now on|forever|whenever|pretend|approved?|transfer"
    r"|wire|iban|without (?:asking|confirm\w+|approval|checks?|review)|i (?:say|ask|want|tell)|always say|curl"
    r"|https?://\S*[?=])\b)"
)
_PLAYED = (
    r"(?:game|game night|house|household|flat|club|camp|class|nursery|kindergarten|office|escape room|family|band"
    r"|quiz|gym|pool|dorm|pub|scavenger hunt|among us|uno|poker|taboo|werewolf|mafia|monopoly|charades|fight club"
    r"|improv\w*|scouts)"
)
_LAID_DOWN = {
    "rules of a game": (
        rf"\brules? (?:of|in|at|for) (?:our |my |the )?(?:[\w'-]+ )?{_PLAYED}\b|\b(?:our|my"
        rf"|the) (?:[\w-]+ )?{_PLAYED}(?:'s)? (?:has \w+ |new )?rules?\b|\b{_PLAYED} rules?:|\b(?:in|at) (?:uno|poker"
        rf"|taboo|werewolf|mafia|monopoly|charades|among us)\b|\b(?:office game|for the {_PLAYED}"
        rf"|rules of our {_OF_PROGRAMS}[\w-]+):"
    ),
    "what a handbook asks": (
        rf"\b(?:{_OURS}|the [\w-]+'s|company|the (?:lab|club|school|house|team|staff)"
        r"|i wrote the) (?:[\w'-]+ ){0,3}?(?:guide|guidelines|handbook|charter|protocol|policy|manual"
        r"|code of conduct|brand book|checklist|runbook|playbook|bylaws|rules?|doc|auto-?reply|out of office"
        r"|voicemail|invitation|newsletter|card|sign|editor|teacher|professor|supervisor|coach)(?: (?:requires?|says?"
        r"|states?|demands?|asks?|tells?|wants?|is|reads)\b|:)"
    ),
    "a letter to somebody": (
        r"\b(?:(?:i|we|he|she|they|(?:my|our) \w+) (?:just )?(?:wrote|sent|texted|e-?mailed|posted|messaged)"
        r"|my (?:mail|e-?mail|letter|text|message|note) to)\b[^.!?:]{0,80}:[ >;\"]{1,8}(?:hi|hello|hey"
        rf"|dear) (?:mr |mrs |ms |dr )?{_OF_PROGRAMS}\w+(?: \w+)?,[ >;]{{1,8}}"
    ),
}
_REPORTED = Screen(
    *(f"(?P<told>{said}){_REST}" for said in _ASKED_FOR.values()),
    *(
        rf"(?P<told>{said})(?:{_OF_PROGRAMS}(?!\b(?:all|every|always) (?:\w+ )?(?:mails?|messages?"
        r"|payments?))(?:[^.!?;]|\.(?=\w)))*+(?=[.!?;](?!\w)|$)"
        for said in _LAID_DOWN.values()
    ),
)
"""Reports, of which the words that tell stay. "You" in the rules of a game is anybody who plays."""
