"""Detect what was not asserted as true today: questions, suppositions, cancelled or past things, and others' claims."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from mosshead.language.lexicon import Word, phrases_in, proper_classes_of
from mosshead.language.passage import Passage, PassageClause
from mosshead.language.verbs import PAST_FORMS
from pipeline.extraction.alignment import says_the_same
from pipeline.extraction.doubts.interpretation import Doubt, Interpretation, Taken
from pipeline.extraction.doubts.people import is_said_to_them

_NEAR = 3
_HEAD = 8
_A_DENIAL = 5
_TURNS = frozenset("but now aber jetzt pero ahora mais maintenant ma adesso mas agora maar nu".split())
_ME = frozenset("me mich mir moi mij".split())
_BE = frozenset("is are be being get gets".split())
_YOU = (["you"], ["u"])
_INDICATIVE = frozenset("wurde wurden hatte hatten waren konnte konnten".split())
"""German indicative past forms; with an umlaut, they would be suppositions."""
_PAST_AND_PRESENT: Final = {
    "es": (("é", "ó", "í", "aba", "aban", "aron", "ieron"), ("a", "e", "an", "en")),
    "fr": (("é", "ée", "és"), ("e", "ent")),
    "it": (("ato", "uto", "avo", "ava", "avano", "avamo"), ("a", "e", "ano", "ono")),
    "nl": (("de", "te"), ("t", "en")),
    "pt": (("ei", "ou", "ava", "avam", "aram", "eram", "iram"), ("a", "e", "am", "em")),
}
"""Endings of verbs in the past and the present. In German, "ich leite" would look like a past."""
_IMPERFECT: Final = ("ava", "avam", "avano", "aba", "aban", "ait", "aient")
_ACCORDING = frozenset("secondo selon d segun segundo volgens laut nach".split())


def moods(compared: Interpretation) -> Iterator[Doubt]:
    ours = [word.key for word in compared.content.words]
    clauses = compared.aligned or _quoted_abroad(compared)
    if _quotes_a_question(compared) and not compared.aligned:
        yield Doubt.QUESTION
    if not clauses or compared.confirmed:
        return
    tells, most = compared.content.tells, max(len(held) for _, _, held in clauses)
    best = [one for one in clauses if len(one[2]) == most]
    wished = any(tells(role, ours) for role in ("licence", "unreal"))
    licensed = wished or tells("conditions", ours)
    asserts = any(passage.tells("asserts", clause.keys) for passage, clause, _ in clauses)
    if not wished and not asserts and (all(_only_asks(*one[:2]) for one in clauses) or _asks_a_part(compared)):
        yield Doubt.QUESTION
    if not licensed and any(_is_unreal(*one, ours) for one in clauses):
        yield Doubt.UNREAL
    kept = not compared.corrects and not any(
        compared.content.is_negation(key) or compared.content.has("weak", key) for key in ours
    )
    if kept and not tells("cancelled", ours) and not tells("instead", ours) and _is_called_off(compared):
        yield Doubt.CANCELLED
    past = any(tells(role, ours) for role in ("past", "past_verbs")) or is_told_in_past(compared)
    present = _presents(compared)
    if not past and any(_is_past(compared, *one, present) for one in best):
        yield Doubt.PAST
    by_other = tells("advice", ours) or (tells("reports", ours) and not compared.opens_with_user())
    reported = any(_is_reported(passage, clause, held) for passage, clause, held in best)
    if not by_other and (reported or is_said_to_them(compared)):
        yield Doubt.REPORTED


def _quoted_abroad(compared: Interpretation) -> list[Taken]:
    """Return the quote's clauses if the fact is in another language and none of its words need be recognised."""
    if compared.is_of_one_language:
        return []
    quoted = ((one, clause) for one in compared.said for clause in one.quoted)
    held = ((one, clause, [word for word in clause.words if one.counts(word)]) for one, clause in quoted)
    return [one for one in held if one[2]]


def _quotes_a_question(compared: Interpretation) -> bool:
    """Whether the quote is only a question that nobody answers."""
    quoted = [clause for one in compared.said for clause in one.quoted]
    return bool(quoted) and all(clause.asks for clause in quoted) and len(compared.said) == 1


def _is_called_off(compared: Interpretation) -> bool:
    """Whether the rest of the sentence, the next one, or the beginning of a later message cancels it."""
    ours = {word.key for word in compared.content.words}
    for passage, clause, _ in compared.aligned:
        if passage.tells("intended", clause.keys):
            return True
        rest = [one for one in passage.clauses if one.words[0].start >= clause.words[0].start]
        keys = [word.key for one in rest if one.sentence == clause.sentence for word in one.words]
        following = [word.key for one in rest if one.sentence == clause.sentence + 1 for word in one.words]
        if passage.tells("cancelled", keys) or passage.tells("cancelled", following[:_HEAD]):
            return True
        for later in (one for one in rest if one.sentence == clause.sentence):
            ends = " ".join(later.keys[-2:])
            if any(ends in one.entries.get("off", ()) for one in passage.lexicons) and later.keys[-1] not in ours:
                return True
    own = {passage.text for passage, _, _ in compared.aligned}
    return any(_calls_off(compared, one) for one in compared.after if one.text not in own)


