"""English verbs: forms, contractions, and whether words look back or forward."""

import re
from collections.abc import Sequence

from mosshead.language.dates.spans import MONTH, WEEKDAY

ADVERBS = frozenset(
    """
    really just also always usually often never still currently recently now actually only even already finally probably
    almost definitely absolutely truly sometimes mostly mainly generally personally kinda hardly rarely officially originally
    eventually previously then once ever soon honestly literally basically totally completely normally typically occasionally
    regularly secretly first strongly deeply greatly particularly especially both all too very so
    """.split()
)

ADVERB = (
    rf"(?:{'|'.join(sorted(ADVERBS))}|kind of|sort of|no longer|a (?:bit|little)|much(?= prefer)"
    r"|(?!(?:app|rep|supp|re|multip|fami|On|on)ly\b)[a-z]{2,}ly)"
)
"""A pattern of one adverb."""

_STATES = frozenset(
    "born broken done frozen given hidden known lost made meant set stuck told torn was were worn".split()
)
"""After "he's", these describe a state rather than an action."""

_HOW_ONE_IS = (
    r"(?:called|named|nicknamed|christened|married|engaged|divorced|widowed|retired|tired|scared|worried|excited|interested|based"
    r"|supposed|used|allowed|obsessed|bored|stressed|qualified|employed|closed|located|diagnosed|red|bed)\b"
)
"""After "he's", these describe a state too, though they derive from verbs."""

PAST_FORMS = {
    past: base
    for base, pasts in (
        entry.split(":")
        for entry in """
    become:became begin:began,begun break:broke,broken bring:brought build:built buy:bought catch:caught
    choose:chose,chosen come:came do:did,done draw:drew,drawn drink:drank,drunk drive:drove,driven eat:ate,eaten
    fall:fell,fallen feed:fed feel:felt fight:fought find:found fly:flew,flown forget:forgot,forgotten get:got,gotten
    give:gave,given go:went,gone grow:grew,grown have:had hear:heard hold:held keep:kept know:knew,known lead:led
    learn:learnt leave:left lend:lent lose:lost make:made meet:met pay:paid ride:rode,ridden run:ran say:said
    see:saw,seen sell:sold send:sent shine:shone show:shown sing:sang,sung sit:sat sleep:slept speak:spoke,spoken
    spend:spent stand:stood swim:swam,swum take:took,taken teach:taught tell:told think:thought understand:understood
    wake:woke,woken wear:wore,worn win:won write:wrote,written mean:meant deal:dealt dream:dreamt bend:bent lay:laid
    hide:hid,hidden shoot:shot steal:stole,stolen bite:bit,bitten throw:threw,thrown blow:blew,blown rise:rose,risen
    ring:rang sink:sank freeze:froze,frozen tear:tore,torn shake:shook,shaken swear:swore,sworn sweep:swept dig:dug
    hang:hung stick:stuck strike:struck swing:swung burn:burnt be:was,were,been
    """.split()
    )
    for past in pasts.split(",")
}

_PARTICIPLES = "|".join(sorted(PAST_FORMS.keys() - _STATES))

_DONE = (
    r"(?:(?:just |recently |already )?(?:bought|taken|become|gone|left|moved|written|found|sold|come|joined|started))"
)

_ONE = "he|she|that|there|this|who"

