"""What the patterns of all shapes are made of: who is spoken of, who is told to do something, and what tells one from the other.

The patterns read what `pipeline.safety.normalise` gives: lower case, no accents, straight quotes, single spaces.
"""

import re
from collections.abc import Iterable, Mapping

from pipeline.safety.screen import Screen

_HUMAN = (
    "teaching dental medical legal shop sales store research personal executive "
    "office nursing physician project production "
    "editorial parliamentary lab laboratory care classroom library marketing "
    "kitchen pharmacy admin administrative family new"
).split()
_TITLES = (
    "manager managers professor professors coach coaches editor director "
    "principal teacher referee producer engineer secretary "
    "chef surgeon head headteacher headmaster commissioner attorney living dog dogs stage trainer curator buyer"
).split()
_AI_NOUN = r"(?:models?|systems?|agents?|assistants?|tools?|chat ?bots?|bots?|readers?|programs?)"

ASSISTANT = (
    rf"(?:(?:ai|virtual|digital|chat|voice|automated|artificial intelligence) {_AI_NOUN}"
    rf"|(?=assistant){''.join(f'(?<!{word} )' for word in _HUMAN)}\bassistants?\b(?! "
    rf"(?:{'|'.join(_TITLES)}|at (?:the|our|my) \w+)\b)"
    r"|chat ?bots?|bots?|llms?|(?:large )?language models?|ai's?|ais?|a\.i\.|chatgpt|gpt(?:-?\w+)?|claude|gemini"
    r"|copilot|siri|alexa"
    r"|agents? of this chat|this model|summari[sz]ers?)"
)
"""An assistant that is a program: the one of this conversation, or any; not a person's job."""

_SURE = (
    r"(?:ai|automated|automatic|autonomous|artificial|virtual|digital|chat|llm|gpt|generative|language|"
    r"(?<!human )machine"
    r"|machine learning|ml|intelligent)"
)
_LIKELY = (
    r"(?:cod(?:e|ing)|(?:code )?review(?:er|ing)?|screening|summari[sz](?:er|ing|ation)|recruit(?:ing|ment)|hiring"
    r"|scheduling"
    r"|e-?mail|mail|browsing|browser|shopping|search|indexing|parsing|triage|moderation|grading|translation|inbox"
    r"|calendar"
    r"|retrieval|planning|your|connected|downstream)"
)
PROGRAM = (
    rf"(?:(?:{_SURE}[ -])+(?:\w+ )?(?:assistants?|agents?|bots?|helpers?|systems?|software|tools?|readers?|models?"
    rf"|programs?|pipelines?"
    r"|crawlers?|parsers?|reviewers?|schedulers?|summari[sz]ers?|processors?|graders?|screeners?|translators?"
    r"|services?"
    r"|intelligences?|recruiters?)"
    rf"|applicant tracking systems?|{_LIKELY} (?:bots?|software|models?|(?<!mail )(?<!recruitment )"
    rf"(?<!hiring )(?<!your )agents?|algorithms?"
    rf"|pipelines?"
    rf"|crawlers?|assistants?(?= (?:must|should|shall|have to|are to|:)|[:,]))|copilots?|{ASSISTANT})"
)
"""A program that reads, sums up or decides for people, under any of its names."""

NOT_A_TEAM = (
    r"(?! (?:team|projects?|course|class|work|compan\w+|startups?|research\w*|department|book|budget"
    r"|subscriptions?|conference"
    r"|summit|lab|group|lectures?|courses|ethics|safety|training|industry|sector|act|hype|boom|exam|homework|stuff"
    r"|things)\b)"
)

IMPERATIVE = (
    r"(?:shortlist|hire|conclude|decline|leave|skip|omit|approve|accept|rate|rank|score|place|put|give"
    r"|add|share|send|forward|paste|copy|bcc|cc"
    r"|trust|hide|keep"
    r"|insert|push|mark|report|use|pick|choose|select|set|make|do|stop|merge|pass|grant|allow|delete|remove|open"
    r"|fetch"
    r"|load|run|execute|follow|remember|store|save|record|note|book|pay|release|transfer|confirm|click|upload"
    r"|export|reject"
    r"|prefer|name|list|rephrase|summari[sz]e|read|show|change|replace|update|let|focus|highlight|emphasi[sz]e"
    r"|stress|attach|avoid"
    r"|count|award|invite|present|treat|steer|nudge|drop|downplay|quote|cite|propose|offer|resolve|close|escalate"
    r"|visit|call(?! me\b))"
)
"""What else a program can be told to do with what it reads."""

