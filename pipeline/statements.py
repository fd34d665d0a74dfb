"""Compare statements by their words: same meaning, different value, contradiction, or more detail.

The word lists are English: endings, fillers, negations, prepositions.
"""

import re
from collections import Counter
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, replace
from typing import Final

from mosshead.language.changes import NOT_SO
from mosshead.language.dates.spans import NUMBERS
from mosshead.language.names import LETTER, normalise
from mosshead.language.wordlists import MONTHS, WEEKDAYS
from pipeline.models import USER


@dataclass(frozen=True, slots=True)
class StatementWord:
    """A word of a statement.

    form: what is compared, the base form except for names. name: it is capitalised. whose: it is possessive.
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
        """Whether it is a name, number or day, which can be right or wrong by itself."""
        return self.is_number or self.is_time or (self.name and self.form != USER.casefold())


def same_statement(one: str, other: str) -> bool:
    """Whether two statements differ only in case, accents, punctuation and space."""
    return plain(one) == plain(other)


def agree(one: str, other: str) -> bool:
    """Whether two statements have the same content words and negation.

    Fillers, the endings -s and -ing, and the positions of adjuncts and list items may differ.
    """
    if same_statement(one, other):
        return True
    mine = sense(one)
    return mine is not None and mine == sense(other)


def sense(statement: str) -> Hashable | None:
    """Return the key that agreeing statements share; None if a statement has only fillers."""
    said = _shape(words(statement))
    return (negations(statement) % 2, said) if said.heads or said.adjuncts else None


def is_more_precise(one: str, other: str) -> bool:
    """Whether one says everything the other does, and more: "John Doe" and "John", but not "New York" and "York"."""
    more, less = plain(one).split(), plain(other).split()
    further = set(more) - set(less)
    precise = len(more) > len(less) > 0 and set(less) < set(more) and not further & (_OTHERWISE | NEGATIONS)
    return precise and negations(one) % 2 == negations(other) % 2


def opposite(one: str, other: str) -> bool:
    """Whether one statement plainly denies the other: the same words, once negated, stopped or as an antonym.

    The denied statement may be more detailed: "does not drink coffee" denies "drinks coffee every morning", but not the reverse.
    """
    return _denies(_reduced(one, {}), _reduced(other, {})) or _denies(_turned(one), _turned(other))


def calls_off(statement: str, plan: str, *, same_time: bool = False) -> bool:
    """Whether a statement cancels a plan and names nothing beyond it.

    same_time: both are known to have the same time, so days and numbers need not match as words.
    """
    not_happening = _NOT_HAPPENING.search(statement) is not None
    if not _CALLED_OFF.search(statement) or _CALLED_OFF.search(plan) or negations(statement) % 2 != not_happening:
        return False
    times = {word.form for word in words(statement) if same_time and (word.is_time or word.is_number)}
    named = telling(statement) - _CALLING_OFF - times
    planned = telling(plan)
    return bool(named) and (named <= planned or frozenset() < named - _PLANS <= planned)


def gives_up(statement: str, known: str) -> bool:
    """Whether a statement ends what is known: "stopped learning French", "sold the Golf", "does not smoke any more"."""
    over = next((match for pattern in _OVER if (match := pattern.search(statement))), None)
    if over is None or negations(known) or tells_an_end(known) or NOT_SO.search(statement[: over.start()]):
        return False
    matter, held = telling(_what_is_over(over)) - _PASSING, telling(known)
    if not matter or not all(any(akin(word, other) for other in held) for word in matter):
        return False
    more = {word for word in held - {USER.casefold()} if not any(akin(word, other) for other in matter)} - _PASSING
    if over.re in {_PARTED, _EXCHANGED}:
        last = [word.form for word in words(known) if word.form in held][-1]
        more -= forms(statement)
        named = any(akin(last, word) for word in matter)  # the Nokia in "an old Nokia", not the dog in "a dog bed"
        return bool(_HAS.search(known)) and len(more - _POSSESSING) <= named
    deed = telling(_HOW.split(known)[0]) - {USER.casefold()}  # how, where and with whom it is done is over with it
    rest = {word for word in deed if not any(akin(word, other) for other in matter)} - _PASSING
    paid = over.re is _CANCELLED and _PAID.search(f"{statement} {known}") is not None
    rest -= _DOING | _POSSESSING if paid else _DOING
    done = not rest and all(any(akin(word, other) for other in deed) for word in matter)
    return (not more and over.re is not _CANCELLED) or (done and (paid or over.re is _GAVE_UP))


def parts_with(statement: str) -> bool:
    """Whether a statement says that something was sold, exchanged or the like."""
    return bool(_PARTED.search(statement) or _EXCHANGED.search(statement))


def tells_an_end(statement: str) -> bool:
    """Whether a statement says that anything is over."""
    return any(pattern.search(statement) for pattern in _OVER)


def _what_is_over(over: re.Match[str]) -> str:
    said = over.groupdict()
    return said["rest"] or said["first"] or ""


def is_without_work(statement: str) -> bool:
    """Whether a statement says that somebody has no job."""
    return _WITHOUT_WORK.search(statement) is not None


def akin(one: str, other: str) -> bool:
    """Whether two words share a root, as far as letters show: "allergies" and "allergic"."""
    root = max(_ROOT, 1 + 2 * max(len(one), len(other)) // 3)
    return one == other or one[:root] == other[:root]


def lies_ahead(statement: str) -> bool:
    """Whether a statement is about the future."""
    return _AHEAD.search(statement) is not None


def tells_a_change(*texts: str) -> bool:
    """Whether a text reports a change, as anybody may: "moved", "now", "no longer" …"""
    return any(_CHANGE.search(text) for text in texts)


def differ_in_a_value(one: str, other: str) -> bool:
    """Whether two statements differ only in a name, number or day at the same place."""
    if negations(one) % 2 != negations(other) % 2:
        return False
    left, right = _said(one), _said(other)
    pairs = [(a, b) for a, b in zip(left, right, strict=False) if a.form != b.form]
    return len(left) == len(right) and bool(pairs) and all(a.is_value and b.is_value for a, b in pairs)


def differ_in_a_number(one: str, other: str) -> bool:
    """Whether two statements give different numbers or days for the same thing."""
    left, right = _said(one), _said(other)
    pairs = [(a, b) for a, b in zip(left, right, strict=False) if a.form != b.form]
    numbers = all((a.is_number or a.is_time) and (b.is_number or b.is_time) for a, b in pairs)
    return _IS_SO.search(one) is not None and differ_in_a_value(one, other) and numbers


def adds_details(one: str, other: str, *, times: bool = True) -> bool:
    """Whether one contains a name, number or (``times``) day that the other lacks."""
    return not details(one, times=times) <= forms(other)


def keeps(merged: str, news: str, memory: str, *, anew: bool = False) -> bool:
    """Whether a merged statement uses only words of both, and has all their names, numbers and days.

    anew: the news reports a change, so its numbers and days may replace the memory's.
    """
    said = forms(news) | forms(memory)
    denied = bool(negations(news) or negations(memory)) == bool(negations(merged))
    whole = details(news) | details(memory, times=not anew) <= forms(merged)
    # An endlessly repetitive answer uses no words of its own either.
    brief = len(merged) <= _MERGED_MOST * (len(news) + len(memory))
    return bool(merged.strip()) and brief and denied and whole and telling(merged) <= said | _CONNECTING


def plain(statement: str) -> str:
    """Strip case, accents, punctuation, possessives and extra spaces; keep the signs and units of numbers."""
    words = (_plain_form(match[0]) for match in _RAW.finditer(statement) if match[0] != ",")
    return " ".join(words) or normalise(statement)


def words(statement: str) -> list[StatementWord]:
    """Return all words in order; "doesn't" is "do" and "not", and a comma is a word."""
    return [word for first, match in enumerate(_RAW.finditer(statement)) for word in _read(match[0], first == 0)]


def negations(statement: str) -> int:
    """Count the negating words of a statement."""
    return sum(word.form in NEGATIONS for word in words(statement))


def forms(statement: str) -> frozenset[str]:
    """Return the forms of all words."""
    return frozenset(word.form for word in words(statement))


def telling(statement: str) -> frozenset[str]:
    """Return the forms of content words: no fillers, negations, prepositions or the user."""
    dropped = FILLERS | NEGATIONS | _PREPOSITIONS | {",", _AND, USER.casefold()}
    return frozenset(word.form for word in words(statement) if word.form not in dropped)


def details(statement: str, *, times: bool = True) -> frozenset[str]:
    """Return the names and numbers of a statement, and with ``times`` its days."""
    return frozenset(
        word.form
        for word in words(statement)
        if word.is_value and word.form not in FILLERS and (times or not (word.is_time or word.is_number))
    )


def _said(statement: str) -> list[StatementWord]:
    return [word for word in words(statement) if word.form not in FILLERS | NEGATIONS | {","}]


@dataclass(frozen=True, slots=True)
class StatementShape:
    """The structure of a statement, whatever the order of its adjuncts.

    heads: the main part; with an "is", the parts before and after it. adjuncts: the prepositional phrases.
    fixed: a preposition occurs twice, so the order of adjuncts matters.
    """

    heads: tuple[tuple[str, ...], ...]
    adjuncts: tuple[tuple[str, ...], ...]
    fixed: bool


_Reduced = tuple[StatementShape, bool] | None


def _reduced(statement: str, antonyms: dict[str, tuple[str, bool]]) -> _Reduced:
    """Return a statement's content and whether it is negated; None if the negation is not plain."""
    denied = False
    rest: list[StatementWord] = []
    before = ""
    for word in words(_TAKEN_UP.sub("", _GIVEN_UP.sub("quit", statement))):
        if before in NEGATIONS and word.form in _DOUBTFUL_AFTER_NOT:
            return None
        before = word.form
        if word.form in NEGATIONS and word.form not in _PLAIN_NEGATIONS:
            return None
        if word.form in _PLAIN_NEGATIONS or word.form in _STOPPED:
            denied = not denied
        elif word.form not in _LASTING:
            form, turned = antonyms.get(word.form, (word.form, False))
            denied ^= turned
            rest.append(replace(word, form=form))
    return _shape(rest), denied


