"""Classify what somebody says to an assistant: small talk, a request, or something about themselves. English only. Pure.

Anything not in a word list counts as a statement, so other languages have neither requests nor small talk.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from re import Pattern

from mosshead.language.wordlists import GRAMMAR
from mosshead.patterns import lazy_pattern, remembered_of_texts

_SMALL_TALK = frozenset(
    """
    a afternoon agreed ah aha aint all alright and anyway audio aw awesome aww back brilliant btw bye charming cheers
    congrats congratulations cool correct deal deleted done enjoy evening everything exactly excellent fair fine for glad
    go going good goodbye goodnight great groan grr ha haha hahaha have hehe hello hey hi hiya hm hmm i idea image indeed
    it its ive just know later lol lovely luck marvellous me media message morning much never nice night no nope noted now
    of oh ok okay omg omitted on one ooh ooops oops perfect please pls quite really right same see seen so sorry sounds
    stuff super sure ta thank thanks that thats the then there thing this thx today too true u understood very video was
    weekend welcome well what wonderful wow written yay yeah yep yes you your youre
    """.split()
)

_ACKNOWLEDGED = _SMALL_TALK | frozenset(
    """
    alrighty bet brb cu cya gm gn gotcha idc idk jk k kk lmao mhm nah np nvm obvs ofc omw oof phew rofl roger smh soz sweet tbh
    tho ttyl ty tysm ugh uh um wbu wdym whoa wth x xd xo xoxo xx xxx ya yo yup
    ach aha also alles bis bitte bitteschon bitteschön danke dankeschon dankeschön dann doch genau gerne gleich gut hallo ja
    jawohl jo klar leider mal moin na naja nee nein prima schade schon schön sicher stimmt super toll tschuss tschüss viel viele
    gluck glück grusse grüße
    adios bien bueno buenas buenos claro dale de dias días gracias hola jaja muchas nada nos noches perfecto que qué si sí tal
    tardes vale vemos venga ya
    accord daccord au bientot bientôt bonjour bonne bonsoir coucou dac
    exactement merci mdr non nuit oui ouais parfait ptdr revoir salut
    bene buona buongiorno buonanotte buonasera certo ciao esatto grazie mille perfetto prego va
    beleza boa bom certo dia noite obrigada obrigado oi ola olá sim ta tá tarde tchau tudo um valeu
    bedankt dag dank doei goed hoi jij je leuk mooi morgen oke oké prima top
    да ок нет привет спасибо хорошо пока ага понятно 好的 谢谢 はい ありがとう شكرا نعم धन्यवाद हाँ dzięki dziękuję tak nie dobrze
    """.split()
)
"""Greetings, thanks and acknowledgements in a few languages. These words alone say nothing about a topic."""

_SAYS_NOTHING = lazy_pattern(
    r"(?i)<[^<>]*\b(?:omitted|weggelassen|omitido|omis|omessi?|media)\b[^<>]*>"
    r"|\b(?:media|image|photo|video|audio|sticker|gif|document|contact card|voice message|bild|imagen|foto) (?:omitted"
    r"|weggelassen|omitid[ao])\b"
    r"|\b(?:you deleted this message|this message (?:was deleted|has been deleted)|message deleted|waiting for this message)\b"
    r"|\bdiese nachricht wurde gelöscht\b|\bse eliminó este mensaje\b|<?\battached: \S+|\S+ \(file attached\)"
    r"|\bmissed (?:voice|video) call\b|^\W*null\W*$"
    r"|\b(?:on my way|be right back|talk (?:to you )?(?:later|soon)|take care|no (?:problem|worries|rush|clue)|my bad"
    r"|will do|you too"
    r"|(?:one|a|just a|wait a) (?:sec|second|moment|minute)|(?:hang|hold) on|let me (?:see|check|think)|fingers crossed|good luck"
    r"|of course|not sure|auf dem weg|bin unterwegs|bis (?:gleich|später|dann|morgen)|hasta (?:luego|mañana)|à (?:demain|plus))\b"
    r"|^\W*(?:in |about |ca\.? |~)?\d{1,3}\s*(?:h|hrs?|hours?|min|mins|minutes?|secs?|seconds?|minuten|minutos?|stunden)\b"
    r"|^\W*(?:at |um |ca\.? |~)?\d{1,2}(?:[:.]\d\d)?\s*(?:am|pm|uhr|o'clock)\b|^\W*(?:at |um )?\d{1,2}[:.]\d\d(?=\W*$)"
    r"|(?<!\w)(?:a*(?:[hj][aeiou]){2,}h?|a*(?:[hj]a)+h?a*|l+o+l+|h+m+|o+k+|y+e+s+|n+o+|a+w+|o+h+|m+|zz+)(?!\w)"
)
"""Markers of exported chats, set phrases, laughter, and durations or clock times on their own."""

_DRAWN_OUT = lazy_pattern(r"([^\W\d_])\1{2,}")
"""Drawn-out letters, as in "okayyy" and "lmaooo"."""

_CONTRACTED = frozenset(
    "im id ill ive youre youve hes shes theyre theyve were weve dont doesnt didnt isnt arent wasnt cant wont theres".split()
)
_WORD = lazy_pattern(r"[^\W_]+")
_APOSTROPHES = str.maketrans("", "", "'’")

_OPENS = r"(?:(?:ok(?:ay)?|so|and|also|now|hey|hi|please|pls|right|good|thanks|great|done|next)\b[\s,.:!]*)*"
_REQUEST = lazy_pattern(
    rf"(?i)^\W*{_OPENS}(?:"
    r"(?:can|could|would|will) you\b|(?:can|could) i (?:get|have)\b|"
    r"(?:give|tell|show|send|make|write|draft|plan|suggest|recommend|translate|convert|explain|summari[sz]e|rewrite|rephrase|fix|list|find|check|help|calculate|compare|name|draw|sing|answer|"
    r"reply|remind|do) (?:me|us|my|our|this|that|it|a|an|the|some|out|if|up|of|with|how|\d|['\"“])|"
    r"(?:translate|convert|rewrite|rephrase|explain|summari[sz]e)\b|(?:any|some) (?:ideas?|tips|suggestions|advice)\b|"
    r"(?:what|how|who|which|where|when|why|is|are|do|does|did|should|shall|can|could|would|will|whats|hows|whos)\b(?=[^.!]*\?|[^.!?]*$)|"
    r"(?:am|was|were|have|has|had|may|might|whose|any(?:one|body|thing)?|isn['’]?t|aren['’]?t|don['’]?t|didn['’]?t)\b(?=[^.!]*\?)"
    r")"
)
"""A message that begins by asking for something: an order to the assistant, or a question."""

_FIRST_PERSON = lazy_pattern(
    r"(?i)(?<![\w'’])(?:i|we|im|ive|my|mine|myself|our|ours|ourselves)(?!\w)|"
    r"\b(?:about|for|of|with|to|from|near) (?:all of )?(?:me|us)\b"
)
_HOW_TO = lazy_pattern(r"(?i)\bhow (?:do|can|should|could|would) (?:i|we)\b")
"""Questions about a procedure rather than about the asker."""
_FIRST_PERSON_WORD = lazy_pattern(
    r"(?<![\w'’])(?:I(?:['’](?:m|ve|ll|d))?|(?i:im|ive|me|my|mine|myself|our|ours|us|we(?:['’](?:re|ve|ll|d))?))(?!\w)"
)
_ENDING = dict.fromkeys(("my", "mine", "our", "ours"), "'s") | {
    "i'm": " is",
    "im": " is",
    "i've": " has",
    "ive": " has",
}
_PROFILE = lazy_pattern(
    r"(?i)\byou(?:['’]ve)? (?:(?:all|have|already|ever) )*"
    r"(?:know|remember|recall|learn(?:ed|t)|stored?|saved?|noted?|got|have|gathered)"
    r"(?: (?:so far|anything|something|much|all))? (?:about|of|on) (?:me|us|myself)\b(?! \w+ing\b)"
    r"|\b(?:tell|remind) me (?:something |everything |all |a bit )?about (?:me|myself|us)\b|\bwho am i\W*$"
    r"|\b(?:describe|summari[sz]e) (?:me|myself|my profile)\b|\b(?:show|what is|what's) (?:me )?my profile\b"
)
_OWN = (
    r"(?:(?:home|work|email|phone|mobile|postal|blood|shoe|full|first|last|job) )?(?:address|phone|number|e-?mail|birthday|age|"
    r"name|job|work|title|type|size|height|weight|allergy|allergies|diet|employer|salary|hometown|postcode|employer)"
)
_SAY = (
    r"(?:sa(?:y|id)|t[eo]ld?l?|mention(?:ed)?|promised?|me[et]t?|invited?|g[ia]ve|owed?|len[dt]|kn[eo]w|ask(?:ed)?"
    r"|see|saw|want|need)"
)
_HOME = r"(?:home|house|flat|apartment|place)"
_OF_ONESELF = lazy_pattern(
    rf"(?i)\b(?:do|did|am|was|have|had|must) i\b(?! {_SAY}\b)"
    rf"|\b(?:where|(?:what|which)(?: \w+)?|how (?:old|tall|long|much)) i(?:['’]m)?\b(?! {_SAY}\b)"
    rf"|\b(?:who(?:['’]s| is) )?my {_OWN}\b(?!['’])|\bwhere(?:['’]s| is) my {_HOME}\b(?!['’])"
    rf"|\b(?:city|town|country|street|village|address)\b.*\bmy {_HOME}\b(?!['’])"
)
_OPENS_WITH_I = lazy_pattern(r"(?i)^\W*(?:(?:and|so|but|well|oh|ok|yes|no)\b\W*)*(?:i|i['’]?m|i['’]ve|my|we|our)\b")
_I = lazy_pattern(r"(?i)\b(?:i|we|me|us)\b")
_WHO = lazy_pattern(r"(?i)\b(?:who|whose|whom|we|us|our)\b")
_MINE = lazy_pattern(rf"(?i)\bmy (?!(?:own )?{_OWN}\b)")

_OF_THE_ASSISTANT = lazy_pattern(r"(?i)\b(?:you|your)\b(?! (?:please|tell|give|remind|write|know|remember|help))")

_PAST = lazy_pattern(
    r"(?i)\b(?:was|were|did|had|used|ago|last|before|back then|earlier|first|ever|since|history|originally)\b"
)

_CHANGE = lazy_pattern(
    r"(?i)\b(?:correction|actually|i meant?|sorry|no|not|n['’]t|wait|update|instead|now|again|any ?more|no longer|moved?"
    r"|chang\w+|"
    r"these days|nowadays|recently|switched|stopped|quit|sold|g[ai]ven? up|left|postponed|cancel\w+|rather|but|still"
    r"|after all|turns out|new)\b"
)

_ORDER = lazy_pattern(
    r"(?i)^\W*(?:please )?(?:answer|check|create|do(?! (?:i|we|you|they|he|she|my|our)\b)|draft|fix|handle|make|plan"
    r"|prepare|reply|review|run|send|write)\b"
)


_TO_KEEP = frozenset("remember note record".split())
"""Words that ask to store what follows: "Remember this: I'm allergic to nuts." states an allergy."""


def words(text: str) -> list[str]:
    """Return the words of a text, in lower case and without apostrophes."""
    return _WORD.findall(text.casefold().translate(_APOSTROPHES))


def content_words(text: str) -> frozenset[str]:
    """Return the content words of a text."""
    return frozenset(words(text)) - GRAMMAR - _SMALL_TALK - _CONTRACTED - _TO_KEEP


@remembered_of_texts
def is_small_talk(text: str) -> bool:
    """Whether a text only greets, thanks or acknowledges, or is only an emoji or a chat marker."""
    plain = _DRAWN_OUT.sub(r"\1", text)
    return any(_ACKNOWLEDGED.issuperset(words(one)) for one in (text, plain, _SAYS_NOTHING.sub(" ", text)))


def is_request(text: str) -> bool:
    """Whether a text begins by asking the assistant for something. An earlier question says nothing about the asker."""
    return _REQUEST.match(text) is not None


def is_first_person(text: str) -> bool:
    """Whether a text is about the speaker, unlike "tell me a joke" and "how do I boil an egg"."""
    return _FIRST_PERSON.search(_HOW_TO.sub(" ", text)) is not None


def speaks_of_oneself(text: str) -> bool:
    """Whether the speakers say what they do or are themselves, rather than somebody related to them."""
    return _I.search(text) is not None


def opens_with_oneself(text: str) -> bool:
    """Whether a text first mentions the speaker or something of theirs."""
    return _OPENS_WITH_I.match(text) is not None


def spoken_of(text: str, name: str) -> str:
    """Replace the first person by a name: "where's my dog?" becomes "where's Ana's dog?"."""
    return _FIRST_PERSON_WORD.sub(lambda one: name + _ENDING.get(one[0].lower().replace("’", "'"), ""), text)


def asks_of_oneself(text: str) -> bool:
    """Whether a text asks only about the asker: "where do I live?", not "how old is my son?"."""
    rest, count = _OF_ONESELF.subn(" ", text)
    return count > 0 and not any(one.search(rest) for one in (_WHO, _MINE))


def asks_for_profile(text: str) -> bool:
    """Whether a text asks for everything known about the asker: "what do you know about me?"."""
    return _PROFILE.search(text) is not None


def concerns_assistant(text: str) -> bool:
    """Whether a text asks what the assistant said: "what did you suggest"."""
    return _OF_THE_ASSISTANT.search(text) is not None


def tells_of_change(text: str) -> bool:
    """Whether a text may report a change from what was said before."""
    return _CHANGE.search(text) is not None


def asks_what_is_now(text: str) -> bool:
    """Whether a text asks how things are, not how they were or are done, nor to have something done."""
    return not any(one.search(text) for one in (_PAST, _HOW_TO, _ORDER))


@dataclass(frozen=True, slots=True)
class Need:
    """What a kind of request needs to know about the asker.

    Attributes:
        probe: How people would say it about themselves.
        tells: Words of such statements.
        like: Examples of such requests.
    """

    probe: str
    asks: Pattern[str]
    tells: str = ""
    like: tuple[str, ...] = ()


def needs_of(text: str, is_like: Callable[[Sequence[str]], bool] = lambda _: False) -> list[Need]:
    """Return what a request needs to know about the asker; empty for a plain question. is_like: Whether the text is like some."""
    advice = _ADVICE.search(text) is not None
    return [need for need in _NEEDS if need.asks.search(text) or (advice and need.like and is_like(need.like))]


_ADVICE = lazy_pattern(
    r"(?i)\b(?:should|shall|could|can|may) (?:i|we)\b|\b(?:recommend|suggest|plan|design|give|find|book|pick|choose)\b"
    r"|\b(?:ideas?|tips?|advice|okay|ok|safe) (?:for|to)\b|\bneed\b.{0,60}\bideas?\b"
)
_NEEDS = (
    Need(
        "I am allergic to it and cannot eat it. I follow a diet: vegetarian, vegan, gluten-free.",
        lazy_pattern(
            r"(?i)\b(?:cook\w*|bak(?:e|es|ing)|recipes?|menus?|meals?|dinner|lunch|breakfast|brunch|supper|snacks?|dish(?:es)?|cakes?|"
            r"desserts?|restaurants?|caf[eé]s?|takeaway|picnic|barbecue|groceries|shopping list|eat|food|"
            r"(?:a|the) table|(?<!\d )bars?|pubs?|cocktails?|beers?|wines?|drinks?|rezepte?|kochen|essen|abendessen|receta"
            r"|cocinar|cena|recette|d[iî]ner)\b(?! for (?:disaster|success)\b)"
        ),
        "allergic allergy allergies intolerant intolerance lactose gluten coeliac celiac vegan vegetarian pescatarian halal"
        " kosher diabetic diabetes diet keto shellfish dairy",
        ("Recommend a dessert.", "What should I cook tonight?", "Suggest a restaurant.", "What can I order there?"),
    ),
    Need(
        "I have an injury, a bad knee or back, an illness. I am allergic to a medicine. My doctor said so.",
        lazy_pattern(
            r"(?i)\b(?:workouts?|exercises?|training (?:plan|schedule|session)|gym|fitness|stretch\w*|yoga|pilates"
            r"|(?:running|cycling|swimming|marathon) (?:plan|schedule|program(?:me)?|routine)|hik(?:e|es|ing)|trainingsplan"
            r"|entrenamiento|medicines?|medical|medication|clinic|hospital|admission|doctor|dentist|physio|massage|allerg\w+"
            r"|health)\b(?! (?:on|in) (?:page|the book)\b)"
        ),
        "asthma asthmatic diabetes diabetic epilepsy epileptic pregnant pacemaker injury injured sprained fractured hernia"
        " arthritis osteoporosis migraine migraines vertigo medication insulin blood hypertension",
        ("Plan a workout for me.", "Which sport should I do?", "What should I take for a headache?", "Can I swim?"),
    ),
    Need(
        "I work as this by profession, in my job at this company. I started my career, I studied.",
        lazy_pattern(
            r"(?i)\b(?:cover letters?|cv|r[eé]sum[eé]|linkedin|bio|biography|about me|about myself|introduc\w+|profile|headline|"
            r"bewerbung|anschreiben|lebenslauf|carta de presentaci[oó]n|lettre de motivation|"
            r"job application|application letter|portfolio)\b"
        ),
    ),
    Need(
        "My goal is to reach this. I want to achieve that this year. I prefer it written in this way.",
        lazy_pattern(
            r"(?i)\b(?:cover letters?|career|goals?|linkedin|resolutions?|study plan|workout|training plan)\b"
        ),
    ),
    Need(
        "I use a wheelchair, I cannot walk far. I am afraid of flying, of heights, I get seasick.",
        lazy_pattern(
            r"(?i)\b(?:trips?|holidays?|vacation|weekend away|getaway|itinerary|flights?|travel\w*|hik(?:e|es|ing)|route"
            r"|tour|excursion|day out|sightseeing|outing|restaurants?|urlaub|reise|viaje|voyage)\b"
        ),
    ),
    Need(
        "I live in this town, at this address.",
        lazy_pattern(
            r"(?i)\b(?:near ?by|near me|around here|restaurants?|weather|things to do|day trip|weekend|commute|local)\b"
        ),
    ),
    Need(
        "My husband, my children, our dog: who lives with us, and what they are afraid of or fond of.",
        lazy_pattern(
            r"(?i)\b(?:for (?:all of )?us|family|holidays?|vacation|trip|outing|afternoon|weekend|party|celebrat\w+)\b"
        ),
    ),
)
"""The kinds of request, in the order in which their facts are shown."""
