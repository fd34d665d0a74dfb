"""Statements as words that can be compared: which of them tell something, which are names or numbers, and how they hang together.

Everything here errs towards "different": two statements that are wrongly held apart are two memories, but two that are wrongly
held to be one are one memory lost. The words are English; in other languages little is dropped, so that little is the same.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from mosshead.names import LETTER, normalise
from pipeline.facts import USER
from pipeline.times.words import MONTHS, NUMBERS, WEEKDAYS

# Scripts without spaces between words are read sign by sign.
_SIGN: Final = "(?:[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af][\u3099\u309a]?)"
_CURRENCY: Final = "$£¥\u20a0-\u20cf"
_RAW: Final = re.compile(
    rf"(?:(?<!\w)[-−])?[{_CURRENCY}]?\d+(?:[.,:/]\d+)*(?:\s?[ap]\.?m\b\.?|\s?[%°{_CURRENCY}]|(?!{LETTER}))"
    rf"|{_SIGN}|(?:(?!{_SIGN}){LETTER})+(?:['’-]{LETTER}+)*['’]?[+#]*|,|[\u2600-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff]",
    re.IGNORECASE,
)
_THOUSANDS: Final = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_GAP: Final = re.compile(rf"[\s.](?=[apm%°{_CURRENCY}])|(?<=m)\.$")

FILLERS: Final = frozenset(
    "a an the is are am be been being do does that this it its as too also just really very quite actually so now currently "
    "already any".split()
)
NEGATIONS: Final = frozenset("no not never none nobody nothing without neither nor cannot hardly".split())
_CONTRACTIONS: Final = {
    "won't": "will",
    "can't": "can",
    "shan't": "shall",
    "cannot": "can",
    "weren't": "was",
    **dict.fromkeys(("don't", "doesn't"), "do"),
    **dict.fromkeys(("isn't", "aren't", "ain't"), "is"),
}
_UNMARKED: Final = dict(
    zip("dont doesnt didnt isnt arent wasnt werent cant".split(), "do do did is is was was can".split(), strict=True)
)
_PREPOSITIONS: Final = frozenset(
    "in on at from to by with for of about against befor after over under until till since during between into onto near "
    "than via without every each".split()
)
_BEFORE_A_TIME: Final = frozenset({"in", "on", "at", "during"})
_CALENDAR: Final = frozenset((*WEEKDAYS, *MONTHS, *(f"{day}s" for day in WEEKDAYS))) | frozenset(
    "today tomorrow yesterday tonight morning afternoon evening night noon midnight weekend".split()
)
_ALSO_WORDS: Final = frozenset({"may", "march", "august"})
_COPULAS: Final = frozenset({"is", "are", "am"})
_PARTICIPLES: Final = frozenset(
    "been gone done had made taken seen known lived moved met bought found left lost read told".split()
)
_AND: Final = "&"


@dataclass(frozen=True, slots=True)
class Word:
    """One word of a statement.

    form: what is compared, in the base form where it is no name. name: it is written with a capital. whose: it is a possessive.
    """

    form: str
    name: bool = False
    whose: bool = False

    @property
    def is_number(self) -> bool:
        return any(map(str.isdigit, self.form))

    @property
    def is_time(self) -> bool:
        return self.form in _CALENDAR and (self.name or self.form not in _ALSO_WORDS)

    @property
    def is_value(self) -> bool:
        """Whether it is a name, a number or a day: what can be right or wrong by itself."""
        return self.is_number or self.is_time or (self.name and self.form != USER.casefold())


@dataclass(frozen=True, slots=True)
class Shape:
    """How the words of a statement hang together, whatever the place of its adjuncts.

    heads: its main part, at an "is" the part before and the part after it. adjuncts: what prepositions lead.
    fixed: a preposition stands twice, so that the order of the adjuncts tells something.
    """

    heads: tuple[tuple[str, ...], ...]
    adjuncts: tuple[tuple[str, ...], ...]
    fixed: bool


def plain(statement: str) -> str:
    """A statement without case, accents, punctuation, possessives and surplus space; signs and units of numbers stay."""
    words = (_plain_form(match[0]) for match in _RAW.finditer(statement) if match[0] != ",")
    return " ".join(words) or normalise(statement)


def words(statement: str) -> list[Word]:
    """All words in order; "doesn't" is "do" and "not", and a comma is a word."""
    return [word for first, match in enumerate(_RAW.finditer(statement)) for word in _read(match[0], first == 0)]


def negations(statement: str) -> int:
    """How many words of a statement deny."""
    return sum(word.form in NEGATIONS for word in words(statement))


def forms(statement: str) -> frozenset[str]:
    """The forms of all words."""
    return frozenset(word.form for word in words(statement))


def telling(statement: str) -> frozenset[str]:
    """The forms of the words that tell something: neither fillers nor negations nor prepositions, and not the user."""
    dropped = FILLERS | NEGATIONS | _PREPOSITIONS | {",", _AND, USER.casefold()}
    return frozenset(word.form for word in words(statement) if word.form not in dropped)


def details(statement: str, *, times: bool = True) -> frozenset[str]:
    """The names and numbers, and with ``times`` the days, that a statement holds."""
    return frozenset(
        word.form
        for word in words(statement)
        if word.is_value and word.form not in FILLERS and (times or not (word.is_time or word.is_number))
    )


def shape(statement: list[Word]) -> Shape:
    """The shape of a statement's words, without fillers and negations."""
    before, after = _sides(statement)
    segments = [*_segments(before), *_segments(after)]
    adjuncts = [_sorted_list(one) for one in segments if one[0].form in _PREPOSITIONS]
    heads = [_sorted_list(one) for one in segments if one[0].form not in _PREPOSITIONS]
    leading = [adjunct[0] for adjunct in adjuncts]
    fixed = len(set(leading)) < len(leading)
    return Shape(tuple(heads), tuple(adjuncts if fixed else sorted(adjuncts)), fixed)