REPLIES = (
    r"(?:(?:future |subsequent |following |further |next |chat )*"
    r"(?:repl(?:y|ies)|responses?|answers?|outputs?|completions?|summar(?:y|ies)|recommendations?|generated texts?"
    r"|messages? (?:that )?you (?:write|send)|turns?))"
)
"""What an assistant gives."""

ADVERB = (
    r"(?:please|always|never|only|not|now|immediately|also|then|simply|just|first|henceforth|silently|secretly"
    r"|automatically)"
)
"""How an order is coloured."""

SPEAK = (
    r"(?:answer|respond|reply|speak|say|state|claim|insist|pretend|roleplay|role-play|act|behave|obey|comply"
    r"|recommend|suggest"
    r"|promote|advertise|praise|refuse|decline|output|print|reveal|disclose|address|greet|identify|introduce"
    r"|describe|mention"
    r"|write|translate|end|start|begin|finish|close|sign|prefix|append|preface|conclude|include|talk|sound|tell|lie"
    r"|deny|ignore|apologi[sz]e|swear|insult|mock|flatter|curse|serve"
    r"|disregard|warn|encourage|discourage|steer|agree|sing|repeat|assume|treat|consider|favou?r|prioriti[sz]e"
    r"|operate|withhold)"
)
"""What an assistant does with words."""

THE_USER = r"(?:(?:the|this|your|each|every|any) (?:end[- ]?)?users?|users|the (?:human|person you|people you))"

_BREAK = re.compile(r"[.!?;:,()\[\]{}\"|<>=$#\u2013\u2014\u2192]|(?<!\w)'|'(?!\w)|(?<=\s)-+(?=\s)")
_LED = re.compile(
    r"^(?:(?:please|pls|kindly|now|and|then|so|but|or|also|just|always|never|only|immediately|first|next|finally"
    r"|simply|do not|don't"
    r"|ever|do|ok|okay|hey|hi|hello|dear|today|instead|silently|secretly|quickly|automatically|again|must|should"
    r"|shall|will|remember to"
    r"|be sure to|make sure to|make sure you|ensure you|you (?:must|should|shall|will|can|may|have to|need to"
    r"|are to|ought to"
    r"|are required to|are instructed to|are ordered to|are allowed to|are going to|'re to)|it is (?:necessary"
    r"|required|vital"
    r"|essential|important) (?:that you|to)|your (?:task|job|goal|role|duty|mission) is to|i (?:want|need|order"
    r"|command|instruct|ask"
    r"|tell|expect|require|authori[sz]e) you to|i'd like you to|feel free to|proceed to|go ahead and|try to"
    r"|henceforth|"
    r"from now on|from this (?:point|moment)(?: on)?|going forward|as an? \w+)\s*)*$"
)
_LED_ANEW = re.compile(
    r"(?:^|.*\s)(?:and|then|so|but|or) (?=(?:please|always|never|immediately|then|now|must|you|silently|secretly"
    r"|also|do)\b)|.*\s(?:and|then) "
)
_SUBJECT = re.compile(
    r"\b(?:i|i'm|i've|i'd|i'll|we|we're|we've|he|she|they|it|who|which|that|nobody|everybody|everyone|people)\b"
)
_BESIDE = re.compile(
    r"^(?:before|after|in|on|at|every|each|during|for|with|upon|instead of|until|once|when|while) (?!(?:my|our|his"
    r"|her|their|we|i)\b)(?:(?!my\b|our\b|his\b|her\b|their\b)[\w']+ ?){1,4}$"
)
_POSSESSED = re.compile(r"^(?:my|our|his|her|their|the|a|an|some|most|many)\b")
_NAMING = re.compile(r"\b(?:called|named|nicknamed|titled|entitled|title is|name is) (?:the )?[\"']?$")
PRODUCT = r"(?:claude|gemini|siri|alexa|cortana|copilot|chatgpt|gpt(?:-?\w+)?)"
"""A helper by its product's name, as people tell of it: "I told Alexa to …"."""

