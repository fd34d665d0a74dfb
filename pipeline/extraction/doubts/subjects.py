"""Check whom each source clause is about: facts must not move from one person to another, nor two people become one."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from mosshead.language.lexicon import Word, first_names
from mosshead.language.passage import Passage, PassageClause
from pipeline.extraction.alignment import says_the_same
from pipeline.extraction.doubts.interpretation import Interpretation, is_name
from pipeline.extraction.doubts.people import ME, MINE, OF
from pipeline.models import USER

_NAMED_WITHIN = 4
_PASSIVE = frozenset(
    "was were been being wurde wurden worden wird werden fue fueron sido ete foi foram stato stata stati viene venne werd".split()
)
_A_TALK = 3
_MORE = frozenset("piu meno maggiore minore migliore peggiore meglio peggio".split())
"""Words that make Italian "di" mean "than"."""


@dataclass(frozen=True)
class _Telling:
    """Words of the fact as a clause says them about people. people: empty if the clause does not say."""

    clause: PassageClause
    people: tuple[Word, ...]
    passage: Passage
    taken: frozenset[str]


def merges(compared: Interpretation) -> bool:
    """Whether the fact attributes to somebody what every clause that says it attributes to others."""
    names = _names_in(compared)
    if not (names or any(_is_kin(word, compared.content) for word in compared.content.words)):
        return False
    if compared.cited >= _A_TALK:
        return False  # over several messages, one person may have taken over from another
    tellings = [one for passage in compared.said for one in _tellings(compared, passage)]
    strange = {key for one in tellings if not _fits(compared, names, one) for key in one.taken}
    known = {key for one in tellings if _fits(compared, names, one) for key in one.taken}
    return bool(strange - known)


def _tellings(compared: Interpretation, passage: Passage) -> Iterator[_Telling]:
    held = {id(clause): words for one, clause, words in compared.touched if one is passage}
    before: tuple[Word, ...] = ()
    pending: tuple[Word, ...] = ()
    sentence = -1
    for clause, following in zip(passage.clauses, (*passage.clauses[1:], None), strict=True):
        if clause.sentence != sentence:
            before, sentence, pending = (), clause.sentence, ()
        people = tuple(word for word in clause.words if _is_somebody(compared, word, passage))
        others = [word for word in clause.words if passage.counts(word) and word not in people]
        if people and not others:
            pending = (*pending, *people)
            continue
        heads = (*pending, *people)
        pending = ()
        things = [word for word in held.get(id(clause), ()) if word not in people]
        for word in things:
            ahead = tuple(one for one in heads if one.start < word.start)
            if any(_is_kin(one, passage) for one in ahead):
                ahead += _names_given(compared, passage, clause)
                if following is not None and following.sentence == sentence:
                    ahead += _apposition(compared, passage, following)
            goes_on = not ahead and (passage.joins(clause.words[0]) or _names_its_subject(passage))
            yield _Telling(clause, ahead or (before if goes_on else ()), passage, frozenset(compared.taken([word])))
        before = tuple(head for head in heads if _opens(head, clause, passage)) or before


def _opens(head: Word, clause: PassageClause, passage: Passage) -> bool:
    """Whether a person begins a clause, or the preceding clause that only names them, without a preposition."""
    ahead = [word for word in clause.words if word.start < head.start]
    return not any(
        (passage.counts(word) and not _is_kin(word, passage) and not word.text.istitle())
        or passage.has("prepositions", word.key)
        for word in ahead
    )


def _names_its_subject(passage: Passage) -> bool:
    """Whether the language omits a subject only if it is the previous clause's."""
    return passage.language in {"en", "de", "fr", "nl"}


def _names_given(compared: Interpretation, passage: Passage, told: PassageClause) -> tuple[Word, ...]:
    """Return the name that a later clause of the sentence gives: "her name's Claudia"."""
    later = [
        one for one in passage.clauses if one.sentence == told.sentence and one.words[0].start > told.words[0].start
    ]
    return tuple(
        word
        for clause in later
        if passage.tells("naming", clause.keys)
        for word in clause.words
        if is_name(word, passage, compared.named)
    )


def _apposition(compared: Interpretation, passage: Passage, clause: PassageClause) -> tuple[Word, ...]:
    """Return the names of a clause of names alone: "a lad in my class, Obinna"."""
    named = tuple(word for word in clause.words if is_name(word, passage, compared.named))
    return named if len(named) == len(clause.words) else ()


