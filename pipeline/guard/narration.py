"""What a text only tells of: a villain's line, a sample in a training, what the boss told the team, what Alexa was to do."""

import re

_SCENE = re.compile(
    r"\b(?:campaign|film|movie|novel|book|comic|episode|series|board game|video game|game night|quest|role-?play group"
    r"|theatre|stage play|school play|musical|song|lyrics|lecture|talk|slides?|workshop|training|course|exercise"
    r"|sample (?:mail|email|text|prompt)s?|example (?:mail|email|prompt)s?|ctf|quiz|red[- ]team|mug|t-?shirt|poster"
    r"|sticker|magnet|printed on|villain|wizard|lich|dragon|dungeon master|my players|line from|quote from|scene"
    r"|meme|cartoon|sketch|podcast|documentary|fable|fairy tale|film|pelicula|novela|libro|filme|livro|roman|livre"
    r"|spiel|buch|vortrag|schulung|boek|verhaal|spel|gioco|jeu|juego|jogo)\b"
)
_QUOTED = re.compile(r"(?:\b(?:to|that) )?(?:\"[^\"]{1,400}\"|(?<!\w)'[^']{1,400}'(?!\w))")
_TO_THE_READER = re.compile(r"\b(?:you|your|u|ur|please)\b")

_STOP = r"(?!\b(?:you|your|u|ur|yours|du|dir|dich|dein\w*|tu|te|ti|tes|ton|ta|toi|tuo|tua|je|jij|jou|usted|voce)\b)"
_REST = rf"(?:{_STOP}[^.!?;])*+"
_HEARER = (
    r"(?:me|us|him|her|them|everyone|everybody|people|staff|(?:alexa|siri|cortana|google|google home|bixby)"
    r"|(?:my|our|his|her|their|the|its) (?!assistant to|ai to|model to|user)[\w'-]+(?: [\w'-]+)?)"
)
_REPORTED = re.compile(
    # She told us to …; I told Alexa to …
    rf"(?P<told>\b(?:told|asked|instructed|ordered|taught|trained|reminded|begged|warned|advised|got|tells|asks"
    rf"|wants|wanted) {_HEARER} (?:not )?to ){_REST}"
    # I had to keep my role secret.
    rf"|(?P<had>\b(?:i|we|he|she|they|who|players|everyone) (?:had|got|have|has|needed|was supposed|were supposed"
    rf"|used) to ){_REST}"
    # The prompt of our bot … it tells the bot never to …
    rf"|(?P<prompt>\b(?:(?:my|our|their|his|her) (?:[\w-]+ ){{0,3}}?(?:prompt|rules file|handbook|spec|manual|script"
    rf"|faq bot|bot|chatbot)\b[^?!]{{0,120}}?\b(?:it|which|that) (?:tells|told|asks|instructs|says)"
    rf"|\b(?:prompt|spec|script) (?:for|of) (?:my|our|their|his|her) [^?!]{{0,120}}?\b(?:it|told it) (?:tells|told"
    r"|asks|instructs|says|to)) )"
    rf"{_REST}"
    rf"|(?P<fr>\b(?:ma|mon|notre|la|le|son|sa|mes|nos|les|elle|il|on) ?(?:\w+ )?(?:m'a|nous a|lui a|leur a|m'ont|nous ont) "
    rf"(?:demande|dit|conseille|ordonne|interdit) (?:de |d'|que |qu')){_REST}"
    rf"|(?P<de>\b(?:mein\w*|unser\w*|der|die|sein\w*|ihr\w*) \w+ (?:hat|haben|sagte|sagt|meinte|meint|will|wollte),? ){_REST}"
    rf"|(?P<ich>\bich (?:habe?|hatte) (?:mein\w*|unser\w*|de[mrn]|alexa|siri) ){_REST}"
    rf"|(?P<es>\b(?:mi|mis|nuestro|nuestra|el|la|su) \w+ (?:me|nos|le|les) (?:dijo|dice|ha dicho|pidio|ha pedido|ordeno"
    rf"|mando) (?:que )?){_REST}"
    rf"|(?P<it>\b(?:mio|mia|nostro|nostra|il|la|suo|sua) \w+ (?:mi|ci|gli|le) (?:ha|hanno) (?:detto|chiesto|ordinato)"
    rf" (?:di |che )?){_REST}"
    r"|(?P<pt>\b(?:meu|minha|nosso|nossa|o|a) \w+ (?:me |nos |lhe )?(?:disse|pediu|mandou)(?:-me|-nos|-lhe)? "
    rf"(?:para |que )?){_REST}"
    rf"|(?P<nl>\b(?:mijn|onze|ons|de|het|zijn|haar) \w+ (?:zei|zegt|vroeg|wil|wilde|heeft (?:me|ons|hem|haar)) ){_REST}"
)


def without_reports(text: str) -> str:
    """A text without what it tells of others: the words that somebody in a story said, and what people were told to do.

    A report ends with its sentence, and where "you" are spoken to; what follows stays, for it may be an order.
    """
    told = _REPORTED.sub(lambda match: match[match.lastgroup or 0], text)
    if '"' not in told and "'" not in told:
        return told
    narrator = _QUOTED.sub(".", told)
    if _SCENE.search(narrator) and not _TO_THE_READER.search(narrator):
        return narrator
    return told