_TOLD_A_PRODUCT = re.compile(rf"\b(?:told|asked|instructed|got|had|made) {PRODUCT} (?:not )?to$")
_OWN_PROMPT = re.compile(
    r"\b(?:our|my|their|his|her) (?:\w+ ){0,2}?(?:prompts?|rules file|handbook|spec)"
    r" (?:says|asks|tells|reads)\b"
)
_TO_ASSISTANT = re.compile(
    rf"\b(?:{PROGRAM})(?: \w+)? (?:must|should|shall|will|has to|have to|need to|needs to|is to|are to"
    rf"|to)\b(?: {ADVERB})*\s*$"
)


def commanded(text: str, at: int) -> bool:
    """Whether the verb that stands at a place is an order to whoever reads, and not what somebody does or was told to do."""
    before = text[max(0, at - 200) : at]
    clause = before[max((match.end() for match in _BREAK.finditer(before)), default=0) :].strip()
    if _TOLD_A_PRODUCT.search(clause) or _OWN_PROMPT.search(clause):
        return False
    if _LED.match(clause) or _TO_ASSISTANT.search(clause) or (_BESIDE.match(clause) and not _SUBJECT.search(clause)):
        return True
    anew = _LED_ANEW.match(f"{clause} ")
    if anew is None:
        return False
    return (
        _SUBJECT.search(anew.group()) is None
        and not _POSSESSED.match(clause)
        and _LED.match(f"{clause} "[anew.end() :]) is not None
    )


def named(text: str, at: int) -> bool:
    """Whether the words at a place are somebody's or something's name: "my band is called …"."""
    return _NAMING.search(text, max(0, at - 30), at) is not None


class InLanguages:
    """Patterns of several languages, those of one looked for only in a text that has a word of it.

    by_language: by a language's words, one of which stands in whatever its patterns find.
    other_scripts: patterns in other letters than Latin ones, looked for where a text has such letters; there may be none.
    """

    def __init__(self, by_language: Mapping[str, Iterable[str]], other_scripts: Iterable[str] = ("(?!)",)) -> None:
        self._by_language = [(frozenset(words.split()), any_of(patterns)) for words, patterns in by_language.items()]
        self._other_scripts = any_of(other_scripts)

    def search(self, text: str) -> bool:
        """Whether any of the patterns finds something in a text."""
        words = frozenset(_WORD.findall(text))
        if any(not words.isdisjoint(known) and pattern.search(text) for known, pattern in self._by_language):
            return True
        return not text.isascii() and self._other_scripts.search(text) is not None


_WORD = re.compile(r"[a-z]+")

SPANISH = (
    "el la los las que tu tus por una un del para en es ahora siempre nunca cuando usuario usuarios"
    " instrucciones este esta estas ia"
    " ignora olvida responde contesta asistente modelo bot ordenes reglas de al"
)
FRENCH = (
    "le la les l des du une un que qui tu vous ton ta tes vos votre est ne pas dans pour toute toutes"
    " tous ces ce cette moi ia de"
    " oubliez ignorez ignore oublie repondez reponds desormais consignes"
)
GERMAN = (
    "der die das den dem ein eine einen du dich dir dein deine sie ist und nicht auf mit fur von zu"
    " bitte alle allen wenn falls immer nur"
    " jetzt nutzer benutzer ki ignoriere ignorieren vergiss antworte antworten sprich anweisungen regeln"
    " dies diese dieser diesen wer"
    " ab sag sage nenn nenne nie niemals stets kis ausschliesslich"
)
ITALIAN = (
    "il lo la gli le che un una del della dei delle tuo tua tue sempre solo mai quando se non per questo"
    " questa ora sei devi ia utente tutte"
    " istruzioni ignora dimentica rispondi assistente modello bot d ai agli ogni fingi memoria"
)
PORTUGUESE = (
    "o os que voce um uma da das dos seu sua suas sempre nunca nao para de com se quando agora esta este"
    " isto usuario instrucoes ignore"
    " esqueca responda assistente modelo ia aos ao tu teu"
)
DUTCH = (
    "de het een van je jij u uw niet altijd voor met als wanneer vanaf voortaan alle deze dit die"
    " instructies regels negeer vergeet antwoord"
    " zeg aan ai"
)


def any_of(patterns: Iterable[str]) -> Screen:
    """What finds what any of several patterns finds."""
    return Screen(*patterns)
