"""Find the claims of a text that must have been said, namely names, numbers and dates, and which were not."""

import re
from calendar import monthrange
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

from mosshead.language.dates.spans import easter_sunday, months_on
from mosshead.language.lexicon import (
    Lexicon,
    Word,
    first_names,
    key_of,
    keys_of,
    lexicons_of,
    phrases_in,
    proper_classes_of,
    words_of,
)
from mosshead.language.numbers import spelt_numbers
from mosshead.language.wordlists import NOT_NAMES
from mosshead.models.kinds import EntityType
from pipeline.extraction.alignment import is_misspelling, says_the_same, written_out
from pipeline.extraction.mentions import SourceVocabulary
from pipeline.extraction.prompt import ExtractedMention
from pipeline.models import Message

_NAMED = frozenset({EntityType.PERSON, EntityType.ORG, EntityType.PLACE, EntityType.PROJECT})
_OPENS = re.compile(r"(?:^|[.!?:…]\s+|\n)\W*$")
_WEEK, _FORTNIGHT = 7, 14
_WEEK_WITHIN = 3
_STOP = re.compile(r"[.!?\n]")
_LONGEST_COUNT = 100
_LONGEST_MONTH, _LAST_MONTH = 31, 12
_RUN_TOGETHER = 5
_NOON = 12
_NEXT = ("next", "nachste", "kommend", "proxim", "viene", "vem", "prochain", "prossim", "volgend", "komend")
_LAST = ("last", "letzt", "vorig", "vergangen", "pasad", "passad", "dernier", "scors", "afgelopen")
_SHORT_NAME, _CLIPPED = 4, 5
_SHORTEST_FIRST = 5
"""The fewest letters of a word for "first". Articles are shorter, except German "einen"."""
_OF_US = re.compile(
    r"\b(\w+) of us\b|\bwe(?:['’]?re| are) (\w+)\b|\bwir (?:sind|waren) (?:zu )?(\w+)|\bwij? (?:zijn|wonen) met (?:z['’]n )?(\w+)"
    r"|\bmet z['’]n (\w+)|\bsomos (\w+)|\b(?:los|las) (\w+) (?:nos|vamos)|\b(?:nos vamos|vamos) (?:los|las) (\w+)"
    r"|\bon est (\w+)|\bnous sommes (\w+)|\bsiamo (?:in )?(\w+)",
    re.IGNORECASE,
)
"""How many the user and others are: "four of us", "wir sind vier", "somos cuatro"."""
_OTHERS = frozenset(
    "other others another anderen andere otras otros autres altri altre outros outras friends freunde freundinnen amigos "
    "amigas amis amies amici amiche vrienden vriendinnen members leute people".split()
)
_IS_OLD = re.compile(
    r"\b(?:is|ist|ha|tiene|tem|a|de) (\d{1,3}) (?:years? old|jahre|jaar|anni|años|anos|ans)\b", re.IGNORECASE
)
_ON_CLOCK = re.compile(r"(?<![\d:.])(1[3-9]|2[0-3])(?=:00| ?(?:h|hs|hrs|uhr|uur|heures|horas|ore)\b)")
_DAY_MONTH = re.compile(r"(?<![\d.,/-])(\d{1,2})[./-](\d{1,2})(?:[./-]|(?![\d,:]))")
_OF_A_MONTH = frozenset(("de", "di", "of", "do"))
_ORDINAL = re.compile(r"(?<=\d)(?:st|nd|rd|th|er)$")
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")


