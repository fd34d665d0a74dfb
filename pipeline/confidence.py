"""How sure a memory is, and how that changes when something is said for it or against it (requirements C3, C4)."""

from typing import Final, Literal

STATED: Final = 0.9
"""Of what the user said plainly: solid at once."""

INFERRED: Final = 0.5
"""Of a guess or an inference: a hypothesis, until it is said again."""

STEP: Final = 0.15
SOLID: Final = 0.75
_LEAST: Final = 0.05
_DIGITS: Final = 4  # stored as a real, 0.9 comes back a little less

Tier = Literal["hypothesis", "solid"]


def tier_of(confidence: float) -> Tier:
    """Solid from 0.75 on."""
    return "solid" if confidence >= SOLID else "hypothesis"


def reinforced(confidence: float) -> float:
    """After it was said again: 0.15 more, up to 1."""
    return min(1.0, round(confidence + STEP, _DIGITS))


def contradicted(confidence: float) -> float:
    """After somebody else said otherwise: 0.15 less, and never nothing."""
    return max(_LEAST, round(confidence - STEP, _DIGITS))
