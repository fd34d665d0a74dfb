"""Extract the numbers and clock times of a text, in figures or in words of seven languages."""

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from itertools import chain, pairwise

from mosshead.language.lexicon import Lexicon, words_of
from mosshead.language.wordlists import CARDINALS, TURNS, UNDER_TWENTY

Number = tuple[frozenset[str], ...]
"""The possible readings of a number, each as parts that must all occur: "3:30" is half past three, or three and thirty."""

_FACTORS = {
    "dozen": 12, "hundred": 100, "thousand": 1000, "million": 1_000_000, "billion": 1_000_000_000, "mila": 1000, "mil": 1000,
    "mille": 1000, "tausend": 1000, "duizend": 1000, "millionen": 1_000_000, "millones": 1_000_000, "millions": 1_000_000,
    "milhoes": 1_000_000, "milioni": 1_000_000, "miljoen": 1_000_000, "ton": 100_000,
}  # fmt: skip
_SHORT_FACTORS = {"k": "thousand", "m": "million", "mn": "million", "mio": "million", "bn": "billion"}
_NOON = 12
_HUNDRED, _THOUSAND, _DOZEN = 100, 1000, 12
_TEN, _TWENTY = 10, 20
_QUARTER = 0.25
_LONGEST_FIGURE = 4
_PARTS = {365: 12, 7: 7}
"""By a span's length in days, its number of parts: months of a year, days of a week."""
_HOURS, _LONGEST_HOUR = ("hour", "stunde", "hora", "heure", "ora", "ore", "uur", "uren"), 8

_THOUSANDS = re.compile(r"(?<=\d)(?:[,'’_](?=\d{3}(?!\d))|,(?=(?:\d\d,){1,5}\d{3}(?!\d)))")

_NUMBER = re.compile(
    r"(?<!\d)(?P<hour>\d{1,2})(?:[:.](?P<minute>[0-5]\d))? ?(?P<half>[ap])\.?m\b"
    r"|\b(?P<on_clock>\d{1,2})(?::| ?h ?(?=[0-5]\d\b)|\.(?=\d\d (?:uhr|uur)\b))(?P<past>[0-5]\d)(?!\d)"
    rf"|\b(?P<before>{'|'.join(TURNS)}) (?P<spoken>\d{{1,2}}|{'|'.join(UNDER_TWENTY[1:13])})\b"
    rf"|(?P<number>\d+(?:\.\d+)?)(?: ?(?P<factor>{'|'.join((*_FACTORS, *_SHORT_FACTORS))})\b)?"
)


def numbers(text: str) -> Iterator[Number]:
    """Yield the numbers and clock times written in figures."""
    for match in _NUMBER.finditer(_THOUSANDS.sub("", text)):
        if match["number"]:
            yield _counted(match["number"], match["factor"])
        elif match["half"]:
            yield _of_half_a_day(match["hour"], match["minute"] or "", match["half"])
        elif match["before"]:
            yield _spoken(match["before"], match["spoken"])
        else:
            hour, minute = match["on_clock"], match["past"]
            alone = () if int(minute) else (_parts(hour),)
            yield (*_on_a_dial(int(hour), int(minute)), _parts(hour, minute), *alone)


def spelt_numbers(text: str, lexicon: Lexicon, *, articles: bool = True) -> Iterator[str]:
    """Yield the numbers and clock times written in words: twenty one is 21, halb acht is 7:30.

    articles: whether words that may be no number count ("a", "first", "half").
    """
    keys = [word.key for word in words_of(text)]
    if articles:
        yield from _times_of_day(keys, lexicon)
        yield from _beside_figures(keys, lexicon)
        yield from _minutes(keys, lexicon)
    running: list[float] = []
    for at, key in enumerate(keys):
        pieces = _worth(key, lexicon) if articles or key not in lexicon.articles or running else []
        joins = running and _leads_on(keys[at : at + 3], lexicon)
        if pieces:
            yield from _percentages(key, running, lexicon) if articles else ()
            if running and not _goes_on(running, pieces):
                yield from _told(running, articles)
                if articles and running[0] < _TEN <= pieces[0] < _HUNDRED and len(running) == 1:
                    yield _in_one_form(f"{Decimal(str(_HUNDRED * running[0] + _sum(pieces))):f}")  # nine fifty
                running = []
            running += pieces
        elif not joins:
            yield from _told(running, articles)
            running = []
    yield from _told(running, articles)


