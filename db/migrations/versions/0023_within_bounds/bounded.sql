-- One event stops nobody, and outranks nobody -------------------------------------------------------------------------------------
--
-- A publisher's numbers end where every reader of JSON still has them exactly, far below where one more could not be computed. An event
-- from before this whose number lies beyond gets the next one of its namespace's own publisher, as one whose number another event has.
-- Tenant by tenant: row-level security binds the owner, too.
do $$
declare
    tenant  uuid;
    beyond  record;
begin
    for tenant in select distinct tenant_id from mosshead.lanes loop
        perform set_config('mosshead.tenant_id', tenant::text, true);
        for beyond in
            select namespace_id, mosshead.derived_id('publisher', path) as own from mosshead.namespaces
            where tenant_id = tenant and namespace_id in (
                select namespace_id from mosshead.events where tenant_id = tenant and publisher_sequence > 9007199254740991)
        loop
            insert into mosshead.publishers (tenant_id, namespace_id, publisher_id)
            values (tenant, beyond.namespace_id, beyond.own) on conflict do nothing;
            update mosshead.events as event
            set publisher_id = beyond.own, publisher_sequence = numbered.number,
                payload = case when payload ? 'publisher_sequence' then payload || jsonb_build_object(
                    'publisher', beyond.own, 'publisher_sequence', numbered.number) else payload end
            from (
                select event_id, row_number() over (order by position) + coalesce(
                    (select max(other.publisher_sequence) from mosshead.events as other
                     where other.tenant_id = tenant and other.namespace_id = beyond.namespace_id
                       and other.publisher_id = beyond.own and other.publisher_sequence <= 9007199254740991), 0) as number
                from mosshead.events
                where tenant_id = tenant and namespace_id = beyond.namespace_id and publisher_sequence > 9007199254740991
            ) as numbered
            where event.tenant_id = tenant and event.namespace_id = beyond.namespace_id and event.event_id = numbered.event_id;
            perform mosshead.move_watermark(tenant, beyond.namespace_id, array[beyond.own], '{}');
        end loop;
    end loop;
    perform set_config('mosshead.tenant_id', '', true);
end
$$;
alter table mosshead.events add constraint events_number_within_bounds check (publisher_sequence <= 9007199254740991);

-- A time more than a day ahead is a wrong clock's, and would outrank all that is said until then. Such an event has the time of its
-- arrival, on this clock, in the zone in which it came. occurred_at_sent: what it said; null where that is what stands.
-- clock_ahead_at: when the last such event of a publisher came.
alter table mosshead.events add column occurred_at_sent timestamptz;
alter table mosshead.messages add column occurred_at_sent timestamptz;
alter table mosshead.publishers add column clock_ahead_at timestamptz;

create or replace view mosshead_read_v1.messages as
select tenant_id, namespace_id, message_id, conversation_id, role, speaker, content, occurred_at, metadata, occurred_at_offset,
       occurred_at_sent
from mosshead.messages;

-- Now, in the zone of a time as text.
create function mosshead.now_in_zone_of(moment text) returns text
    language sql stable strict
    return (
        select to_char(now() at time zone 'UTC' + make_interval(mins => minutes), 'YYYY-MM-DD"T"HH24:MI:SS.US')
               || case when minutes < 0 then '-' else '+' end || to_char(make_interval(mins => abs(minutes)), 'HH24:MI')
        from coalesce(mosshead.utc_offset(moment), 0) as minutes
    );

-- Events whose times may stand. A time that lies ahead stays beside them, as occurred_at_sent, which no event brings of itself.
create function mosshead.dated(events jsonb) returns jsonb
    language sql stable
begin atomic
    select coalesce(jsonb_agg(event - 'occurred_at_sent' || case
        when (event ->> 'occurred_at')::timestamptz > now() + interval '1 day' then jsonb_build_object(
            'occurred_at', mosshead.now_in_zone_of(event ->> 'occurred_at'), 'occurred_at_sent', event -> 'occurred_at')
        else '{}' end order by place), '[]')
    from jsonb_array_elements(events) with ordinality as element (event, place);
end;
revoke all on function mosshead.now_in_zone_of, mosshead.dated from public;

-- Events of one namespace into the inbox, and its lane made ready. The tenant must be set. Returns how many were new.
-- As before, but for times that lie ahead.
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
    events := mosshead.dated(events);
    sent := mosshead.numbered(tenant, namespace, path, events);

    with new as (
        insert into mosshead.events
            (tenant_id, namespace_id, event_id, publisher_id, publisher_sequence, type, payload, occurred_at, conversation_id, sequence,
             occurred_at_sent)
        select tenant, namespace, (event ->> 'event_id')::uuid, (event ->> 'publisher')::uuid,
               (event ->> 'publisher_sequence')::bigint, event ->> 'type', event - 'occurred_at_sent', (event ->> 'occurred_at')::timestamptz,
               event ->> 'conversation', (event ->> 'sequence')::bigint,
               case when event ? 'occurred_at_sent' then  -- at most the last that Python has a name for
                   least((event ->> 'occurred_at_sent')::timestamptz, '9998-12-31Z') end
        from jsonb_array_elements(sent) with ordinality as element (event, place)
        where event ? 'publisher'
        order by place
        on conflict (tenant_id, namespace_id, event_id) do nothing
        returning payload || jsonb_strip_nulls(jsonb_build_object('occurred_at_sent', occurred_at_sent)) as event
    )
    select jsonb_agg(event), count(*) into fresh, stored from new;

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

    update mosshead.publishers set clock_ahead_at = now()
    where tenant_id = tenant and namespace_id = namespace and publisher_id in (
        select (event ->> 'publisher')::uuid from jsonb_array_elements(fresh) as event where event ? 'occurred_at_sent');

    insert into mosshead.messages
        (tenant_id, namespace_id, message_id, conversation_id, role, speaker, content, occurred_at, occurred_at_offset, metadata,
         occurred_at_sent)
    select tenant, namespace, (event ->> 'event_id')::uuid, event ->> 'conversation', event ->> 'role', event ->> 'speaker',
           mosshead.text_of(event -> 'content'), (event ->> 'occurred_at')::timestamptz,
           mosshead.utc_offset(event ->> 'occurred_at'), coalesce(event -> 'metadata', '{}'),
           (event ->> 'occurred_at_sent')::timestamptz
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
