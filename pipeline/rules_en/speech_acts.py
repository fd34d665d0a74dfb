"""Classify sentences: statement, question, greeting, order, supposition, report. Only statements can become facts."""

import re
from collections.abc import Callable
from enum import Enum, auto

from mosshead.language.retractions import takes_back
from mosshead.language.wordlists import FIRST_NAMES


class Act(Enum):
    """A sentence's function in the conversation."""

    STATEMENT = auto()
    QUESTION = auto()
    SMALL_TALK = auto()
    COMMAND = auto()
    HYPOTHETICAL = auto()
    REPORTED = auto()
    RETRACTION = auto()


_COMMANDS = """
    write tell show give make create list explain summarise summarize translate rewrite check find search help generate
    draft compose suggest recommend describe compare calculate compute send schedule book set add remove delete update
    fix correct proofread edit review analyse analyze look open read ignore forget disregard respond answer reply speak
    talk act pretend play be stop start use keep provide convert format print run call remind plan let's let note
    consider assume imagine suppose take go try don't never always stay behave obey follow output repeat say ask
    include avoid ensure prepare design build continue think put turn remember have do bring pick share enjoy wait come
    get good
    """.split()

_COMMAND = re.compile(
    r"(?!call me )(?:please|pls|plz|kindly|just|now|also|then|ok|okay|hey assistant|hey chatgpt|"
    r"and|so)?,? ?(?:please )?"
    rf"(?:(?!have to\b)(?:{'|'.join(_COMMANDS)})\b(?! (?:is|are|was|were)\b)"
    r"|make sure\b|from now on\b|in future\b|do not\b|you (?:must|should|shall|will|have to|need to|are now)\b"
    r"|i (?:want|need|would like|'d like|expect|order|command) you to\b|i would like (?:a|an|"
    r"some) |i need help\b|i need (?:a|an|some) (?:list|recipe|summary|idea)"
    r"|your (?:new )?(?:task|job|role|instructions?)\b|whenever (?:i|you)\b.*\b(?:you|respond|"
    r"answer|reply)\b|system:|assistant:)",
    re.IGNORECASE,
)

_ABOUT_ASSISTANT = re.compile(
    r"\b(?:(?:ignore|disregard|override) (?:all |any |your |the )*(?:previous|prior|above|earlier|instructions?|rules)"
    r"|(?:system|developer) prompt|as an ai\b|you are (?:an? )?(?:ai|assistant|chatbot|dan)\b|jailbreak)",
    re.IGNORECASE,
)

_SUBJECTS = r"(?:you|i|we|it|he|she|they|the|there|this|that|my|your|our|anyone|anybody|someone|these|those)"

_QUESTION = re.compile(
    r"(?:and |but |so |ok |okay )?(?:(?:do|does|did|is|are|am|was|were|can|could|would|will|shall|"
    rf"should|have|has|may|might|isn't|aren't|don't|didn't) {_SUBJECTS}\b"
    r"|(?:what|who|where|why|how|which|whose|when)(?:'s|'re| is| are| was| were| do| does| did| "
    r"should| would| can| could| will| am"
    r"| about| kind| sort| type| much| many| long| far| often| come| have| has)\b|any (?:idea|tips"
    r"|advice|suggestions?)\b|i wonder\b|wondering (?:if|whether)\b)",
    re.IGNORECASE,
)

_HYPOTHETICAL = re.compile(
    r"^(?:and |but |so )?(?:if|imagine|suppose|supposing|what if|pretend|hypothetically|let'?s say"
    r"|say i|assume|assuming|unless|in case|fingers crossed|here's hoping)\b"
    r"|^in (?:my|the|a|this|that|her|his) (?:\w+ )?(?:novel|movie|film|book|story|series|show|episode|game|comic|anime), "
    r"|^(?:i |so i |last night i )?(?:dream(?:t|ed)|had (?:a|this|the) (?:\w+ )?(?:dream|nightmare))\b(?! of \w+ing\b)"
    r"|\bin (?:my|the|a) (?:dream|nightmare)\b"
    r"|\bi wish\b|\bif only\b|\bwish i\b|\b(?:would|could|should|might) have\b|\bas if\b|\bin "
    r"theory\b|\bin another life\b"
    r"|\bif (?:i|we|he|she|they|my \w+) (?:were|was|had|lived|could|ever|won|got|did)\b|\bi(?:'d| "
    r"would)\b.*\bif\b|\bif\b.*\bi(?:'d| would)\b",
    re.IGNORECASE,
)

_REPORTED = re.compile(
    r"^[\"“'](?!\w+ )|^[\"“].*[\"”]|\b(?:i heard|i read that|they say|people say|some say|"
    r"apparently|allegedly|supposedly|rumou?r has it"
    r"|word is|according to|someone (?:said|told|claims)|(?:he|she|they|[a-z]+) (?:says|said|"
    r"claims?|claimed|told me|tells me|reckons|swears) (?:that |i |he |she |they |it |my |we )"
    r"|the (?:article|book|movie|film|character|story|text|email) (?:says|said))",
    re.IGNORECASE,
)

