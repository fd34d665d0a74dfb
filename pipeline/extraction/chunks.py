"""What one call to the model shows of a batch: all of it where it fits, else a portion, long messages in parts.

A token is reckoned as four characters.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from itertools import accumulate, pairwise

from mosshead.models.kinds import Role
from pipeline.extraction.prompt import MACHINE_CHARACTERS, MACHINES
from pipeline.models import Message

CALL_TOKENS = 8_000
"""What one call shows at most of a batch; claims take less, so only single messages can be longer."""

EARLIER_TOKENS = 2_000
"""What one call shows at most of what was said before."""

_GOES_ON = timedelta(hours=1)
"""For so long after it, what is said in one conversation may go on from what was said in another."""

_CHARACTERS_PER_TOKEN = 4
_CUTS = (re.compile(r"\n\s*\n"), re.compile(r"(?<=[.!?…])\s+|(?<=[。！？])|\n"), re.compile(r"\s+"))
"""Where a text may be cut, the best first: between paragraphs, sentences, words."""


@dataclass(frozen=True, slots=True)
class Portion:
    """Messages that are asked about in one call, and those before them.

    messages: their content may be a part of what was said. parts: of those, by number, which part, and of how many.
    """

    messages: tuple[Message, ...]
    earlier: tuple[Message, ...] = ()
    parts: Mapping[int, tuple[int, int]] = field(default_factory=dict, hash=False)

    @property
    def is_spoken(self) -> bool:
        """Whether a user says anything in it; else there is nothing to ask."""
        return any(_speaks(message) for message in self.messages)


def portions(messages: Sequence[Message], earlier: Sequence[Message]) -> list[Portion]:
    """The calls that a batch takes, in order; one for any batch that fits. earlier: what was said before the batch."""
    found: list[Portion] = []
    before, held, parts = tuple(earlier), list[Message](), dict[int, tuple[int, int]]()
    for piece, part in (shown for message in messages for shown in _pieces(message)):
        full = sum(map(_tokens, held)) + _tokens(piece) > CALL_TOKENS
        if held and (full or piece.number in parts):
            found.append(Portion(tuple(held), before, parts))
            before, held, parts = (*before, *held), [], {}
        held.append(piece)
        parts |= {piece.number: part} if part else {}
    return [*found, Portion(tuple(held), before, parts)]


def halves(portion: Portion) -> tuple[Portion, Portion] | None:
    """Two portions with about half of the words each, the first being before the second; None where nothing can be halved.

    At the end of a message where both halves then hold something that a user says; else that one message is cut.
    """
    messages, before, after = portion.messages, portion.parts, portion.parts
    spoken = [at for at, message in enumerate(messages) if _speaks(message)]
    if not spoken:
        return None
    if len(spoken) > 1:
        sums = [0, *accumulate(map(_tokens, messages))]
        at = min(range(spoken[0] + 1, spoken[-1] + 1), key=lambda bound: abs(2 * sums[bound] - sums[-1]))
        first, second = messages[:at], messages[at:]
    else:
        at, message = spoken[0], messages[spoken[0]]
        one, other = (replace(message, content=text) for text in cut(message.content, 2))
        if not (one.content and other.content):
            return None
        first, second = (*messages[:at], one), (other, *messages[at + 1 :])
        part, of = portion.parts.get(message.number, (1, 1))
        before, after = ({**portion.parts, message.number: (2 * part - ahead, 2 * of)} for ahead in (1, 0))
    return (
        Portion(first, portion.earlier, _only(before, first)),
        Portion(second, (*portion.earlier, *first), _only(after, second)),
    )


def bearing(earlier: Sequence[Message], messages: Sequence[Message]) -> tuple[Message, ...]:
    """What was said before that a batch may go on from: in one of its conversations, or within the hour before it."""
    conversations = {message.conversation for message in messages}
    since = min(message.occurred_at for message in messages) - _GOES_ON
    return tuple(one for one in earlier if one.conversation in conversations or one.occurred_at >= since)


def latest(messages: Sequence[Message]) -> tuple[Message, ...]:
    """The last of what was said before, as much of it as a call shows; the first of them may be the end of a longer message."""
    shown: list[Message] = []
    left = EARLIER_TOKENS * _CHARACTERS_PER_TOKEN
    for message in reversed(messages):
        if left <= 0:
            break
        size = _tokens(message) * _CHARACTERS_PER_TOKEN
        fits = message.role in MACHINES or len(message.content) <= left
        shown.append(message if fits else replace(message, content=f"[…] {message.content[-left:]}"))
        left -= size
    return tuple(reversed(shown))


def cut(text: str, pieces: int) -> list[str]:
    """A text in so many pieces of about one length, cut between paragraphs, sentences or words where there are any nearby."""
    size = len(text) / pieces
    ends = [_nearest_cut(text, round(size * number), round(size / 4)) for number in range(1, pieces)]
    bounds = [0, *ends, len(text)]
    return [text[start:end].strip() for start, end in pairwise(bounds)]


def _pieces(message: Message) -> Iterator[tuple[Message, tuple[int, int] | None]]:
    count = -(-_tokens(message) // CALL_TOKENS)
    if count <= 1:
        yield message, None
        return
    for number, text in enumerate(cut(message.content, count), 1):
        yield replace(message, content=text), (number, count)


def _only(parts: Mapping[int, tuple[int, int]], messages: Sequence[Message]) -> dict[int, tuple[int, int]]:
    return {message.number: parts[message.number] for message in messages if message.number in parts}


def _nearest_cut(text: str, target: int, reach: int) -> int:
    for boundary in _CUTS:
        ends = [match.end() for match in boundary.finditer(text, max(target - reach, 0), target + reach)]
        inner = [end for end in ends if 0 < end < len(text)]
        if inner:
            return min(inner, key=lambda end: abs(end - target))
    return target


def _speaks(message: Message) -> bool:
    return message.role is Role.USER and bool(message.content.strip())


def _tokens(message: Message) -> int:
    size = min(len(message.content), MACHINE_CHARACTERS) if message.role in MACHINES else len(message.content)
    return -(-size // _CHARACTERS_PER_TOKEN)
