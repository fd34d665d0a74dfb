"""Detect facts that state in the present what their sources state in the past: "I taught", "User teaches"."""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Final

from mosshead.language.lexicon import Word, phrases_in, proper_classes_of
from mosshead.language.passage import Passage, PassageClause
from mosshead.language.verbs import PAST_FORMS
from pipeline.extraction.alignment import says_the_same
from pipeline.extraction.doubts.interpretation import Interpretation, Taken

_SHORTEST, _LENGTH_APART = 3, 3
"""The fewest letters of a verb or stem, and how much two forms of one may differ in length."""
_HEAD = 4
"""Within how many words a German verb follows its subject."""
_TURNS = frozenset("but now aber jetzt pero ahora mais maintenant ma adesso mas agora maar nu".split())
_HAVE = frozenset("have has ve haven havent hasnt".split())
_PRESENT = _HAVE | frozenset("is are be being get gets s".split())
"""Words before a participle that tell of today: "is married"."""
_SINCE = frozenset(
    "since when while as if that than quando cuando desde quand depuis seit sinds toen dass che que".split()
)
"""Words that begin a part of a clause with a tense of its own."""
_UNTIL = frozenset(("until", "till", "til", "up to"))
_BECAME = frozenset(
    "moved changed rescheduled postponed pushed brought promoted hired appointed diagnosed born named elected accepted told "
    "given made put prescribed adopted chosen picked asked".split()
)
"""English participles that tell, after "was", how something came to be as it is."""
_PARTICIPLE_ENDINGS: Final = {
    "es": ("ado", "ada", "ido", "ida"),
    "it": ("ato", "ata"),
    "pt": ("ado", "ada", "ido", "ida"),
}
"""Endings of such participles."""
_SAME_IN_PAST = frozenset("got cost put cut hit let set quit read".split())
_PERFECT: Final = {
    "de": ("hat haben ist sind", ("t", "en")),
    "en": ("has have", ("ed", "en", "ne", "wn", "un", "pt", "ft", "ght", "ld", "nt")),
    "fr": ("a ont", ("é", "ée", "és", "ées", "u", "ue", "is", "it", "ert")),
    "es": ("ha han", ("ado", "ido", "cho", "rto")),
    "it": ("ha hanno", ("ato", "uto", "ito", "so", "tto", "sto")),
    "nl": ("heeft hebben is zijn", ("d", "t", "en")),
    "pt": ("tem têm", ("ado", "ido")),
}
"""Auxiliaries of the perfect and the endings of its participles."""
_PAST_AND_PRESENT: Final = {
    "es": (("é", "ó", "í", "aba", "aban", "aron", "ieron"), ("a", "e", "an", "en")),
    "fr": (("é", "ée", "és"), ("e", "ent")),
    "it": (("ato", "uto", "avo", "ava", "avano", "avamo"), ("a", "e", "ano", "ono")),
    "nl": (("de", "te"), ("t", "en")),
    "pt": (("ei", "ou", "ava", "avam", "aram", "eram", "iram"), ("a", "e", "am", "em")),
}
"""Endings of verbs in the past and the present. In German, "ich leite" would look like a past."""
_THIRD_PERSON_PAST: Final = {
    "es": ("aba", "aban", "ó", "aron", "ieron"),
    "fr": ("ait", "aient"),
    "it": ("ava", "avano"),
    "pt": ("ava", "avam", "ou", "iu", "ceu", "reu", "veu", "beu", "deu", "aram", "eram", "iram"),
}
"""Endings of verbs in the past and the third person."""
_NO_IMPERFECT = frozenset(
    "fait refait satisfait parfait lait plait sait mais jamais fais vais sais connais connait reconnais parais francais anglais "
    "desormais devo bravo vivo".split()
)
"""Words that end like an imperfect."""


def tells_of_the_past(compared: Interpretation, clauses: Iterable[Taken]) -> bool:
    """Whether some clause is about former times, and the fact is not."""
    ours = [word.key for word in compared.content.words]
    if any(compared.content.tells(role, ours) for role in ("past", "past_verbs")) or is_told_in_past(compared):
        return False
    return any(_is_past(compared, *one) for one in clauses)


