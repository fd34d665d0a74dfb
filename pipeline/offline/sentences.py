"""Messages cut into sentences, each with the words as they stood, for the quote, and tidied, for the rules."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from pipeline.offline.pasted import own_lines
from pipeline.offline.spelling import plainly_spelt

MOST_HEARD = 32_000
"""Characters of a message that are read: a longer one is a pasted document rather than talk."""
_MOST_SENTENCES = 400
_MOST_CHARACTERS = 400
"""A sentence longer than this is cut at a space, so that no rule sees a text of unbounded length."""

_ABBREVIATION = re.compile(
    r"(?:\b(?:mr|mrs|ms|dr|prof|st|no|vs|etc|e\.g|i\.e|approx|inc|ltd|co|jr|sr|dept)|\b[A-Z])\.$", re.IGNORECASE
)
_INITIAL = re.compile(r"(?:^|\s)[A-Z]\.$")
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
_MACHINE = re.compile(
    r">|(?:import|def|class|function|const|let|var|export|return|public|private|async|#include|SELECT|INSERT INTO"
    r"|UPDATE|DELETE FROM|CREATE TABLE) "
    r"[\w.{(*\"'<].*[:;{}()=*]|from \w[\w.]* import |at [\w.$]+\(|Traceback|File \""
    r"|[\[(]?\d{4}-\d\d-\d\d[ T]\d\d:\d\d:?|\[?(?:INFO|WARN(?:ING)?|ERROR|DEBUG|FATAL)\b"
    r"|</?\w+[^>]*>|[{}\[\]();]+,?$|//|#!|\$ \w|\w+@\w+:|[\w.]+ ?= ?[\"'\[{(\d]|\"\w+\": ?|.*[;{]$|[A-Z_]{4,}="
    r"|[+-]{3} |@@ |\|[-| :]+\|$"
)
"""Lines of code, logs, markup and quotations."""
_SPACES = re.compile(r"\s+")
_STRAIGHT = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "\u00a0": " "})


@dataclass(frozen=True, slots=True)
class Sentence:
    """quote: a stretch of the message, letter by letter. text: the same with straight quotes, single spaces and no emoji.

    listed: it stood after a bullet or a number. foreign: it is from a text in quotation marks, so somebody else's
    words.
    """

    quote: str
    text: str
    listed: bool = False
    foreign: bool = False


def sentences(content: str) -> list[Sentence]:
    """The sentences of a message, in order, without code, logs, mails and chats that were pasted."""
    found: list[Sentence] = []
    within = False
    for line in _lines(content[:MOST_HEARD]):
        listed = _LIST_MARK.match(line)
        for quote in _cut(line[listed.end() :] if listed else line):
            text, foreign, within = _own_words(tidy(quote), within)
            if text:
                found.append(Sentence(quote, text, listed is not None, foreign))
            if len(found) >= _MOST_SENTENCES:
                return found
    return found


def tidy(quote: str) -> str:
    """Straight quotes, single spaces, no emoji, no markdown emphasis, plainly spelt."""
    text = _DECORATION.sub("", quote.translate(_STRAIGHT))
    return plainly_spelt(_SPACES.sub(" ", _SMILEY.sub(" ", text)).strip())


def _own_words(text: str, within: bool) -> tuple[str, bool, bool]:
    """The words before a quotation that is one of sentences, rather than a title; whether it is all quoted, and goes on after."""
    if within:
        return text, True, text.count('"') % 2 == 0
    opening = _QUOTATION.search(text)
    if opening is None:
        return text, False, False
    before = text[: opening.start()].rstrip(" ,:-")
    return before or text, not before, text.count('"') % 2 == 1


def _lines(content: str) -> Iterator[str]:
    fenced = False
    for line in own_lines(content.splitlines()):
        stripped = line.strip()
        if stripped.startswith("```"):
            fenced = not fenced
        elif stripped and not fenced and not _MACHINE.match(stripped):
            yield from _items(line)


def _items(line: str) -> Iterator[str]:
    """A list that was typed in one line, ": 1. send it 2. call them", as the lines that it could have been."""
    places: list[int] = []
    for mark in _NUMBERED.finditer(line):
        if int(mark["number"]) == len(places) + 1 and (places or _BEFORE_A_LIST.search(line, 0, mark.start())):
            places.append(mark.start())
    ends = [*places, len(line)] if len(places) > 1 else [len(line)]
    yield from (line[start:end] for start, end in pairwise([0, *ends]))


def _cut(line: str) -> Iterator[str]:
    start = 0
    for match in _END.finditer(line):
        if _INITIAL.search(line[max(start, match.end() - 3) : match.end()]) or _abbreviates(
            line[max(start, match.end() - 8) : match.end()]
        ):
            continue
        yield from _bounded(line[start : match.end()])
        start = match.end()
    yield from _bounded(line[start:])


def _abbreviates(tail: str) -> bool:
    return tail.endswith(".") and _ABBREVIATION.search(tail) is not None


def _bounded(piece: str) -> Iterator[str]:
    piece = piece.strip()
    while len(piece) > _MOST_CHARACTERS:
        at = piece.rfind(" ", 1, _MOST_CHARACTERS)
        at = at if at > 0 else _MOST_CHARACTERS
        yield piece[:at].strip()
        piece = piece[at:].strip()
    if piece:
        yield piece