_CONTRACTIONS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        (r"\bi(?=(?:'(?:m|ve|d|ll|s))?(?:[\s,]|$))", "I"),
        (r"\b[Ii]m(?= )", "I am"),
        (r"\b[Ii]ve(?= )", "I have"),
        (r"\b((?i:do|did|does|have|has|had|is|was|are|were|could|would|should))n'?t\b", r"\1 not"),
        (r"\b([Cc]an)'?t\b(?! of)", r"\1not"),
        (r"\b([Cc]an) not\b", r"\1not"),
        (r"\b[Ww]on't\b", "will not"),
        (r"\b[Ww]ont (?=be|go|do|have)", "will not "),
        (r"\b([Aa])in't\b", r"\1m not"),
        (r"\bI'?m\b", "I am"),
        (r"\b((?i:you|we|they))'re\b", r"\1 are"),
        (r"\b((?i:i|you|we|they))'ve\b", r"\1 have"),
        (r"(?<=\w)'ll\b", " will"),
        (r"\b((?i:i|he|she|we|they|you))'d (?=(?:better|been|had|\w+ed)\b)", r"\1 had "),
        (r"\b((?i:i|he|she|we|they|you|it))'d\b", r"\1 would"),
        (rf"\b((?i:{_ONE}))'s (?=(?:been|got|had|(?:just |(?!{_HOW_ONE_IS}))\w+ed)\b)", r"\1 has "),
        (r"\b([Ii]t)'s (?=(?:been|got|had)\b)", r"\1 has "),
        (rf"\b((?i:he|she|who))'s (?=(?:{ADVERB} )?(?:{_PARTICIPLES})\b)", r"\1 has "),
        (rf"(?<=[a-z])'s (?={_DONE} )", " has "),
        (rf"\b((?i:{_ONE}|it|what|name|here))'s\b", r"\1 is"),
        (
            (
                r"(?<=\w)'s (?=(?:a|an|my|our|one of|been|going|not|called|from|also|now|moving|working|living"
                r"|getting|still|coming|acting|staying|visiting|leaving|taking|starting|turning|having|doing|due|off"
                r"|out|back|away) )"
                r"|(?<=\w)'s (?=(?:pregnant|ill|sick|dead|tight|ready|broken|allergic|vegan|vegetarian|fine|pending"
                r"|asleep)\b)"
            ),
            " is ",
        ),
        (r"\b[Gg]onna\b", "going to"),
        (r"\b[Ww]anna\b", "want to"),
        (r"\b[Gg]otta\b", "have to"),
        (r"\b(have|has) got (?!to\b)", r"\1 "),
        (r"\b(?:'cause|cuz|coz|cos)\b", "because"),
        (r"\b[Tt]hx\b", "thanks"),
        (r"\b[Ff]av(?:e|s)?\b", "favourite"),
    )
)

_DOUBLING = frozenset("admit begin commit control forget prefer refer reset submit transfer unplug".split())
"""Longer verbs that double their last letter before -ing."""

_PLURALS = {"are": "is", "were": "was", "am": "is", "have": "has", "do": "does"}


def expand(text: str) -> str:
    """Expand contractions and chat spellings: "i'm", "dont", "gonna"."""
    for pattern, replacement in _CONTRACTIONS:
        text = pattern.sub(replacement, text)
    return text


def base_of(word: str) -> str | None:
    """Return the base form of a finite verb; None if the verb is unknown."""
    word = word.lower()
    if word in VERBS:
        return word
    if word in PAST_FORMS:
        return PAST_FORMS[word]
    candidates = [word[:-1], word[:-2], word[:-3] + "y"] if word.endswith("s") else []
    if word.endswith("ed"):
        candidates += [word[:-1], word[:-2], word[:-3] + "y", word[:-3]]
    return next((c for c in candidates if c in VERBS), None)


def is_past(word: str, *, dated: bool = False) -> bool:
    """Whether a form is past; if a verb has one form for both, such as "hit", only in a dated sentence."""
    word = word.lower()
    if word in PAST_FORMS or (word in UNCHANGED_PAST and dated) or word in {"quit", "had", "hurt"}:
        return True
    return word.endswith("ed") and word not in ED_IN_PRESENT


def is_finite(word: str) -> bool:
    """Whether a word can be the verb of a third-person subject."""
    word = word.lower()
    if word in AUXILIARIES or is_past(word):
        return word != "been"
    return word.endswith("s") and base_of(word) is not None and word not in VERBS


def is_verb_after(noun: str, word: str) -> bool:
    """Whether a word is the verb of the noun before it: "my parents live", "my brother lives"."""
    plural = noun.islower() and noun.endswith("s") and not noun.endswith(("'s", "ss", "us", "is"))
    return is_finite(word) or (word in VERBS and (plural or noun in {"children", "people", "folks"}))


def third(verb: str) -> str:
    """Return a verb's form after "User": "like" → "likes", "went" → "went"."""
    low = verb.lower()
    if low in _PLURALS:
        return _PLURALS[low]
    if low in MODALS or is_past(low) or low in AUXILIARIES:
        return verb
    if low.endswith("y") and low[-2:-1] not in set("aeiou"):
        return verb[:-1] + "ies"
    if low.endswith(("s", "x", "z", "ch", "sh", "o")):
        return verb + "es"
    return verb + "s"


def gerund(verb: str) -> str:
    """Return the gerund: "check" → "checking", "write" → "writing", "run" → "running"."""
    if verb.endswith("ie"):
        return verb[:-2] + "ying"
    if verb.endswith("e") and not verb.endswith(("ee", "oe", "ye")) and verb != "be":
        return verb[:-1] + "ing"
    if re.fullmatch(r"[^aeiou]*[aeiou][^aeiouwxy]", verb) or verb in _DOUBLING:
        return verb + verb[-1] + "ing"
    return verb + "ing"


