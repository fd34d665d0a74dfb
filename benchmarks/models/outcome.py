"""What became of a model's answers, read from the database of a run as the superuser, who sees all."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, LiteralString

import psycopg
from psycopg.rows import dict_row

_MILLION = 1_000_000

_SPENT: LiteralString = """
    select coalesce(stage, '-') as stage, count(*) as calls, sum(prompt_tokens)::bigint as prompt_tokens,
           sum(completion_tokens)::bigint as completion_tokens
    from mosshead.usage group by 1 order by 1
"""
_REFUSED: LiteralString = """
    select reason, count(*) as facts from mosshead.decisions where action = 'refuse' group by reason order by 2 desc, 1
"""
_COUNTS: LiteralString = """
    select count(*) filter (where tier = 'solid') as solid, count(*) filter (where tier = 'hypothesis') as hypotheses,
           (select count(*) from mosshead.decisions where action = 'quarantine') as quarantined,
           (select count(*) from mosshead.events where state <> 'done') as undone,
           (select count(*) from mosshead.dead_letters) as dead_letters
    from mosshead.memories where known_to is null and state = 'active'
"""
_MEMORIES: LiteralString = """
    select tier, kind, memory.content, attribute, value, occurred_from::text,
           array_agg(quote order by message.occurred_at) as quotes,
           array_agg(concat_ws(': ', message.speaker, message.content) order by message.occurred_at) as sources
    from mosshead.memories as memory
    join mosshead.memory_sources as source using (tenant_id, namespace_id, memory_id)
    join mosshead.messages as message using (tenant_id, namespace_id, message_id)
    where memory.known_to is null and state = 'active' and source.known_to is null
    group by tenant_id, namespace_id, memory_id, version order by tier desc, min(message.occurred_at), memory.content
"""


@dataclass(frozen=True, slots=True)
class Price:
    """Of a million tokens, in and out, in any currency."""

    prompt: float = 0.0
    completion: float = 0.0


@dataclass(frozen=True, slots=True)
class Outcome:
    """What was asked and what came of it.

    spent: by stage, calls and tokens. refused: facts by reason. solid, hypotheses: memories at the end. quarantined: facts held
    back. undone, dead_letters: messages that did not take effect, and those that were given up.
    """

    spent: Mapping[str, Mapping[str, int]]
    refused: Mapping[str, int]
    solid: int
    hypotheses: int
    quarantined: int
    undone: int
    dead_letters: int

    def money(self, price: Price) -> float:
        """What all the calls cost."""
        prompt, completion = self.tokens
        return (prompt * price.prompt + completion * price.completion) / _MILLION

    @property
    def tokens(self) -> tuple[int, int]:
        """In and out, of all stages."""
        spent = self.spent.values()
        return sum(one["prompt_tokens"] for one in spent), sum(one["completion_tokens"] for one in spent)

    @property
    def calls(self) -> int:
        """Of all stages."""
        return sum(one["calls"] for one in self.spent.values())

    def as_json(self, price: Price) -> dict[str, Any]:
        """All of it, with the sums and the money."""
        prompt, completion = self.tokens
        sums = {"calls": self.calls, "prompt_tokens": prompt, "completion_tokens": completion}
        return {**asdict(self), **sums, "money": round(self.money(price), 4)}


def read_outcome(admin_url: str) -> Outcome:
    """The outcome of all that a database holds."""
    spent = {row.pop("stage"): row for row in _rows(admin_url, _SPENT)}
    refused = {row["reason"]: row["facts"] for row in _rows(admin_url, _REFUSED)}
    return Outcome(spent, refused, **_rows(admin_url, _COUNTS)[0])


def read_memories(admin_url: str) -> Sequence[Mapping[str, Any]]:
    """Every memory that was said by somebody, the solid ones first, with its quotes and its sources' words."""
    return _rows(admin_url, _MEMORIES)


def _rows(admin_url: str, statement: LiteralString) -> list[dict[str, Any]]:
    with psycopg.connect(admin_url, row_factory=dict_row) as connection:
        return connection.execute(statement).fetchall()
