"""Enums shared by the app, the service and the database."""

from enum import StrEnum
from typing import Final


class Role(StrEnum):
    """The author of a message, as in the chat completions API."""

    USER = "user"
    ASSISTANT = "assistant"
    SYSTEM = "system"
    TOOL = "tool"


SPEAKING: Final = frozenset({Role.USER, Role.ASSISTANT})
"""The roles that speak. System prompts and tool results are not statements by anyone."""


class MemoryKind(StrEnum):
    """The kind of statement that a memory makes."""

    FACT = "fact"
    PREFERENCE = "preference"
    EVENT = "event"
    PROCESS = "process"
    RELATIONSHIP = "relationship"
    BELIEF = "belief"


class EntityType(StrEnum):
    """The type of an entity."""

    PERSON = "person"
    ORG = "org"
    PROJECT = "project"
    PLACE = "place"
    SYSTEM = "system"
    PROCESS = "process"
    CONCEPT = "concept"


class Granularity(StrEnum):
    """How precisely the time of an event is known."""

    MINUTE = "minute"
    HOUR = "hour"
    PART_OF_DAY = "part_of_day"
    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    SEASON = "season"
    YEAR = "year"


OF_A_DAY: Final = frozenset({Granularity.MINUTE, Granularity.HOUR, Granularity.PART_OF_DAY, Granularity.DAY})
"""Granularities of a day or finer."""
