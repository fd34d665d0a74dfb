"""Split messages into sentences, each verbatim for the quote, and tidied for the rules."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise

from mosshead.language.dates.spans import DAY_NAME, MONTH_NAME
from mosshead.language.verbs import AUXILIARIES, VERBS, base_of, expand, is_finite, is_past
from mosshead.language.wordlists import ACQUAINTANCES, FIRST_NAMES, KINSHIP, ROLES
from pipeline.rules_en.machine_text import spoken_lines

MOST_HEARD = 32_000
"""How many characters of a message are read: anything longer is a pasted document."""

_MOST_SENTENCES = 400
_MOST_CHARACTERS = 400
"""Longer sentences are cut at a space, so that the rules' input is bounded."""

_ABBREVIATION = re.compile(
    r"(?:\b(?:mr|mrs|ms|dr|prof|st|no|vs|etc|e\.g|i\.e|approx|inc|ltd|co|jr|sr|dept)|\b[A-Z])\.$", re.IGNORECASE
)
_END = re.compile(r"(?<![.!?…])[.!?…]++[\"')\]”’]*(?=\s)|[\U0001F300-\U0001FAFF☀-➿]+(?=\s|$)")
_LIST_MARK = re.compile(r"^\s*(?:[-*•–]\s+|(?:step\s+)?\(?\d{1,2}[.):]\s+|[a-h]\)\s+)", re.IGNORECASE)
_NUMBERED = re.compile(r"(?<=\s)\(?(?P<number>\d{1,2})[.)]\s+(?=\S)")
_BEFORE_A_LIST = re.compile(r"[:;.!?)\]]\s*$")
_DECORATION = re.compile(r"[\U0001F000-\U0001FAFF☀-➿️‍]|[*_~`]{1,3}(?=\w)|(?<=\w)[*_~`]{1,3}")
_SMILEY = re.compile(r"(?:^|\s)(?:[:;]-?[)(DPp]|<3|xD|\^\^)(?=\s|$)")

_QUOTATION = re.compile(
    r'(?:^|(?<=[\s(]))"(?:[^"]*$|(?=(?:I|We|You|My|Our|Your|They|He|She|It)\b)[^"]*"|(?:[^" ]+ ){5,}[^"]*")',
    re.IGNORECASE,
)

_SPACES = re.compile(r"\s+")
_STRAIGHT = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "\u00a0": " "})


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence.

    quote: its verbatim text. text: the same with straight quotes, single spaces and no emoji.
    listed: it followed a bullet or number. foreign: it is quoted, so somebody else's words.
    """

    quote: str
    text: str
    listed: bool = False
    foreign: bool = False


def sentences(content: str) -> list[Sentence]:
    """Return a message's sentences in order, without pasted code, logs, mails and chats."""
    found: list[Sentence] = []
    within = False
    spoken = spoken_lines(list(own_lines(content[:MOST_HEARD].splitlines())))
    told = (line for line in spoken if not line.lstrip().startswith("|") or _ROW.match(line.strip()))
    for line in chain.from_iterable(map(_items, told)):
        listed = _LIST_MARK.match(line)
        for quote in _cut(line[listed.end() :] if listed else line):
            text, foreign, within = _own_words(tidy(quote), within)
            if text:
                found.append(Sentence(quote, text, listed is not None, foreign))
            if len(found) >= _MOST_SENTENCES:
                return found
    return found


def tidy(quote: str) -> str:
    """Straighten quotes, collapse spaces, and drop emoji and markdown emphasis."""
    text = _DECORATION.sub("", quote.translate(_STRAIGHT))
    return _SPACES.sub(" ", _SMILEY.sub(" ", text)).strip()


def _own_words(text: str, within: bool) -> tuple[str, bool, bool]:
    """Return the words before a quotation (not a title), whether all is quoted, and whether the quotation continues."""
    if within:
        return text, True, text.count('"') % 2 == 0
    opening = _QUOTATION.search(text)
    if opening is None:
        return text, False, False
    before = text[: opening.start()].rstrip(" ,:-")
    return before or text, not before, text.count('"') % 2 == 1