def _fits(compared: Interpretation, names: set[str], told: _Telling) -> bool:
    """Whether a person the clause is about occurs in the fact; by name, if both have one."""
    passage, ours = told.passage, compared.content.words
    if not told.people or any(says_the_same(word.key, name) for word in told.clause.words for name in names):
        return True
    stands_in = [any(passage.has(role, word.key) for role in ("first", "third")) for word in told.people]
    if all(stands_in) or any(passage.has("first", word.key) for word in told.people):
        return _fits_speaker(compared, names, told)
    theirs = [word for word in told.people if is_name(word, passage, compared.named)]
    if theirs and names:
        return any(says_the_same(word.key, name) for word in theirs for name in names)
    return any(says_the_same(word.key, one.key) for word in told.people for one in ours)


def _fits_speaker(compared: Interpretation, names: set[str], told: _Telling) -> bool:
    """Decide the same for "I", who is the speaker, and "he", who is not."""
    speaker, ours = told.passage.speaker, {word.key for word in compared.content.words}
    if all(told.passage.has("third", word.key) for word in told.people):
        kin = any(_is_kin(word, compared.content) for word in compared.content.words)
        return not speaker or kin or names != {speaker}
    if not any(told.passage.has("first", word.key) for word in told.people):
        return True
    addressed = any(told.passage.has("addresses", word.key) for word in told.clause.words)
    return not speaker or not names or speaker in ours or addressed


def inverts(compared: Interpretation) -> bool:
    """Whether the fact reverses whose boss somebody is, or a comparison: "taller than"."""
    return any(
        _owns_otherwise(compared, one) or _measures_otherwise(compared, one) or _acts_otherwise(compared, one)
        for one in compared.said
    )


def _acts_otherwise(compared: Interpretation, passage: Passage) -> bool:
    """Whether the fact makes somebody the actor who was the recipient or companion: "I sold it to Tom"."""
    content = compared.content
    named = [word for word in content.words if is_name(word, content, compared.named) or _is_kin(word, content)]
    if not named or not _opens_with(named[0], content):
        return False
    verb = next((word for word in content.words if word.start > named[0].end and _may_act(compared, word)), None)
    for clause in passage.clauses:
        acts = [at for at, word in enumerate(clause.words) if verb is not None and says_the_same(verb.key, word.key)]
        if not acts or any(word.key in _PASSIVE for word in (*clause.words, *content.words)):
            continue
        late = passage.language in {"de", "nl"}
        first = 1 if late else max(1, acts[0])
        theirs = [at for at, word in enumerate(clause.words) if at > first and says_the_same(word.key, named[0].key)]
        if theirs and all(_is_oblique(clause.words[max(at - _NAMED_WITHIN, 0) : at], passage) for at in theirs):
            return True
    return False


def _opens_with(word: Word, content: Passage) -> bool:
    before = [one for one in content.words if one.end <= word.start]
    return all(content.has("function", one.key) and not content.has("to", one.key) for one in before)


def _may_act(compared: Interpretation, word: Word) -> bool:
    plain = word.text.islower() and not compared.is_person(word, compared.content)
    return plain and compared.content.counts(word)


def _is_oblique(before: Sequence[Word], passage: Passage) -> bool:
    """Whether a preposition or a German dative precedes a person, with at most a possessive and a kinship word between."""
    for word in reversed(before):
        if passage.has("to", word.key):
            return True
        if not (_is_kin(word, passage) or word.key in MINE or passage.has("his", word.key)):
            return False
    return False


def _owns_otherwise(compared: Interpretation, passage: Passage) -> bool:
    theirs = list(_owned(compared, passage))
    for kin, owner in _owned(compared, compared.content):
        if owner == USER:
            continue
        owners = {other for one, other in theirs if says_the_same(kin, one)}
        if owners and not any(says_the_same(owner, one) for one in owners):
            return True
    return False


def claims_others_things(compared: Interpretation) -> bool:
    """Whether the fact calls the user's what the sources always call somebody else's: "a customer's lurcher"."""
    owned = list(_things_of_user(compared.content))
    for word in owned:
        theirs = [
            _belongs_to_another(passage, at)
            for passage in compared.said
            for at, one in enumerate(passage.words)
            if says_the_same(word.key, one.key)
        ]
        if theirs and all(theirs):
            return True
    return False