def _turned(statement: str) -> _Reduced:
    """Reduce with antonyms as negations. "Does not love" is not "dislikes", so strong words count only if not negated."""
    return _reduced(statement, _MILD if negations(statement) else {**_MILD, **_STRONG})


def _denies(one: _Reduced, other: _Reduced) -> bool:
    if one is None or other is None or one[1] == other[1]:
        return False
    denial, denied = (one[0], other[0]) if one[1] else (other[0], one[0])
    if denial.fixed or denied.fixed:
        return denial == denied
    return denial.heads == denied.heads and Counter(denial.adjuncts) <= Counter(denied.adjuncts)


def _shape(statement: list[StatementWord]) -> StatementShape:
    """Return the structure of a statement without fillers and negations."""
    before, after = _sides(statement)
    segments = [*_segments(before), *_segments(after)]
    adjuncts = [_sorted_list(one) for one in segments if one[0].form in _PREPOSITIONS]
    heads = [_sorted_list(one) for one in segments if one[0].form not in _PREPOSITIONS]
    leading = [adjunct[0] for adjunct in adjuncts]
    fixed = len(set(leading)) < len(leading)
    return StatementShape(tuple(heads), tuple(adjuncts if fixed else sorted(adjuncts)), fixed)


def _sides(statement: list[StatementWord]) -> tuple[list[StatementWord], list[StatementWord]]:
    """Split at "is"; a name after it comes first, as in "Peter is User's brother"."""
    places = [place for place, word in enumerate(statement) if word.form in _COPULAS]
    if not places or any(word.form == "," for word in statement):
        return statement, []
    before, after = statement[: places[0]], statement[places[0] + 1 :]
    named = _is_bare_name(after) and not _is_bare_name(before)
    return (after, before) if named else (before, after)


