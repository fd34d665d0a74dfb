"""Words and their forms: contractions written out, verbs bent, first person turned into third."""

import re

from pipeline.offline.lexicon import ADVERBS, AUXILIARIES, ED_IN_PRESENT, MODALS, PAST_FORMS, UNCHANGED_PAST, VERBS

ADVERB = (
    rf"(?:{'|'.join(sorted(ADVERBS))}|kind of|sort of|no longer|a (?:bit|little)|much(?= prefer)"
    r"|(?!(?:app|rep|supp|re|multip|fami|On|on)ly\b)[a-z]{2,}ly)"
)
"""An adverb as a piece of a pattern."""

_STATES = frozenset(
    "born broken done frozen given hidden known lost made meant set stuck told torn was were worn".split()
)
"""After "he's" these tell how he is rather than what he has done."""
_HOW_ONE_IS = (
    r"(?:called|named|married|engaged|divorced|widowed|retired|tired|scared|worried|excited|interested|based"
    r"|supposed|used"
    r"|allowed|obsessed|bored|stressed|qualified|employed|closed|located|diagnosed|red|bed)\b"
)
"""After "he's" these tell how he is too, though verbs make them."""
_PARTICIPLES = "|".join(sorted(PAST_FORMS.keys() - _STATES))
_DONE = (
    r"(?:(?:just |recently |already )?(?:bought|taken|become|gone|left|moved|written|found|sold|come|joined|started))"
)

ONE_OF = "one of "
"""Before a tie that several have: "one of User's writers"."""
_BEHIND_A_NOUN = re.compile(r" (?:at|for|from|in|of|on|who|with)\b")

_CONTRACTIONS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        (r"\bi(?=(?:'(?:m|ve|d|ll|s))?(?:[\s,]|$))", "I"),
        (r"\b[Ii]m(?= )", "I am"),
        (r"\b[Ii]ve(?= )", "I have"),
        (
            (
                r"\b([Dd]o|[Dd]id|[Dd]oes|[Hh]ave|[Hh]as|[Ii]s|[Ww]as|[Aa]re|[Ww]ere|[Cc]ould|[Ww]ould|"
                r"[Ss]hould|[Hh]ad)n'?t\b"
            ),
            r"\1 not",
        ),
        (r"\b([Cc]an)'?t\b(?! of)", r"\1not"),
        (r"\b([Cc]an) not\b", r"\1not"),
        (r"\b[Ww]on't\b", "will not"),
        (r"\b[Ww]ont (?=be|go|do|have)", "will not "),
        (r"\b([Aa])in't\b", r"\1m not"),
        (r"\bI'?m\b", "I am"),
        (r"\b([Yy]ou|[Ww]e|[Tt]hey)'re\b", r"\1 are"),
        (r"\b([Ii]|[Yy]ou|[Ww]e|[Tt]hey)'ve\b", r"\1 have"),
        (r"(?<=\w)'ll\b", " will"),
        (r"\b([Ii]|[Hh]e|[Ss]he|[Ww]e|[Tt]hey|[Yy]ou)'d (?=(?:better|been|had|\w+ed)\b)", r"\1 had "),
        (r"\b([Ii]|[Hh]e|[Ss]he|[Ww]e|[Tt]hey|[Yy]ou|[Ii]t)'d\b", r"\1 would"),
        (
            (
                rf"\b([Hh]e|[Ss]he|[Tt]hat|[Tt]here|[Tt]his|[Ww]ho)'s (?=(?:been|got|had|just \w+ed"
                rf"|(?!{_HOW_ONE_IS})\w+ed)\b)"
            ),
            r"\1 has ",
        ),
        (r"\b([Ii]t)'s (?=(?:been|got|had)\b)", r"\1 has "),
        (rf"\b([Hh]e|[Ss]he|[Ww]ho)'s (?=(?:{ADVERB} )?(?:{_PARTICIPLES})\b)", r"\1 has "),
        (rf"(?<=[a-z])'s (?={_DONE} )", " has "),
        (r"\b([Hh]e|[Ss]he|[Ii]t|[Tt]hat|[Tt]here|[Tt]his|[Ww]ho|[Ww]hat|[Nn]ame|[Hh]ere)'s\b", r"\1 is"),
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

_ADVERB = rf"(?:{ADVERB}|not)"
_MY_X_AND_I = re.compile(r"\b[Mm]y (\w+(?: [A-Z]\w+)?) and I\b|\b[Mm]e and my (\w+(?: [A-Z]\w+)?)\b")
_NAME_AND_I = re.compile(r"\b([A-Z]\w+) and I\b")
_I_VERB = re.compile(rf"\bI((?: {_ADVERB})*) ([a-z][\w-]*)(?= (\S+)|)")
_WE_VERB = re.compile(rf"\b[Ww]e((?: {_ADVERB})*) ([a-z][\w-]*)(?= (\S+)|)")
_YOU_VERB = re.compile(rf"\b[Yy]ou((?: {_ADVERB})*) ([a-z][\w-]*)(?= (\S+)|)")
_DOUBLING = frozenset("admit begin commit control forget prefer refer reset submit transfer unplug".split())
"""Longer verbs that double their last letter before -ing."""
_PLURALS = {"are": "is", "were": "was", "am": "is", "have": "has", "do": "does"}


def expand(text: str) -> str:
    """The text with contractions and chat spellings written out: "i'm", "dont", "gonna"."""
    for pattern, replacement in _CONTRACTIONS:
        text = pattern.sub(replacement, text)
    return text


