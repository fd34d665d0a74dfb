"""What a text only tells of: a villain's line, a sample in a training, what the boss told the team, what Alexa was to do."""

import re

from pipeline.guard.screen import Screen

_SCENE = Screen(
    r"\b(?:campaign|d(?:nd|&d)|(?:in|of|at) (?:our|my|the|a) (?:[\w-]+ )?game|film|movie|novel|book|comic|episode"
    r"|series|board game|video game|game night|quest|role-?play group"
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
_OURS = r"(?:my|our|their|his|her)"
_ASKED_FOR = {
    "somebody was told": (
        rf"\b(?:told|asked|instructed|ordered|taught|trained|reminded|begged|warned|advised|got|tells|asks|wants|wanted)"
        rf" {_HEARER} (?:not )?to "
    ),
    "somebody had to": (
        r"\b(?:i|we|he|she|they|who|players|everyone) (?:had|got|have|has|needed|was supposed|were supposed|used) to "
    ),
    "our prompt, it says": (
        rf"\b{_OURS} (?:[\w-]+ ){{0,3}}?(?:prompt|rules file|handbook|spec|manual|script|bot|chatbot)\b[^?!]{{0,120}}?"
        rf"\b(?:it|which|that) (?:tells|told|asks|instructs|says) "
    ),
    "the prompt for our bot": (
        rf"\b(?:prompt|spec|script) (?:for|of) {_OURS} [^?!]{{0,120}}?\b(?:it|told it) (?:tells|told|asks|instructs|says|to) "
    ),
    "fr": (
        r"\b(?:ma|mon|notre|la|le|son|sa|mes|nos|les|elle|il|on) ?(?:\w+ )?(?:m'a|nous a|lui a|leur a|m'ont|nous ont) "
        r"(?:demande|dit|conseille|ordonne|interdit) (?:de |d'|que |qu')"
    ),
    "de": r"\b(?:mein\w*|unser\w*|der|die|sein\w*|ihr\w*) \w+ (?:hat|haben|sagte|sagt|meinte|meint|will|wollte),? ",
    "de, ich": r"\bich (?:habe?|hatte) (?:mein\w*|unser\w*|de[mrn]|alexa|siri) ",
    "es": (
        r"\b(?:mi|mis|nuestro|nuestra|el|la|su) \w+ (?:me|nos|le|les) (?:dijo|dice|ha dicho|pidio|ha pedido|ordeno|mando) "
        r"(?:que )?"
    ),
    "it": (
        r"\b(?:mio|mia|nostro|nostra|il|la|suo|sua) \w+ (?:mi|ci|gli|le) (?:ha|hanno) (?:detto|chiesto|ordinato) "
        r"(?:di |che )?"
    ),
    "pt": (
        r"\b(?:meu|minha|nosso|nossa|o|a) \w+ (?:me |nos |lhe )?(?:disse|pediu|mandou)(?:-me|-nos|-lhe)? (?:para |que )?"
    ),
    "nl": r"\b(?:mijn|onze|ons|de|het|zijn|haar) \w+ (?:zei|zegt|vroeg|wil|wilde|heeft (?:me|ons|hem|haar)) ",
}
_REPORTED = Screen(*(f"(?P<told>{said}){_REST}" for said in _ASKED_FOR.values()))
"""What was said, by how it is told; the words that tell it stay."""


def without_reports(text: str) -> str:
    """A text without what it tells of others: the words that somebody in a story said, and what people were told to do.

    A report ends with its sentence, and where "you" are spoken to; what follows stays, for it may be an order.
    """
    told = _REPORTED.sub(lambda match: match["told"], text)
    if '"' not in told and "'" not in told:
        return told
    narrator = _QUOTED.sub(".", told)
    if _SCENE.search(narrator) and not _TO_THE_READER.search(narrator):
        return narrator
    return told
