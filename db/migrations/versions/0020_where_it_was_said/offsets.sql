-- Where it was said -------------------------------------------------------------------------------------------------------------
--
-- A timestamptz is a moment, whatever the zone in which it came. Beside it stands the offset of that zone from UTC, in minutes, east
-- of it above 0: what was said on a Monday evening in Seattle was said on a Monday. null: not kept; it is shown in UTC.

-- The offset of a time as text. What is no time to reckon with, as infinity, has none.
create function mosshead.utc_offset(moment text) returns smallint
    language sql stable strict parallel safe
    return case when isfinite(moment::timestamptz) then
        round(extract(epoch from moment::timestamp - (moment::timestamptz at time zone 'UTC')) / 60)::smallint end;
revoke all on function mosshead.utc_offset from public;

alter table mosshead.messages add column occurred_at_offset smallint;
alter table mosshead.memories
    add column valid_from_offset     smallint,
    add column occurred_from_offset  smallint,
    add column occurred_to_offset    smallint;

create or replace view mosshead_read_v1.messages as
select tenant_id, namespace_id, message_id, conversation_id, role, speaker, content, occurred_at, metadata, occurred_at_offset
from mosshead.messages;

create or replace view mosshead_read_v1.memories as
select tenant_id, namespace_id, memory_id, version, kind, content, salience, factors, confidence, tier, reinforced, attribute,
       value, state, superseded_by, occurred_from, occurred_to, granularity, valid_from, valid_to, known_from, known_to,
       said_by, marked, record_name, record, key, valid_from_offset, occurred_from_offset, occurred_to_offset
from mosshead.memories;

create or replace view mosshead_read_v1.messages_ahead as
select message.tenant_id, message.namespace_id, message.message_id, message.conversation_id, message.role, message.speaker,
       message.content, message.occurred_at, message.metadata, event.position, message.occurred_at_offset
from mosshead.lanes as lane
cross join lateral (
    select event_id, position from mosshead.events as waiting
    where waiting.tenant_id = lane.tenant_id and waiting.namespace_id = lane.namespace_id
      and waiting.state = 'received' and waiting.batch_id is null
    union all
    select event_id, position from mosshead.events as at_work
    where at_work.tenant_id = lane.tenant_id and at_work.namespace_id = lane.namespace_id
      and at_work.batch_id = lane.batch_id and at_work.state = 'received'
) as event
join mosshead.messages as message
  on message.tenant_id = lane.tenant_id and message.namespace_id = lane.namespace_id and message.message_id = event.event_id
where lane.tenant_id = mosshead.current_tenant();

-- Events of one namespace into the inbox, and its lane made ready. The tenant must be set. Returns how many were new.
create or replace function mosshead.receive(path text[], events jsonb, quiet interval, most interval) returns integer
    language plpgsql
as $$
declare
    tenant     uuid := mosshead.derived_id('tenant', path[1:1]);
    namespace  uuid := mosshead.derived_id('namespace', path);
    sent       jsonb;
    fresh      jsonb;
    stored     integer;
    ended      boolean;
