"""Check that names stand beside the same words as in the sources: "Juno is a whippet, Kestrel a lurcher"."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from mosshead.language.lexicon import Word, first_names, proper_classes_of
from mosshead.language.passage import Passage
from pipeline.extraction.alignment import says_the_same
from pipeline.extraction.doubts.bindings import closest_to, is_only_elsewhere
from pipeline.extraction.doubts.interpretation import Interpretation, is_name
from pipeline.extraction.doubts.people import TITLES, is_oblique

_WHO = frozenset("who qui che que quien der die das den wer wie".split())
_IN = frozenset("in nach aus beim zum".split())
_NAME_WORDS = 2


def swaps_names(compared: Interpretation) -> bool:
    """Whether the closest source clause names one person and the fact another, who occurs only in other clauses."""
    if any(passage.speaker for passage in compared.said):
        return False
    content = compared.content
    titled = {after.key for word, after in pairwise(content.words) if word.key in TITLES}
    people = compared.names | first_names() | titled
    clauses = [one for passage in compared.said for one in _naming_clauses(compared, passage)]
    ours = list(_naming_clauses(compared, content, goes_on=True))
    for one in ours:
        told = [word for word in one.words if compared.content.counts(word)]
        closest = closest_to(told, clauses)
        if closest is None or closest.names <= one.names:
            continue
        holding = [[other for other in clauses if name in other.names] for name in one.names & people]
        if any(is_only_elsewhere(holders, closest, told) for holders in holding):
            return True
    return False


def misplaces_a_name(compared: Interpretation) -> bool:
    """Whether the closest source clause has another place or thing, and the fact's own occurs only in other clauses."""
    if any(passage.speaker for passage in compared.said):
        return False
    clauses = [
        _NamingClause(passage, _proper(compared, passage, clause.words), clause.words)
        for passage in compared.said
        for clause in passage.clauses
    ]
    content = compared.content
    every = [word.key for word in content.words]
    for clause in content.clauses:
        ours = _proper(compared, content, clause.words)
        told = [word for word in clause.words if content.counts(word) and word.key not in ours]
        closest = closest_to(told, clauses)
        if closest is None or all(any(says_the_same(name, key) for key in every) for name in closest.names):
            continue
        holding = [[one for one in clauses if name in one.names] for name in ours - closest.names]
        if any(is_only_elsewhere(holders, closest, clause.words) for holders in holding):
            return True
    return False


def _proper(compared: Interpretation, passage: Passage, words: Sequence[Word]) -> frozenset[str]:
    """Return the names among some words, of people or not."""
    return frozenset(
        word.key
        for word in words
        if (is_name(word, passage, compared.named | compared.things) or _follows_in(passage, words, word))
        and word.key not in TITLES
    )


def _follows_in(passage: Passage, words: Sequence[Word], word: Word) -> bool:
    """Whether a German noun follows a preposition, as places and clubs do: "in Passau", "beim TSV"."""
    german = passage.language == "de"
    before = words[max(words.index(word) - 1, 0) : words.index(word)]
    return german and word.text[:1].isupper() and any(one.key in _IN for one in before)


def fuses(compared: Interpretation) -> bool:
    """Whether the fact makes one name of two that stand apart in the sources: "Hamish" and "Prof Adeyemi"."""
    content = compared.content
    for word, after in pairwise(content.words):
        together = content.text[word.end : after.start] == " " and word.text.istitle() and after.text.istitle()
        first = word.key in first_names() | compared.names and not content.has("function", word.key)
        titled = word.key in TITLES or after.key in TITLES
        if together and first and not titled and is_name(after, content, compared.named):
            held = [one for one in compared.said if {word.key, after.key} <= {other.key for other in one.words}]
            if held and not any(_are_together(word, after, one) for one in held):
                return True
    return False


def _are_together(word: Word, after: Word, passage: Passage) -> bool:
    """Whether two names stand side by side, or with a word between: "Anna de Vries"."""
    firsts = [at for at, one in enumerate(passage.words) if one.key == word.key]
    seconds = [at for at, one in enumerate(passage.words) if one.key == after.key]
    spans = [sorted((one, other)) for one in firsts for other in seconds if abs(one - other) <= _NAME_WORDS]
    return any(
        "," not in passage.text[passage.words[left].end : passage.words[right].start]
        and not any(passage.joins(one) for one in passage.words[left + 1 : right])
        for left, right in spans
    )


@dataclass(frozen=True)
class _NamingClause:
    """The words of a clause, without names, and the names of the people that it is about."""

    passage: Passage
    names: frozenset[str]
    words: Sequence[Word]


def _naming_clauses(compared: Interpretation, passage: Passage, *, goes_on: bool = False) -> Iterator[_NamingClause]:
    """Yield a text's clauses. Those after a bare name are about it: "Jostein, the user's cook, snores".

    goes_on: Whether "and snores" is about the person of the clause before.
    """
    last: frozenset[str] = frozenset()
    sentence, bare, ends = -1, False, False
    for clause in passage.clauses:
        words = clause.words
        named = [
            at
            for at, word in enumerate(words)
            if (is_name(word, passage, compared.named) or _stands_as_name(passage, words, at))
            and not (word.key in TITLES | compared.things or proper_classes_of(word.key))
            and not is_oblique(passage, words, at)
        ]
        names = frozenset(words[at].key for at in named)
        others = [word for at, word in enumerate(words) if at not in named]
        if clause.sentence != sentence:
            last, bare, ends, sentence = frozenset(), False, False, clause.sentence
        refers = passage.has("third", words[0].key) or words[0].key in _WHO
        if names:
            last, bare = names, not any(map(passage.counts, others))
            ends = len(words) - 1 in named
        elif bare or (ends and refers) or (goes_on and passage.joins(words[0])):
            names = last
        yield _NamingClause(passage, names, others)


def _stands_as_name(passage: Passage, words: Sequence[Word], at: int) -> bool:
    """Whether a capital marks a name even in German or at the start: after "Frau", before a verb, or alone in a clause."""
    word, before, after = words[at], words[max(at - 1, 0) : at], words[at + 1 : at + 2]
    if not word.text.istitle() or any(passage.has(role, word.key) for role in ("function", "user", "persons")):
        return False
    first = (not before or passage.joins(before[0])) and not word.key.endswith("ing")
    acts = any(one.has("finite", other.key) for one in passage.lexicons[:1] for other in after) or any(
        other.text.islower() and other.text.endswith("t") for other in after
    )
    return any(one.key in TITLES for one in before) or (first and not passage.is_timed(word) and (acts or not after))
