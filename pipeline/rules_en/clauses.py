"""A sentence cut into clauses, each with its own subject: "I'm Sarah, I live in Leeds and work at Foo" holds three."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from mosshead.language.wordlists import PRONOUNS, gender_of
from mosshead.models.kinds import EntityType
from pipeline.models import KnownEntity
from pipeline.rules_en.grammar import (
    ACQUAINTANCES,
    ADVERB,
    ADVERBS,
    AUXILIARIES,
    FIRST_NAMES,
    KINSHIP,
    MODALS,
    NATIONALITIES,
    NOT_NAMES,
    ORG_ENDINGS,
    PETS,
    PLACE_ENDINGS,
    ROLES,
    VERBS,
    addressed,
    base_of,
    expand,
    is_finite,
    is_past,
    is_verb_after,
    looks_back,
    possessive,
    singular,
    third,
    to_third_person,
)
from pipeline.rules_en.grammar import ADVERB as _ADVERB
from pipeline.rules_en.names import (
    CAPITAL,
    RUN,
    Discourse,
    Gazetteer,
    Person,
    Sort,
    Subject,
    bears_another_tie,
    guess_type,
    titled,
)

_IMPLICIT = re.compile(
    r"^(?:(?:[Jj]ust|[Rr]ecently|[Ff]inally) (?P<a>\w+)"
    r"|(?P<b>(?:[Ll]ove|[Hh]ate|[Pp]refer|[Ee]njoy)(?! (?:and|is|or|can|has|how|that|the way|to$))"
    r"|[Cc]annot stand|[Aa]llergic to|[Hh]ave to|[Ww]ant to"
    r"|[Gg]oing to (?=[a-z]+ (?!meetings|events|has\b|is\b))|[Pp]lanning to|[Bb]een (?=\w+ing\b)|"
    r"[Ww]orking (?=at|as|for|on)"
    r"|[Ll]iv(?:ing|e) in|[Bb]orn in|[Ff]rom (?=[A-Z])|[Tt]hinking of|[Mm]oving to)\b|(?P<c>[A-Za-z]+)\b)"
)

_NO_IMPLICIT = frozenset(
    "been made thought hoped felt said sounded looked seen done gone had kept let meant known given used based".split()
)

_IMPLICIT_BE = re.compile(r"^(?:going|planning|working|living|born|from|thinking|moving|allergic)\b", re.IGNORECASE)

_LEAD_WITH_COMMA = re.compile(
    r"^(?P<lead>(?:(?:[Ww]hen|[Ww]hile|[Aa]fter|[Bb]efore|[Ss]ince|[Bb]ecause|[Aa]lthough|"
    r"[Tt]hough|[Aa]s|[Uu]ntil|[Oo]nce|[Gg]rowing up|[Ff]or|[Ii]n|[Oo]n|[Aa]t|[Dd]uring|[Oo]ver|"
    r"[Ll]ast|[Nn]ext|[Tt]his|[Ee]very|[Bb]ack|[Ee]arlier|[Ww]ith|[Bb]y"
    r"|[Yy]esterday|[Tt]oday|[Tt]onight|[Tt]omorrow|[Rr]ecently|[Ll]ately|[Cc]urrently|[Nn]owadays"
    r"|[Rr]ight now|[Tt]hese days|[Nn]ow|[Tt]he (?:day|other|past|next)|[Aa] (?:few|couple|week|"
    r"month|year)|[Oo]ne (?:day|night|time|morning|year|summer)|[Tt]wo|[Tt]hree|[Oo]riginally|"
    r"[Bb]esides|[Ss]ometimes|[Uu]sually"
    r"|(?:[Mm]on|[Tt]ues|[Ww]ednes|[Tt]hurs|[Ff]ri|[Ss]atur|[Ss]un)day|\d+)\b[^,]{0,80})), (?=\w)"
)

_LEAD_PLAIN = re.compile(
    r"^(?P<lead>[Yy]esterday(?: (?:morning|afternoon|evening))?|[Tt]oday|[Tt]onight|"
    r"[Tt]omorrow(?: (?:morning|afternoon|evening))?|(?:[Ll]ast|[Nn]ext|[Tt]his|[Oo]n) \w+(?: "
    r"(?:morning|afternoon|evening|night))?"
    r"|(?:[Aa]|[Hh]alf a|\w+) (?:days?|weeks?|months?|years?) ago(?: today)?|"
    r"[Ll]ast year in [A-Z][a-z]+|[Ii]n (?:\d{4}|[A-Z][a-z]+(?: \d{4})?)|"
    r"[Rr]ecently|[Cc]urrently|[Nn]owadays|[Rr]ight now|[Aa]t the moment|[Tt]he day before "
    r"yesterday|[Tt]hese days)"
    r" (?=(?:I|we|my|our|he|she|[A-Z]\w+ (?:and I|is|was|has|\w+ed))\b)"
)

_SUBORDINATE = re.compile(r"(?:when|while|after|before|since|because|although|though|as|until|once)\b", re.IGNORECASE)
_CONJUNCTION = r"(?:and then|and now|and also|and|but also|but now|but|so|plus|also|then|while|whereas|though|yet)"

_BOUNDARY = re.compile(
    rf"(?P<mark>\s*[,;]\s+|\s+[-–—]{{1,2}}\s+|\s*[–—]\s*|[.!]\s+|\s+\((?=I "
    rf"))(?:(?P<conj>{_CONJUNCTION})\s+)?|\s+(?P<bare>{_CONJUNCTION})\s+|(?P<runon>\s+)(?=I (?:am|"
    r"live|work|love|like|hate|have|was|moved|got)\b)"
)

_PRONOUN = re.compile(
    rf"^(?:(?:I|we|he|she|they|[Ii]t)(?: {ADVERB})* [a-z]+|there (?:is|are|was|were)\b"
    r"|(?:nobody|no one|everybody|everyone) [a-z]+)"
)

_ASIDE_HEAD = re.compile(
    r"^(?:that|this|which) (?:is|was|means|makes|will|has)\b|^you (?:know|see|were|are|said)\b", re.IGNORECASE
)

_BARE_HEAD = re.compile(
    r"^(?:(?P<first>[a-z][\w-]+) )?(?P<last>[a-z][\w-]+)"
    r" (?:is|are|was|were|has|have|had|will|says|said|does|can|cannot|goes|gets|wants|needs|starts|comes|costs|runs"
    r"|moved|went)\b(?! to\b)"
)

_NOUN_HEAD = re.compile(r"^(?:my|our|his|her|their|the|this|[A-ZÀ-Þ][\w'-]*)\b")
_MOST_SUBJECT_WORDS = 5
_MOST_ASIDE_WORDS = 6

_OPENS_PHRASE = re.compile(
    r"(?:my|our|his|her|their|the|a|an|I|we|he|she|they|it|in|on|at|for|with|by|if|when|while|since|because|as|after"
    r"|before|until|[A-ZÀ-Þ]\w+)\b"
)

_LED_IN = re.compile(
    r"^(?:(?:and|but|so|also|plus|oh|ah|ok|okay|no|nah|yes|yeah|yep|yup|ugh|well|anyway|btw|me|new note|quick one"
    r"|plot twist"
    r"|quick update|update|good news|bad news)[,:]? )+"
    r"(?=(?:I|we|he|she|they|it|my|our|his|her|their|the|there|[A-ZÀ-Þ]\w+|[a-z]+s?)\b)(?!(?:one|idea|way|more"
    r"|longer|problem|no)\b)",
    re.IGNORECASE,
)

_PREPOSITIONS = frozenset("of in on at for to with from by about as that which who than or".split())

_SUBORDINATORS = frozenset(
    "when that because if where what how which while since as than until before after whenever "
    "think know hope thing way time place"
    " everything all whatever say and or the who why one said believe whom like so once unless mean guess".split()
)

_NOUNISH = frozenset(
    "work run walk study drink cook play design paint dance travel sleep help hope change show "
    "drive ride visit talk practice"
    " research hike camp surf ski swim plan start stay look book coach cycle garden report "
    "exercise shop end care promote sing"
    " set chat cut test need support experience like garden volunteer fish host type ship face "
    "kayak sail bike head".split()
)

_OBJECT_STARTS = frozenset("at for as in on with a an the my to our from two three every".split())

_COORDINATION = re.compile(
    rf"(?:,)? (?:and|but|then) (?P<adverbs>(?:(?:{'|'.join(sorted(ADVERBS))}) )*)(?P<verb>[a-z]+)\b(?: (?P<next>\w+))?"
)

_SO_TOO = re.compile(r"\bso $")
"""Before an auxiliary it brings another subject: "and so does my son"."""

_UNREAL = re.compile(r"\b(?:to|not|never|cannot|can|could|will|would|should|must|might|may)\b")


@dataclass(frozen=True, slots=True)
class Clause:
    """text: subject first, contractions written out. lead: the time phrase that opened the sentence and holds for all of it."""

    text: str
    lead: str = ""


def clauses(sentence: str) -> list[Clause]:
    """The clauses of a sentence that is a statement, openers already gone."""
    lower_style = not any(c.isupper() for c in sentence)
    text = plainer(_LED_IN.sub("", expand(sentence).strip()).rstrip(".!?…,;: "))
    lead, text = _lead(text)
    pieces = [part for piece in _split(_explicit(text), lower_style) for part in _coordinated(piece)]
    pieces = [without_asides(piece) for piece in pieces]
    return [Clause(_with_lead(piece, lead) if i == 0 else piece, lead) for i, piece in enumerate(pieces)]


def _lead(text: str) -> tuple[str, str]:
    match = _LEAD_PLAIN.match(text) or _LEAD_WITH_COMMA.match(text)
    if match is None or (re.search(r"\b(?:I|we)\b", match["lead"]) and not _SUBORDINATE.match(match["lead"])):
        return "", text
    lead = match["lead"]
    return lead[0].lower() + lead[1:] if not lead[:3].istitle() or lead.split()[
        0
    ].lower() not in FIRST_NAMES else lead, text[match.end() :]


def _with_lead(piece: str, lead: str) -> str:
    return f"{piece} {lead}" if lead else piece


def _explicit(text: str) -> str:
    """Chat leaves the subject out: "Just moved to Leeds" is the user's."""
    match = _IMPLICIT.match(text)
    if match is None:
        return text
    said = text[0].lower() + text[1:]
    if match["a"] and is_past(match["a"]):
        return f"I {said}"
    if match["b"]:
        if said.startswith("been"):
            return f"I have {said}"
        return f"I am {said}" if _IMPLICIT_BE.match(said) else f"I {said}"
    word = match["c"] or ""
    known_past = is_past(word) and base_of(word) is not None and word.lower() not in AUXILIARIES | _NO_IMPLICIT
    return f"I {said}" if known_past and len(text.split()) > 2 else text


