alter table mosshead.events drop constraint events_number_within_bounds;

-- A view cannot lose a column, so that it is made again.
drop view mosshead_read_v1.messages;

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

drop function mosshead.dated, mosshead.now_in_zone_of;
alter table mosshead.events drop column occurred_at_sent;
alter table mosshead.messages drop column occurred_at_sent;
alter table mosshead.publishers drop column clock_ahead_at;

create view mosshead_read_v1.messages as
select tenant_id, namespace_id, message_id, conversation_id, role, speaker, content, occurred_at, metadata, occurred_at_offset
from mosshead.messages;

grant select on mosshead_read_v1.messages to mosshead_reader, mosshead_worker;
