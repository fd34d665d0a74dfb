"""Find the subject of a clause, by known names, its form and the following words."""

import re

from mosshead.language.verbs import ADVERB, ADVERBS, AUXILIARIES, VERBS, base_of, is_finite, is_verb_after
from mosshead.language.wordlists import (
    ACQUAINTANCES,
    FIRST_NAMES,
    GRAMMAR,
    KINSHIP,
    NATIONALITIES,
    NOT_NAMES,
    ORG_ENDINGS,
    PETS,
    PLACE_ENDINGS,
    ROLES,
)
from mosshead.models.kinds import EntityType
from pipeline.rules_en.grammar import singular
from pipeline.rules_en.names import RUN, Gazetteer, Sort, Subject, guess_type, titled

MOST_WORDS_OF_SUBJECT = 7
TIES = KINSHIP | ACQUAINTANCES | PETS
A_TIE = "|".join(sorted(TIES, key=len, reverse=True))
THIN = ADVERBS | frozenset(
    """
    it that this them those these so too to the a an and of in on at for with up down out off over back there here me him her
    us all one some any much lot bit well good great nice things thing stuff something anything everything nothing way time as
    by about into from be is was were been again soon today others ton plenty few point sense
    """.split()
)
"""Words without content when alone after a verb."""

_EVALUATIVE_WORDS = """
    so really very such pretty quite super too absolutely totally more as always just not still all here there up down off
    on_it in_love in_the_mood in_the_middle ready happy glad sad sorry sure fine good ok okay great tired back busy excited
    grateful proud lucky curious nervous stressed amazing awesome incredible important hard tough fun beautiful lovely perfect
    nice cool thrilled hungry free able open hopeful looking a_bit a_little kind_of sort_of what how why worth like about
    supposed wrong right true crazy weird strange funny done gone better best worse ill sick cold hot awful terrible bad lost
    stuck confused alone late early aware slow noisy asleep annoying crying exhausted sore useless scared scary determined
    worried upset relieved safe close far near interesting exciting getting being one_of_the only
    """.split()

_EVALUATIVE_NOUNS = """
    good great big real true beautiful wonderful special fun nice lot little bit huge blast mess pleasure shame joy lovely way
    joke best worst same only most amazing total must legend hero disaster star genius relief drag angel
    mystery puddle bell bore wreck saint
    """.split()

EVALUATIVE = re.compile(
    rf"^(?:{'|'.join(word.replace('_', ' ') for word in _EVALUATIVE_WORDS)}|(?:a|an|the) (?:{'|'.join(_EVALUATIVE_NOUNS)}))\b",
    re.IGNORECASE,
)
"""Momentary states and evaluations."""

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

_ADVERBS_LAST = re.compile(rf"(?: {ADVERB})+$")
_TITLE = re.compile(r"^(?:Mr|Mrs|Ms|Dr|Prof)\.? (?=[A-ZÀ-Þ])")


def noun_subject(text: str, gazetteer: Gazetteer) -> tuple[Subject, str] | None:
    """Return subject and predicate; None if the subject cannot be named."""
    words = text.split()
    if not words or words[0].lower() in _VAGUE_SUBJECTS:
        return None
    pattern = gazetteer.pattern_for(text)
    known = pattern.match(text) if pattern else None
    first = len(known[0].split()) if known and text[known.end() : known.end() + 1] == " " else 1
    places = range(first, min(len(words), MOST_WORDS_OF_SUBJECT + 1))
    at = next((place for place in places if is_verb_after(words[place - 1], words[place].rstrip(","))), None)
    if at is None:
        return None
    before = " ".join(words[:at]).rstrip(",")
    adverbs = _ADVERBS_LAST.search(before)  # they belong to the verb: "no longer", "never", "probably"
    head = before[: adverbs.start()] if adverbs else before
    predicate = " ".join([*(adverbs[0].split() if adverbs else ()), *words[at:]])
    if not head.strip(" ,"):
        return None  # "😂, said my boss" begins without a word
    subject = _owned(head, gazetteer) or _named(head, predicate, gazetteer, known is not None) or _unnamed(head)
    return (subject, predicate) if subject else None


def _owned(head: str, gazetteer: Gazetteer) -> Subject | None:
    match = re.match(r"^(?P<owner>[^']{1,60})'s (?P<noun>[\w'. -]+)$", head)
    if match is None:
        return None
    owner, rest = match["owner"], match["noun"].split()
    if owner.split()[0].lower() in NOT_NAMES - {"user", "the"}:
        return None
    at = next((i for i, w in enumerate(rest) if i and w[0].isupper() and w.lower() not in NOT_NAMES), None)
    lower_name = len(rest) == 2 and rest[0] in TIES and rest[1].lower() in FIRST_NAMES
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
    if role not in TIES and not name:
        return Subject(text, Sort.THING, None, EntityType.CONCEPT, noun, owner)
    entity_type = EntityType.PERSON if role in TIES else guess_type(name or "", f"{noun} ", "", gazetteer)
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
    no_name = match is None or match[0] != bare or lowered in NOT_NAMES or bare.endswith("'s")
    if not is_known and (no_name or (spoken == bare and not _bears_name(bare, predicate))):
        return None
    name = gazetteer.spellings.get(bare.casefold(), bare)
    if spoken != bare:
        return Subject(spoken, Sort.PERSON, name, EntityType.PERSON)
    entity_type = guess_type(name, "", f" {predicate}", gazetteer)
    return Subject(name, _sort(entity_type), name, entity_type)