begin
    perform mosshead.open_lane(tenant, namespace, path);
    sent := mosshead.numbered(tenant, namespace, path, events);

    with new as (
        insert into mosshead.events
            (tenant_id, namespace_id, event_id, publisher_id, publisher_sequence, type, payload, occurred_at, conversation_id, sequence)
        select tenant, namespace, (event ->> 'event_id')::uuid, (event ->> 'publisher')::uuid,
               (event ->> 'publisher_sequence')::bigint, event ->> 'type', event, (event ->> 'occurred_at')::timestamptz,
               event ->> 'conversation', (event ->> 'sequence')::bigint
        from jsonb_array_elements(sent) with ordinality as element (event, place)
        where event ? 'publisher'
        order by place
        on conflict (tenant_id, namespace_id, event_id) do nothing
        returning payload
    )
    select jsonb_agg(payload), count(*) into fresh, stored from new;

    insert into mosshead.publishers (tenant_id, namespace_id, publisher_id)
    select distinct tenant, namespace, (event ->> 'publisher')::uuid
    from jsonb_array_elements(sent || events) as event where event ? 'publisher'
    order by 3
    on conflict do nothing;
    perform mosshead.move_watermark(tenant, namespace, array_agg((event ->> 'publisher')::uuid),
                                     array_agg((event ->> 'publisher_sequence')::bigint))
    from jsonb_array_elements(sent || events) as event where event ? 'publisher';
    if stored = 0 then
        return 0;
    end if;

    insert into mosshead.messages
        (tenant_id, namespace_id, message_id, conversation_id, role, speaker, content, occurred_at, occurred_at_offset, metadata)
    select tenant, namespace, (event ->> 'event_id')::uuid, event ->> 'conversation', event ->> 'role', event ->> 'speaker',
           mosshead.text_of(event -> 'content'), (event ->> 'occurred_at')::timestamptz,
           mosshead.utc_offset(event ->> 'occurred_at'), coalesce(event -> 'metadata', '{}')
    from jsonb_array_elements(fresh) as event where event ->> 'type' = 'message'
    on conflict do nothing;

    insert into mosshead.conversations
        (tenant_id, namespace_id, conversation_id, started_at, last_message_at, ended_at)
    select tenant, namespace, event ->> 'conversation', min((event ->> 'occurred_at')::timestamptz),
           max((event ->> 'occurred_at')::timestamptz),
           max((event ->> 'occurred_at')::timestamptz) filter (where event ->> 'type' = 'conversation_ended')
    from jsonb_array_elements(fresh) as event where event ->> 'conversation' is not null
    group by event ->> 'conversation'
    on conflict (tenant_id, namespace_id, conversation_id) do update
        set started_at = least(conversations.started_at, excluded.started_at),
            last_message_at = greatest(conversations.last_message_at, excluded.last_message_at),
            ended_at = coalesce(excluded.ended_at, conversations.ended_at);

    -- Debounced, but never for longer than "most".
    select bool_or(event ->> 'type' = 'conversation_ended') into ended from jsonb_array_elements(fresh) as event;
    update mosshead.lanes as lane
    set pending = lane.pending + stored,
        first_pending_at = coalesce(lane.first_pending_at, now()),
        ready_at = case when ended then now() else least(now() + quiet, coalesce(lane.first_pending_at, now()) + most) end
    where lane.tenant_id = tenant and lane.namespace_id = namespace;
    return stored;
end
$$;

-- What there is already, from the events that brought it, tenant by tenant: row-level security binds the owner, too. Rows of UTC stay
-- as they are. All versions of a memory get the same, so that an undo finds them alike: of when it was said the offset of a source
-- said then, of when it happened that of a fact that says so.
do $$
declare
    one uuid;
begin
    for one in select distinct tenant_id from mosshead.lanes loop
        perform set_config('mosshead.tenant_id', one::text, true);
        update mosshead.messages as message set occurred_at_offset = mosshead.utc_offset(event.payload ->> 'occurred_at')
        from mosshead.events as event
        where message.tenant_id = one and event.tenant_id = one and event.namespace_id = message.namespace_id
          and event.event_id = message.message_id and event.type = 'message'
          and mosshead.utc_offset(event.payload ->> 'occurred_at') <> 0;
        update mosshead.memories as memory set valid_from_offset = said.utc_offset
        from (
            select source.namespace_id, source.memory_id, message.occurred_at, min(message.occurred_at_offset) as utc_offset
            from mosshead.memory_sources as source
            join mosshead.messages as message on message.tenant_id = one and message.namespace_id = source.namespace_id
             and message.message_id = source.message_id
            where source.tenant_id = one and source.stance = 'for' and message.occurred_at_offset is not null
            group by source.namespace_id, source.memory_id, message.occurred_at
        ) as said
        where memory.tenant_id = one and memory.namespace_id = said.namespace_id and memory.memory_id = said.memory_id
          and memory.valid_from = said.occurred_at;
        update mosshead.memories as memory set occurred_from_offset = told.from_offset, occurred_to_offset = told.to_offset
        from (
            select namespace_id, memory_id, began::timestamptz as began, ended::timestamptz as ended,
                   min(mosshead.utc_offset(began)) as from_offset, min(mosshead.utc_offset(ended)) as to_offset
            from (
                select namespace_id, memory_id, fact #>> '{occurred,start}' as began, fact #>> '{occurred,end}' as ended
                from mosshead.decisions where tenant_id = one and memory_id is not null
            ) as decided
            where began is not null and ended is not null
            group by namespace_id, memory_id, 3, 4
        ) as told
        where memory.tenant_id = one and memory.namespace_id = told.namespace_id and memory.memory_id = told.memory_id
          and memory.occurred_from = told.began and memory.occurred_to = told.ended
          and (told.from_offset <> 0 or told.to_offset <> 0);
    end loop;
    perform set_config('mosshead.tenant_id', '', true);
end
$$;