def _split(text: str, lower_style: bool) -> Iterator[str]:
    start = 0
    for match in _BOUNDARY.finditer(text):
        left, right = text[start : match.start()], text[match.end() :]
        if match["runon"] and not _runs_on(left, lower_style):
            continue
        if match["bare"] in {"so", "while", "though"} and re.match(
            r"(?:I|we|he|she|they) (?:can|could|would|will)\b", right
        ):
            continue
        if (_has_verb(left) or _is_aside(left, match)) and _opens_clause(right):
            yield left.strip()
            start = match.end()
    last = text[start:].strip()
    yield last if last.count("(") == last.count(")") else last.rstrip(")")


def _is_aside(left: str, match: re.Match[str]) -> bool:
    """A few words without a verb before a comma: "brilliant, my dog …", "Cologne, we take …"."""
    words = left.split()
    comma = (match["mark"] or "").strip() in {",", ";"} and match["conj"] is None
    return comma and 0 < len(words) <= _MOST_ASIDE_WORDS and not _OPENS_PHRASE.match(left)


def _runs_on(left: str, lower_style: bool) -> bool:
    words = left.split()
    return lower_style and len(words) > 1 and words[-1].lower() not in _SUBORDINATORS


def _has_verb(text: str) -> bool:
    return any(is_finite(word) or word in VERBS for word in text.split()[:12])


def _opens_clause(text: str) -> bool:
    if _PRONOUN.match(text) or _ASIDE_HEAD.match(text):
        return True
    bare = _BARE_HEAD.match(text)
    if bare is not None and not {bare["first"], bare["last"]} & (
        _PREPOSITIONS | _SUBORDINATORS | AUXILIARIES | ADVERBS
    ):
        return True
    return _NOUN_HEAD.match(text) is not None and _subject_length(text) is not None