def _things_of_user(content: Passage) -> Iterator[Word]:
    """Yield what a text calls the user's: "the user's dog", "la hija del usuario"."""
    words = content.words
    for at, word in enumerate(words):
        if not content.has("user", word.key):
            continue
        before, after = words[max(at - 4, 0) : at], words[at + 1 : at + 3]
        heads = [one for one in before if not content.has("function", one.key)]
        if [one.key for one in after[:1]] == ["s"]:
            yield from after[1:]
        elif heads and any(one.key in OF for one in before[-2:]):
            yield heads[-1]


def _belongs_to_another(passage: Passage, at: int) -> bool:
    """Whether a thing or, after "of", a relative is somebody else's: "his dog", "a customer's dog", "la hija del alcalde"."""
    words = passage.words
    before, after = words[max(at - 2, 0) : at], words[at + 1 : at + 4]
    if any(one.key in MINE or passage.has("first", one.key) for one in (*words[max(at - 4, 0) : at], *after)):
        return False
    if any(passage.has("his", one.key) for one in before[-1:]):
        return True
    english = passage.language == "en"
    if english and [one.key for one in before[-1:]] == ["s"] and len(before) > 1:
        return not passage.has("third", before[0].key) and passage.counts(before[0])
    kin = passage.has("persons", words[at].key)
    owner = [one for one in after[1:] if not passage.has("function", one.key)][:1]
    return kin and not english and bool(after) and after[0].key in OF and any(map(passage.counts, owner))


def _owned(compared: Interpretation, passage: Passage) -> Iterator[tuple[str, str]]:
    """Yield somebody's boss, mother or landlord, with that person's name: "Tom's boss", "il capo di Tom"."""
    words = passage.words
    for at, word in enumerate(words):
        if not _is_kin(word, passage):
            continue
        before, after = words[max(at - 3, 0) : at], words[at + 1 : at + 4]
        marks = [place for place, one in enumerate(before) if one.key == "s"]
        if marks and marks[0] and is_name(before[marks[0] - 1], passage, compared.named):
            yield word.key, before[marks[0] - 1].key
        if after and after[0].key in OF:
            named = [one for one in after[1:] if not passage.has("function", one.key)][:1]
            yield from ((word.key, one.key) for one in named if is_name(one, passage, compared.named))
        if (before and passage.has("first", before[-1].key)) or any(one.key in MINE for one in before[-1:]):
            yield word.key, passage.speaker or USER


def _measures_otherwise(compared: Interpretation, passage: Passage) -> bool:
    ours = list(_measured(compared, compared.content))
    theirs = list(_measured(compared, passage))
    about = {USER if _is_user(word, compared.content) else word.key for word in compared.content.words}
    return any(
        says_the_same(how, other) and than != whom and whom in about for how, than in ours for other, whom in theirs
    )


def _measured(compared: Interpretation, passage: Passage) -> Iterator[tuple[str, str]]:
    """Yield what is compared, with the name after "than"."""
    words = passage.words
    for at, word in enumerate(words):
        more = any(one.key in _MORE for one in words[max(at - _NAMED_WITHIN, 0) : at])
        if at and passage.has("than", word.key) and (more or word.key not in OF):
            names = [
                USER if _is_user(one, passage) else one.key
                for one in words[at + 1 : at + 1 + _NAMED_WITHIN]
                if is_name(one, passage, compared.named) or _is_user(one, passage)
            ]
            named = [one.key for one in words[max(at - 2, 0) : at] if passage.counts(one)]
            yield from ((how, name) for how in named for name in names[-1:])


def _is_user(word: Word, passage: Passage) -> bool:
    return passage.has("user", word.key) or passage.has("first", word.key) or word.key in ME


def _names_in(compared: Interpretation) -> set[str]:
    content = compared.content
    return {
        word.key
        for word in content.words
        if word.key not in compared.things
        and is_name(word, content, compared.names)
        and (word.key in first_names() | compared.names | compared.speakers or word.key in compared.named)
    }


def _is_kin(word: Word, passage: Passage) -> bool:
    return passage.has("persons", word.key)


def _is_somebody(compared: Interpretation, word: Word, passage: Passage) -> bool:
    before = [one for one in passage.words if one.end <= word.start][-1:]
    if any(map(passage.claims, before)) and _is_kin(word, passage):
        return False  # as in "three children"
    return compared.is_person(word, passage) or passage.has("first", word.key) or passage.has("third", word.key)