def _is_bare_name(side: list[StatementWord]) -> bool:
    said = [word for word in side if word.form not in FILLERS]
    return bool(said) and all(word.name and not word.whose and not word.is_time for word in said)


def _segments(side: list[StatementWord]) -> Iterator[list[StatementWord]]:
    """Yield runs of content words, split before each preposition, and after a leading adjunct ("On Monday User …")."""
    run: list[StatementWord] = []
    for place, word in enumerate(side):
        if word.form in FILLERS or word.form in NEGATIONS - {"without"} or _is_auxiliary(side, place):
            continue
        adjunct = bool(run) and run[0].form in _PREPOSITIONS
        after_a_time = adjunct and run[-1].is_time and word.name and not word.is_time
        ends = word.form in _PREPOSITIONS or (adjunct and word.form == ",") or after_a_time
        if ends and run:
            yield run
            run = []
        if word.form == "," and not run:
            continue
        run.append(_weak(side, place) if word.form in _BEFORE_A_TIME else word)
    if run:
        yield run


def _weak(side: list[StatementWord], place: int) -> StatementWord:
    """Treat "in", "on" and "at" before a time as equal."""
    rest = [word for word in side[place + 1 :] if word.form not in FILLERS]
    return StatementWord("on") if rest and (rest[0].is_time or rest[0].is_number) else side[place]