def _subject_length(text: str) -> int | None:
    """How many words stand before the verb, where the text opens with a short subject and a verb in the third person."""
    words = text.split()[: _MOST_SUBJECT_WORDS + 1]
    for index, word in enumerate(words):
        if index and is_verb_after(words[index - 1], word):
            return index
        if word.endswith((",", ";")) or word in _PREPOSITIONS:
            return None
    return None


def _coordinated(clause: str) -> Iterator[str]:
    """ "I live in Leeds and work at Foo" → "I live in Leeds", "I work at Foo"."""
    subject = _subject(clause)
    if subject is None:
        yield clause
        return
    start, prefix = 0, ""
    for match in _COORDINATION.finditer(clause):
        left = clause[start : match.start()]
        if _has_verb(left) and _continues(subject, left, match):
            yield prefix + left
            start, prefix = match.start("adverbs"), f"{subject} "
    yield prefix + clause[start:]


def _subject(clause: str) -> str | None:
    pronoun = re.match(r"(?:I|we|he|she|they)\b", clause)
    if pronoun:
        return pronoun[0]
    length = _subject_length(clause)
    return " ".join(clause.split()[:length]) if length else None


def _continues(subject: str, left: str, match: re.Match[str]) -> bool:
    verb, following = match["verb"], match["next"] or ""
    if subject in {"I", "we", "they"}:
        known = verb in VERBS or verb in AUXILIARIES - MODALS or (is_past(verb) and base_of(verb) is not None)
    else:
        known = is_finite(verb) and (verb in AUXILIARIES or base_of(verb) is not None)
    if not known or verb in {"been", "done", "made"} or (verb in AUXILIARIES and _SO_TOO.search(match["adverbs"])):
        return False
    if verb.endswith("ed") and re.search(r"\b(?:am|is|are|was|were|be|been|feel|felt)\b", left):
        return False
    if verb in VERBS and not is_past(verb):
        return not _UNREAL.search(left) and (verb not in _NOUNISH or following in _OBJECT_STARTS)
    return True


_NO_SUBJECT = frozenset(
    """
    and but or so because if when while as than that which who what where why how whatever whoever whether although
    though
    i you he she it we they me him them us this these those there here everyone everybody everything nobody nothing
    someone
    somebody something anyone anybody anything no not never yes yeah ok okay please thanks maybe perhaps sure only
    just like
    with without for from to in on at by of about into after before until since during over under between per via
    one ones people folks most many some any all each every another such same other others both either neither more less
    """.split()
)

_COMMON = frozenset(
    """
    music breakfast lunch dinner supper work school uni college rent traffic weather life coffee tea food money time
    home
    sleep love hope fun sport football cricket tennis rugby yoga running swimming cycling cooking reading writing
    gardening
    knitting baking hiking travelling shopping photography art history science maths english french german spanish
    church
    health luck progress news feedback advice help homework housework parking petrol water wine beer milk bread cake
    meat
    fish rice pasta rain snow wind sun heat dinner bedtime christmas easter summer winter spring autumn budget deadline
    meeting project team office email mail phone laptop computer internet wifi printer car train bus bike flight hotel
    holiday vacation weekend training practice rehearsal therapy treatment surgery recovery exam exams class classes
    term
    rating delivery payment invoice invoices salary bonus tax taxes insurance mortgage electricity gas heating kitchen
    bathroom bedroom garden lawn cat cats dog dogs kids children parents friends neighbours clients customers prices
    sales
    nothing life death reality today tonight doctor doctors technology society politics everyone sir madam
    """.split()
)
"""Nouns that often open a sentence, where any word has a capital."""

_NOUNISH_END = re.compile(r"(?:ing|tion|sion|ment|ness|ity|ism|ship|ance|ence|age|ure|ics|ware)s?$")

_DOES = re.compile(
    r"(?:is|was|has|will|does|did|can|cannot|[a-z]+(?:s|ed)|took|got|left|went|ran|made|gave|said|told|came|bought"
    r"|sold|won|lost"
    r"|found|met|broke|chose|taught|wrote|kept|led)\b"
)

_MOST_WORDS = 5


def bare_subject(head: str) -> Subject | None:
    """The subject that a few words without article are, None where they are none."""
    words = head.split()
    if not 0 < len(words) <= _MOST_WORDS or not re.match(r"[A-Za-z]", head):
        return None
    if any(_no_noun(word) for word in words):
        return None
    return Subject(head[0].upper() + head[1:], Sort.THING, None, EntityType.CONCEPT, head.lower(), bare=True)


def _no_noun(word: str) -> bool:
    low = word.lower().strip(",")
    return (
        low in _NO_SUBJECT
        or low in AUXILIARIES
        or low in ADVERBS
        or (low in THIN and low != "time")
        or word.endswith((",", ":", ";", "'s", ")"))
        or not re.fullmatch(r"[\w'&/+-]+", word)
        or (low.endswith("ed") and base_of(low) is not None)
    )


def is_given_name(word: str, predicate: str) -> bool:
    """Whether a capitalised word at the start of a sentence is somebody's name or something's: "Deakin is foreman"."""
    low = word.lower()
    if (
        not re.fullmatch(r"[A-ZÀ-Þ][a-zà-ÿ]+(?:-[A-Z][a-z]+)?", word)
        or low in _COMMON | NOT_NAMES | NATIONALITIES | THIN
    ):
        return False
    known = VERBS | ROLES | ORG_ENDINGS | PLACE_ENDINGS | ADVERBS | _NO_SUBJECT
    if low in known or singular(low) in known or _NOUNISH_END.search(low):
        return low in FIRST_NAMES
    if (low.endswith("s") and base_of(low)) or is_finite(low):
        return False
    return _DOES.match(predicate) is not None


_PERSONAL = "|".join(sorted(KINSHIP | ACQUAINTANCES | PETS, key=len, reverse=True))
_NAME = r"[A-ZÀ-Þ][\w'-]+(?: [A-ZÀ-Þ][\w'-]+)?"
_OWNER = r"(?:[Mm]y|[Oo]ur)"