_SARCASM = re.compile(
    r"(?:\s/s\s*$|\b(?:yeah,? right|sure,? (?:because|and i)|just kidding|lol jk|\bjk\b|as if!|"
    r"not!)|\((?:just )?kidding\)|\bsarcas|^oh,? (?:sure|great|joy|wonderful|fantastic|brilliant|perfect|goody)\b"
    r"|\b(?:just |absolutely |really |so )?(?:loves?|enjoys?|adores?|living for) (?:it when|how|waiting|being (?:on"
    r"|told|ignored|stuck|woken|yelled"
    r"|shouted|charged|put)|having to|getting (?:stuck|woken|yelled|soaked|rained)|paying|queu\w+|sitting in"
    r"|standing in|that for me)\b"
    r"|\bbest day of (?:my|our) (?:life|lives)\b|\bmy favou?rite (?:thing|part|song|hobby|pastime)\b.*\bnow$"
    r"|\bexactly what i needed\b"
    r"|\bwhat could (?:possibly )?go wrong\b|\bmother of the year\b|\blucky me\b|\bhow (?:lovely|wonderful"
    r"|nice) of (?:him|her|them)\b)",
    re.IGNORECASE,
)

_SMALL_TALK = re.compile(
    r"^(?:(?:it is|it's|so|nice|good|great|lovely) (?:nice|good|great|lovely|to) .{0,30}\b(?:meet|see|hear|talk|chat)\b"
    r"|i(?:'m| am) (?:good|fine|ok|okay|great|well|doing (?:well|good|great|fine|ok|okay)|alright|"
    r"here|back(?! (?:to|on)\b)|not bad|so-so|all right)\b[^,]{0,24}$"
    r"|(?:have|hope) (?:a|you)\b|how(?:'s| is) it going|what's up|long time no see|same here|me "
    r"too|me neither|not much|that(?:'s| is| was) \S+[.!]*$|happy to\b"
    r"|(?:(?:i|we)(?:'ve| have|'m| am)? )?(?:got to|gotta|have to|need to|must|off to) [^,]{2,40}(?: now|, bye"
    r"|, see you)\b"
    r"|i(?:'ll| will) (?:let you know|keep you posted|be back|talk to you|see you)|i (?:agree|see|"
    r"understand|know|hope so|guess so|think so)\b[^,]{0,12}$)",
    re.IGNORECASE,
)

_SECRET = re.compile(
    r"\b(?:password|passcode|passphrase|passwd|pin(?: code| number)?|api[ _-]?key|secret key|"
    r"access token|private key|cvv|cvc|card number|credit card|debit card|iban|social security|"
    r"ssn)\b"
    r"(?=.*(?:\bis\b|:|=|\d{3}))|\bsk-[\w-]{8,}|\bghp_\w{8,}|\bAKIA[A-Z0-9]{8,}|\b(?:\d[ -]?){13,19}\b|-----BEGIN",
    re.IGNORECASE,
)


def classify(text: str) -> Act:
    """Return a sentence's function; by default, it is a statement."""
    return next((act for act, does in _TELLS if does(text)), Act.STATEMENT)


def holds_secret(text: str) -> bool:
    """Whether the sentence contains a password, key or card number, which must never become a memory."""
    return _SECRET.search(text) is not None


_PLEASANTRY = (
    r"(?:hi+|hello|hey+|hiya|howdy|yo|sup|greetings|good (?:morning|afternoon|evening|night|day)|"
    r"morning|evening|welcome(?: back)?"
    r"|thanks?(?: (?:you|so much|a lot|again|a bunch|a ton))*|thank you(?: so much| very much)?|"
    r"thx|ty|cheers|much appreciated|bye+|goodbye|see (?:you|ya)"
    r"|take care|talk (?:to you )?(?:soon|later)|ttyl|ok(?:ay)?|k|sure|yes|yep|yeah|yup|no|nope|"
    r"nah|lol|lmao|haha+|hehe+|wow|cool|nice|great|awesome"
    r"|amazing|perfect|sounds good|got it|i see|no problem|no worries|you're welcome|my pleasure|"
    r"good|fine|right|exactly|alright|congrats|congratulations"
    r"|oh|ah|hm+|um+|well|so|anyway|anyways|btw|by the way|fyi|just so you know|for the record|"
    r"also|plus|and|but|in fact|honestly|tbh|to be honest|basically"
    r"|you know|look|listen|guess what|for your information|as you know|as i said|like i said|to "
    r"be fair|sorry|oops|actually|absolutely|definitely|totally|of course|true|omg|oh my god|gosh"
    r"|yay|woohoo|ugh|aw+|hooray|the thing is|fun fact|quick update|update|news|good news|bad news"
    r"|one more thing|oh and|another thing|first of all|firstly|for context|some context|context|"
    r"background|best of all|on another note|on a different note|speaking of which|long story "
    r"short|in other news|while (?:i'm|i am|we're|we are) (?:here|at it|on it)|before i forget"
    r"|believe it or not|turns out|it turns out(?: that)?|needless to say)"
)