VERBS = frozenset(
    """
    expire present accept achieve add adopt adore agree aim apply appreciate arrange arrive ask assist attend avoid bake be
    become begin bike blog book borrow break bring build buy call camp cancel care carry catch celebrate change chat check
    choose clean climb close coach code collect come compete complete contact cook create cycle dance decide deploy design
    detest develop dislike discover discuss do donate draw drink drive drop earn eat edit employ encourage end enjoy enrol
    enroll escape exercise expect experience explore face fail fall fear feed feel fight find finish fish fix fly focus follow
    forget found freelance garden get give go graduate grow handle happen hate have head help hike hire hold hope host hunt
    improve inherit install invest invite jog join keep kayak knit know launch lead learn leave lend like listen live look
    lose love maintain make manage marry meditate meet mentor miss moderate move need notice open order organise organize own
    pack paint pass pay perform photograph pick plan plant play practice practise prefer prepare produce program promote
    publish purchase put quit raise reach read receive recommend record recover reduce refuse relax release relocate remain
    rent repair report research reside restore retire return review ride run sail save say scale schedule see sell send serve
    set share ship shop show sign sing sit skate ski skip sleep smoke speak specialise specialize spend sponsor stand start
    stay stop struggle study suffer supply support surf survive swim switch take talk teach tell test think train transfer
    translate travel treat trust try turn type understand use value visit volunteer wait wake walk want watch wear win wish
    work worry write admit bet doubt figure guess hang imagine mean mind promise realise realize remember root score seem
    suppose swear wonder treasure hand swap rotate cost owe weigh insist announce accuse appoint approve assign attach bathe
    belong bounce brew broadcast burn charge chair combine commute confirm contain contribute convert crash cross cure cover
    dedicate delay delegate deliver demolish depend die direct divorce double elect email emigrate enter evict exist export
    extend fax ferry file fill flood fund gather generate guard guide harvest hurt import include increase inject insure issue
    judge juggle kick kill knock land last lay leak lecture license lie list load lock mail mark mix model mow narrate oversee
    panic park phone pitch post pour preach print process protest pull push qualify quote rank rate recruit register reject
    rely remove rename renew renovate replace represent request require rescue resign resit rest ring rise rule sack sand
    separate settle sew shoot shut slip smell snore sort spray squat stack staff store stretch supervise surrender survey
    suspend sweep tackle tend terminate measure act advise affect afford amount answer appear argue attack attract back ban
    bark base beat beg behave bill blame block boil bother brush bump calculate calm carve cast cheat chew claim coat command
    comment communicate compare complain concentrate concern conduct confuse connect consider consist consult control cough
    crack crawl crochet cry curl damage deal debate deny describe deserve destroy detect devote dial differ digest disagree
    disappear disappoint dismiss display doze drag dress drain drown dust embroider emphasise encounter enforce engage ensure
    entertain examine exceed exchange exclude excuse exhibit expand explain explode express fade fast fetch filter fire fit
    fold force form frame frighten fry gain gamble gaze glue govern grab greet grill grind haunt heal heat hop identify ignore
    illustrate impress inform inspect instruct interrupt introduce invent investigate iron itch jump justify label lean lick
    lift limit line link locate lower march match matter melt mend mention miscarry moan mumble nag nap nibble nod number
    nurse obey object observe obtain occupy offer operate oppose outgrow overlook paddle part pat peel permit persuade pin
    pinch pleases polish pop possess postpone praise pray preserve press prevent pretend proceed prohibit pronounce prove
    provide punish puzzle race rain react rebuild recall recite reckon recognise recycle refer reflect regret reign remind
    repeat reply resemble respect respond restrict retrain reveal rinse roast rob rock roll rub ruin rush satisfy scare scold
    scratch scream screw search select shake shave shelter shift shout shovel sip sketch smash smile smooth sneeze snow soak
    solve spare spell spill spoil spot spread squeeze stain stamp stare steer sting stir strengthen strip stroke stumble
    substitute succeed suck suit suspect sustain swallow tap taste tempt thank tick tickle tie time tip tire touch tour tow
    trace trade trap trick trot trouble tug tumble twist unlock unpack wag wander warm warn wave whisper whistle wipe wobble
    wrap wrestle yawn yell transport trim tutor undergo update upgrade vet vote wash waste water weld wire withdraw
    """.split()
)

UNCHANGED_PAST = frozenset({"quit", "hurt", "split", "shut", "hit", "cut", "bet", "cost", "put", "read", "set", "let"})
"""Verbs whose past form equals the base."""