def _plain_form(raw: str) -> str:
    if any(map(str.isdigit, raw)):
        return _THOUSANDS.sub("", _GAP.sub("", raw.casefold())).replace("−", "-")
    return normalise(raw.replace("’", "'"))


def _read(raw: str, first: bool) -> Iterator[Word]:
    form = _plain_form(raw)
    if form in _CONTRACTIONS or form.endswith("n't") or form in _UNMARKED:
        yield Word(_CONTRACTIONS.get(form) or _UNMARKED.get(form) or form.removesuffix("n't"))
        yield Word("not")
        return
    capital = raw[0].isupper()
    if form in NUMBERS and form not in FILLERS:
        yield Word(str(NUMBERS[form]))
    elif form == "were":
        yield Word("was")
    elif form == "and":
        yield Word(_AND)
    else:
        word = form if capital or form in _CALENDAR or raw[0].isdigit() else base_form(form)
        name = capital and not (first and (len(form) == 1 or form in FILLERS | NEGATIONS))
        yield Word(word, name, re.search(r"['’]s?$", raw) is not None)


_VOWELS: Final = re.compile(r"[aeiouy]+")
_KEPT: Final = frozenset(
    "during nothing something anything everything evening morning wedding building his was has is this does as us yes".split()
)


def base_form(word: str) -> str:
    """A word without its ending in -s or -ing. Past forms stay: who lived somewhere need not live there."""
    if word in _KEPT or len(word) < 4:
        return word
    if word.endswith("ing") and _VOWELS.search(word[:-3]):
        return _without_e(_of_participle(word[:-3]))
    if word.endswith("ies") and len(word) > 4:
        return f"{word[:-3]}y"
    if word.endswith(("sses", "xes", "zes", "ches", "shes", "oes")):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    return _without_e(word)


def _of_participle(stem: str) -> str:
    if len(stem) > 2 and stem[-1] == stem[-2] and stem[-1] not in "aeioulsz":
        return stem[:-1]
    short = re.fullmatch(r"[^aeiou]*[aeiou][^aeiouywx]", stem)
    return f"{stem}e" if short else stem