@dataclass(frozen=True)
class Utterances:
    """What claims are checked against: messages, background, and the vocabulary of both."""

    messages: Sequence[Message]
    vocabulary: SourceVocabulary
    known: str = ""

    @cached_property
    def text(self) -> str:
        """All texts together."""
        return "\n".join(
            [*(message.content for message in self.messages), *(one.speaker or "" for one in self.messages), self.known]
        )

    @cached_property
    def lexicons(self) -> tuple[Lexicon, ...]:
        """The languages of the messages."""
        return lexicons_of("\n".join(message.content for message in self.messages))

    @cached_property
    def keys(self) -> frozenset[str]:
        """The comparison keys of all words."""
        return keys_of(self.text)

    @cached_property
    def together(self) -> str:
        """All words joined without separators."""
        return "".join(word.key for word in words_of(self.text))

    @cached_property
    def counted(self) -> frozenset[tuple[str, str]]:
        """The numbers in the messages, each with the word for what it counts."""
        return frozenset(pair for message in self.messages for pair in _counted(message.content, self.lexicons))

    @cached_property
    def counts_in_words(self) -> bool:
        """Whether the messages contain numbers or time spans in words: "thirty-five lakhs", "Saturday of next week"."""
        return any(
            key in one.spans or (key in one.numbers and key not in one.articles)
            for one in self.lexicons
            for message in self.messages
            for key in keys_of(message.content)
        )

    @cached_property
    def alone(self) -> frozenset[str]:
        """Numbers in messages that count nothing: "wait, nine" corrects an earlier count."""
        texts = [one.content for one in self.messages if not set(_counted(one.content, self.lexicons))]
        return frozenset(number for one in texts for number in _bare(one, self.lexicons))

    @cached_property
    def bare(self) -> frozenset[str]:
        """Numbers without a noun, which may be ages: "ora ne ho 44"."""
        return frozenset(number for one in self.messages for number in _bare(one.content, self.lexicons))

    @cached_property
    def days(self) -> frozenset[date]:
        """The days meant by "tomorrow", "on Friday" or "in three days" in the messages."""
        return frozenset(day for message in self.messages for day in _days_meant(message, self.lexicons))

    def days_beside(self, times: SourceVocabulary) -> frozenset[date]:
        """The same, but empty for English with a dated fact: English time phrases are resolved better elsewhere."""
        english = self.lexicons[:1] and self.lexicons[0].language == "en"
        return frozenset() if english and times.words else self.days

    def holds_name(self, name: str, *, strictly: bool = True) -> bool:
        """Whether each word of a name was said in some form. strictly: exclude other words of the same stem."""
        words = words_of(name)
        run = "".join(word.key for word in words)
        if len(run) >= _RUN_TOGETHER and run in self.together:
            return True
        return all(self._holds(word, strictly) for word in words if word.key) or self._in_short(words)

    def _holds(self, word: Word, strictly: bool) -> bool:
        key = word.key
        if key in self.keys or (len(key) >= _RUN_TOGETHER and key in self.together):
            return True
        bent = {key.removesuffix("s"), f"{key}s"} & self.keys
        roles = ("function", "user", "persons")
        if bent or any(one.has(role, key) for one in self.lexicons for role in roles) or key in NOT_NAMES:
            return True
        if any(is_misspelling(key, one) or proper_classes_of(key) & proper_classes_of(one) for one in self.keys):
            return True
        return not strictly and any(says_the_same(key, one) for one in self.keys)

    def names_another(self, name: str) -> bool:
        """Whether a capitalised word beside part of a name makes it another: "Thornbury Roofing" is not Thornton Roofing."""
        keys = {word.key for word in words_of(name)}
        for before, after in (pair for one in self.messages for pair in pairwise(words_of(one.content))):
            for part, beside in ((before, after), (after, before)):
                plain = beside.key in keys or any(one.has("function", beside.key) for one in self.lexicons)
                own = any(part.key.startswith(key) for key in keys if len(key) >= _SHORT_NAME) or part.key in keys
                if own and beside.text.istitle() and not plain and part.text[:1].isupper():
                    return True
        return False

    def holds_clipped(self, word: Word) -> bool:
        """Whether a word's beginning was said as a name: "Floripa" is Florianópolis."""
        texts = [one.content for one in self.messages]
        names = {
            one.key for text in texts for one in words_of(text) if one.text[:1].isupper() and one.text[1:].islower()
        }
        return any(
            len(name) < len(word.key) and (word.key[:_CLIPPED] == name[:_CLIPPED] or word.key.startswith(name))
            for name in names
            if len(name) >= _SHORT_NAME
        )

    def _in_short(self, words: Sequence[Word]) -> bool:
        """Whether a name of several words was said by its initials, or the reverse."""
        said = words_of(self.text)
        return {word.key for word in words} <= written_out(words, said) or bool(
            len(words) == 1 and written_out(said, words) and words[0].text.isupper()
        )