def _is_auxiliary(side: list[StatementWord], place: int) -> bool:
    if side[place].form not in {"has", "have"}:
        return False
    rest = [word.form for word in side[place + 1 :] if word.form not in NEGATIONS | (FILLERS - {"been"})]
    return bool(rest) and (rest[0] in _PARTICIPLES or rest[0].endswith("ed"))


def _sorted_list(segment: list[StatementWord]) -> tuple[str, ...]:
    """Return the forms of a segment; list items, as in "tea and coffee", are sorted."""
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


def _names_in_front(segment: list[StatementWord]) -> list[str]:
    """Return the two names that begin a segment: "Tom and Anna (are siblings)"."""
    pair = len(segment) > 2 and segment[0].name and segment[1].form == _AND and segment[2].name
    alone = len(segment) == 3 or (len(segment) > 3 and not segment[3].name and segment[3].form not in {_AND, ","})
    whose = pair and any(segment[place].whose for place in (0, 2))
    return [segment[0].form, segment[2].form] if pair and alone and not whose else []


def _form(word: StatementWord) -> str:
    return "have" if word.form == "has" else word.form


def _plain_form(raw: str) -> str:
    if any(map(str.isdigit, raw)):
        return _THOUSANDS.sub("", _GAP.sub("", raw.casefold())).replace("−", "-")
    return normalise(raw.replace("’", "'"))


def _read(raw: str, first: bool) -> Iterator[StatementWord]:
    form = _plain_form(raw)
    capital = raw[0].isupper()
    if form in _CONTRACTIONS or form.endswith("n't"):
        yield StatementWord(_CONTRACTIONS.get(form) or form.removesuffix("n't"))
        yield StatementWord("not")
    elif form in NUMBERS and form not in FILLERS:
        yield StatementWord(str(NUMBERS[form]))
    elif form in _READ_AS:
        yield StatementWord(_READ_AS[form])
    else:
        word = form if capital or form in _CALENDAR or raw[0].isdigit() else base_form(form)
        name = capital and not (first and (len(form) == 1 or form in FILLERS | NEGATIONS))
        yield StatementWord(word, name, re.search(r"['’]s?$", raw) is not None)


def base_form(word: str) -> str:
    """Strip -s or -ing from a word. Past forms stay: somebody who lived somewhere need not live there now."""
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


def _bases(listed: str) -> frozenset[str]:
    return frozenset(map(base_form, listed.split()))


_VOWELS: Final = re.compile(r"[aeiouy]+")

_KEPT: Final = frozenset(
    "during nothing something anything everything evening morning wedding building his was has is this does as us yes".split()
)