_CALLED = (
    rf"(?:(?!(?i:{'|'.join(sorted(NOT_NAMES - FIRST_NAMES))})\b)[A-Z]\w*"
    rf"|(?:{'|'.join(sorted(FIRST_NAMES - {'will', 'may'}))})\b)"
)
"""What one may be called, and no "call me later" or "call me Monday"."""

_ASIDES = (
    (
        (
            r"(?i)^(?:(?:less|more|not so|even|a bit|slightly) )?(?:good|bad|better|worse|great|sad|fun|funny|quick"
            r"|small|big"
            r"|important|interesting|related|unrelated|random)(?: (?:news|thing|bit|fact|update|note|one))?: (?=\w)"
        ),
        "",
    ),
    (
        r"(?<=\w),? (?:by the way|btw|believe it or not|to be fair|as you know|needless to say|funnily enough),(?= \w)",
        ",",
    ),
    (
        (
            r"(?i)^(?:(?:and|but|so|well|remember|again|reminder)[,:]? )*(?:(?:as|like) )?(?:you (?:may |might |already "
            r"|probably )?(?:know|remember|recall)"
            r"|i (?:already |just )?(?:said|told you|mentioned)|i(?:'ve| have) (?:already )?(?:said|told you|mentioned))"
            r"(?: before| already| earlier| last (?:time|week|month)| the other day| above)?,? (?:that )?(?=(?:I|we|my"
            r"|our|the)\b)"
        ),
        "",
    ),
    (r"(?i)^(?:again|reminder|as before|as always|as ever|still)[,:] (?=\w)", ""),
    (r"\bat least (?=he |she |we |I |they )", ""),
    (r"(?:,? though)?, (?:so|hence) (?:no|not|never)\b[^,]*$", ""),
    (
        (
            r"(?:[\s,]+(?:lol|lmao|haha+|hehe+|btw|tbh|imo|tho|though|by the way|believe it or not|ngl|too|as well"
            r"|you know"
            r"|in fact|actually|xd|right|bye|cheers|anyway|eh))+$"
        ),
        "",
    ),
)
"""What a speaker says beside the matter."""

_TRAILING_ASIDE = re.compile(_ASIDES[-1][0])

_ASKED = (
    "remind|help|give|tell|write|find|show|make|keep|expect|be|do not|don't|stop|send|suggest|let|check|draft|add|note|put"
    "|use"
)

_TO_THE_ASSISTANT = re.compile(
    rf"(?:,|\s-)? (?:so|and|then|but) (?:please |pls |just |maybe )?(?:{_ASKED})\b.*$"
    rf"|,? (?:please|pls|plz)(?:$|,? (?:{_ASKED})\b.*$)|,? (?:remind|help|give|tell|show|send) me\b.*$"
    r"|,?(?: and| so| but)? (?:can|could|would|will|do|did) you\b.*$"
    r"|,? (?:so|and|but|if|as|because|when|unless|in case|since|or) you(?:r|'re)?\b.*$|,? you (?:were|are|know"
    r"|see)\b.*$"
    r"|,? if (?:that|it) (?:matters|helps|counts|makes)\b.*$|,? (?:so )?(?:any ideas|what|how|why|who"
    r"|thoughts)\b[^,]*\?$"
    r"|, (?:thank god|thank goodness|worse luck|mind|naturally|obviously|sadly|unfortunately|luckily|believe me"
    r"|trust me|of course)$",
    re.IGNORECASE,
)
"""What the end of a statement asks of the assistant, or says to it only."""

_KIN_ALONE = "mum|mom|dad|mother|father|grandma|grandpa|granny|nan|hubby|boss|landlord|landlady|wife|husband|baby"