class Missing(NamedTuple):
    """Claims that apparently nobody said.

    capitals: words that may be names, or diseases, titles or holidays. figures: numbers and dates, if the messages contain
    numbers or times in words, which may be misread.
    """

    claims: tuple[str, ...]
    capitals: tuple[str, ...]
    figures: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return self.total > 0

    @property
    def total(self) -> int:
        """The number of missing claims."""
        return len(self.claims) + len(self.capitals) + len(self.figures)


def missing_claims(
    content: str, mentions: Sequence[ExtractedMention], said: Utterances, times: SourceVocabulary
) -> Missing:
    """Return the names, numbers and dates of a text that were not said, as written.

    times: the words and numbers of the fact's resolved time.
    """
    lexicons = lexicons_of(content) or said.lexicons
    german = bool(lexicons) and lexicons[0].language == "de"
    named = [one for one in mentions if one.entity_type in _NAMED and key_of(one.name) in key_of(content)]
    named = [one for one in named if not _describes(one.name, lexicons)]
    proper = {word.key for one in named for word in words_of(one.name) if word.text[:1].isupper()}
    missing = [
        one.name for one in named if one.name[:1].isupper() and not said.holds_name(one.name, strictly=not german)
    ]
    words = [
        word
        for word in _names(content, lexicons, proper)
        if not said.holds_name(word.text, strictly=word.key in proper | first_names())
    ]
    full = written_out(words_of(content), words_of(said.text)) if missing or words else frozenset[str]()
    missing = [one for one in missing if not {word.key for word in words_of(one)} <= full]
    words = [word for word in words if word.key not in full]
    in_part = _said_in_part(named, said)
    things = [one for one in mentions if one.entity_type is not EntityType.PERSON]
    things = [one for one in things if not said.names_another(one.name)]
    words = [word for word in words if word.key not in _said_in_part(things, said)]
    missing = [one for one in missing if not {word.key for word in words_of(one)} <= in_part]
    missing += [
        word.text
        for word in words
        if word.key not in in_part and (word.key in proper or word.key in first_names() or proper_classes_of(word.key))
    ]
    missing += _miscounted(content, lexicons, said)
    figures = [*_missing_numbers(content, lexicons, said, times), *_missing_dates(content, lexicons, said, times)]
    if not said.counts_in_words:
        missing, figures = [*missing, *figures], []
    figures += _misdated(content, lexicons, said, times)
    return Missing(
        tuple(dict.fromkeys(missing)),
        tuple(dict.fromkeys(word.text for word in words if word.text not in missing)),
        tuple(dict.fromkeys(figures)),
    )


def _said_in_part(mentions: Sequence[ExtractedMention], said: Utterances) -> set[str]:
    """Return the words of names that were said in part: "Honda Civic" for "my Civic", "Rabobank" for "the Rabo"."""
    return {
        word.key
        for one in mentions
        if any(
            word.text[:1].isupper()
            and (said.holds_name(word.text) or (one.entity_type is not EntityType.PERSON and said.holds_clipped(word)))
            for word in words_of(one.name)
        )
        for word in words_of(one.name)
    }


def _describes(name: str, lexicons: Sequence[Lexicon]) -> bool:
    """Whether a supposed name describes a relation to the user: "User's brother", "la abuela de User"."""
    return any(one.has("user", word.key) for one in lexicons for word in words_of(name))


def _names(content: str, lexicons: Sequence[Lexicon], proper: set[str]) -> Iterator[Word]:
    """Yield capitalised words that may be names, if capitals are evidence."""
    nouns = bool(lexicons) and lexicons[0].language == "de"
    for word in words_of(content):
        if word.text == word.text.lower() or not word.text[0].isalpha() or word.key in NOT_NAMES:
            continue
        if any(
            one.has(role, word.key) for one in lexicons for role in ("function", "user", "negation", "persons", "kinds")
        ):
            continue
        if any(word.key in held for one in lexicons for held in (one.months, one.weekdays, one.days)):
            continue
        opens = _OPENS.search(content[: word.start]) is not None
        if len(word.key) > 1 and (word.key in proper or (not opens and (word.key in first_names() or not nouns))):
            yield word