def _beside_figures(keys: Sequence[str], lexicon: Lexicon) -> Iterator[str]:
    """Yield what figures and words mean together: "86 and a half grand", and the months of years or days of weeks."""
    for at, key in enumerate(keys):
        whole = float(key) if key.isdecimal() and len(key) <= _LONGEST_FIGURE else None
        worth = [whole] if whole is not None else _worth(key, lexicon)
        number = _sum(worth) if worth else 1.0
        ahead = [one for one in keys[at + 1 : at + 5] if not lexicon.has("joiners", one) and not _is_one(one, lexicon)]
        more = lexicon.numbers.get(ahead[0], 1.0) if ahead else 1.0
        if whole is not None and (more < 1 or more >= _HUNDRED):
            part, after = (more, ahead[1:2]) if more < 1 else (0.0, ahead[:1])
            amount = Decimal(str(whole + part))
            yield _in_one_form(f"{amount:f}")
            factors = [lexicon.numbers.get(one, 1.0) for one in after]
            yield from (_in_one_form(f"{amount * Decimal(str(one)):f}") for one in factors if one >= _HUNDRED)
        span = lexicon.spans.get(ahead[0] if worth and ahead else key, 0)
        if span in _PARTS:
            yield _in_one_form(f"{Decimal(str(number * _PARTS[span])):f}")


def _is_one(key: str, lexicon: Lexicon) -> bool:
    return key in lexicon.articles and lexicon.numbers.get(key, 1) == 1


def _minutes(keys: Sequence[str], lexicon: Lexicon) -> Iterator[str]:
    """Yield the minutes of parts of an hour: half an hour or a halbe Stunde is 30, an hour and a half is 90."""
    for at, key in enumerate(keys):
        if key.startswith(_HOURS) and len(key) < _LONGEST_HOUR:
            before = [lexicon.numbers[one] for one in keys[max(at - 4, 0) : at] if lexicon.numbers.get(one, 1) != 1]
            after = [lexicon.numbers[one] for one in keys[at + 1 : at + 4] if 0 < lexicon.numbers.get(one, 1) < 1]
            share = _sum(before) if before and before[-1] < _DOZEN else 0
            whole = share + sum(after) if share or not after else 1 + after[0]
            if whole % 1:
                yield str(round(60 * whole))
        elif key.endswith(("stunde", "uur", "kwartier")):
            parts = [
                lexicon.numbers[name]
                for name in re.findall("drei|drie|viertel|kwart|half|halb", key)
                if name in lexicon.numbers
            ]
            if parts and parts[-1] < 1:
                yield str(round(60 * _sum(parts)))


def _percentages(key: str, running: Sequence[float], lexicon: Lexicon) -> Iterator[str]:
    """Yield thirds and the like as percentages."""
    parts = lexicon.numbers.get(key, 0)
    if key in lexicon.articles and 2 < parts <= _TEN:
        share = 100 * (running[-1] if running and running[-1] < parts else 1) / parts
        yield from (str(int(share)), str(round(share)))


def _leads_on(keys: Sequence[str], lexicon: Lexicon) -> bool:
    """Whether a number continues after "and", or after "a" before a half, a quarter, a dozen or a million."""
    if lexicon.has("joiners", keys[0]):
        return bool(keys[1:] and _worth(keys[1], lexicon)) or _leads_on(keys[1:], lexicon) if keys[1:] else False
    return keys[0] in lexicon.articles and len(keys) > 1 and not 1 <= lexicon.numbers.get(keys[1], 1) < _DOZEN


def _worth(key: str, lexicon: Lexicon) -> list[float]:
    """Return the values of the number words in a word: zwanzigtausend gives twenty and a thousand."""
    if key in lexicon.numbers:
        return [lexicon.numbers[key]]
    if len(key) < 6 or not lexicon.compound.fullmatch(key):
        return []
    names = sorted((name for name in lexicon.numbers if name and key.find(name) >= 0), key=len, reverse=True)
    pieces = [lexicon.numbers[name] for name in re.findall("|".join(names), key)]
    return [_sum(pieces)] if pieces and pieces[-1] not in (_HUNDRED, _THOUSAND) else [*pieces]


