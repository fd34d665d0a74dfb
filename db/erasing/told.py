"""Which decisions were made of erased messages. See `db.erasing.parts`."""

from typing import Final

from db.undoing.rows import of_lane

EPISODE: Final = "Episode"
"""The name of the record that makes a memory one; it tells of a whole conversation."""

_LANE: Final = "tenant_id = :tenant_id and namespace_id = :namespace_id"

# A fact names its messages by their places among those of its batch, from 1. The shells of erased ones keep theirs. An episode is
# made of messages of other batches, and its memory alone knows them. Each once, and by what is looked up once: a namespace of
# many rows is planned for as the average one, of few, and joined it would be gone through once for each of them.
TOLD: Final = f"""
    numbered as materialized (
        select event.batch_id, event.event_id, row_number() over (partition by event.batch_id order by event.place) as number
        from mosshead.events as event
        where {of_lane("event")} and event.payload ->> 'type' = 'message' and event.batch_id = any(array(
            select batch_id from mosshead.events
            where {_LANE} and event_id = any(cast(:messages as uuid[])) and batch_id is not null))
    ),
    cited as materialized (
        select decision.decision_id, decision.batch_id, cast(source.value as bigint) as number
        from mosshead.decisions as decision
        cross join lateral jsonb_array_elements_text(
            case jsonb_typeof(decision.fact -> 'sources') when 'array' then decision.fact -> 'sources' else '[]' end) as source
        where {of_lane("decision")} and decision.batch_id = any(array(select batch_id from numbered))
          and decision.fact #>> '{{record,name}}' is distinct from '{EPISODE}'
    ),
    told as materialized (
        select decision_id, bool_and(numbered.event_id = any(cast(:messages as uuid[]))) as alone
        from cited join numbered using (batch_id, number)
        group by decision_id having bool_or(numbered.event_id = any(cast(:messages as uuid[])))
        union all
        select decision.decision_id, bool_and(source.message_id = any(cast(:messages as uuid[]))) as alone
        from mosshead.memory_sources as source
        join mosshead.decisions as decision on {of_lane("decision")} and decision.decision_id = source.made_by
        where {of_lane("source")} and decision.fact #>> '{{record,name}}' = '{EPISODE}' and source.memory_id = any(array(
            select memory_id from mosshead.memory_sources where {_LANE} and message_id = any(cast(:messages as uuid[]))))
        group by decision.decision_id having bool_or(source.message_id = any(cast(:messages as uuid[])))
    )
"""
"""told: those decisions. alone: of these messages and no others."""
