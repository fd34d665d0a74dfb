"""A conversation as a manager's prompt shows it: each message with a number, by which a proposal says where it is from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from mosshead.contents import text_of
from mosshead.errors import InvalidEvent
from mosshead.fence import strip_fences
from mosshead.kinds import SPEAKING, Role
from mosshead.language_model.data import barred, block, label, local_time
from mosshead.redaction import redact
from mosshead.transcript import Turn, turns

_MACHINES = frozenset({Role.SYSTEM, Role.TOOL, "developer", "function"})
_ROLES = _MACHINES | SPEAKING
_MACHINE_CHARACTERS = 500


@dataclass(frozen=True, slots=True)
class Talk:
    """What was said. Numbers count from 1."""

    turns: tuple[Turn, ...]

    @property
    def is_spoken(self) -> bool:
        """Whether a user says anything in it; else there is nothing to ask."""
        return bool(self.spoken)

    @property
    def numbers(self) -> frozenset[int]:
        """Of all messages."""
        return frozenset(range(1, len(self.turns) + 1))

    @property
    def spoken(self) -> frozenset[int]:
        """Of those in which a user says something."""
        return frozenset(
            number for number, turn in enumerate(self.turns, 1) if turn.role == Role.USER and turn.content.strip()
        )

    def shown(self) -> str:
        """All of it, as a block of a prompt."""
        return block("MESSAGES", (_shown(number, turn) for number, turn in enumerate(self.turns, 1)))


def talk_of(conversation: str | Sequence[Mapping[str, Any]]) -> Talk:
    """A transcript ("User: … / Assistant: …") or a list of ``{role, content}``, as `Namespace.publish_conversation` takes it.

    Secrets in it are replaced, and memories that an app put into a message are left out. Raises InvalidEvent, naming the line or
    the message at fault.
    """
    said = turns(conversation)
    unknown = next((number for number, turn in enumerate(said) if str(turn.role) not in _ROLES), None)
    if unknown is not None:
        raise InvalidEvent(f"messages[{unknown}].role: one of {', '.join(sorted(_ROLES))}")
    return Talk(tuple(replace(turn, content=redact(strip_fences(text_of(turn.content) or ""))) for turn in said))


def _shown(number: int, turn: Turn) -> str:
    speaker = f' "{label(turn.speaker)}"' if turn.speaker else ""
    at = local_time(turn.occurred_at) if isinstance(turn.occurred_at, datetime) else label(turn.occurred_at or "")
    when = f", {at}" if at else ""
    cut = turn.role in _MACHINES and len(turn.content) > _MACHINE_CHARACTERS
    content = f"{turn.content[:_MACHINE_CHARACTERS]} […]" if cut else turn.content
    return f"[{number}] {label(turn.role)}{speaker}{when}\n{barred(content)}"