def _goes_on(running: Sequence[float], pieces: Sequence[float]) -> bool:
    """Whether a number word continues the number before it: "twenty one" is one number, "two three" are two."""
    last, first = running[-1], pieces[0]
    multiplies = first >= _HUNDRED or first == _DOZEN
    fills = last >= _HUNDRED > first or (_TWENTY <= last < _HUNDRED and first < _TWENTY and first < last)
    seventy = last == _TEN and first < _TEN and (first > 6 or (len(running) > 1 and running[-2] >= _TWENTY))  # dix-sept
    return multiplies or fills or seventy or first < 1 or (last == 4 and first == _TWENTY)


def _told(running: Sequence[float], loosely: bool) -> Iterator[str]:
    if running:
        yield _in_one_form(f"{Decimal(str(_sum(running))):f}")
        if loosely and _sum(running) < 1:
            yield _in_one_form(f"{Decimal(str(100 * _sum(running))):f}")  # a half is 50 %
        if loosely and (min(running) < 1 or _DOZEN in running):  # half a dozen also matches a dozen
            yield from (_in_one_form(f"{Decimal(str(one)):f}") for one in running)


def _sum(pieces: Sequence[float]) -> float:
    total = current = 0.0
    for before, piece in pairwise((0.0, *pieces)):
        if piece >= _THOUSAND:
            total, current = total + (current or 1) * piece, 0.0
        elif piece == _QUARTER and 1 < current < 4:
            current *= piece
        elif piece == _TWENTY and before == 4:  # six cent quatre-vingts
            current += 4 * _TWENTY - 4
        elif piece == _HUNDRED or (piece == _DOZEN and 0 < current < _TEN):
            current = (current or 1) * piece
        else:
            current += piece
    return total + current


def _times_of_day(keys: Sequence[str], lexicon: Lexicon) -> Iterator[str]:
    """Yield the clock times that a language expresses in its own way, each in both halves of the day."""
    for form, shift in lexicon.clock:
        for start in range(len(keys) - len(form) + 1):
            given = dict[str, int]()
            for part, key in zip(form, keys[start : start + len(form)], strict=True):
                worth = [float(key)] if key.isdecimal() and len(key) < 3 else _worth(key, lexicon)
                if part in {"{h}", "{m}"} and len(worth) == 1 and worth[0] % 1 == 0 and worth[0] < 60:
                    given[part] = int(worth[0])
                elif part != key:
                    break
            else:
                way, _, more = shift.partition("m")  # "-m-30": five to half past six
                minutes = given.get("{m}", 0) * int(f"{way}1") + int(more or 0) if "m" in shift else int(shift)
                hours, minute = divmod(given.get("{h}", 0) * 60 + minutes, 60)
                yield from chain.from_iterable(_on_a_dial(hours % 24, minute))


def _counted(number: str, factor: str | None) -> Number:
    if factor is None:
        return (_parts(number),)
    return _parts(number), _parts(f"{Decimal(number) * _FACTORS[_SHORT_FACTORS.get(factor, factor)]:f}")


def _of_half_a_day(hour: str, minute: str, half: str) -> Number:
    time = _time(int(hour) % _NOON + (_NOON if half == "p" else 0), int(minute or 0))
    return time, _parts(hour, *([minute] if minute else []))


def _spoken(before: str, hour: str) -> Number:
    hours, minute = TURNS[before]
    number = int(hour) if hour.isdigit() else CARDINALS[hour]
    return *_on_a_dial(number + hours, minute), _parts(str(number))


def _on_a_dial(hour: int, minute: int) -> Number:
    """Return the readings of a clock time without a.m. or p.m.: half past three has two, 15:30 one."""
    halves = (hour,) if hour > _NOON else (hour % _NOON, hour % _NOON + _NOON)
    return tuple(_time(one, minute) for one in halves)


def _time(hour: int, minute: int) -> frozenset[str]:
    return frozenset({f"{hour}:{minute:02}"})


def _parts(*written: str) -> frozenset[str]:
    return frozenset(map(_in_one_form, written))


def _in_one_form(number: str) -> str:
    """Return 5 for 05 and 3.5 for 3.50. As text, because there may be many digits."""
    whole, _, fraction = number.partition(".")
    whole, fraction = whole.lstrip("0") or "0", fraction.rstrip("0")
    return f"{whole}.{fraction}" if fraction else whole