def _missing_numbers(
    content: str, lexicons: Sequence[Lexicon], said: Utterances, times: SourceVocabulary
) -> Iterator[str]:
    held = said.vocabulary | times
    dated = any(key in one.months for one in lexicons for key in keys_of(content)) or _DAY_MONTH.search(content)
    meant = said.days_beside(times) if dated else ()
    days = {str(number) for day in meant for number in (day.day, day.month, day.year)}
    years = {str(message.occurred_at.year + apart) for message in said.messages for apart in (-1, 0, 1)}
    if any(_YEAR.search(message.content) for message in said.messages):
        years &= {str(message.occurred_at.year) for message in said.messages}
    if said.days_beside(times) or any(
        key in one.months or key in one.spans for one in said.lexicons for key in said.keys
    ):
        days |= years
    if any(key in one.articles for one in said.lexicons for key in said.keys):
        days.add("1")  # "a girl" is 1 girl
    company = set(_company(content, lexicons, said))
    yield from held.missing_numbers(content, days | company | _numbers_meant(content, said))
    for number in spelt_numbers(content, lexicons[0], articles=False) if lexicons else ():
        if number not in held.numbers | company:
            yield number


def _company(content: str, lexicons: Sequence[Lexicon], said: Utterances) -> Iterator[str]:
    """Yield numbers of people beside the user: "three others" if the messages say "there are four of us"."""
    us = {
        int(number)
        for message in said.messages
        for found in _OF_US.finditer(message.content)
        for word in found.groups()
        for lexicon in said.lexicons[:1]
        for number in ([word] if word and word.isdecimal() else spelt_numbers(word or "", lexicon))
        if number.isdecimal() and len(number) < 3
    }
    words = words_of(content)
    for word, *after in zip(words, words[1:], (*words[2:], words[-1]), strict=False) if us else ():
        spelt = [one for lexicon in lexicons[:1] for one in spelt_numbers(word.text, lexicon, articles=False)]
        people = any(one.key in _OTHERS or any(each.has("persons", one.key) for each in lexicons[:1]) for one in after)
        for number in [word.key] if word.key.isdecimal() else spelt:
            if people and number.isdecimal() and int(number) + 1 in us:
                yield number


def _miscounted(content: str, lexicons: Sequence[Lexicon], said: Utterances) -> Iterator[str]:
    """Yield numbers of things that the messages count differently."""
    company = set(_company(content, lexicons, said))
    for number, kind in _counted(content, lexicons):
        of_kind = {other for other, what in said.counted if what == kind}
        bare = said.bare if number in _IS_OLD.findall(content) else frozenset[str]()
        if of_kind and number not in of_kind | said.alone | company | bare:
            yield f"{number} {kind}"


def _numbers_meant(content: str, said: Utterances) -> set[str]:
    """Return years given in two digits and, if the text states a clock time, hours in the 24-hour clock."""
    short = [int(one) for one in said.vocabulary.numbers if one.isdecimal() and len(one) < 3]
    years = {str(century + one) for one in short for century in (1900, 2000)}
    return years | {hour for hour in _ON_CLOCK.findall(content.casefold()) if int(hour) - _NOON in short}


def _bare(text: str, lexicons: Sequence[Lexicon]) -> Iterator[str]:
    """Yield whole numbers without a counted noun: "now it's nine"."""
    words = words_of(text)
    for word, after in zip(words, (*words[1:], None), strict=True):
        goes_on = after is not None and text[word.end : after.start].isspace()
        if after is None or not goes_on or any(one.has("function", after.key) for one in lexicons):
            spelt = [one for lexicon in lexicons[:1] for one in spelt_numbers(word.text, lexicon, articles=False)]
            yield from [word.key] if word.key.isdecimal() else spelt


def _counted(text: str, lexicons: Sequence[Lexicon]) -> Iterator[tuple[str, str]]:
    """Yield whole numbers below a thousand, each with the word for what it counts."""
    words = words_of(text)
    for at, (word, after) in enumerate(pairwise(words)):
        if (
            after.key[:1].isdecimal()
            or _goes_on(words[max(at - 2, 0) : at], lexicons)
            or word.end + 1 != after.start
            or any(
                after.key in one.numbers or after.key in one.months or one.has("function", after.key)
                for one in lexicons
            )
        ):
            continue
        spelt = [one for lexicon in lexicons[:1] for one in spelt_numbers(word.text, lexicon, articles=False)]
        alone = word.start == 0 or text[word.start - 1] not in ".,:-/"
        yield from (
            (number, after.key)
            for number in ([word.key] if word.key.isdecimal() else spelt)
            if alone and len(number) < 4
        )


