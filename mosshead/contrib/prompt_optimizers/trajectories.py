"""A prompt's conversations and feedback, in the formats that apps use. Pure."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mosshead.events.transcripts import turns
from mosshead.llm.prompt_data import barred
from mosshead.models.kinds import Role
from mosshead.redaction import redact
from mosshead.text import text_of

Messages = str | Sequence[Mapping[str, Any]]

MAX_TRAJECTORIES = 100
_CHARACTERS = 60_000
"""Characters of all conversations shown to an LLM; each has an equal share, and of a longer one the end is shown."""

_TURN_CHARACTERS = 4_000
_FEEDBACK_CHARACTERS = 2_000


@dataclass(frozen=True, slots=True)
class Feedback:
    """Feedback on a conversation. score: from 0 (worst) to 1; None if not given."""

    comment: str = ""
    score: float | None = None


@dataclass(frozen=True, slots=True)
class Trajectory:
    """A conversation with a prompt: its messages in order, without secrets, and the feedback on it."""

    turns: tuple[tuple[str, str], ...]
    feedback: Feedback | None = None


AnyFeedback = Feedback | str | Mapping[str, Any] | None
AnyTrajectory = Trajectory | tuple[Messages, AnyFeedback]


def trajectories_of(given: Sequence[AnyTrajectory]) -> list[Trajectory]:
    """Check trajectories, and return the latest 100. Raises ValueError, which names the invalid one."""
    latest = list(enumerate(given))[-MAX_TRAJECTORIES:]
    return [one if isinstance(one, Trajectory) else _trajectory(number, one) for number, one in latest]


def trajectory_of(messages: Messages, feedback: AnyFeedback = None) -> Trajectory:
    """Parse a conversation, a transcript or a list of ``{role, content}``, and its feedback. Raises ValueError."""
    said: list[tuple[str, str]] = []
    for turn in turns(messages):
        if turn.role not in set(Role):
            raise ValueError(f"role: one of {', '.join(Role)}")
        # Cut well after the part that is shown, because a secret cut in two would not be recognized.
        if text := redact((text_of(turn.content) or "")[: 2 * _TURN_CHARACTERS]):
            said.append((str(Role(turn.role)), text))
    return Trajectory(tuple(said), feedback_of(feedback))


def feedback_of(given: AnyFeedback) -> Feedback | None:
    """Parse feedback: a text, ``{"score": 0.2, "comment": "too long"}``, or nothing. Raises ValueError."""
    if given is None:
        return None
    if isinstance(given, str):
        return Feedback(redact(given))
    if not isinstance(given, Feedback | Mapping):
        raise ValueError("feedback: give a text, or comment and score")  # noqa: TRY004 - as for all that does not fit
    fields = {"comment": given.comment, "score": given.score} if isinstance(given, Feedback) else dict(given)
    unknown = sorted(fields.keys() - {"comment", "score"})
    if unknown:
        raise ValueError(f"feedback.{unknown[0]}: not a part of feedback; give a text, or comment and score")
    score = fields.get("score")
    if score is not None:
        if not isinstance(score, int | float) or not math.isfinite(score) or not 0 <= score <= 1:
            raise ValueError(f"feedback.score: a number from 0 (bad) to 1 (good), got {score!r}")
        score = float(score)
    return Feedback(redact(str(fields.get("comment") or "")), score)


def shown_trajectories(trajectories: Sequence[Trajectory]) -> list[str]:
    """Format each for an LLM: a numbered header, and the messages behind bars."""
    share = _CHARACTERS // max(1, len(trajectories))
    return [_shown(number, one, share) for number, one in enumerate(trajectories, 1)]


def _trajectory(number: int, given: object) -> Trajectory:
    if not isinstance(given, tuple | list) or len(given) != 2:
        raise ValueError(f"trajectories[{number}]: give (messages, feedback), with None for no feedback")
    try:
        return trajectory_of(*given)
    except ValueError as error:
        fault = str(error)
    raise ValueError(f"trajectories[{number}]: {fault}")


def _shown(number: int, trajectory: Trajectory, share: int) -> str:
    lines: list[str] = []
    left = share
    for role, text in reversed(trajectory.turns):
        if left <= 0:
            lines.append("(what was said before is left out)")
            break
        told = _shortened(text, min(left, _TURN_CHARACTERS))
        left -= len(told)
        lines.append(f"{role}\n{barred(told)}")
    return "\n".join((f"CONVERSATION {number}", *reversed(lines), *_judged(trajectory.feedback)))


def _judged(feedback: Feedback | None) -> list[str]:
    if feedback is None or (not feedback.comment and feedback.score is None):
        return ["no feedback"]
    score = f", score {feedback.score:g} of 1" if feedback.score is not None else ""
    comment = [barred(_shortened(feedback.comment, _FEEDBACK_CHARACTERS))] if feedback.comment else []
    return [f"feedback{score}", *comment]


def _shortened(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]} […]"
