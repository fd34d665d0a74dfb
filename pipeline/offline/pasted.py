"""Lines of a message that are another's words: a mail that was answered or forwarded, a pasted chat, what somebody wrote."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pipeline.offline.lexicon import FIRST_NAMES, KINSHIP

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
"""A turn of a chat. stamp: a time as programs put it; a bare "10:30" may as well be of somebody's own plan of the day."""
_DATE = rf"(?:today|yesterday|\w{{3,9}}day|{_STAMP_DAY}|\d{{1,2}}\.? \w{{3,9}}\.?(?: \d{{4}})?|\w{{3,9}} \d{{1,2}}(?:, \d{{4}})?)"
_HEADS = (
    re.compile(rf"{_SPEAKER},? ?(?P<stamp>[—–] ?|\[)?(?P<date>{_DATE}(?: at|,)? )?{_HOUR}\]?:?$", re.IGNORECASE),
    re.compile(rf"(?P<stamp>\[)(?P<date>{_DATE}(?: at|,)? )?{_HOUR}\] ?{_SPEAKER}$", re.IGNORECASE),
)
"""A line above a turn: "Anna Lind  10:42 AM", "anna — Today at 10:42", "Anna Lind, [3.5.2024 10:42]", "[10:42] Anna Lind"."""
_NAME_ALONE = re.compile(rf"{_SPEAKER}$")
_TIME_ALONE = re.compile(rf"(?:{_DATE}(?: at|,)? )?{_HOUR}$", re.IGNORECASE)
_TALKS = re.compile(r"\b(?:i|im|we|you)\b|^(?:my|our)\b.*\b(?:is|are|was|were|has|have|lives|works)\b", re.IGNORECASE)
_OWN = frozenset({"me", "myself", "i"})
_ROLES = frozenset(
    """
    agent ai assistant bot caller candidate chatgpt claude client coach counsellor customer doctor employee gemini guest
    host human interviewee interviewer moderator nurse patient recruiter student support system teacher therapist user
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
    """What somebody says in a chat. label: who, as it is written. sure: a program put it so."""

    label: str
    said: str
    sure: bool

    @property
    def speaker(self) -> str:
        return self.label.lower()


def own_lines(lines: Sequence[str]) -> Iterator[str]:
    """The lines of a message that its writer wrote, as far as their form tells."""
    lines = lines[: _end_of_own(lines)]
    speakers = _speakers(lines)
    others = False
    for at, line in enumerate(lines):
        turn = _turn(lines, at)
        others = turn.speaker in speakers if turn else others and bool(line.strip())
        if not others and not _WROTE.match(line.strip()):
            yield _before_speech(line)


def _end_of_own(lines: Sequence[str]) -> int:
    """Where a mail begins that goes on to the end; one whose lines are quoted with ">" has the answer below it."""
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
    """Who speaks in a chat that was pasted, in small letters; nobody where the lines are a list of things or people."""
    turns = [turn for at in range(len(lines)) if (turn := _turn(lines, at))]
    counted = Counter(turn.speaker for turn in turns)
    speakers = frozenset(turn.speaker for turn in turns if _may_speak(turn, counted[turn.speaker])) - _OWN
    return speakers if any(turn.speaker in speakers and _TALKS.search(turn.said) for turn in turns) else frozenset()


def _turn(lines: Sequence[str], at: int) -> _Turn | None:
    """The turn that a line begins: all in one line, or below a line that says who and when, or two such lines."""
    if turn := _TURN.match(lines[at].strip()):
        return _Turn(turn["nick"] or turn["name"], turn["said"], sure=bool(turn["stamp"] or turn["nick"]))
    above, line, below = (" ".join(one.split()) for one in _around(lines, at))
    if _TIME_ALONE.match(line):
        return _Turn(above, below, sure=False) if _NAME_ALONE.match(above) else None
    head = next(filter(None, (pattern.match(line) for pattern in _HEADS)), None)
    return _Turn(head["name"], below, sure=bool(head["stamp"] or head["date"])) if head else None


def _around(lines: Sequence[str], at: int) -> tuple[str, str, str]:
    """The line above, the line, and the line below."""
    return lines[at - 1] if at else "", lines[at], lines[at + 1] if at + 1 < len(lines) else ""


def _may_speak(turn: _Turn, times: int) -> bool:
    """Whether a line's label is somebody's, by its form, by who it is, or since it comes again."""
    name, words = turn.speaker, turn.label.split()
    if turn.sure or name in _ROLES or _NUMBERED_SPEAKER.match(name):
        return True
    if name in _NO_SPEAKERS or (len(words) > 1 and not all(word[0].isupper() for word in words)):
        return False
    first = words[0].lower()
    return first in FIRST_NAMES or first in KINSHIP or (times > 1 and len(name) > 1)


def _before_speech(line: str) -> str:
    """A line without the words in it that somebody else is said to have said."""
    saying = _SAYING.match(line)
    if saying is None or saying["who"].lower() == "i":
        return line
    return saying["before"] if _TALKS.search(_SENTENCE_END.split(saying["said"], maxsplit=1)[0]) else line
