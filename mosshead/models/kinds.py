"""The closed vocabularies that the app, the service and the database share."""

from enum import StrEnum
from typing import Final


class Role(StrEnum):
    """Who said a message, in the words of the chat completion API."""

    USER = "user"
    ASSISTANT = "assistant"
    SYSTEM = "system"
    TOOL = "tool"


SPEAKING: Final = frozenset({Role.USER, Role.ASSISTANT})
"""The two who speak: a prompt, and what a tool returns, are nobody's words."""


class MemoryKind(StrEnum):
    """What sort of thing a memory states."""

    FACT = "fact"
    PREFERENCE = "preference"
    EVENT = "event"
    PROCESS = "process"
    RELATIONSHIP = "relationship"
    BELIEF = "belief"


class EntityType(StrEnum):
    """What sort of thing an entity is."""

    PERSON = "person"
    ORG = "org"
    PROJECT = "project"
    PLACE = "place"
    SYSTEM = "system"
    PROCESS = "process"
    CONCEPT = "concept"


class Granularity(StrEnum):
    """How precisely the time of an event is known; the interval beside it says the rest."""

    MINUTE = "minute"
    HOUR = "hour"
    PART_OF_DAY = "part_of_day"
    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    SEASON = "season"
    YEAR = "year"


OF_A_DAY: Final = frozenset({Granularity.MINUTE, Granularity.HOUR, Granularity.PART_OF_DAY, Granularity.DAY})
"""What is known to the day, or more precisely."""