def _items(line: str) -> Iterator[str]:
    """Split a list typed in one line, ": 1. send it 2. call them", into lines."""
    places: list[int] = []
    for mark in _NUMBERED.finditer(line):
        if int(mark["number"]) == len(places) + 1 and (places or _BEFORE_A_LIST.search(line, 0, mark.start())):
            places.append(mark.start())
    ends = [*places, len(line)] if len(places) > 1 else [len(line)]
    yield from (line[start:end] for start, end in pairwise([0, *ends]))


def _cut(line: str) -> Iterator[str]:
    start = 0
    for match in _END.finditer(line):
        if match[0] == "." and _ABBREVIATION.search(line, max(start, match.end() - 8), match.end()):
            continue
        yield from _bounded(line[start : match.end()])
        start = match.end()
    yield from _bounded(line[start:])


def _bounded(piece: str) -> Iterator[str]:
    piece = piece.strip()
    while len(piece) > _MOST_CHARACTERS:
        at = piece.rfind(" ", 1, _MOST_CHARACTERS)
        at = at if at > 0 else _MOST_CHARACTERS
        yield piece[:at].strip()
        piece = piece[at:].strip()
    if piece:
        yield piece


_NAME = r"(?:(?:Mr|Mrs|Ms|Dr)\.? )?[A-ZÀ-Þ][\w'-]+(?: [A-ZÀ-Þ][\w'-]+)?"

_ROSTER = re.compile(
    rf"^(?P<who>[Mm]e|(?:(?:old|young|little) )?{_NAME}(?: (?:\+|&"
    rf"|and) {_NAME})?)(?: \((?P<role>[a-z -]+)\))?(?:, (?P<age>\d{{1,3}}))?"
    r"(?::| -| –| —) ?(?P<what>\S.*)$"
)

_ROW = re.compile(
    rf"^\| ?(?P<who>[Mm]e|{_NAME}) ?\| (?P<what>(?i:off|nights|days|lates|earlies|mornings|evenings|weekends) ?\|.*)$"
)
"""A row of a rota; the cells of other tables need their headers."""

_AMOUNT = r"[a-z][a-z ]{1,24} [£$€]?\d[\d,.]*(?: ?(?:€|k|eur|usd|gbp|kg|km))?"
_AMOUNTS = re.compile(rf"^(?:i have )?{_AMOUNT}(?:, {_AMOUNT})+(?=$|[.,])", re.IGNORECASE)
_OF_AMOUNT = re.compile(r"^(?P<what>.*\D) (?P<amount>[£$€]?\d\S*)$")
_MONTH = rf"{MONTH_NAME}\b"

_DAY = (
    rf"(?:{DAY_NAME}s?\b|(?:mon|tue|wed|thu|thurs|fri|sat|sun)\b"
    rf"|\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {_MONTH}|{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?\b|the \d{{1,2}}(?:st|nd|rd"
    rf"|th)\b|\d{{1,2}}(?:st|nd|rd|th)\b)"
)

_WHEN = (
    rf"(?:tomorrow|tonight|(?:on |at |this |next )?{_DAY}|in (?:a|\d+|two|three|four|five|six) (?:day|week|month)s?\b)"
)

_DATED = re.compile(rf"^(?P<what>[a-z][\w'-]*(?: [\w'&-]+){{0,5}}?),? (?P<when>{_WHEN}.{{0,40}})$", re.IGNORECASE)
_A_DAY = re.compile(_DAY, re.IGNORECASE)
_COUNTED = re.compile(r"^\d[\d,.]* (?:[a-z]+ ){0,2}[a-z]+s (?:left )?(?:in|at|on|so far|left)\b")

_UNDERGOING = re.compile(
    r"^(?:still |now )?(?:on|off) (?!the\b|it\b|that\b|my\b|a\b|to\b)[a-z]+ (?:since|until|till|from)\b"
)

_GERUND = re.compile(
    r"^(?:[Nn]ot |[Ss]till |now |just )*(?P<verb>[A-Za-z]?[a-z]+ing) (?:to|with|on|in|at|for|from|an?|the|my|our|up"
    r"|out|off|next|this|\d|[A-Z])"
)