def _goes_on(before: Sequence[Word], lexicons: Sequence[Lexicon]) -> bool:
    """Whether a number continues another: "fünf und zwanzig", but not "20 mg and 5 mg"."""
    joins = any(one.has("joiners", word.key) for one in lexicons for word in before[-1:])
    ahead = before[:-1] if joins else before[-1:]
    return any(word.key in one.numbers or (joins and word.key.isdecimal()) for one in lexicons for word in ahead[-1:])


def _missing_dates(
    content: str, lexicons: Sequence[Lexicon], said: Utterances, times: SourceVocabulary
) -> Iterator[str]:
    told = {(kind, number) for one in (*said.lexicons, *lexicons) for kind, number in _calendar(one, said.keys)}
    days = said.days_beside(times)
    told |= {("month", day.month) for day in days} | {("day", day.weekday()) for day in days}
    told |= {claim for one in lexicons_of("the") for claim in _calendar(one, times.words)}
    spans = any(one.spans.get(key, 0) > _FORTNIGHT for one in said.lexicons for key in said.keys)
    for word in words_of(content):
        for lexicon in lexicons[:1]:
            if lexicon.language == "en" and word.text == word.text.lower():
                continue
            claims = [(kind, number) for kind, number in _calendar(lexicon, [word.key]) if len(word.key) > 2]
            if claims and not told & set(claims) and not (spans and claims[0][0] == "month"):
                yield word.text


def _misdated(content: str, lexicons: Sequence[Lexicon], said: Utterances, times: SourceVocabulary) -> Iterator[str]:
    """Yield dates whose day was neither said nor meant, though its number was: as a month, or as "a"."""
    meant = {(day.day, day.month) for day in said.days}
    first = any(
        one.numbers.get(key) == 1 and len(key) >= _SHORTEST_FIRST and not key.startswith("ein")
        for one in said.lexicons
        for key in said.keys
    )
    for day, month, written in _days_and_months(content, lexicons):
        literal = re.search(rf"(?<!\d)0?{day}(?!\d)", said.text) or (
            first if day == 1 else str(day) in said.vocabulary.numbers
        )
        if not (literal or str(day) in times.numbers or (day, month) in meant):
            yield written


def _days_and_months(content: str, lexicons: Sequence[Lexicon]) -> Iterator[tuple[int, int, str]]:
    """Yield the days of a text with their months, as in "3 de marzo" and "March 3"."""
    words = [word for word in words_of(content) if word.key not in _OF_A_MONTH]
    for one, other in pairwise(words):
        for day, month in ((one, other), (other, one)):
            number = _ORDINAL.sub("", day.key)
            months = [lexicon.months[month.key] for lexicon in lexicons[:1] if month.key in lexicon.months]
            if months and number.isdecimal() and len(number) < 3 and 0 < int(number) <= _LONGEST_MONTH:
                yield int(number), months[0], f"{one.text} {other.text}"


def _calendar(lexicon: Lexicon, keys: Iterable[str]) -> Iterator[tuple[str, int]]:
    for key in keys:
        if key in lexicon.months:
            yield "month", lexicon.months[key]
        yield from (("month", lexicon.months[one]) for one in lexicon.months if is_misspelling(key, one))
        if key in lexicon.weekdays:
            yield "day", lexicon.weekdays[key]