def _sort(entity_type: EntityType) -> Sort:
    return Sort.PERSON if entity_type is EntityType.PERSON else Sort.NAMED


def _told_by_more(head: str, bare: str) -> Subject | None:
    """Return a first name with what distinguishes it: "the other Peter", "Peter from accounting"."""
    other = re.match(rf"^[Tt]he [a-z]+ (?P<name>{RUN})$", head)
    placed = re.match(rf"^(?P<name>{RUN}) (?P<where>(?:from|in|at) [\w' ]+)$", bare)
    told = other or placed
    if told is None or told["name"].split()[0].lower() not in FIRST_NAMES:
        return None
    where = placed["where"] if placed and not other else ""
    return Subject(head if other else bare, Sort.PERSON, told["name"], EntityType.PERSON, where)


def _bears_name(head: str, predicate: str) -> bool:
    """Whether a capitalised first word is a name: "Music brings joy" is about nobody."""
    words = head.split()
    if words[0].lower() in FIRST_NAMES or (head.isupper() and len(head) > 2):
        return True
    if len(words) > 1:
        return all(word[0].isupper() or word in {"of", "de", "van", "von", "the"} for word in words)
    return _OF_A_NAME.match(predicate) is not None or is_given_name(words[0], predicate)


_NO_SUBJECT = GRAMMAR | frozenset("another although yeah ok okay thanks perhaps sure ones people folks".split())

_NO_NOUN = _NO_SUBJECT | AUXILIARIES | ADVERBS | (THIN - {"time"})

_COMMON = frozenset(
    """
    music breakfast lunch dinner supper work school uni college rent traffic weather life coffee tea food money time home
    sleep love hope fun sport football cricket tennis rugby yoga running swimming cycling cooking reading writing gardening
    knitting baking hiking travelling shopping photography art history science maths english french german spanish church
    health luck progress news feedback advice help homework housework parking petrol water wine beer milk bread cake meat fish
    rice pasta rain snow wind sun heat bedtime christmas easter summer winter spring autumn budget deadline meeting project
    team office email mail phone laptop computer internet wifi printer car train bus bike flight hotel holiday vacation
    weekend training practice rehearsal therapy treatment surgery recovery exam exams class classes term rating delivery
    payment invoice invoices salary bonus tax taxes insurance mortgage electricity gas heating kitchen bathroom bedroom garden
    lawn cat cats dog dogs kids children parents friends neighbours clients customers prices sales nothing death reality today
    tonight doctor doctors technology society politics everyone sir madam
    """.split()
)
"""Nouns that often begin a sentence, where any word is capitalised."""

_NOUNISH_END = re.compile(r"(?:ing|tion|sion|ment|ness|ity|ism|ship|ance|ence|age|ure|ics|ware)s?$")

_DOES = re.compile(
    r"(?:is|was|has|will|does|did|can|cannot|[a-z]+(?:s|ed)|took|got|left|went|ran|made|gave|said|told|came|bought"
    r"|sold|won|lost"
    r"|found|met|broke|chose|taught|wrote|kept|led)\b"
)

_MOST_WORDS = 5


def _unnamed(head: str) -> Subject | None:
    """Return an unowned subject, "The team meeting", or a few words without an article; None if they are no subject."""
    definite = re.match(r"^(?:[Tt]he|[Tt]his) ([a-z][\w -]{1,40})$", head)
    if definite:
        return Subject(f"The {definite[1]}", Sort.THING, None, EntityType.CONCEPT, definite[1])
    words = head.split()
    if not 0 < len(words) <= _MOST_WORDS or not re.match(r"[A-Za-z]", head):
        return None
    if any(_no_noun(word) for word in words):
        return None
    return Subject(head[0].upper() + head[1:], Sort.THING, None, EntityType.CONCEPT, head.lower())


def _no_noun(word: str) -> bool:
    low = word.lower().strip(",")
    return (
        low in _NO_NOUN
        or word.endswith((",", ":", ";", "'s", ")"))
        or not re.fullmatch(r"[\w'&/+-]+", word)
        or (low.endswith("ed") and base_of(low) is not None)
    )


def is_given_name(word: str, predicate: str) -> bool:
    """Whether a capitalised first word is the name of a person or thing: "Deakin is foreman"."""
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
