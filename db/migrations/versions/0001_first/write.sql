create schema mosshead_write_v1;

-- The ids of mosshead/paths.py, in SQL: the first 16 bytes of the SHA-256 of kind and parts, joined by U+001F.
create function mosshead.derived_id(kind text, parts text[]) returns uuid
    language sql immutable parallel safe
    return encode(
        substring(sha256(convert_to(kind || chr(31) || array_to_string(parts, chr(31)), 'UTF8')) from 1 for 16), 'hex')::uuid;

-- What a message says: its content, or the parts of type "text" of a content in parts (MessageEvent.text).
create function mosshead.text_of(content jsonb) returns text
    language sql immutable parallel safe
    return case jsonb_typeof(content)
        when 'string' then content #>> '{}'
        when 'array' then coalesce(
            (select string_agg(part ->> 'text', chr(10) order by place)
             from jsonb_array_elements(content) with ordinality as element (part, place)
             where part ->> 'type' = 'text' and jsonb_typeof(part -> 'text') = 'string'), '')
        else '' end;

-- Events of one namespace into the inbox, and its lane made ready. The tenant must be set. Returns how many were new.
create function mosshead.receive(path text[], events jsonb, quiet interval, most interval) returns integer
    language plpgsql
as $$
declare
    tenant     uuid := mosshead.derived_id('tenant', path[1:1]);
    namespace  uuid := mosshead.derived_id('namespace', path);
    fresh      jsonb;
    stored     integer;
    ended      boolean;
begin
    insert into mosshead.tenants (tenant_id, name) values (tenant, path[1]) on conflict do nothing;
    insert into mosshead.namespaces (tenant_id, namespace_id, path) values (tenant, namespace, path) on conflict do nothing;

    with new as (
        insert into mosshead.events
            (tenant_id, namespace_id, event_id, publisher_id, publisher_sequence, type, payload, occurred_at)
        select tenant, namespace, (event ->> 'event_id')::uuid, (event ->> 'publisher')::uuid,
               (event ->> 'publisher_sequence')::bigint, event ->> 'type', event, (event ->> 'occurred_at')::timestamptz
        from jsonb_array_elements(events) with ordinality as sent (event, place)
        order by place
        on conflict do nothing
        returning payload
    )
    select jsonb_agg(payload), count(*) into fresh, stored from new;

    -- The watermark: the longest run without a gap. Walks only over what came since. A number counts as received with an event that
    -- is there already, too: else the hole would hold back what follows.
    insert into mosshead.publishers (tenant_id, namespace_id, publisher_id)
    select distinct tenant, namespace, (event ->> 'publisher')::uuid from jsonb_array_elements(events) as event
    order by 3
    on conflict do nothing;
    with recursive sent as (
        select (event ->> 'publisher')::uuid as publisher_id, (event ->> 'publisher_sequence')::bigint as number
        from jsonb_array_elements(events) as event
    ),
    run as (
        select publisher_id, received_up_to as up_to from mosshead.publishers
        where tenant_id = tenant and namespace_id = namespace and publisher_id in (select publisher_id from sent)
        union all
        select run.publisher_id, run.up_to + 1 from run
        where exists (select from sent where sent.publisher_id = run.publisher_id and sent.number = run.up_to + 1)
           or exists (select from mosshead.events
                      where events.tenant_id = tenant and events.namespace_id = namespace
                        and events.publisher_id = run.publisher_id and events.publisher_sequence = run.up_to + 1)
    )
    update mosshead.publishers set received_up_to = greatest(received_up_to, reached.up_to)
    from (select publisher_id, max(up_to) as up_to from run group by publisher_id) as reached
    where publishers.tenant_id = tenant and publishers.namespace_id = namespace
      and publishers.publisher_id = reached.publisher_id;
    if stored = 0 then
        return 0;
    end if;

    insert into mosshead.messages
        (tenant_id, namespace_id, message_id, conversation_id, role, speaker, content, occurred_at, metadata)
    select tenant, namespace, (event ->> 'event_id')::uuid, event ->> 'conversation', event ->> 'role', event ->> 'speaker',
           mosshead.text_of(event -> 'content'), (event ->> 'occurred_at')::timestamptz, coalesce(event -> 'metadata', '{}')
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

    -- Last, so that a claim that waits for this row finds the events: debounced, but never for longer than "most".
    select bool_or(event ->> 'type' = 'conversation_ended') into ended from jsonb_array_elements(fresh) as event;
    insert into mosshead.lanes as lane (tenant_id, namespace_id, ready_at, first_pending_at)
    values (tenant, namespace, case when ended then now() else now() + quiet end, now())
    on conflict (tenant_id, namespace_id) do update
        set first_pending_at = coalesce(lane.first_pending_at, now()),
            ready_at = case when ended then now()
                            else least(now() + quiet, coalesce(lane.first_pending_at, now()) + most) end;
    return stored;
end
$$;

-- The one way in. events: a JSON array of events, version 1, checked by the library and by the intake. Returns how many were new:
-- an event whose id is there already is not stored again.
-- quiet, most: the debounce; a lane is worked on when nothing came for "quiet", or when something waited for "most".
create function mosshead_write_v1.publish(
    events jsonb, quiet interval default '2 seconds', most interval default '30 seconds'
) returns integer
    language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
    sent    record;
    stored  integer := 0;
begin
    -- In the order of the ids: two intakes at work on the same namespaces must take their rows in the same order.
    for sent in
        select path, jsonb_agg(event order by place) as events
        from jsonb_array_elements(events) with ordinality as element (event, place)
        cross join lateral (select array(select jsonb_array_elements_text(event -> 'namespace'))) as named (path)
        group by path order by mosshead.derived_id('namespace', path)
    loop
        if cardinality(sent.path) < 2 then
            raise exception 'namespace: needs a tenant and at least one part more' using errcode = 'check_violation';
        end if;
        perform set_config('mosshead.tenant_id', mosshead.derived_id('tenant', sent.path[1:1])::text, true);
        stored := stored + mosshead.receive(sent.path, sent.events, quiet, most);
    end loop;
    perform set_config('mosshead.tenant_id', '', true);
    return stored;
end
$$;