def _calls_off(compared: Interpretation, later: Passage) -> bool:
    """Whether a later message cancels: with a word of the fact, or almost no other word; or negates a word of it."""
    for clause in _with_their_next(later):
        said, clear = _said_off(later, clause)
        if said:
            others = [word for word in clause.words if later.counts(word) and word not in said]
            return any(_is_of(compared, word) for word in others) or (clear and len(others) <= 1)
        denied = clause.words if len(clause.words) <= _A_DENIAL else ()
        for before, word in pairwise(clause.words):
            denies = later.has("none", before.key) or (later.is_negation(before.key) and word in denied)
            if denies and compared.taken([word]) and not compared.is_person(word, later):
                return True
    return False


def _with_their_next(later: Passage) -> Iterator[PassageClause]:
    """Yield a message's clauses, and pairs of them that may have split a phrase: "laat maar zitten"."""
    yield from later.clauses
    for one, other in pairwise(later.clauses):
        if one.sentence == other.sentence and len(one.words) < _NEAR:
            yield PassageClause(one.sentence, (*one.words, *other.words), one.asks)


def _said_off(later: Passage, clause: PassageClause) -> tuple[Sequence[Word], bool]:
    """Return the cancelling words of a clause, and whether they suffice: "lunch is off" needs the lunch."""
    for lexicon in later.lexicons:
        for at, phrase in phrases_in(clause.keys, lexicon.entries["cancelled"]):
            return clause.words[at : at + len(phrase.split())], True
        for at, phrase in phrases_in(clause.keys, lexicon.entries.get("off", frozenset())):
            if at + len(phrase.split()) == len(clause.words):
                return clause.words[at:], False
    return (), False


def _is_of(compared: Interpretation, word: Word) -> bool:
    """Whether the fact contains a word, possibly at the end of a compound: "Kurs" in "Sommelierkurs"."""
    ends = any(len(word.key) >= _NEAR and one.key.endswith(word.key) for one in compared.content.content)
    return ends or bool(compared.taken([word]))


def _presents(compared: Interpretation) -> set[str]:
    """Return base forms of English verbs that the fact may use in the present: "works", "Tom and Jess share"."""
    content = compared.content
    plural = {
        word.key
        for before, word in pairwise(content.words)
        if compared.is_person(before, content) or content.has("third", before.key)
    }
    return plural | {one.key[:-1] for one in content.words if one.key.endswith("s")}


def _is_past(
    compared: Interpretation, passage: Passage, clause: PassageClause, held: Sequence[Word], present: set[str]
) -> bool:
    """Whether the sentence is about former times, or a verb is past there and present in the fact."""
    ours = [word.key for word in compared.content.words]
    endings = tuple(one for lexicon in passage.lexicons[:1] for one in lexicon.entries.get("past_endings", ()))
    others = [word for word in held if word.key not in ours]
    opening = [word.key for word in passage.until(clause) if word not in clause.words]
    whole = opening and not any(passage.is_negation(key) for key in opening) and clause.keys[0] not in _TURNS
    if passage.tells("past", clause.keys) or (whole and passage.opens("past", opening)):
        return True
    if any(_was_once(word, compared, passage) for word in held):
        return True
    if any(_is_perfect(word, passage, ours) for word in clause.words) or (
        endings and any(word.key.endswith(endings) and not proper_classes_of(word.key) for word in others)
    ):
        return True
    for lexicon in passage.lexicons[:1]:
        pairs = [(past, now) for past, now in lexicon.past if past in clause.keys]
        if any(now in ours and now not in clause.keys and past not in ours for past, now in pairs):
            return True
        if lexicon.language == "en" and any(
            _was(word.key) and now in _bases(word.key) for word in others for now in present
        ):
            return True
    return False


def _was_once(word: Word, compared: Interpretation, passage: Passage) -> bool:
    """Whether a verb is past by its ending, and present in the fact: "morei", "mora"."""
    language = passage.lexicons[0].language if passage.lexicons else ""
    same = any(one.language == language for one in compared.content.lexicons[:1])
    if not same or language not in _PAST_AND_PRESENT:
        return False
    past, present = _PAST_AND_PRESENT[language]
    said = word.text.casefold()
    return said.endswith(past) and any(
        one.text.islower()
        and one.text != said
        and one.text.endswith(present)
        and not one.text.endswith((*past, "ment"))
        and abs(len(one.text) - len(said)) < _NEAR
        and says_the_same(word.key, one.key)
        for one in compared.content.content
    )


