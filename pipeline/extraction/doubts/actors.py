"""Who does what: compare the subject of each of the fact's clauses with that of the source clause that says the same."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from mosshead.language.lexicon import Word
from mosshead.language.passage import Passage
from pipeline.extraction.alignment import says_the_same
from pipeline.extraction.doubts.interpretation import Interpretation, is_name
from pipeline.extraction.doubts.people import ARTICLES, ME, OURS, TITLES, is_oblique
from pipeline.models import USER

_I = frozenset("ich ik je j io eu yo moi".split())
_AM = frozenset(("sou", "soy", "sono", "suis", "bin", "ben", "am", "era", "fui"))
_I_DO = {
    "es": frozenset("tengo estoy voy hago puedo quiero".split()),
    "it": frozenset("ho vado faccio posso voglio devo sto".split()),
    "pt": frozenset("tenho estou vou faco posso quero".split()),
}
"""Verbs that say "I" by themselves."""
_CALLED = frozenset("heisse heiss llamo chiamo chamo".split())
_ENGLISH_I = frozenset(("i", "im", "ive"))
_WE = frozenset("we wir wij nous noi nos nosotros nosotras on gente".split())
_THEY = frozenset("they ils elles ellos ellas loro eles elas".split())
_AFTER_IS = frozenset("a an the got been not on in at off my his her their our always never still just now".split())
"""Words after an "s" that stands for "is" or "has"."""
_OPENS_WITHIN = 5
_SOMEBODY, _THIRD = "?", "he"


@dataclass(frozen=True)
class _Act:
    """A clause with the names of its subject: USER, _THIRD for "she", _SOMEBODY for "we", "they" or a shared subject, or none.

    words: its content words, without people. people: everyone in it.
    """

    subject: frozenset[str]
    words: Sequence[Word]
    people: frozenset[str]


def reassigns(compared: Interpretation) -> bool:
    """Whether the fact says of one person what its sources say of another.

    The person must occur in the sources. Only the source clauses that share the most words with the fact's clause count.
    """
    if any(passage.speaker for passage in compared.said):
        return False  # in a group, a message answers another's
    theirs = [act for passage in compared.said for act in _acts(compared, passage)]
    own = {name for passage in compared.said for name in _own_names(passage)}
    people = {one for act in theirs for one in (*act.subject, *act.people)} - {_SOMEBODY, _THIRD} | {USER}
    for act in _acts(compared, compared.content, carries=False):
        if act.subject & {_SOMEBODY, _THIRD} or not _is_among(act.subject, people):
            continue
        names = act.subject | {USER} if act.subject & own else act.subject
        shared = [sum(any(says_the_same(a.key, b.key) for b in one.words) for a in act.words) for one in theirs]
        most = max(shared, default=0)
        closest = [one for one, count in zip(theirs, shared, strict=True) if count == most]
        if most and 2 * most >= len(act.words) and all(_is_another(one, names) for one in closest):
            return True
    return False


def _acts(compared: Interpretation, passage: Passage, *, carries: bool = True) -> Iterator[_Act]:
    """Yield a text's clauses. carries: Whether "and sings" has the subject of the clause before."""
    last: frozenset[str] = frozenset()
    sentence, goes_on, alone = -1, False, True
    for clause in passage.clauses:
        if clause.sentence != sentence:
            last, sentence, goes_on, alone = frozenset(), clause.sentence, False, True
        people = {word: who for word in clause.words if (who := _who(compared, word, passage))}
        words = [
            word for word in clause.words if passage.counts(word) and word not in people and word.key not in TITLES
        ]
        subject = _subject(compared, passage, clause.words)
        joined = passage.joins(clause.words[0])
        resolves = carries and subject == {_THIRD} and last and USER not in last and alone
        if resolves or (joined and not subject and not people):
            subject = last
        # "My sister | and I run it": a clause of names alone shares its subject with the next.
        own = subject
        begins = bool(subject) and not words
        subject = frozenset({_SOMEBODY}) if begins or (goes_on and joined) else subject
        if joined and clause.words[1:2] and clause.words[1].key in ME:
            subject = frozenset({_SOMEBODY})  # "Martina and me share it"
        goes_on = begins
        yield _Act(subject, words, frozenset(people.values()))
        last = (subject if carries else own) or (frozenset() if people and carries else last)
        alone = len(set(people.values())) < 2  # else "she" may be either


def _own_names(passage: Passage) -> Iterator[str]:
    """Yield what the user may be called: "I'm Pádraig", "me llamo Inés"."""
    for before, word in pairwise(passage.words):
        if before.key in _AM | _CALLED | {"im", "m"} and word.text.istitle():
            yield word.key