_NO_GERUND = frozenset(
    "looking asking thinking wondering hoping trying talking speaking being feeling seeing hearing having nothing something"
    " anything everything morning evening during according regarding king thing bring sing missing using".split()
)

_IS = re.compile(
    r"(?:still )?(?:vegetarian|vegan|allergic|coeliac|celiac|diabetic|pregnant|off|on|in|at|away|free|ill|sick"
    r"|single|married|retired)\b"
)

_NO_AMOUNT = frozenset("in on at from to by of until till since before after around about".split())

_NO_NOUN = frozenset(
    """
    i you he she it we they me us him her them this that these those there what who when where why how which if and but or so
    no yes not see saw until till since from by remind call ask tell meet only maybe probably back is the my our your his
    every each some any hello hi sry soz ugh thanks thank sorry please great good ok says turns goes gets comes
    """.split()
)


def whole(text: str, *, listed: bool) -> str:
    """Return the text, with a verb added if it is a note without one."""
    bare = text.strip().rstrip(".!,; ")
    roster = (_ROSTER.match(bare) if listed else None) or _ROW.match(bare)
    if roster is not None:
        return _of_roster(roster)
    return _of_amounts(bare) or _with_verb(bare) or text


def _of_amounts(bare: str) -> str | None:
    """Rewrite "rent 890, electricity 60", but not "whoever wrote 1931, she was born in 1933"."""
    listed = _AMOUNTS.match(bare)
    found = re.findall(_AMOUNT, listed[0], re.IGNORECASE) if listed else []
    amounts = [match for each in found if (match := _OF_AMOUNT.match(each))]
    named = [match["what"].strip().lower() for match in amounts]
    if not named or any(_has_finite(what) or what.split()[-1] in _NO_AMOUNT for what in named):
        return None
    return "; ".join(f"my {what} is {match['amount']}" for what, match in zip(named, amounts, strict=True))


def _with_verb(bare: str) -> str | None:
    if _COUNTED.match(bare) or _is_dated(bare):
        return f"I have {bare[0].lower() if bare[1:2].islower() else bare[0]}{bare[1:]}"
    gerund = _GERUND.match(bare)
    if _UNDERGOING.match(bare) or (gerund and gerund["verb"].lower() not in _NO_GERUND and not _has_finite(bare)):
        return f"I am {bare[0].lower()}{bare[1:]}"
    return None


def _is_dated(note: str) -> bool:
    bare = expand(note)  # "I'm off Friday" has a verb
    match = _DATED.match(bare.split(", ", maxsplit=1)[0] if re.search(rf"{_WHEN}[^,]*,", bare, re.IGNORECASE) else bare)
    what = match["what"].split() if match else []
    noun = bool(what) and what[0].lower() not in _NO_AMOUNT and not any(map(_is_no_noun, what))
    return noun and not _A_DAY.match(" ".join(what))


def _is_no_noun(word: str) -> bool:
    low = word.lower()
    if low in {"test", "run", "work", "trip", "check", "keys", "drinks", "talks", "plans", "calls"}:
        return False
    verb = low in VERBS or low in AUXILIARIES or is_past(low) or is_finite(low)
    return verb or low in _NO_NOUN or low.endswith("ing")


def _has_finite(text: str) -> bool:
    words = [word for word in text.lower().split() if word != "may"]  # the month, here
    return any(word in AUXILIARIES or (is_finite(word) and not word.endswith("ed")) for word in words)


def _of_roster(match: re.Match[str]) -> str:
    groups = match.groupdict()
    who = re.sub(r"^(?:old|young|little) ", "", match["who"]).replace("+", "and")
    who = "I" if who.lower() == "me" else who
    several = " and " in who
    told = [f"{who} is my {groups['role']}"] if groups.get("role") in KINSHIP | ACQUAINTANCES else []
    told += [f"{who} is {groups['age']}"] if groups.get("age") else []
    told.append(f"{who} {_verb(match['what'], mine=who == 'I', several=several)}")
    return "; ".join(told)