def _days_meant(message: Message, beside: Sequence[Lexicon]) -> Iterator[date]:
    day = message.occurred_at.date()
    keys = [word.key for word in words_of(message.content)]
    for lexicon in lexicons_of(message.content) or beside:
        day_words = frozenset() if lexicon.months.keys() & set(keys) else lexicon.entries.get("day_words", frozenset())
        named = list(phrases_in(keys, lexicon.days))
        inner = {at + n for at, phrase in named for n in range(1, len(phrase.split()))}  # "mañana" in "pasado mañana"
        yield from (day + timedelta(lexicon.days[phrase]) for at, phrase in named if at not in inner)
        feasts = dict(phrases_in(keys, lexicon.holidays))  # at each place the longest: "Easter Monday"
        inner = {at + n for at, phrase in feasts.items() for n in range(1, len(phrase.split()))}
        for phrase in (phrase for at, phrase in feasts.items() if at not in inner):
            years = [int(one) for one in _YEAR.findall(message.content)] or [day.year - 1, day.year, day.year + 1]
            yield from (_holiday(lexicon.holidays[phrase], year) for year in years)
        for at, key in enumerate(keys):
            week = _week_named(message.content, at, lexicon) if key in lexicon.weekdays else 0
            if week and lexicon.language != "en":
                monday = day - timedelta(day.weekday())
                yield monday + timedelta(week * _WEEK + lexicon.weekdays[key])
            elif key in lexicon.weekdays:
                # "Saturday of next week" and "next Saturday" may be more than a week away.
                far = any(lexicon.spans.get(one) == _WEEK or one.startswith(_NEXT) for one in keys)
                away = 2 * _WEEK if far and not any(one.isdecimal() for one in keys) else _WEEK
                near = (day + timedelta(apart) for apart in range(-away, away + 1))
                yield from (one for one in near if one.weekday() == lexicon.weekdays[key])
        for before, key in pairwise(["", *keys]):
            span = lexicon.spans.get(key, 0)
            counts = [int(before)] if before.isdecimal() and len(before) < 3 else spelt_numbers(before, lexicon)
            whole = [int(one) for one in counts if str(one).isdecimal() and 0 < int(one) < _LONGEST_COUNT]
            yield from (
                start + timedelta(way * one * span)
                for start in (day, *(day + timedelta(lexicon.days[phrase]) for _, phrase in named))  # "a week tomorrow"
                for one in whole
                for way in (-1, 1)
                if span in (1, _WEEK)
            )
            yield from (_months_away(day, way * one) for one in whole for way in (-1, 1) if span == _LONGEST_MONTH)
            dated = _ORDINAL.sub("", key) if before in day_words else ""
            if dated.isdecimal() and (lexicon.language != "en" or dated != key):
                months = (day + timedelta(apart) for apart in range(-_LONGEST_MONTH, _LONGEST_MONTH))
                yield from (one for one in months if str(one.day) == dated)
        yield from () if lexicon.language == "en" else _days_written(message.content, day)


def _week_named(text: str, at: int, lexicon: Lexicon) -> int:
    """Return 1 if "next week" stands near a word in its sentence, -1 for "last week", and 0 for neither."""
    words = words_of(text)
    near = [
        word.key
        for word in words[max(at - _WEEK_WITHIN, 0) : at + 1 + _WEEK_WITHIN]
        if word.key != "que" and not _STOP.search(text, min(word.end, words[at].end), max(word.start, words[at].start))
    ]
    for pair in pairwise(near):
        for which, week in (pair, pair[::-1]):
            if lexicon.spans.get(week) == _WEEK and which.startswith((*_NEXT, *_LAST)):
                return 1 if which.startswith(_NEXT) else -1
    return 0


def _holiday(given: str, year: int) -> date:
    """Return the day of a holiday given as "12-25" or, counted from Easter Sunday, "easter-2"."""
    if given.startswith("easter"):
        return easter_sunday(year) + timedelta(int(given.removeprefix("easter")))
    month, number = map(int, given.split("-"))
    return date(year, month, number)


def _months_away(day: date, number: int) -> date:
    year, month = months_on(day.year, day.month, number)
    return date(year, month, min(day.day, monthrange(year, month)[1]))


def _days_written(text: str, near: date) -> Iterator[date]:
    """Yield numeric dates, day first: "am 12.3.", "le 12/03"."""
    for number, month in _DAY_MONTH.findall(text):
        for year in (near.year - 1, near.year, near.year + 1):
            if 0 < int(month) <= _LAST_MONTH and 0 < int(number) <= monthrange(year, int(month))[1]:
                yield date(year, int(month), int(number))