def _is_perfect(word: Word, passage: Passage, ours: Sequence[str]) -> bool:
    """Whether a German or Dutch participle is present tense in the fact: "gewohnt", "wohnt"."""
    germanic = any(one.language in {"de", "nl"} for one in passage.lexicons[:1])
    stem = word.key[2:].rstrip("tdne") if germanic and word.key.startswith("ge") else ""
    bent = any(key.startswith("ge" + stem) for key in ours)
    return len(stem) >= _NEAR and not bent and any(key.rstrip("tdne") == stem for key in ours)


def is_told_in_past(compared: Interpretation) -> bool:
    """Whether the fact itself says that something ended, or is in the past: then it claims nothing about today."""
    words = compared.content.words
    ended = any(
        compared.content.has("weak", one.key) and not any(compared.meets(one, said) for said in compared.said)
        for one in words
    )
    english = any(one.language == "en" for one in compared.content.lexicons[:1])
    told = {word for before, word in pairwise(words) if before.key not in _BE}  # "is married" is a present state
    imperfect = any(one.text.endswith(_IMPERFECT) and one.text.islower() for one in compared.content.content)
    romance = any(one.language in {"es", "fr", "it", "pt"} for one in compared.content.lexicons[:1])
    return (
        ended
        or (romance and imperfect)
        or (english and any(len(one.key) > 3 and _was(one.key) for one in compared.content.content if one in told))
    )


def _only_asks(passage: Passage, clause: PassageClause) -> bool:
    """Whether a clause is a question. With "I" at the start, it only expresses surprise."""
    return clause.asks and not passage.has("first", clause.words[0].key)


def _asks_a_part(compared: Interpretation) -> bool:
    """Whether two or more words of the fact occur only in a question: "Do you think I've got runner's knee? It clicks"."""
    if len(compared.said) > 1:
        return False  # an answer need not repeat the question
    asking = [one for one in compared.touched if _only_asks(*one[:2])]
    asked = {key for _, _, held in asking for key in compared.taken(held)}
    told = {key for one in compared.touched if one not in asking for key in compared.taken(one[2])}
    return len(asked - told) > 1


def _is_unreal(passage: Passage, clause: PassageClause, held: Sequence[Word], ours: Sequence[str]) -> bool:
    endings = tuple(one for lexicon in passage.lexicons[:1] for one in lexicon.entries.get("unreal_endings", ()))
    told = [word.key for word in clause.words if word.text.casefold() not in _INDICATIVE]
    bent = [key for key in clause.keys if key not in ours]
    for one in passage.clauses:
        if one.sentence == clause.sentence and one.words[-1].end <= clause.words[0].start and len(one.words) <= _NEAR:
            told += one.keys  # "in my dreams, I …"
    sentence = [key for one in passage.clauses if one.sentence == clause.sentence for key in one.keys]
    until = [word for word in passage.until(clause) if word.start < held[-1].start]
    # The "se" of Portuguese "chama-se" is reflexive, and Italian "si" is no Spanish "if": the likeliest language counts.
    keys = [word.key for word in until if passage.text[max(word.start - 1, 0)] != "-"]
    ifs = (hit for one in passage.lexicons[:1] for hit in phrases_in(keys, one.entries["conditions"]))
    supposes = next(ifs, None) is not None and not passage.tells("habits", sentence)
    return passage.tells("unreal", told) or supposes or bool(endings and any(key.endswith(endings) for key in bent))


def _is_reported(passage: Passage, clause: PassageClause, held: Sequence[Word]) -> bool:
    """Whether somebody else says it: a reporting verb before the last matched word, without "I" just before it.

    What a doctor, employer or landlord tells the user does count, unless they only claim it.
    """
    told = [one for one in passage.clauses if one.sentence == clause.sentence]
    words = [word for one in told if one.words[0].start <= clause.words[0].start for word in one.words]
    keys = [word.key for word in words]
    hits = ((at, phrase, one) for one in passage.lexicons for at, phrase in phrases_in(keys, one.entries["reports"]))
    for at, phrase, lexicon in hits:
        mine = any(passage.has("first", key) for key in keys[max(at - _NEAR, 0) : at])
        mine = mine or (keys[at] in _ACCORDING and bool(_ME.intersection(keys[at + 1 : at + _NEAR])))
        mine = mine or keys[at - 1 : at] in _YOU
        entitled = any(passage.has("authorities", key) for key in keys[: at + _NEAR + 1])
        entitled = entitled and not lexicon.has("disputes", phrase)
        if not mine and not entitled and words[at] not in held and words[at].start < held[-1].start:
            return True
    return False


def _was(key: str) -> bool:
    return key in PAST_FORMS or key.endswith("ed")


def _bases(key: str) -> set[str]:
    return {PAST_FORMS.get(key, ""), key.removesuffix("ed"), key.removesuffix("d"), key[:-3]} - {""}