def _verb(what: str, *, mine: bool, several: bool) -> str:
    what = re.sub(r"\s*\|\s*", ", ", what).strip(" ,")
    if what.isdigit():
        return f"{'am' if mine else 'are' if several else 'is'} {what}"
    first = what.split()[0].lower().strip(",")
    be, do, have = ("am", "do", "have") if mine else ("are", "do", "have") if several else ("is", "does", "has")
    if first in AUXILIARIES or (base_of(first) is not None and (is_finite(first) or mine or several)):
        return what
    if _IS.match(what):
        return f"{be} {what}"
    if {word.strip(",") for word in what.lower().split(", ")[0].split()} & ROLES:
        return f"{be} {'' if several else 'an ' if first[0] in 'aeiou' else 'a '}{what}"
    return f"{have} {what}" if re.match(r"(?:no|still|nights|days|lates|earlies)\b", first) else f"{do} {what}"


_FORWARDED = re.compile(r"-{3,} ?(?:original|forwarded) message ?-{3,}|begin forwarded message:", re.IGNORECASE)
_FIELD = re.compile(r"\W{0,2}(?:subject|sent)\W{0,2}:", re.IGNORECASE)
_FROM = re.compile(r"\W{0,2}from\W{0,2}:", re.IGNORECASE)
_MOST_FIELDS = 6
_WROTE = re.compile(r"On \S.{4,200}\bwrote:$")
_STAMP_DAY = r"\d{1,4}[./-]\d{1,2}[./-]\d{1,4}"
_HOUR = r"\d{1,2}:\d\d(?::\d\d)?(?: ?[ap]\.?m\.?)?"
_SPEAKER = r"(?P<name>[^\W\d][\w.'-]*(?: [\w.'-]+){0,2}?)"

_TURN = re.compile(
    rf"(?:[-*•] )?(?:\| ?)?(?:(?P<stamp>\[(?:{_STAMP_DAY},? )?{_HOUR}\]|{_STAMP_DAY},? {_HOUR})|{_HOUR})?[ ,-]{{0,3}}"
    rf"(?:<(?P<nick>\S{{1,30}})> |{_SPEAKER} ?[:|](?!(?<=\d:)\d) ?)(?P<said>\S.*)$",
    re.IGNORECASE,
)
"""A turn of a chat. stamp: a machine-written time; a bare "10:30" may be from a person's own schedule."""

_DATE = rf"(?:today|yesterday|\w{{3,9}}day|{_STAMP_DAY}|\d{{1,2}}\.? \w{{3,9}}\.?(?: \d{{4}})?|\w{{3,9}} \d{{1,2}}(?:, \d{{4}})?)"

_HEADS = (
    re.compile(rf"{_SPEAKER},? ?(?P<stamp>[—–] ?|\[)?(?P<date>{_DATE}(?: at|,)? )?{_HOUR}\]?:?$", re.IGNORECASE),
    re.compile(rf"(?P<stamp>\[)(?P<date>{_DATE}(?: at|,)? )?{_HOUR}\] ?{_SPEAKER}$", re.IGNORECASE),
)
"""Header lines of turns: "Anna Lind  10:42 AM", "anna — Today at 10:42", "Anna Lind, [3.5.2024 10:42]", "[10:42] Anna Lind"."""

_NAME_ALONE = re.compile(rf"{_SPEAKER}$")
_TIME_ALONE = re.compile(rf"(?:{_DATE}(?: at|,)? )?{_HOUR}$", re.IGNORECASE)
_TALKS = re.compile(r"\b(?:i|im|we|you)\b|^(?:my|our)\b.*\b(?:is|are|was|were|has|have|lives|works)\b", re.IGNORECASE)
_OWN = frozenset({"me", "myself", "i"})

_ROLES = frozenset(
    """
    agent ai assistant bot caller candidate chatgpt claude client coach counsellor customer doctor employee gemini guest host
    human interviewee interviewer moderator nurse patient recruiter student support system teacher therapist user
    """.split()
)

_NUMBERED_SPEAKER = re.compile(r"(?:speaker|person|participant|user|guest|student|patient) \w{1,2}$", re.IGNORECASE)
_NO_SPEAKERS = frozenset("edit example note notes now ps q question reminder step summary tip todo update".split())
_SENTENCE_END = re.compile(r"[.!?]\s")