def _subject(compared: Interpretation, passage: Passage, words: Sequence[Word]) -> frozenset[str]:
    """Return the names of the first person in a clause that is neither an owner nor after a preposition or a verb."""
    for at, word in enumerate(words):
        who = _nominative(word, passage)
        if who:
            return frozenset({who})
        who = _who(compared, word, passage) or _kin_or_name(passage, words, at)
        if (
            not who
            or _is_owner(passage, words, at)
            or (is_oblique(passage, words, at) and not _is_affected(passage, words, at))
            or _is_late(who, passage, words[:at])
            or any(one.key in _AM for one in words[max(at - 1, 0) : at])
        ):
            continue
        following = [one for one in words[at + 1 : at + 3] if one.key not in TITLES][:1]
        if passage.has("persons", word.key) and any(is_name(one, passage, compared.named) for one in following):
            return frozenset({word.key, following[0].key})
        return frozenset({who})
    return frozenset()


def _nominative(word: Word, passage: Passage) -> str:
    """Return the person that a subject pronoun stands for; "" for any other word."""
    language = passage.language
    if word.key in (_ENGLISH_I if language == "en" else _I) or word.key in _I_DO.get(language, ()):
        return passage.speaker or USER
    return _SOMEBODY if word.key in _WE else ""


def _who(compared: Interpretation, word: Word, passage: Passage) -> str:
    """Return the person that a word stands for, or ""."""
    if word.key in ME:
        return USER
    if word.key in TITLES or word.key in OURS or (word.key == "el" and word.text.casefold() == "el"):
        return ""
    if passage.has("user", word.key):
        return "" if word.key.endswith("s") else USER  # "Nutzers" is genitive
    if passage.has("first", word.key):
        return _SOMEBODY if word.key in _WE else passage.speaker or USER
    if passage.has("third", word.key):
        return _SOMEBODY if word.key in _THEY else _THIRD  # "they" may be a firm
    return word.key if compared.is_person(word, passage) else ""


def _kin_or_name(passage: Passage, words: Sequence[Word], at: int) -> str:
    """Return a person that `Interpretation.is_person` overlooks, as in "mon petit frère", and in "Ty's got"."""
    word = words[at]
    if passage.has("persons", word.key):
        return (
            word.key
            if any(one.key in OURS or passage.has("his", one.key) for one in words[max(at - 2, 0) : at])
            else ""
        )
    opens = not at and word.text.istitle() and len(word.text) > 1 and not word.key.endswith("ing")
    opens = opens and not passage.has("function", word.key)
    english = passage.language == "en"
    acts = any(one.has("finite", after.key) for one in passage.lexicons[:1] for after in words[at + 1 : at + 2])
    return word.key if english and opens and (acts or _is_contracted(words, at)) else ""


def _is_owner(passage: Passage, words: Sequence[Word], at: int) -> bool:
    english = passage.language == "en"
    return english and [one.key for one in words[at + 1 : at + 2]] == ["s"] and not _is_contracted(words, at)


def _is_contracted(words: Sequence[Word], at: int) -> bool:
    """Whether an "s" after a word stands for "is" or "has"."""
    after = [one.key for one in words[at + 1 : at + 3]]
    return len(after) > 1 and after[0] == "s" and (after[1] in _AFTER_IS or after[1].endswith("ing"))


def _is_affected(passage: Passage, words: Sequence[Word], at: int) -> bool:
    """Whether a Spanish, Italian or Portuguese clause opens with a dative: "a Maite le han dado", "a mí me piden"."""
    romance = passage.language in {"es", "it", "pt"}
    ahead = [word for word in words[:at] if not (passage.joins(word) or passage.has("persons", word.key))]
    ahead = [word for word in ahead if word.key not in OURS]
    return romance and [word.key for word in ahead] in (["a"], ["al"], ["all"], ["alla"], ["ao"])


def _is_late(who: str, passage: Passage, ahead: Sequence[Word]) -> bool:
    """Whether a person comes after a verb, or after too many words to be the subject."""
    heads = [at for at, word in enumerate(ahead) if word.key in ARTICLES | OURS or passage.has("his", word.key)]
    before = ahead[: heads[-1]] if heads else ahead
    told = [word for word in before if passage.counts(word) and word.text[:1].islower()]
    told = [word for word in told if not passage.has("persons", word.key)]
    finite = any(one.has("finite", word.key) for word in ahead for one in passage.lexicons[:1])
    return finite or (who != _THIRD and (len(ahead) > _OPENS_WITHIN or bool(told)))


def _is_among(names: Iterable[str], people: Iterable[str]) -> bool:
    return any(a == b or (USER not in (a, b) and says_the_same(a, b)) for a in names for b in people)


def _is_another(act: _Act, ours: frozenset[str]) -> bool:
    """Whether a clause certainly has another subject, and does not mention ours."""
    theirs = act.subject
    unsure = not theirs or _SOMEBODY in theirs or (_THIRD in theirs and USER not in ours)
    return not unsure and not _is_among(ours, {*theirs, *act.people})
