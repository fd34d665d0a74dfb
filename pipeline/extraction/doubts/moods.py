"""Detect what was not asserted as true today: questions, suppositions, cancelled things, and others' claims."""

from collections.abc import Iterator, Sequence
from itertools import pairwise, takewhile

from mosshead.language.lexicon import Word, phrases_in
from mosshead.language.passage import Passage, PassageClause
from pipeline.extraction.doubts.interpretation import Doubt, Interpretation, Taken
from pipeline.extraction.doubts.people import THAT, is_said_to_them
from pipeline.extraction.doubts.tenses import tells_of_the_past

_NEAR = 3
_HEAD = 8
_A_DENIAL = 5
_ME = frozenset("me mich mir moi mij".split())
_YOU = (["you"], ["u"])
_INDICATIVE = frozenset("wurde wurden hatte hatten waren konnte konnten".split())
"""German indicative past forms; with an umlaut, they would be suppositions."""
_TURNS = frozenset("but anyway so and aber und pero y mais et ma e mas maar en".split())
"""Words that may begin the speaker's own statement after another's."""
_ACCORDING = frozenset("according secondo selon d segun segundo volgens laut nach".split())


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
    if tells_of_the_past(compared, best):
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
            others = [word for word in others if not later.has("greets", word.key)]
            ours = {word.key for word in compared.content.words}
            repeated = not clear and any(word.key in ours for word in said)  # "not going"
            held = repeated or any(_is_of(compared, word) for word in others)
            return held or (clear and len(others) <= 1)
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
    supposes = _supposes(passage, until) and not passage.tells("habits", sentence)
    return passage.tells("unreal", told) or supposes or bool(endings and any(key.endswith(endings) for key in bent))


def _supposes(passage: Passage, words: Sequence[Word]) -> bool:
    """Whether a condition stands among some words.

    Portuguese "chama-se" and "se chama" are reflexive, Dutch "werk als kok" compares, and "to say he's engaged" supposes nothing.
    The likeliest language counts: Italian "si" is no Spanish "if".
    """
    words = [word for word in words if passage.text[max(word.start - 1, 0)] != "-"]
    keys = [word.key for word in words]
    for lexicon in passage.lexicons[:1]:
        for at, phrase in phrases_in(keys, lexicon.entries["conditions"]):
            after = words[at + 1 : at + 2]
            compares = phrase == "als" and any(map(passage.counts, after))
            reflexive = phrase == "se" and any(passage.has("naming", word.key) for word in after)
            compares = compares or keys[max(at - 1, 0)] in {"comme", "come"}  # "comme si j'avais dix ans"
            says = phrase.startswith("say ") and at
            if not (compares or reflexive or says):
                return True
    return False


def _is_reported(passage: Passage, clause: PassageClause, held: Sequence[Word]) -> bool:
    """Whether somebody else says it: a reporting verb before the last matched word, without "I" just before it.

    What a doctor, employer or landlord tells the user does count, unless they only claim it.
    """
    own = clause.keys[0] in _TURNS and any(passage.has("first", key) for key in clause.keys[:_NEAR])
    words = clause.words if own else passage.until(clause)  # "he says it's mine, but I paid"
    keys = [word.key for word in words]
    near = {clause.sentence, clause.sentence + 1}
    doubted = passage.tells("doubted", [key for one in passage.clauses if one.sentence in near for key in one.keys])
    hits = ((at, phrase, one) for one in passage.lexicons for at, phrase in phrases_in(keys, one.entries["reports"]))
    for at, phrase, lexicon in hits:
        mine = any(passage.has("first", key) for key in keys[max(at - _NEAR, 0) : at])
        mine = mine or (keys[at] in _ACCORDING and bool(_ME.intersection(keys[at + 1 : at + _NEAR])))
        mine = mine or keys[at - 1 : at] in _YOU
        after = keys[at : at + _NEAR + 1] if passage.language != "en" or keys[at] in _ACCORDING else []
        teller = [*keys[:at], *takewhile(lambda key: key not in THAT, after)]
        entitled = any(passage.has("authorities", key) for key in teller)
        entitled = entitled and not (lexicon.has("disputes", phrase) or doubted)
        if not mine and not entitled and words[at] not in held and words[at].start < held[-1].start:
            return True
    return False
