"""Why a proposed fact must not become a memory, by its own words, its quote and what surrounds the quote."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Protocol

from mosshead.fencing import message_line, one_line, shown_name
from mosshead.models.kinds import Role
from mosshead.patterns import remembered_of_texts
from mosshead.safety.classifier import log_odds
from mosshead.safety.hidden_text import comments, concealed, hides
from mosshead.safety.markup import calls_tools, loads, poses
from mosshead.safety.readings import readings, turned, unescaped, visible

_HIDDEN = "hides text"
_FRAME = "poses as a system message"
_CALL = "holds a call of a tool"
_LOADS = "holds something that loads an address"
_INSTRUCTION = "reads as an instruction to the assistant"

REASONS = frozenset({_HIDDEN, _FRAME, _CALL, _LOADS, _INSTRUCTION})
"""Every reason that there is."""

_SURE = 1.0
"""Log odds from which a text counts as an instruction.

Above even odds, since a fact held for nothing is a memory lost. Of ordinary chat it holds less than one message in 100.
"""

_MESSAGE = 1.35
"""A message that is held for nothing is never found again. It comes back inside a fence, so surer will do."""

_PART = 1.6
"""A name or a description has few words to go by."""

_SURER = 2.1
"""What surrounds a fact must be surer: "I never drank coffee, so stop suggesting cafes" does no harm to the fact."""

_IN_HIDING, _IN_COMMENT = -0.9, 1.6
"""Of hidden words less is enough; programmers have honest comments in the imperative."""

_MOST, _OVERLAP = 3_000, 500
"""Characters that are judged at once, and by how much the pieces of a longer text overlap."""

_AROUND = 600
"""Characters on each side of a quote that are judged with it."""

_AN_ORDER = 3
"""Words from which a name can give an order ("ignore previous instructions"); shorter ones are brands ("Obey Clothing")."""

_REDACTED = re.compile(r"[\[(]\s?redacted(?::[^\[\]()\n]{0,40})?\s?[\])]", re.IGNORECASE)
"""What redaction leaves in a secret's place, and what people write like it."""

_PARAGRAPH = re.compile(r"\n\s*\n")


class Said(Protocol):
    """A message, as far as it is judged."""

    @property
    def role(self) -> Role: ...
    @property
    def speaker(self) -> str | None: ...
    @property
    def content(self) -> str: ...


def suspicion_of(
    content: str,
    quote: str,
    sources: Sequence[Said],
    *,
    details: Sequence[str] = (),
    judged: Callable[..., str | None] | None = None,
) -> str | None:
    """Say why a proposed fact must not become a memory.

    Args:
        content: The fact in its own words.
        quote: The words of the conversation that it rests on.
        sources: The messages that it was taken from. The paragraph around the quote is judged too or, if no message holds the
            quote, everything that the user said in them.
        details: Names and descriptions in the fact, which are judged as well.
        judged: `judge`, or a cache of it where several facts share their sources.

    Returns:
        One of `REASONS`, which holds nothing of the conversation, or None if the fact may become a memory.
    """
    judged = judged or judge
    own = _first((content, quote), judged) or _first(details, partial(judged, least=_PART))
    return own or _of_sources(quote, sources, judged)


def steers(message: Said) -> bool:
    """Say whether a message must not come back into a prompt, for what it says or for the line that a prompt would show.

    The content can finish what the speaker's name begins. A role in its place is our own word and is not judged.
    """
    texts = [message.content]
    name = shown_name(message.speaker)
    if name is not None:
        texts.append(message_line(message.role, message.speaker, message.content[:_OVERLAP]))
        if instructs(name):
            return True
    return _first(texts, _of_message) is not None


def instructs(name: str) -> bool:
    """Say whether a name, an alias or a description from an app is an instruction. Two words are a name, whatever they order."""
    return len(name.split()) >= _AN_ORDER and _first((name,), partial(judge, least=_PART)) is not None


def _first(texts: Sequence[str], judged: Callable[..., str | None]) -> str | None:
    shown = dict.fromkeys(form for text in texts for form in _forms(text))
    return next((reason for text in shown if text.strip() and (reason := judged(text))), None)


def _forms(text: str) -> Iterator[str]:
    """A text, and as a prompt shows it; each also without the marks of redaction, which part phrases that a model still reads."""
    line = one_line(text)
    for one in (text,) if line == " ".join(text.split()) else (text, line):  # readings take blanks alike
        yield one
        if "redacted" in one.casefold():
            yield _REDACTED.sub("", one)


def _of_sources(quote: str, sources: Sequence[Said], judged: Callable[..., str | None]) -> str | None:
    """Judge the paragraphs that hold the quote, or all that the user said if none does."""
    quoting = [message.content for message in sources if quote and quote in message.content]
    if not quoting:
        return _first([message.content for message in sources if message.role is Role.USER], judged)
    paragraphs = [_paragraph(content, content.index(quote), len(quote)) for content in quoting]
    return _first(paragraphs, partial(judged, least=_SURER))


def texts_in(data: object) -> Iterator[str]:
    """Yield the texts that some data holds, and the names of its fields: in a map a model chooses them."""
    if isinstance(data, str):
        yield data
    elif isinstance(data, Mapping):
        yield from (text for pair in data.items() for part in pair for text in texts_in(part))
    elif isinstance(data, list | tuple):
        yield from (text for part in data for text in texts_in(part))


def _paragraph(content: str, start: int, length: int) -> str:
    end = start + length
    before = max((match.end() for match in _PARAGRAPH.finditer(content, 0, start)), default=0)
    after = _PARAGRAPH.search(content, end)
    return content[max(before, start - _AROUND) : min(after.start() if after else len(content), end + _AROUND)]


def judge(text: str, least: float = _SURE) -> str | None:
    """Say why one text reads as if it were to steer, or None. least: the log odds from which it does."""
    pieces = (text[at : at + _MOST] for at in range(0, max(len(text) - _OVERLAP, 1), _MOST - _OVERLAP))
    return next((reason for piece in pieces if (reason := _reason(piece, least))), None)


def _reason(text: str, least: float) -> str | None:
    hidden = ((one, _IN_HIDING) for one in (*concealed(text), *turned(text)))
    if hides(text) or any(_steers(*one) for one in (*hidden, *((one, _IN_COMMENT) for one in comments(text)))):
        return _HIDDEN
    shown = visible(unescaped(text))
    for reading in readings(text):
        if poses(reading, shown):
            return _FRAME
        if calls_tools(reading):
            return _CALL
        if loads(reading):
            return _LOADS
        if log_odds(reading) > least:
            return _INSTRUCTION
    return None


@remembered_of_texts
def _of_message(text: str) -> str | None:
    return judge(text, _MESSAGE)


def _steers(text: str, least: float) -> bool:
    return any(log_odds(reading) > least for reading in readings(text))