_REWRITES: tuple[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]], ...] = tuple(
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        (
            (
                r"^(?:[Yy]ou can |[Pp]lease |[Jj]ust |[Ee]veryone |[Pp]eople |(?:[Mm]y |[Mm]ost )?friends |"
                rf"[Tt]hey )*[Cc]alls? me (?P<n>{_CALLED})(?= ?$|,)"
            ),
            r"my name is \g<n>",
        ),
        (
            (
                r",? but (?:everyone|everybody|people|(?:my |most )?friends|they)(?: (?:just|all|always))?"
                r" calls? me (?P<n>[A-Z]\w+)$"
            ),
            r", my name is \g<n>",
        ),
        (rf"^(?P<n>{_NAME}) (?:on paper|officially|in full)\b", r"my name is \g<n>"),
        (
            (
                rf"^[Ii]t is (?P<x>(?:my|our|{_NAME}'s)(?: [\w']+){{0,3}}? (?:birthday|anniversary|graduation|wedding"
                rf"|funeral))"
                r" (?=on |tomorrow|next |this |in |today)"
            ),
            r"\g<x> is ",
        ),
        (r"^[Tt]he name is (?=\w+$)", "my name is "),
        (
            r"^[Ww]e are a (?:small |little )?(?P<k>team|group|firm|company|band|family) of (?P<n>\w+)$",
            r"our \g<k> is \g<n> people strong",
        ),
        (
            r"(?P<a>\bused to live in [^,]+?),? (?:but|and) (?:now I am|I am now) (?:based )?(?=in [A-Z])",
            r"\g<a>, but I live ",
        ),
        (r"^(?:[Yy]ou can |[Pp]lease )?(?:[Rr]each|[Ee]mail|[Cc]ontact) me at (?P<a>\S+@\S+)$", r"my email is \g<a>"),
        (rf"^I am (?P<n>{_NAME}),? (?P<a>\d{{1,3}}),?(?: and)? from (?=\w)", r"I am \g<n>, I am \g<a>, I am from "),
        (r"^[Hh]ad (?=(?:an?|the|my|our) )", "I had "),
        (
            (
                rf"^(?P<k>(?i:{_KIN_ALONE}))(?='s [a-z]+ [a-z]+s?\b| (?:is|was|has|had|will|does|did|can|cannot|would"
                rf"|turns|[a-z]+ed|[a-z]{{2,}}s|took|got|left|went|said|told)\b)"
            ),
            lambda m: f"my {m['k'].lower()}",
        ),
        (rf"^I am (?P<n>{_NAME})(?: and I am)? from (?=\w)", r"I am \g<n>, I am from "),
        (rf"^I am (?P<n>{_NAME}),? (?:an? )(?=\w)", r"I am \g<n>, I am a "),
        (rf"^I am (?P<n>{_NAME})(?: and|,) (?=[a-z]+ing |\d\d )", r"I am \g<n>, I am "),
        (
            rf"(?P<o>\b{_OWNER}) (?P<r>(?:\w+ )?(?:{_PERSONAL}))(?:,| -) (?P<n>{_NAME}),? (?=[a-z])",
            r"\g<o> \g<r> \g<n> ",
        ),
        (rf"^(?P<n>{_NAME}), (?P<o>{_OWNER}) (?P<r>(?:\w+ )?(?:{_PERSONAL})), ", r"\g<o> \g<r> \g<n> "),
        (rf"(?P<o>\b{_OWNER}) (?P<r>(?:\w+ )?(?:{_PERSONAL})) (?:called|named) (?P<n>[A-Z]\w+)", r"\g<o> \g<r> \g<n>"),
        (rf"^(?P<s>{_OWNER} [\w ]+?|{_NAME}),? who (?P<a>[^,]+), (?P<b>.+)$", r"\g<s> \g<a> and \g<b>"),
        (rf"^(?P<a>.*\b{_OWNER} (?:{_PERSONAL}) (?P<n>[A-Z]\w+)),? who (?P<b>.+)$", r"\g<a>, and \g<n> \g<b>"),
        (r"^(?:[Ii]n my (?:humble )?opinion|[Ii][Mm][Hh]?[Oo]),? ", "I believe that "),
        (r"^(?:[Tt]o me|[Pp]ersonally),? (?=\w)", ""),
        (r"^I am (?P<r>an? [\w ]{3,40}?) from (?P<p>\w+(?: [A-Z]\w+)?)$", r"I am \g<r>, I am from \g<p>"),
        (
            r"^I am (?P<r>an? [\w ]{3,40}?) (?:living|based) in (?P<p>\w+(?: [A-Z]\w+)?)$",
            r"I am \g<r>, I live in \g<p>",
        ),
        *_ASIDES,
        (
            (
                r"^(?P<s>(?:I|[\w' ]{2,30}?) (?:am|is|are)) not (?P<k>(?:\w+ )?(?P<to>to|of|with|in|from|at)) (?P<a>[^,]+?)"
                r"(?:,? (?:but|just|only)(?: just| only)? (?P=to)|, (?:but )?(?:just|only)) (?P<b>(?!I\b|he\b|she\b)[^,]+)$"
            ),
            r"\g<s> not \g<k> \g<a>, \g<s> \g<k> \g<b>",
        ),
        (
            (
                rf"^(?P<s>[Hh]e|[Ss]he|{_NAME}) is (?P<r>an? [\w -]{{3,40}}), "
                rf"(?P<t>(?:{_NAME}'s|{_OWNER}) (?:\w+ )?(?:{_PERSONAL}))$"
            ),
            r"\g<s> is \g<r>, and \g<s> is \g<t>",
        ),
    )
)

_LOWER_NAME_AND_I = re.compile(rf"^(?:{'|'.join(sorted(FIRST_NAMES - {'will', 'may'}))})(?= and I\b)")

_LOWER_NAME = re.compile(
    rf"(?P<whose>\b{_OWNER} (?:{_PERSONAL})) (?P<name>{'|'.join(sorted(FIRST_NAMES - {'will', 'may', 'rob', 'sue', 'mark'}))})\b"
)

_SET_BEFORE = re.compile(
    rf"^(?P<name>{CAPITAL}[\w&'-]+(?: (?:{CAPITAL}[\w&'-]+|of|and|&)){{0,4}}), "
    r"(?P<who>he|she|they|it) (?P<verb>[a-z]+)\b"
)


def plainer(text: str) -> str:
    """The sentence in plain words, contractions already written out."""
    text = _set_back(text)
    for pattern, replacement in _REWRITES:
        text = pattern.sub(replacement, text)
    text = _LOWER_NAME_AND_I.sub(lambda m: m[0].capitalize(), text)
    return _LOWER_NAME.sub(lambda m: f"{m['whose']} {m['name'].capitalize()}", text)


def without_asides(clause: str) -> str:
    """The clause without the "as well", the "haha" or the request at its end."""
    return _TRAILING_ASIDE.sub("", _TO_THE_ASSISTANT.sub("", clause))


def set_before(sentence: str) -> str | None:
    """The name before its sentence: "Acme" of "Acme, they sell tea"."""
    match = _SET_BEFORE.match(expand(sentence))
    return match["name"] if match else None


def _set_back(text: str) -> str:
    """ "Acme, they sell tea" → "Acme sells tea"."""
    match = _SET_BEFORE.match(text)
    if match is None:
        return text
    verb = third(match["verb"]) if match["who"] == "they" else match["verb"]
    return f"{match['name']} {verb}{text[match.end() :]}"


@dataclass(frozen=True, slots=True)
class Statement:
    """A clause in the third person.

    core: the predicate without its adverbs and negation, for the rules; the negation stands in ``negated``.
    past: whether its time words look back.
    """

    subject: Subject
    predicate: str
    core: str
    negated: bool
    past: bool
    discourse: Discourse

    @property
    def content(self) -> str:
        return f"{self.subject.text} {self.predicate}"


_IS = re.compile(r"^(?:is|was) (?:also )?")
_LEADING_ADVERBS = re.compile(rf"^(?:{_ADVERB} )+(?=\w)")

_NEGATION = re.compile(
    r"^(?:(?:does|do|did) not|(?:is|are|was|were|has|have|will|would|could|should|has been) (?:not"
    r"|never|no longer)|not|never|no longer|cannot)\b ?"
)

_NOT_SO = re.compile(
    rf"^(?:(?:is|are|was|were|has|have|had|will) )?(?:{_ADVERB} )*?"
    r"(?:no longer|never|not|almost|nearly|hardly|barely|scarcely|rarely|seldom|(?<=is )no|(?<=are )no|(?<=was )no)\b"
)

_DID = re.compile(rf"^(?:{_ADVERB} )*did\b")
_AUXILIARY = re.compile(r"^(?:is|are|was|were|has|have|will|would|could|should)\b")
_AFTER_AUXILIARY = re.compile(rf"^(is|are|was|were|has been|have been|has|have|had|will) (?:{_ADVERB} )+(?=\w)")
_YOU = re.compile(r"\b(?:you|your|yours|yourself|u|ur)\b", re.IGNORECASE)