def _without_e(word: str) -> str:
    return word[:-1] if word.endswith("e") and len(_VOWELS.findall(word[:-1])) > 1 else word


def _sides(statement: list[Word]) -> tuple[list[Word], list[Word]]:
    """What stands before and after an "is"; a name after it comes first, as in "Peter is User's brother"."""
    places = [place for place, word in enumerate(statement) if word.form in _COPULAS]
    if not places or any(word.form == "," for word in statement):
        return statement, []
    before, after = statement[: places[0]], statement[places[0] + 1 :]
    named = _is_bare_name(after) and not _is_bare_name(before)
    return (after, before) if named else (before, after)


def _is_bare_name(side: list[Word]) -> bool:
    said = [word for word in side if word.form not in FILLERS]
    return bool(said) and all(word.name and not word.whose and not word.is_time for word in said)


def _segments(side: list[Word]) -> Iterator[list[Word]]:
    """Runs of telling words, a new one before each preposition, and after an adjunct that leads ("On Monday User …")."""
    run: list[Word] = []
    for place, word in enumerate(side):
        if word.form in FILLERS or word.form in NEGATIONS - {"without"} or _is_auxiliary(side, place):
            continue
        adjunct = bool(run) and run[0].form in _PREPOSITIONS
        ends = word.form in _PREPOSITIONS or (adjunct and (word.form == "," or _begins_anew(run, word)))
        if ends and run:
            yield run
            run = []
        if word.form == "," and not run:
            continue
        run.append(_weak(side, place) if word.form in _BEFORE_A_TIME else word)
    if run:
        yield run


def _begins_anew(run: list[Word], word: Word) -> bool:
    return run[-1].is_time and word.name and not word.is_time


def _weak(side: list[Word], place: int) -> Word:
    """ "in", "on" and "at" are one before a time: the time tells."""
    rest = [word for word in side[place + 1 :] if word.form not in FILLERS]
    return Word("on") if rest and (rest[0].is_time or rest[0].is_number) else side[place]


def _is_auxiliary(side: list[Word], place: int) -> bool:
    if side[place].form not in {"has", "have"}:
        return False
    rest = [word.form for word in side[place + 1 :] if word.form not in NEGATIONS | (FILLERS - {"been"})]
    return bool(rest) and (rest[0] in _PARTICIPLES or rest[0].endswith("ed"))


def _sorted_list(segment: list[Word]) -> tuple[str, ...]:
    """The forms of a segment; the items of "tea and coffee" in the order of the alphabet."""
    if not any(word.form == _AND for word in segment):
        return tuple(_form(word) for word in segment if word.form != ",")
    start = 1 if segment[0].form in _PREPOSITIONS else 2 if segment[0].name and not segment[0].whose else 0
    items: list[tuple[str, ...]] = [()]
    for word in segment[start:]:
        if word.form in {_AND, ","}:
            items.append(())
        else:
            items[-1] = (*items[-1], _form(word))
    listed = start > 0 and all(items) and not any(word.form in {_AND, ","} for word in segment[:start])
    names = _names_in_front(segment)
    if names:
        return (*sorted(names), *(_form(word) for word in segment[2 * len(names) - 1 :]))
    if not listed:
        return tuple(_form(word) for word in segment)
    return (*(_form(word) for word in segment[:start]), *(form for item in sorted(items) for form in (*item, _AND)))


def _names_in_front(segment: list[Word]) -> list[str]:
    """The names that lead a segment: "Tom and Anna (are siblings)"."""
    pair = len(segment) > 2 and segment[0].name and segment[1].form == _AND and segment[2].name
    alone = len(segment) == 3 or (len(segment) > 3 and not segment[3].name and segment[3].form not in {_AND, ","})
    whose = pair and any(segment[place].whose for place in (0, 2))
    return [segment[0].form, segment[2].form] if pair and alone and not whose else []


def _form(word: Word) -> str:
    return "have" if word.form == "has" else word.form