_NAME = r"(?:there|all|everyone|everybody|guys|folks|team|man|mate|dude|buddy|again|assistant|chatgpt|bot)"

ONLY_PLEASANT = re.compile(
    rf"^(?:{_PLEASANTRY}|{_NAME}|[A-Z][a-z]+|my friend)(?:[\s,.!…]+(?:{_PLEASANTRY}|{_NAME}|my friend))*[\s,.!…]*$",
    re.IGNORECASE,
)
"""A sentence of pleasantries only."""

_TELLS: tuple[tuple[Act, Callable[[str], object]], ...] = (
    (Act.RETRACTION, lambda text: takes_back(text, answering=False)),
    (Act.SMALL_TALK, ONLY_PLEASANT.match),
    (Act.SMALL_TALK, _SMALL_TALK.match),
    (Act.QUESTION, lambda text: text.endswith("?")),
    (Act.QUESTION, _QUESTION.match),
    (Act.HYPOTHETICAL, _HYPOTHETICAL.search),
    (Act.HYPOTHETICAL, _SARCASM.search),
    (Act.REPORTED, _REPORTED.search),
    (Act.COMMAND, _COMMAND.match),
    (Act.COMMAND, _ABOUT_ASSISTANT.search),
)
"""The order matters: "can you write …?" is a question before it is an order, and "just kidding" is no pleasantry."""

_OPENER = re.compile(
    rf"^{_PLEASANTRY}(?:(?:,? {_NAME})(?=[\s,.!:-]))?(?:\s*[,.!:;…]+\s*|\s+-+\s+|\s+(?=(?:i|i'?m|"
    r"i've|im|ive|my|we|we're|our|you|the|to|here's|so|and|but|well|yeah|by|also|please|can|"
    r"could)\b))",
    re.IGNORECASE,
)

_VOCATIVE = re.compile(
    r"^([A-Z][a-z]+)[,!]\s+(?!who\b|(?:my|our|his|her|the|a|an)\b[^,]+,|(?:[A-Z]\w+,? )*and\b)(?=\S)"
)

_THANKS_NAME = re.compile(rf"^{_PLEASANTRY}(?:,)? (?P<name>[A-Z][a-z]+)[,!.:]\s+(?=\S)", re.IGNORECASE)


def without_opener(text: str) -> str:
    """Remove openers: "Hey there, by the way, I'm Sarah" → "I'm Sarah"."""
    while True:
        called = _VOCATIVE.match(text)
        called = called if called and called[1].lower() in FIRST_NAMES else None
        match = _THANKS_NAME.match(text) or _OPENER.match(text) or called
        if match is None or match.end() >= len(text):
            return text
        text = text[match.end() :]


_PAYLOAD = re.compile(
    r"\b(?:the following|the text below|below|(?:this|these) (?:text|sentence|paragraph|email|mail"
    r"|message|passage|article|essay|letter|post|note|document|story|poem|lines?|words?|transcript"
    r"|dialogue|review)s?)\b",
    re.IGNORECASE,
)

_OF_OTHERS = re.compile(
    r"\b(?:wrote|sent|says|said|got|received|e?-?mail(?:ed)?|message|texted|text|draft|letter|post(?:ed)?|review"
    r"|article|excerpt|lyrics|paragraph|replied"
    r"|snippet|log|output|transcript|story|poem|copy|quote|ad|listing|clause|contract)\b[^:]*:$|^(?:here(?:'s| is"
    r"| are)|this is)\b[^:]*:$",
    re.IGNORECASE,
)
"""Endings that announce somebody else's words."""

_WORKS_ON = re.compile(
    r"\b(?:summari[sz]e|translate|rewrite|rephrase|paraphrase|proofread|shorten|polish|improve|correct|edit"
    r"|analy[sz]e|review)\b"
    r".*\b(?:this|it|following|text|below)\b",
    re.IGNORECASE,
)

_WORKS_ON_WHAT_FOLLOWS = re.compile(
    r"\b(?:summari[sz]e|translate|rewrite|rephrase|paraphrase|proofread|shorten)\b[^:.!?]{0,60}: \S"
    r"|\b(?:polish|improve|correct|edit|fix|check)\b[^:.!?]{0,40}\b(?:grammar|spelling|english|wording|sentences?|texts?"
    r"|phrases?|paragraphs?|this(?! out)|these)\b[^:.!?]{0,20}: \S"
    r"|\b(?:is|are) (?:this|these) (?:sentences?|texts?|phrases?|paragraphs?) (?:\w+ )?"
    r"(?:correct|right|ok|okay|fine|grammatical)\b",
    re.IGNORECASE,
)
"""Requests with the text in the same line: "Translate to French: I live in Paris. I am a doctor"."""


def introduces_payload(text: str, act: Act) -> bool:
    """Whether a sentence introduces a text by somebody else, or to work on, which is not about the user."""
    if act is Act.STATEMENT:
        return _OF_OTHERS.search(text) is not None
    if text.rstrip().endswith(":") or _WORKS_ON.search(text) or _WORKS_ON_WHAT_FOLLOWS.search(text):
        return True
    return act is Act.COMMAND and _PAYLOAD.search(text) is not None