_THIRD_PERSON = re.compile(
    r"\bhim\b|\bher\b(?= ?$|[,.]| (?:in|at|on|for|to|with|and|a|the|every|last|yesterday|when)\b)"
    r"|\b(?P<owner>his|her)\b(?= \w)"
)

_CONTACT_THERE = re.compile(
    r"^(?P<who>[\w ]+'s (?:\w+ )?(?:contact|boss|manager|colleague|friend|client|lead)) there (?=is\b|was\b)"
)

_ITS_VERSION = re.compile(r"\b(?:version|draft|release|prototype|beta)\b(?! of\b)")
_MOST_WORDS_OF_SUBJECT = 7
_ROLE_WORD = KINSHIP | ACQUAINTANCES | PETS


def read_statement(clause: str, discourse: Discourse, gazetteer: Gazetteer, *, dated: bool = False) -> Statement | None:
    """The clause as a statement, None where its subject is nobody that can be named or its words address the assistant."""
    text = _addressee(to_third_person(clause, discourse.me, discourse.firm, dated=dated), discourse)
    if text is None:
        return None
    gazetteer = _with_firm(gazetteer, discourse.firm)
    read = _subject_and_rest(text, discourse, gazetteer)
    if read is None:
        return None
    subject, predicate = read
    if re.match(r"[Ww]e\b", clause) and subject.sort is Sort.SELF:
        subject = Subject(subject.text, Sort.GROUP, subject.name)
    predicate = _pronouns(predicate.strip(), subject, discourse)
    subject = _told_apart(subject, predicate, discourse)
    return make_statement(subject, predicate, discourse) if predicate else None


def _with_firm(gazetteer: Gazetteer, firm: str | None) -> Gazetteer:
    """The firm may have been named in this very sentence."""
    if firm is None or firm.casefold() in gazetteer.types:
        return gazetteer
    return Gazetteer((*gazetteer.entities, KnownEntity(firm, EntityType.ORG)))


def make_statement(subject: Subject, predicate: str, discourse: Discourse) -> Statement:
    """A statement from its two halves."""
    core, negated = _core(predicate)
    past = looks_back(core) or _DID.match(predicate) is not None
    return Statement(subject, predicate, core, negated, past, discourse)


def _addressee(text: str, discourse: Discourse) -> str | None:
    """Between two people "you" is the other one; said to an assistant, the sentence is none about the user."""
    if not _YOU.search(text):
        return text
    if discourse.you is None or re.match(r"^(?:you|your)\b", text, re.IGNORECASE):
        return None
    return addressed(re.sub(rf",? {re.escape(discourse.you)}$", "", text), discourse.you)


def _core(predicate: str) -> tuple[str, bool]:
    core = _LEADING_ADVERBS.sub("", predicate)
    negated = _NOT_SO.match(predicate) is not None
    match = _NEGATION.match(core)
    if match:
        auxiliary = _AUXILIARY.match(match[0])
        core = f"{auxiliary[0]} {core[match.end() :]}" if auxiliary else core[match.end() :]
        negated = True
    core = _AFTER_AUXILIARY.sub(r"\1 ", core)
    return _LEADING_ADVERBS.sub("", core), negated


def _subject_and_rest(text: str, discourse: Discourse, gazetteer: Gazetteer) -> tuple[Subject, str] | None:
    me = discourse.me
    if text.startswith(f"{me} "):
        rest = text[len(me) + 1 :]
        return _group(text) if rest.startswith("and ") else (Subject(me, Sort.SELF, me), rest)
    pronoun = re.match(r"^(?:[Hh]e|[Ss]he|[Ii]t|[Tt]hey) (?=\w)", text)
    if pronoun:
        return _meant(pronoun[0].strip().lower(), text[pronoun.end() :], discourse)
    there = re.match(r"^[Tt]here (?=(?:is|are|was|were|will be) (?!no\b|nothing\b|something\b|someone\b))", text)
    if there:
        return Subject("There", Sort.THING, noun="there", bare=True), text[there.end() :]
    return noun_subject(_possessives(text, discourse), gazetteer)


def _meant(pronoun: str, predicate: str, discourse: Discourse) -> tuple[Subject, str] | None:
    """Whom a pronoun means: a person for "he", a thing for "it", a firm for "they", whose verb is then bent."""
    if pronoun in {"he", "she"}:
        person = discourse.meant_by(pronoun)
        subject = person.subject if person else _unplaced(discourse.thing)
        return (subject, predicate) if subject else None
    thing = discourse.thing
    if thing is None or (pronoun == "they" and thing.entity_type is not EntityType.ORG):
        return None
    verb, space, rest = predicate.partition(" ")
    return thing, f"{third(verb) if pronoun == 'they' else verb}{space}{rest}"


def _unplaced(thing: Subject | None) -> Subject | None:
    """A name of which nothing was known turns out to be somebody's when "she" follows."""
    if thing is None or thing.name is None or thing.entity_type is not EntityType.CONCEPT or " " in thing.name:
        return None
    return Subject(thing.name, Sort.PERSON, thing.name, EntityType.PERSON)


def _group(text: str) -> tuple[Subject, str] | None:
    words = text.split()
    at = next((i for i, word in enumerate(words[:_MOST_WORDS_OF_SUBJECT]) if i > 2 and _may_be_verb(word)), None)
    if at is None:
        return None
    return Subject(" ".join(words[:at]), Sort.GROUP, words[0]), " ".join(words[at:])


def _may_be_verb(word: str) -> bool:
    return is_finite(word) or (word.islower() and not word.endswith("'s") and word not in _ROLE_WORD and word != "and")


def _possessives(text: str, discourse: Discourse) -> str:
    """Whose the subject is: "His birthday" is Peter's, "the contact there" the one at the firm named last."""
    whose = re.match(r"^(?P<pronoun>[Hh]is|[Hh]er) (?=\w)", text)
    person = discourse.meant_by(whose["pronoun"]) if whose else None
    if whose and person:
        text = f"{possessive(_short(person.subject))} {text[whose.end() :]}"
    if discourse.thing is not None:
        text = re.sub(r"^[Ii]ts (?=\w)", f"{possessive(_short(discourse.thing))} ", text)
    if discourse.org is not None:
        text = re.sub(r"^[Tt]heir (?=\w)", f"{possessive(discourse.org)} ", text)
        text = _CONTACT_THERE.sub(rf"\g<who> at {discourse.org} ", text)
    return text