def base_of(word: str) -> str | None:
    """The base form of a finite verb, None when the word is not known as one."""
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
    """Whether the form is a past one; of a verb with one form for both, "hit", only a dated sentence says so."""
    word = word.lower()
    if word in PAST_FORMS or (word in UNCHANGED_PAST and dated) or word in {"quit", "had", "hurt"}:
        return True
    return word.endswith("ed") and word not in ED_IN_PRESENT


def is_finite(word: str) -> bool:
    """Whether the word can be the verb of a sentence with a subject in the third person."""
    word = word.lower()
    if word in AUXILIARIES or is_past(word):
        return word != "been"
    return word.endswith("s") and base_of(word) is not None and word not in VERBS


def is_verb_after(noun: str, word: str) -> bool:
    """Whether a word is the verb of the noun before it: "my parents live", "my brother lives"."""
    plural = noun.islower() and noun.endswith("s") and not noun.endswith(("'s", "ss", "us", "is"))
    return is_finite(word) or (word in VERBS and (plural or noun in {"children", "people", "folks"}))


def third(verb: str) -> str:
    """The verb as it stands after "User": "like" → "likes", "went" → "went"."""
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
    """ "check" → "checking", "write" → "writing", "run" → "running"."""
    if verb.endswith("ie"):
        return verb[:-2] + "ying"
    if verb.endswith("e") and not verb.endswith(("ee", "oe", "ye")) and verb != "be":
        return verb[:-1] + "ing"
    if re.fullmatch(r"[^aeiou]*[aeiou][^aeiouwxy]", verb) or verb in _DOUBLING:
        return verb + verb[-1] + "ing"
    return verb + "ing"


def singular(noun: str) -> str:
    """ "writers" → "writer", "agencies" → "agency"; a word that is no plural stays."""
    if noun.endswith("ies"):
        return noun[:-3] + "y"
    if noun.endswith(("sses", "ches", "shes", "xes")):
        return noun[:-2]
    return noun[:-1] if noun.endswith("s") and not noun.endswith("ss") else noun


def noun_head(noun: str) -> str:
    """The noun of a longer one, which alone has a number: "best writers at WOBS" → "best writers"."""
    behind = _BEHIND_A_NOUN.search(noun)
    return noun[: behind.start()] if behind else noun


def one_among(nouns: str) -> str:
    """ "writers at WOBS" → "writer at WOBS", "heads of sales" → "head of sales"."""
    head = noun_head(nouns)
    return singular(head) + nouns[len(head) :]


def as_one(tie: str) -> str:
    """A tie as that of one, by its noun alone: "one of User's writers at WOBS" → "User's writer"."""
    owner, tied, nouns = tie.removeprefix(ONE_OF).partition("'s ")
    head = noun_head(nouns.partition(",")[0])
    return f"{owner}{tied}{singular(head) if tie.startswith(ONE_OF) else head}"


def comparable(tie: str, other: str) -> tuple[str, str]:
    """Two ties as they are compared: one of User's oldest friends may be called "User's friend" the next time."""
    if not (tie.startswith(ONE_OF) or other.startswith(ONE_OF)):
        return tie, other
    return _by_last_word(as_one(tie)), _by_last_word(as_one(other))


def _by_last_word(tie: str) -> str:
    owner, tied, noun = tie.partition("'s ")
    return f"{owner}{tied}{' '.join(noun.split()[-1:])}"


def possessive(name: str) -> str:
    return f"{name}'s"


def with_article(noun: str) -> str:
    return f"{'an' if noun[:1].lower() in set('aeiou') else 'a'} {noun}"


def addressed(text: str, name: str) -> str:
    """The clause with its second person replaced by the one who is spoken to."""
    text = _YOU_VERB.sub(
        lambda m: f"{name}{m[1]} {third(m[2]) if base_of(m[2]) or m[2] in AUXILIARIES else m[2]}", text
    )
    text = re.sub(r"\b(?:your|ur)\b", lambda _: possessive(name), text, flags=re.IGNORECASE)
    return re.sub(r"\b(?:you|u|yourself|yours)\b", lambda _: name, text, flags=re.IGNORECASE)


def to_third_person(text: str, me: str, us: str | None, *, dated: bool = False) -> str:
    """The clause with its first person replaced.

    me: what "I" becomes. us: the firm that "we" speaks for, None where it is people, of whom only the speaker is named.
    dated: whether the clause names a time, which settles verbs whose past looks like their present.
    """

    def bend(match: re.Match[str], name: str) -> str:
        adverbs, verb, _ = match.groups()
        as_past = dated and verb in UNCHANGED_PAST
        return f"{name}{adverbs} {verb if as_past else third(verb)}"

    text = _MY_X_AND_I.sub(lambda m: f"{me} and {me}'s {m[1] or m[2]}", text)
    text = _NAME_AND_I.sub(lambda m: f"{me} and {m[1]}", text)
    text = _I_VERB.sub(lambda m: bend(m, me), text)
    owner = us or me
    text = _WE_VERB.sub(lambda m: bend(m, owner), text)
    for pattern, replacement in (
        (r"\b(?:by myself|on my own)\b", "alone"),
        (r"\bI\b", me),
        (r"\b[Mm]e\b(?!-)", me),
        (r"\b[Mm]y\b", possessive(me)),
        (r"\bmine\b", possessive(me)),
        (r"\b(?:myself|ourselves)\b", "themself"),
        (r"\b[Oo]ur\b", possessive(owner)),
        (r"\bours\b", possessive(owner)),
        (r"\b[Ww]e\b", owner),
        (r"\b(?:us|Us)\b", owner),
    ):
        text = re.sub(pattern, lambda _, r=replacement: r, text)  # type: ignore[misc]
    return text