MODALS = frozenset("can could will would shall should must may might cannot".split())

AUXILIARIES = MODALS | frozenset("is are was were am has have had do does did".split())

ED_IN_PRESENT = frozenset(
    "need feed bleed breed speed seed weed heed proceed succeed exceed embed shed wed red bed".split()
)

_FORWARD = re.compile(
    r"^(?:(?:has|have) (?!been|had|\w+ed\b|[a-z]{2,}(?:en|wn)\b|gone|done)|will|shall|is|are|am|wants?|plans?|hopes?"
    r"|intends?|needs?|has to|have to|gets?|cannot wait|expects?|starts?|leaves?|opens?|should|must|would|might|may|can"
    r"|cannot)\b(?! (?:been|born))"
)

_FROM_OF_OLD = re.compile(r"(?:is|are|am) (?:from|called|named)\b")

_ARRANGED = re.compile(
    r"\b(?:booked|scheduled|planned|set|reserved|arranged|moved|pushed(?: back)?|postponed|delayed|rescheduled|invited"
    r"|registered|signed up|due|bumped|switched|bought tickets|got tickets)\b"
    r".*?\b(?:for|to|until|till) (?:the |this |this coming |early |late )?"
    rf"(?:{WEEKDAY}\b|\d{{1,2}}(?:st|nd|rd|th)\b|(?:\d{{1,2}} )?{MONTH}|(?:spring|summer|autumn|winter|christmas)\b)",
    re.IGNORECASE,
)
"""What has been arranged lies in the future."""

_CLAUSE_END = re.compile(
    r"[,;:.!?()]|\s[-–—]+\s|\b(?:and|but|because|so|when|that|which|who|while|although|though|if)\b", re.IGNORECASE
)

_WORD = re.compile(r"[A-Za-z']+")

_NO_VERB_AFTER = frozenset("to a an the my our his her their its this that your of in on at for with".split())

_LEADING = _NO_VERB_AFTER | frozenset("am be been being get gets getting got going having keeping".split())

_ONE_ADVERB = re.compile(rf"^(?:{ADVERB}|not|n't)$", re.IGNORECASE)


def looks_back(predicate: str) -> bool:
    """Whether a predicate, from its verb on, is about the past; with a date, "is", "plans" and "flies" look forward."""
    if not predicate.strip() or _ARRANGED.search(predicate):
        return False
    if _FROM_OF_OLD.match(predicate) or _is_perfect(predicate):
        return True
    return not (_FORWARD.match(predicate) or _is_present(predicate.split(maxsplit=1)[0]))


def tense_at(sentence: str, start: int, end: int) -> bool | None:
    """Whether the clause around a range of a sentence looks back; None if it has no informative verb.

    sentence: as it was said, in the first or third person.
    """
    sentence = sentence.lower() if sentence.isupper() else sentence
    before = expand(sentence[:start]).rstrip()
    clauses = [match.end() for match in _CLAUSE_END.finditer(before)]
    for cut in (clauses[-1] if clauses else 0, 0):
        verbs = _verbs(before[cut:])
        if verbs:
            return looks_back(f"{before[cut:][verbs[-1] :]} {sentence[start:end]}")
    rest = expand(sentence[end:])
    verbs = _verbs(rest)
    return looks_back(rest[verbs[0] :]) if verbs else None


def _is_perfect(predicate: str) -> bool:
    led, *words = predicate.lower().split()
    done = next((word for word in words if not _ONE_ADVERB.match(word)), "")
    return led in {"has", "have"} and is_past(done)


def _is_present(word: str) -> bool:
    low = word.lower()
    if low in UNCHANGED_PAST or is_past(low) or low in AUXILIARIES:
        return False
    return low in VERBS or (low.endswith("s") and base_of(low) in VERBS)


def _verbs(text: str) -> list[int]:
    """Return where the finite verbs begin, each including its auxiliary."""
    words = list(_WORD.finditer(text))
    return [
        word.start() for at, word in enumerate(words) if _is_finite([one.group().lower() for one in words[: at + 1]])
    ]


def _is_finite(words: Sequence[str]) -> bool:
    """Whether the last word is a finite verb and not led by an auxiliary, which would be the verb instead."""
    word, led_by = words[-1], next((one for one in reversed(words[:-1]) if not _ONE_ADVERB.match(one)), "")
    if led_by in AUXILIARIES or led_by in _LEADING:
        return False
    return word in AUXILIARIES or word == "am" or is_past(word) or _is_present(word)