def _told_apart(subject: Subject, predicate: str, discourse: Discourse) -> Subject:
    """A person of whom an earlier message said whose brother he is goes by that, since his name may have two bearers."""
    if subject.sort is not Sort.PERSON or subject.name is None or subject.owner or subject.text != subject.name:
        return subject
    person = discourse.called(subject.name)
    if person is None or person.fresh or person.epithet is None or person.epithet in predicate:
        return subject
    if bears_another_tie(person, _IS.sub("", predicate)):
        return subject  # "Anna is User's daughter", where User's mother is an Anna too
    return replace(subject, text=f"{person.epithet} {subject.name}")


def _pronouns(predicate: str, subject: Subject, discourse: Discourse) -> str:
    """Him, her, his and it in a predicate, where somebody else than the subject was spoken of."""
    if subject.sort in {Sort.SELF, Sort.GROUP, Sort.THING}:
        predicate = _THIRD_PERSON.sub(lambda m: _other_person(m, predicate, discourse), predicate)
    elif (gender := gender_of(subject.name, subject.noun)) is not None:
        predicate = _THIRD_PERSON.sub(
            lambda m: m[0] if PRONOUNS[m[0]] is gender else _other_person(m, predicate, discourse), predicate
        )
    if discourse.thing is not None and subject != discourse.thing and subject.sort is not Sort.NAMED:
        thing = _short(discourse.thing)
        predicate = re.sub(r"\bit\b(?! (?:is|was|to|that)\b)", lambda _: thing, predicate)
        if discourse.thing.entity_type is EntityType.PROJECT:
            predicate = _ITS_VERSION.sub(lambda m: f"{m[0]} of {thing}", predicate, count=1)
    if discourse.org is not None:
        owner = possessive(discourse.org)
        predicate = re.sub(r"^(is|was|became) their (?=\w)", lambda m: f"{m[1]} {owner} ", predicate)
    return predicate


def _other_person(match: re.Match[str], predicate: str, discourse: Discourse) -> str:
    """Whom the pronoun means; it stays where the words before it name somebody: "my sister and her husband"."""
    before = re.findall(r"[\w-]+", predicate[: match.start()])
    person = discourse.meant_by(match[0])
    if person is None or any(word.lower() in KINSHIP | FIRST_NAMES for word in before):
        return match[0]
    return possessive(_apart(person, discourse.me)) if match["owner"] else _apart(person, discourse.me)


def _apart(person: Person, me: str) -> str:
    """His name, with what he is to the speaker where an earlier message said so."""
    name = _short(person.subject)
    tie = person.tie or ""
    apart = not person.fresh and tie.startswith(possessive(me)) and tie not in name
    return f"{tie} {name}" if apart else name


def _short(subject: Subject) -> str:
    return subject.name or subject.text


_VAGUE_SUBJECTS = frozenset(
    "this that these those there it here what who which something everything nothing someone everyone one".split()
)

_SUBJECT_PREPOSITIONS = frozenset("to in at from of for with on about by near".split())
_NAME_FIRST = re.compile(rf"^(?P<name>{RUN})")

_OF_A_NAME = re.compile(
    r"(?:is|was|has been|became) (?:also )?(?:one of |the |an? )?(?:User|[A-ZÀ-Þ]\w+|[a-z]+ "
    r"(?:company|firm|agency|startup|client|supplier|tool|town|city)\b"
    r"|an? (?:[a-z]+ )?(?:company|firm|agency|startup|client|supplier|tool|town|city|village|"
    r"person|man|woman|guy|girl)\b|based|located|owned|run by|called|short for|\d)"
    r"|(?:lives|works|runs|manages|leads|handles|joined|moved|said|told|teaches|studies|founded|"
    r"married|hired|wrote|stands for|belongs|owns|prefers|likes|loves|hates|turned|writes|edits)\b"
)

_ADVERBS_LAST = re.compile(rf"(?: {_ADVERB})+$")
_TITLE = re.compile(r"^(?:Mr|Mrs|Ms|Dr|Prof)\.? (?=[A-ZÀ-Þ])")


def noun_subject(text: str, gazetteer: Gazetteer) -> tuple[Subject, str] | None:
    """The subject and the predicate, None where the subject is nobody that can be named."""
    words = text.split()
    if not words or words[0].lower() in _VAGUE_SUBJECTS:
        return None
    pattern = gazetteer.pattern_for(text)
    known = pattern.match(text) if pattern else None
    first = len(known[0].split()) if known and text[known.end() : known.end() + 1] == " " else 1
    at = next(
        (
            i
            for i, w in enumerate(words[: _MOST_WORDS_OF_SUBJECT + 1])
            if i >= first and is_verb_after(words[i - 1], w.rstrip(","))
        ),
        None,
    )
    if at is None:
        return None
    head, adverbs = _without_adverbs(" ".join(words[:at]).rstrip(","))
    predicate = " ".join([*adverbs, *words[at:]])
    if not head.strip(" ,"):
        return None  # "😂, said my boss": what opened the sentence is no word
    subject = (
        _owned(head, gazetteer)
        or _named(head, predicate, gazetteer, known is not None)
        or _plain(head)
        or bare_subject(head)
    )
    return (subject, predicate) if subject else None


def _without_adverbs(head: str) -> tuple[str, list[str]]:
    """The words before a verb without the adverbs among them, which are its own: "no longer", "never", "probably"."""
    adverbs = _ADVERBS_LAST.search(head)
    return (head[: adverbs.start()], adverbs[0].split()) if adverbs else (head, [])