def is_told_in_past(compared: Interpretation) -> bool:
    """Whether the fact itself says that something ended, or is in the past: then it claims nothing about today."""
    content = compared.content
    told = [word for before, word in pairwise(content.words) if before.key not in _PRESENT]
    english = content.language == "en"
    endings = _THIRD_PERSON_PAST.get(content.language, ())
    return (
        any(content.has("weak", word.key) and not _is_said(compared, word) for word in content.words)
        or (english and any(len(word.key) >= _SHORTEST and _is_past_tense(word.key) for word in told))
        or (english and any(word.key == "quit" for word in content.words))
        or (
            content.language == "de"
            and any(_ends_in_past(compared, word, ("te", "ten")) for word in content.words[:_HEAD])
        )
        or any(_ends_in_past(compared, word, endings) for word in (content.content if endings else ()))
    )


def _ends_in_past(compared: Interpretation, word: Word, endings: tuple[str, ...]) -> bool:
    """Whether a word ends like a past form, and was not said as it is: "museu", "lait"."""
    said = any(word.text == one.text for passage in compared.said for one in passage.words)
    return word.text.islower() and word.text.endswith(endings) and not said and word.key not in _NO_IMPERFECT


def _is_said(compared: Interpretation, word: Word) -> bool:
    return any(compared.meets(word, one) for one in compared.said)


def _is_past(compared: Interpretation, passage: Passage, clause: PassageClause, held: Sequence[Word]) -> bool:
    """Whether the sentence is about former times, or a verb is past there and present in the fact."""
    ours = [word.key for word in compared.content.words]
    opening = [word.key for word in passage.until(clause) if word not in clause.words]
    whole = opening and not any(passage.is_negation(key) for key in opening) and clause.keys[0] not in _TURNS
    return (
        (passage.tells("past", clause.keys) and not _ends_too(compared.content, passage, clause))
        or (bool(whole) and passage.opens("past", opening))
        or (_is_former(passage, clause, ours) and not _tells_an_event(compared.content))
        or any(_was_once(word, compared, passage) for word in held)
        or any(_is_perfect(word, passage, ours) for word in clause.words)
        or any(_is_imperfect(word, passage, ours) for word in held if word.key not in ours)
        or _is_past_form(compared, passage, clause, held)
    )


def _is_former(passage: Passage, clause: PassageClause, ours: Sequence[str]) -> bool:
    """Whether a clause has a past form of "be" or an imperfect, or tells of the past up to something."""
    lexicon = passage.lexicons[0] if passage.lexicons else None
    if lexicon is None:
        return False
    main = _main_part(clause, passage)
    main = main[1:] if main[:1] == ["were"] else main  # "were arriving" without a subject is "we're arriving"
    if any(lexicon.has("finite", key) and not lexicon.has("function", key) and key in ours for key in clause.keys):
        return False  # "my mum, who was a nurse, lives in Leeds"
    became = _PARTICIPLE_ENDINGS.get(lexicon.language, ())
    if any(lexicon.has("were", key) and not after.endswith(became) for key, after in pairwise([*main, ""])):
        return True
    later = [word.key for one in passage.clauses if one.sentence == clause.sentence for word in one.words]
    ended = _UNTIL.intersection([*later, *map(" ".join, pairwise(later))]) - _UNTIL.intersection(ours)
    english = lexicon.language == "en"
    return (english and bool(ended) and any(map(_is_past_tense, clause.keys))) or any(
        word.text.islower()
        and len(word.key) > _SHORTEST
        and not (passage.has("function", word.key) or word.key in ours)
        and _is_imperfect(word, passage, ours)
        for word in clause.words
    )


def _main_part(clause: PassageClause, passage: Passage) -> list[str]:
    """Return a clause's words up to "since", in English without the "had" of "have had" and the "was" of "was promoted"."""
    keys = clause.keys
    ends = next((at for at, key in enumerate(keys) if at and key in _SINCE), len(keys))
    if passage.language != "en":
        return keys[:ends]
    perfect = not _HAVE.isdisjoint(keys) or any(
        pair[0] == "s" and pair[1] in {"been", "had", "got"} for pair in pairwise(keys)
    )
    main = [key for key, after in pairwise([*keys[:ends], ""]) if after not in _BECAME]
    return [key for key in main if not (perfect and key == "had")]