_OTHERWISE: Final = frozenset(
    "new north south east west old great little los las san fort saint former ex past vice deputy assistant acting almost "
    "nearly half non step grand pre post mock fake and & or but then until till before after".split()
)
"""Words that change the meaning of the next: New York is not a more precise York."""

_LASTING: Final = _bases("longer anymore more still yet instead nowadays since again")
_GIVEN_UP: Final = re.compile(r"\b(?:g[ai]ve[ns]?|giving) up(?: on)?\b|\bused to\b", re.IGNORECASE)
_TAKEN_UP: Final = re.compile(
    r"\b(?:(?:has|have) )?(?:started|begun|began|resumed|t[ao]ken? up|(?:went|gone|is|are|was) back (?:to|on)) (?=\w+ing\b)",
    re.IGNORECASE,
)
_STOPPED: Final = _bases("stopped stop quit ceased")

_DOUBTFUL_AFTER_NOT: Final = _bases(
    "only just necessarily always really very quite entirely exactly too so that sure every all both"
)

_PLAIN_NEGATIONS: Final = frozenset({"not", "no", "never"})
_MILD: Final = {base_form("dislike"): ("like", True), "enjoy": ("like", False), "unmarried": ("married", True)}

_STRONG: Final = {"love": ("like", False), base_form("adore"): ("like", False), "hate": ("like", True)} | {
    "divorced": ("married", True),
    "unemployed": ("employed", True),
}

_SWITCHED_OR_SPOILT: Final = (
    r"(?:lights?|lamps?|milk|cream|butter|cheese|yogh?urt|meat|chicken|fish|eggs?|food|colou?rs?|smell|taste|timing|phones?|tv|radio"
    r"|power|electricity|gas|water|heating|boiler|heater|oven|stove|fridge|freezer|alarms?|wi-?fi|internet|router|computer|laptop"
    r"|screen|camera|printer|car|engine|sound|music|price)"
)

_CALLED_OFF: Final = re.compile(
    r"\b(?:cancel(?:s|l?ed)?|called off|calls? off|scrapped|abandoned|fell through|not happening|not taking place"
    rf"|(?<!\w)(?:(?!{_SWITCHED_OR_SPOILT}\b)[\w'-]+) (?:is|are) off(?=$|[,.!]))(?!\w)",
    re.IGNORECASE,
)
"""A light that is off is switched off, and milk that is off is spoilt."""

_NOT_HAPPENING: Final = re.compile(r"\bnot (?:happening|taking place)\b", re.IGNORECASE)

_CALLING_OFF: Final = _bases(
    "cancel canceled cancelled called call off scrapped abandoned fell through happen take tak place was has have had been "
    "will won't because"
)

_PLANS: Final = _bases(
    "trip plan travel visit journey holiday vacation flight meet appointment event date stay tour booking reservation"
)

_AHEAD: Final = re.compile(
    r"\b(?:will|going to|plans?|planning|booked|scheduled|upcoming|tomorrow|next|intends?|wants? to|about to)\b",
    re.IGNORECASE,
)

_CHANGE: Final = re.compile(
    r"\b(?:moved|moving|now|nowadays|no longer|any ?more|switched|since|instead|changed|became|becomes|has become|stopped|quit|"
    r"started|recently|meanwhile|these days|used to|cancell?ed|called off|retired|divorced|resigned|left|sold|joined|promoted|"
    r"again|g[ai]ven? up)\b",
    re.IGNORECASE,
)

_ROOT: Final = 5
"""How many first letters, if they are most of both words, make two words share a root."""