def _owned(head: str, gazetteer: Gazetteer) -> Subject | None:
    match = re.match(r"^(?P<owner>[^']{1,60})'s (?P<noun>[\w'. -]+)$", head)
    if match is None:
        return None
    owner, rest = match["owner"], match["noun"].split()
    if owner.split()[0].lower() in NOT_NAMES - {"user", "the"}:
        return None
    at = next((i for i, w in enumerate(rest) if i and w[0].isupper() and w.lower() not in NOT_NAMES), None)
    lower_name = len(rest) == 2 and rest[0] in _ROLE_WORD and rest[1].lower() in FIRST_NAMES
    at = 1 if at is None and lower_name else at
    noun = " ".join(rest[:at])
    role = singular(noun.split()[-1].lower()) if noun else ""
    if at is not None and rest[at - 1] in _SUBJECT_PREPOSITIONS:
        return Subject(head, Sort.THING, None, EntityType.CONCEPT, " ".join(rest), owner)
    called = titled(" ".join(rest[at:])) if at is not None else None
    text = f"{owner}'s {noun} {called}" if called else head
    name = _TITLE.sub("", called) if called else None
    if name and " and " in name:
        return Subject(head, Sort.GROUP)
    if role not in _ROLE_WORD and not name:
        return Subject(text, Sort.THING, None, EntityType.CONCEPT, noun, owner)
    entity_type = EntityType.PERSON if role in _ROLE_WORD else guess_type(name or "", f"{noun} ", "", gazetteer)
    return Subject(text, _sort(entity_type), name, entity_type, noun, owner)


def _named(head: str, predicate: str, gazetteer: Gazetteer, is_known: bool) -> Subject | None:
    bare = re.sub(r"^[Tt]he (?=[A-ZÀ-Þ])", "", head)
    pair = re.match(r"^(?P<one>[A-ZÀ-Þ]\w+) and (?P<other>[A-ZÀ-Þ]\w+)$", bare)
    both = {pair["one"].lower(), pair["other"].lower()} if pair else set()
    if both and (both <= FIRST_NAMES or (both & FIRST_NAMES and not both & NOT_NAMES)):
        return Subject(bare, Sort.GROUP)
    more = _told_by_more(head, bare)
    if more:
        return more
    spoken, bare = bare, _TITLE.sub("", bare)
    match = _NAME_FIRST.match(bare)
    lowered = bare.split()[0].lower()
    if not is_known and (match is None or match[0] != bare or lowered in NOT_NAMES or bare.endswith("'s")):
        return None
    if not is_known and spoken == bare and not _bears_name(bare, predicate):
        return None
    name = gazetteer.spellings.get(bare.casefold(), bare)
    if spoken != bare:
        return Subject(spoken, Sort.PERSON, name, EntityType.PERSON)
    entity_type = guess_type(name, "", f" {predicate}", gazetteer)
    return Subject(name, _sort(entity_type), name, entity_type)


def _sort(entity_type: EntityType) -> Sort:
    return Sort.PERSON if entity_type is EntityType.PERSON else Sort.NAMED


def _told_by_more(head: str, bare: str) -> Subject | None:
    """A first name with what tells its bearer from others: "the other Peter", "Peter from accounting"."""
    other = re.match(rf"^[Tt]he [a-z]+ (?P<name>{RUN})$", head)
    if other and other["name"].split()[0].lower() in FIRST_NAMES:
        return Subject(head, Sort.PERSON, other["name"], EntityType.PERSON)
    placed = re.match(rf"^(?P<name>{RUN}) (?P<where>(?:from|in|at) [\w' ]+)$", bare)
    if placed and placed["name"].split()[0].lower() in FIRST_NAMES:
        return Subject(bare, Sort.PERSON, placed["name"], EntityType.PERSON, placed["where"])
    return None


def _bears_name(head: str, predicate: str) -> bool:
    """At the start of a sentence any word has a capital: "Music brings joy" is about nobody."""
    words = head.split()
    if words[0].lower() in FIRST_NAMES or (head.isupper() and len(head) > 2):
        return True
    if len(words) > 1:
        return all(word[0].isupper() or word in {"of", "de", "van", "von", "the"} for word in words)
    return _OF_A_NAME.match(predicate) is not None or is_given_name(words[0], predicate)


def _plain(head: str) -> Subject | None:
    """ "The team meeting": nobody's, and worth reading for schedules and firms only."""
    match = re.match(r"^(?:[Tt]he|[Tt]his) ([a-z][\w -]{1,40})$", head)
    return Subject(f"The {match[1]}", Sort.THING, None, EntityType.CONCEPT, match[1]) if match else None


THIN = ADVERBS | frozenset(
    """
    it that this them those these so too to the a an and of in on at for with up down out off over back there here me
    him her us all one some any much lot bit well good great nice things thing stuff something anything everything
    nothing way time as by about into from be is was were been again soon today awesome others ton loads plenty few
    point sense
    """.split()
)
"""Words that say nothing when they stand alone after a verb."""

_EVALUATIVE_WORDS = """
    so really very such pretty quite super too absolutely totally more_than as always just not still all here there up
    down off on_it on_my on_the in_mood in_middle in_love in_the_mood in_the_middle at_the_moment at_a_loss ready
    happy glad sad sorry sure fine good ok okay great tired back busy excited grateful thankful proud lucky curious
    nervous stressed amazing awesome incredible important hard tough fun beautiful lovely cute wonderful fantastic
    perfect nice cool thrilled stoked swamped blessed inspired impressed amazed surprised honoured honored pumped
    bored hungry free able open confident hopeful looking a_bit a_little kind_of sort_of what how why worth like about
    supposed wrong right true crazy weird strange funny done gone better best worse ill sick cold hot awful terrible
    bad lost stuck confused alive alone late early certain aware speechless overwhelmed adorable delicious special
    slow loud noisy asleep angry annoying dirty messy late crying
    essential powerful emotional exhausted sore numb useless wrecked scary scared game determined focused
    committed amused relieved worried
    upset key strong safe close far near interesting exciting getting being one_of_a_kind one_of_the_best only
    """.split()

_EVALUATIVE_NOUNS = """
    good great big real true beautiful wonderful special fun nice lot little bit huge sign reminder blast mess
    pleasure shame joy lovely way joke best worst same only most amazing awesome total
    complete must angel mystery puddle legend hero gem saint monster disaster star idiot genius
    bell zombie wreck treat relief bummer drag bore
    """.split()

EVALUATIVE = re.compile(
    rf"^(?:{'|'.join(word.replace('_', ' ') for word in _EVALUATIVE_WORDS)}|(?:a|an|the) (?:{'|'.join(_EVALUATIVE_NOUNS)}))\b",
    re.IGNORECASE,
)
"""What somebody is for the moment, or finds something to be."""