def _tells_an_event(content: Passage) -> bool:
    """Whether a text has a past form of "be" or a perfect: "has fallen", "ha accettato", "hat ... verkauft"."""
    if any(content.has("were", word.key) or word.key in _SAME_IN_PAST for word in content.words):
        return True
    auxiliaries, endings = _PERFECT.get(content.language, ("", ()))
    far = content.language in {"de", "nl"}
    return any(
        word.key in auxiliaries.split()
        and any(one.text.endswith(endings) for one in content.words[at + 1 : None if far else at + 2])
        for at, word in enumerate(content.words)
    )


def _ends_too(content: Passage, passage: Passage, clause: PassageClause) -> bool:
    """Whether the fact, too, says that something is no longer so: "nicht mehr" and "keine Wurst mehr"."""
    ours = [word.key for word in content.words]
    phrases = [
        phrase
        for one in passage.lexicons
        for _, phrase in phrases_in(clause.keys, one.entries.get("past", frozenset()))
    ]
    ended = all(any(map(passage.is_negation, phrase.split())) and phrase.split()[-1] in ours for phrase in phrases)
    return ended and any(map(content.is_negation, ours))


def _is_imperfect(word: Word, passage: Passage, ours: Sequence[str]) -> bool:
    """Whether a word ends like an imperfect, and is no proper word, nor Italian "vivo" beside "vive"."""
    endings = tuple(one for lexicon in passage.lexicons[:1] for one in lexicon.entries.get("past_endings", ()))
    present = {word.key[:-1] + ending for ending in "ae"} if word.key.endswith("vo") else set()
    only_like = word.key in _NO_IMPERFECT or proper_classes_of(word.key) or present.intersection(ours)
    return bool(endings) and word.key.endswith(endings) and not only_like


def _was_once(word: Word, compared: Interpretation, passage: Passage) -> bool:
    """Whether a verb is past by its ending, and present in the fact: "morei", "mora"."""
    language = passage.language
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
        and abs(len(one.text) - len(said)) < _LENGTH_APART
        and says_the_same(word.key, one.key)
        for one in compared.content.content
    )


def _is_perfect(word: Word, passage: Passage, ours: Sequence[str]) -> bool:
    """Whether a German or Dutch participle is present tense in the fact: "gewohnt", "wohnt"."""
    germanic = passage.language in {"de", "nl"}
    stem = word.key[2:].rstrip("tdne") if germanic and word.key.startswith("ge") else ""
    bent = any(key.startswith("ge" + stem) for key in ours)
    return len(stem) >= _SHORTEST and not bent and any(key.rstrip("tdne") == stem for key in ours)


def _is_past_form(compared: Interpretation, passage: Passage, clause: PassageClause, held: Sequence[Word]) -> bool:
    """Whether a verb has its past form in a clause, and its present form in the fact: "had" and "has"."""
    ours = [word.key for word in compared.content.words]
    for lexicon in passage.lexicons[:1]:
        main = _main_part(clause, passage)
        pairs = [(past, now) for past, now in lexicon.past if past in main]
        if any(now in ours and now not in clause.keys and past not in ours for past, now in pairs):
            return True
        past = [word.key for word in held if word.key not in ours and _is_past_tense(word.key)]
        if lexicon.language == "en" and any(_base_forms(key) & _presents(compared) for key in past):
            return True
    return False


def _presents(compared: Interpretation) -> set[str]:
    """Return base forms of English verbs that the fact may use in the present: "works", "Tom and Jess share"."""
    content = compared.content
    plural = {
        word.key
        for before, word in pairwise(content.words)
        if compared.is_person(before, content) or content.has("third", before.key)
    }
    return plural | {one.key[:-1] for one in content.words if one.key.endswith("s")}


def _is_past_tense(key: str) -> bool:
    return key in PAST_FORMS or key.endswith("ed")


def _base_forms(key: str) -> set[str]:
    return {PAST_FORMS.get(key, ""), key.removesuffix("ed"), key.removesuffix("d"), key[:-3]} - {""}