_SAYS = (
    r"(?:says?|said|writes|wrote|texts|texted|messages|messaged|replies|replied|e-?mailed|posted|answered"
    r"|told (?:me|us|him|her|them))"
)

_SAYING = re.compile(
    rf"^(?P<before>.*\b(?P<who>\w+) (?:(?:just|also|then|has|had) ){{0,2}}{_SAYS}"
    r"(?: (?:me|us|him|her|them|back|this|that|today|yesterday)){0,3}): (?P<said>\S.*)$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Turn:
    """A turn of a chat. label: the speaker as written. sure: the label is machine-written."""

    label: str
    said: str
    sure: bool

    @property
    def speaker(self) -> str:
        return self.label.lower()


def own_lines(lines: Sequence[str]) -> Iterator[str]:
    """Yield the lines that the message's author wrote, as far as form shows."""
    lines = lines[: _end_of_own(lines)]
    speakers = _speakers(lines)
    others = False
    for at, line in enumerate(lines):
        turn = _turn(lines, at)
        others = turn.speaker in speakers if turn else others and bool(line.strip())
        if not others and not _WROTE.match(line.strip()):
            yield _before_speech(line)


def _end_of_own(lines: Sequence[str]) -> int:
    """Return where a mail begins that continues to the end; if its lines are quoted with ">", the answer is below."""
    for at, line in enumerate(lines):
        below = [one.strip() for one in lines[at + 1 : at + _MOST_FIELDS]]
        if _FORWARDED.match(line.strip()):
            return at
        if _FROM.match(line.strip()) and ("@" in line or any(map(_FIELD.match, below))):
            return at
        if _WROTE.match(line.strip()) and not next(filter(None, below), "").startswith(">"):
            return at
    return len(lines)


def _speakers(lines: Sequence[str]) -> frozenset[str]:
    """Return the lowercase speakers of a pasted chat; empty if the lines are a list of things or people."""
    turns = [turn for at in range(len(lines)) if (turn := _turn(lines, at))]
    counted = Counter(turn.speaker for turn in turns)
    speakers = frozenset(turn.speaker for turn in turns if _may_speak(turn, counted[turn.speaker])) - _OWN
    return speakers if any(turn.speaker in speakers and _TALKS.search(turn.said) for turn in turns) else frozenset()


def _turn(lines: Sequence[str], at: int) -> _Turn | None:
    """Return the turn that begins at a line: in one line, or below one or two header lines."""
    if turn := _TURN.match(lines[at].strip()):
        return _Turn(turn["nick"] or turn["name"], turn["said"], sure=bool(turn["stamp"] or turn["nick"]))
    around = (lines[at - 1] if at else "", lines[at], lines[at + 1] if at + 1 < len(lines) else "")
    above, line, below = (" ".join(one.split()) for one in around)
    if _TIME_ALONE.match(line):
        return _Turn(above, below, sure=False) if _NAME_ALONE.match(above) else None
    head = next(filter(None, (pattern.match(line) for pattern in _HEADS)), None)
    return _Turn(head["name"], below, sure=bool(head["stamp"] or head["date"])) if head else None


def _may_speak(turn: _Turn, times: int) -> bool:
    """Whether a label may be a speaker's, by form, identity or repetition."""
    name, words = turn.speaker, turn.label.split()
    if turn.sure or name in _ROLES or _NUMBERED_SPEAKER.match(name):
        return True
    if name in _NO_SPEAKERS or (len(words) > 1 and not all(word[0].isupper() for word in words)):
        return False
    first = words[0].lower()
    return first in FIRST_NAMES or first in KINSHIP or (times > 1 and len(name) > 1)


def _before_speech(line: str) -> str:
    """Return a line without the words it attributes to somebody else."""
    saying = _SAYING.match(line)
    if saying is None or saying["who"].lower() == "i":
        return line
    return saying["before"] if _TALKS.search(_SENTENCE_END.split(saying["said"], maxsplit=1)[0]) else line
