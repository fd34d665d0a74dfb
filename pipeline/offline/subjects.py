"""The subject of a clause that opens with a noun or a name: whose it is, what it is called, and the predicate after it."""

import re

from mosshead.kinds import EntityType
from pipeline.offline.bare import bare_subject, is_given_name
from pipeline.offline.discourse import Sort, Subject
from pipeline.offline.grammar import ADVERB as _ADVERB
from pipeline.offline.grammar import is_verb_after, singular
from pipeline.offline.lexicon import ACQUAINTANCES, FIRST_NAMES, KINSHIP, NOT_NAMES, PETS
from pipeline.offline.names import RUN, Gazetteer, guess_type, titled

_VAGUE_SUBJECTS = frozenset(
    "this that these those there it here what who which something everything nothing someone everyone one".split()
)
_SUBJECT_PREPOSITIONS = frozenset("to in at from of for with on about by near".split())
_ROLE_WORD = KINSHIP | ACQUAINTANCES | PETS
_NAME_FIRST = re.compile(rf"^(?P<name>{RUN})")
_MOST_SUBJECT_WORDS = 7
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
            for i, w in enumerate(words[: _MOST_SUBJECT_WORDS + 1])
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