_WITHOUT_WORK: Final = re.compile(
    r"\b(?:is|are) (?:currently |still )?(?:unemployed|jobless|out of work|between jobs|looking for (?:an? )?(?:new"
    r" )?(?:job|work))\b"
)
_ONES: Final = r"(?:(?:the|an?|\w+'s|his|her|their|old) )*"
_PARTED: Final = re.compile(
    r"\b(?:sold|gave away|got rid of|scrapped|shaved off|cut off|threw (?:out|away)|donated|broke up with|split up with)"
    rf" {_ONES}(?P<rest>.+)$"
)
_EXCHANGED: Final = re.compile(
    rf"\b(?:(?:traded|swapped|exchanged|replaced) {_ONES}(?P<rest>[^,]+?)(?: in)? (?:for|with|by)"
    rf"|(?:switched|changed|moved|went) (?:over |on )?from {_ONES}(?P<first>[^,]+?) to) (?!each|the other)\S"
)
_GAVE_UP: Final = re.compile(
    r"\b(?:stopped(?= \w+ing\b)|quit|g[ai]ven? up(?: on)?) (?!by\b|at\b|in\b|off\b|over\b|on\b)(?P<rest>.+?)"
    rf"(?: (?:last \w+|(?:in|since) (?:\d{{4}}|(?i:{'|'.join(MONTHS)})\b)(?: \d{{4}})?))?$"
)
_CANCELLED: Final = re.compile(rf"\b(?:cancell?ed|ended|unsubscribed from) {_ONES}(?P<rest>.+)$")
_PAID: Final = re.compile(r"\b(?:(?:un)?subscrib|membership|subscription|member\b)")
_OVER: Final = (
    _GAVE_UP,
    _CANCELLED,
    re.compile(r"\bstopped (?!by\b|at\b|in\b|off\b|over\b|on\b)(?P<rest>.+)$"),
    re.compile(r"\b(?:does not|do not|is not|are not) (?P<rest>.+?) (?:any ?more|any longer)$"),
    re.compile(r"\bno longer (?P<rest>.+)$"),
    _PARTED,
    _EXCHANGED,
)
"""Expressions for an end, and what ended."""
_HAS: Final = re.compile(
    r"\b(?:has|have|owns?|drives?|rides?|keeps?|wears?|bought|got|uses?|is dating|is with|is seeing)\b|^\S+'s \w+ is\b"
)
_HOW: Final = re.compile(r" (?:in|on|at|with|for|every|twice|once|daily|a (?:pack|lot|few|bit)|\d+|two|ten|twenty)\b")
_DOING: Final = _bases("go play take learn study practise do attend subscribe drink eat smoke vape sing dance train")
_POSSESSING: Final = frozenset("has have wear own drive ride keep buy get use date see".split())
_PASSING: Final = frozenset(
    "diet class course lesson currently now regularly still lot heavy heavily daily sometimes often altogether completely"
    " good day week account subscription membership".split()
)
"""Words that say little about an activity."""

_CONNECTING: Final = _bases(
    "named called who which whose where when while because but both known plus including since he she they him her his their "
    "them was has have had & or"
)

_MERGED_MOST = 2
"""The most a merged statement may be longer than both together, as a factor."""

# Scripts without spaces are read character by character.
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
    "shan't": "shall",
    "didnt": "did",
    **dict.fromkeys(("can't", "cannot", "cant"), "can"),
    **dict.fromkeys(("weren't", "werent", "wasnt"), "was"),
    **dict.fromkeys(("don't", "doesn't", "dont", "doesnt"), "do"),
    **dict.fromkeys(("isn't", "aren't", "ain't", "isnt", "arent"), "is"),
}

_PREPOSITIONS: Final = frozenset(
    "in on at from to by with for of about against befor after over under until till since during between into onto near "
    "than via without every each".split()
)

_BEFORE_A_TIME: Final = frozenset({"in", "on", "at", "during"})

_IS_SO: Final = re.compile(r"\b(?:is|are|was|were|costs?|weighs?|starts?|begins?|ends?|turns?)\b")
_CALENDAR: Final = frozenset((*WEEKDAYS, *MONTHS, *(f"{day}s" for day in WEEKDAYS))) | frozenset(
    "today tomorrow yesterday tonight morning afternoon evening night noon midnight weekend".split()
)

_ALSO_WORDS: Final = frozenset({"may", "march", "august"})
_COPULAS: Final = frozenset({"is", "are", "am"})

_PARTICIPLES: Final = frozenset(
    "been gone done had made taken seen known lived moved met bought found left lost read told".split()
)

_AND: Final = "&"
_READ_AS: Final = {"and": _AND, "were": "was"}
