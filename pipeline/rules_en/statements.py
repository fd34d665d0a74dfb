"""Parse a clause as a statement: subject, predicate, and negation."""

import re
from dataclasses import dataclass, replace

from mosshead.language.verbs import ADVERB, is_finite, looks_back, third
from mosshead.language.wordlists import FIRST_NAMES, KINSHIP, PRONOUNS, gender_of
from mosshead.models.kinds import EntityType
from pipeline.models import KnownEntity
from pipeline.rules_en.grammar import addressed, possessive, to_third_person
from pipeline.rules_en.names import Discourse, Gazetteer, Sort, Subject, bears_another_tie
from pipeline.rules_en.subjects import MOST_WORDS_OF_SUBJECT, TIES, noun_subject


@dataclass(frozen=True, slots=True)
class Statement:
    """A clause in the third person.

    core: the predicate without adverbs and negation, for the rules; ``negated`` has the negation. past: its time words look back.
    """

    subject: Subject
    predicate: str
    core: str
    negated: bool
    past: bool
    discourse: Discourse


_IS = re.compile(r"^(?:is|was) (?:also )?")
_LEADING_ADVERBS = re.compile(rf"^(?:{ADVERB} )+(?=\w)")

_NEGATION = re.compile(
    r"^(?:(?:does|do|did) not|(?:is|are|was|were|has|have|will|would|could|should|has been) (?:not"
    r"|never|no longer)|not|never|no longer|cannot)\b ?"
)

_NOT_SO = re.compile(
    rf"^(?:(?:is|are|was|were|has|have|had|will) )?(?:{ADVERB} )*?"
    r"(?:no longer|never|not|almost|nearly|hardly|barely|scarcely|rarely|seldom|(?<=is )no|(?<=are )no|(?<=was )no)\b"
)

_DID = re.compile(rf"^(?:{ADVERB} )*did\b")
_AUXILIARY = re.compile(r"^(?:is|are|was|were|has|have|will|would|could|should)\b")
_AFTER_AUXILIARY = re.compile(rf"^(is|are|was|were|has been|have been|has|have|had|will) (?:{ADVERB} )+(?=\w)")
_YOU = re.compile(r"\b(?:you|your|yours|yourself|u|ur)\b", re.IGNORECASE)

_THIRD_PERSON = re.compile(
    r"\bhim\b|\bher\b(?= ?$|[,.]| (?:in|at|on|for|to|with|and|a|the|every|last|yesterday|when)\b)"
    r"|\b(?P<owner>his|her)\b(?= \w)"
)

_CONTACT_THERE = re.compile(
    r"^(?P<who>[\w ]+'s (?:\w+ )?(?:contact|boss|manager|colleague|friend|client|lead)) there (?=is\b|was\b)"
)


def read_statement(clause: str, discourse: Discourse, gazetteer: Gazetteer, *, dated: bool = False) -> Statement | None:
    """Parse a clause; None if the subject cannot be named or the words address the assistant."""
    text = _addressee(to_third_person(clause, discourse.me, discourse.firm, dated=dated), discourse)
    if text is None:
        return None
    firm = discourse.firm
    if firm is not None and firm.casefold() not in gazetteer.types:  # it may have been named in this sentence
        gazetteer = Gazetteer((*gazetteer.entities, KnownEntity(firm, EntityType.ORG)))
    read = _subject_and_rest(text, discourse, gazetteer)
    if read is None:
        return None
    subject, predicate = read
    if re.match(r"[Ww]e\b", clause) and subject.sort is Sort.SELF:
        subject = Subject(subject.text, Sort.GROUP, subject.name)
    predicate = _pronouns(predicate.strip(), subject, discourse)
    subject = _told_apart(subject, predicate, discourse)
    core, negated = _core(predicate)
    past = looks_back(core) or _DID.match(predicate) is not None
    return Statement(subject, predicate, core, negated, past, discourse) if predicate else None


def _addressee(text: str, discourse: Discourse) -> str | None:
    """Resolve "you" between two people; None if it addresses an assistant, which says nothing about the user."""
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
        return Subject("There", Sort.THING, noun="there"), text[there.end() :]
    return noun_subject(_possessives(text, discourse), gazetteer)


def _meant(pronoun: str, predicate: str, discourse: Discourse) -> tuple[Subject, str] | None:
    """Resolve a pronoun: a person for "he", a thing for "it", a firm for "they", whose verb is then adapted."""
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
    """Treat an unknown name as a person once "she" follows."""
    if thing is None or thing.name is None or thing.entity_type is not EntityType.CONCEPT or " " in thing.name:
        return None
    return Subject(thing.name, Sort.PERSON, thing.name, EntityType.PERSON)


def _group(text: str) -> tuple[Subject, str] | None:
    words = text.split()
    for at, word in enumerate(words[:MOST_WORDS_OF_SUBJECT]):
        noun = not word.islower() or word.endswith("'s") or word in TIES or word == "and"
        if at > 2 and (is_finite(word) or not noun):
            return Subject(" ".join(words[:at]), Sort.GROUP, words[0]), " ".join(words[at:])
    return None


def _possessives(text: str, discourse: Discourse) -> str:
    """Resolve possessive subjects: "His birthday" is Peter's, "the contact there" is at the firm named last."""
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
    """Add a person's relation from an earlier message to the name, which may have two bearers."""
    if subject.sort is not Sort.PERSON or subject.name is None or subject.owner or subject.text != subject.name:
        return subject
    person = discourse.called(subject.name)
    if person is None or person.fresh or person.epithet is None or person.epithet in predicate:
        return subject
    if bears_another_tie(person, _IS.sub("", predicate)):
        return subject  # "Anna is User's daughter", if User's mother is also called Anna
    return replace(subject, text=f"{person.epithet} {subject.name}")


def _pronouns(predicate: str, subject: Subject, discourse: Discourse) -> str:
    """Resolve him, her, his and it in a predicate, if they mean somebody other than the subject."""
    gender = gender_of(subject.name, subject.noun)
    others = subject.sort in {Sort.SELF, Sort.GROUP, Sort.THING}

    def meant(match: re.Match[str]) -> str:
        if not others and gender in {None, PRONOUNS[match[0]]}:
            return match[0]
        return _other_person(match, predicate, discourse)

    predicate = _THIRD_PERSON.sub(meant, predicate)
    if discourse.thing is not None and subject != discourse.thing and subject.sort is not Sort.NAMED:
        thing = _short(discourse.thing)
        predicate = re.sub(r"\bit\b(?! (?:is|was|to|that)\b)", lambda _: thing, predicate)
    if discourse.org is not None:
        owner = possessive(discourse.org)
        predicate = re.sub(r"^(is|was|became) their (?=\w)", lambda match: f"{match[1]} {owner} ", predicate)
    return predicate


def _other_person(match: re.Match[str], predicate: str, discourse: Discourse) -> str:
    """Resolve a pronoun, unless the words before name somebody: "my sister and her husband"."""
    before = re.findall(r"[\w-]+", predicate[: match.start()])
    person = discourse.meant_by(match[0])
    if person is None or any(word.lower() in KINSHIP | FIRST_NAMES for word in before):
        return match[0]
    name, tie = _short(person.subject), person.tie or ""
    if not person.fresh and tie.startswith(possessive(discourse.me)) and tie not in name:
        name = f"{tie} {name}"
    return possessive(name) if match["owner"] else name


def _short(subject: Subject) -> str:
    return subject.name or subject.text
