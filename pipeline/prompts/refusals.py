"""Why what an LLM proposed as a fact was not taken, for the log and for whoever reads it."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Final

from mosshead.kinds import MemoryKind
from pipeline.facts import Fact
from pipeline.prompts.extraction import ExtractedFact

MAX_FACTS: Final = 100
"""Facts that one batch may give; a model that goes round in circles does not fill the memory."""

MAX_FACTS_BY_RULES: Final = 200
"""Facts that one batch may give to the rules, which take each sentence by itself. 40 messages in a row of the development sets
of docs/extraction-figures.md and of LoCoMo give 31 at most."""

MAX_FACTS_OF_A_MESSAGE: Final = 100
"""Facts that the rules take from one message; the richest of those sets gives 6. A message of 1,500 statements is a list of data,
and each fact costs the guard some 30 ms, and the linking more."""

MAX_PROPOSED: Final = 300
"""Proposals of one answer that are looked at. The check of each reads the messages that it cites."""

MAX_REFUSED: Final = 100
"""Refused facts of one batch that the decision log keeps; the log line counts all of them."""

CONTENT_CHARACTERS: Final = 2_000


class Refusal(StrEnum):
    """Why a proposed fact was not taken."""

    EMPTY = "empty"
    TOO_LONG = "too_long"
    NO_SOURCE = "no_source"
    NOT_FROM_USER = "not_from_user"
    UNGROUNDED = "ungrounded"
    REPEATED = "repeated"
    OVER_LIMIT = "over_limit"
    RECORD = "record"


SAID: Final[Mapping[Refusal, str]] = MappingProxyType(
    {
        Refusal.EMPTY: "it has no word",
        Refusal.TOO_LONG: f"it has more than {CONTENT_CHARACTERS:,} characters",
        Refusal.NO_SOURCE: "it names no message of a user or the assistant as its source",
        Refusal.NOT_FROM_USER: "none of its sources is a user's message",
        Refusal.UNGROUNDED: "a name or number of it is neither in its sources nor known",
        Refusal.REPEATED: "another of the batch says the same",
        Refusal.OVER_LIMIT: "more came before it than one message, or one batch, may give",
        Refusal.RECORD: "its record does not stand",
    }
)
"""For people, and without a word of the conversation."""


@dataclass(frozen=True, slots=True)
class RefusedFact:
    """What was proposed and not taken, as far as the decision log keeps it."""

    why: Refusal
    kind: MemoryKind
    content: str
    quote: str

    @classmethod
    def of(cls, why: Refusal, proposed: ExtractedFact | Fact) -> "RefusedFact":
        """Of a proposal, or of a fact that stood by itself and not beside the others."""
        return cls(why, proposed.kind, proposed.content[:CONTENT_CHARACTERS], proposed.quote[:CONTENT_CHARACTERS])

    def as_json(self) -> dict[str, Any]:
        """The fact of its decision."""
        return {"kind": str(self.kind), "content": self.content, "quote": self.quote}
