-- The way in: mosshead_write_v1.publish and refuse, and the functions that they are made of.

-- The text of a message: its content, or the parts of type "text" of a content in parts (MessageEvent.text).
create function mosshead.text_of(content jsonb) returns text
    language sql immutable parallel safe
    return case jsonb_typeof(content)
        when 'string' then content #>> '{}'
        when 'array' then coalesce(
            (select string_agg(part ->> 'text', chr(10) order by place)
             from jsonb_array_elements(content) with ordinality as element (part, place)
             where part ->> 'type' = 'text' and jsonb_typeof(part -> 'text') = 'string'), '')
        else '' end;

-- The offset of a time as text, in minutes. Infinity has none.
create function mosshead.utc_offset(moment text) returns smallint
    language sql stable strict parallel safe
    return case when isfinite(moment::timestamptz) then
        round(extract(epoch from moment::timestamp - (moment::timestamptz at time zone 'UTC')) / 60)::smallint end;

-- Now, in the zone of a time as text.
create function mosshead.now_in_zone_of(moment text) returns text
    language sql stable strict
    return (
        select to_char(now() at time zone 'UTC' + make_interval(mins => minutes), 'YYYY-MM-DD"T"HH24:MI:SS.US')
               || case when minutes < 0 then '-' else '+' end || to_char(make_interval(mins => abs(minutes)), 'HH24:MI')
        from coalesce(mosshead.utc_offset(moment), 0) as minutes
    );

-- Events with times that may stand. A time more than a day ahead comes from a wrong clock, and would outrank all that is said until
-- then. Such an event gets the time of its arrival, on this clock, in the zone in which it came; the time that it brought stays beside it
-- as occurred_at_sent, which no event brings of itself.
create function mosshead.dated(events jsonb) returns jsonb
    language sql stable
begin atomic
    select coalesce(jsonb_agg(event - 'occurred_at_sent' || case
        when (event ->> 'occurred_at')::timestamptz > now() + interval '1 day' then jsonb_build_object(
            'occurred_at', mosshead.now_in_zone_of(event ->> 'occurred_at'), 'occurred_at_sent', event -> 'occurred_at')
        else '{}' end order by place), '[]')
    from jsonb_array_elements(events) with ordinality as element (event, place);
end;

-- Moves publishers' watermarks over the longest run without a gap, and, where a gap was waited out, what was passed as far from there.
-- also: numbers that count as received, though their events stand under other numbers; else the hole would hold back what follows.
-- The tenant must be set.
create function mosshead.move_watermark(tenant uuid, namespace uuid, publisher_ids uuid[], also bigint[]) returns void
    language plpgsql
as $$
begin
    with recursive counted as (
        select publisher_id, number from unnest(publisher_ids, also) as given (publisher_id, number)
    ),
    marks as (
        select publisher_id, received_up_to, passed_up_to from mosshead.publishers
        where tenant_id = tenant and namespace_id = namespace and publisher_id = any(publisher_ids)
    ),
    run as (
        (select publisher_id, false as passed, received_up_to as up_to from marks
         union all
         select publisher_id, true, passed_up_to from marks where passed_up_to > received_up_to)
        union all
        select run.publisher_id, run.passed, run.up_to + 1 from run
        where exists (select from counted where counted.publisher_id = run.publisher_id and counted.number = run.up_to + 1)
           or exists (select from mosshead.events
                      where events.tenant_id = tenant and events.namespace_id = namespace
                        and events.publisher_id = run.publisher_id and events.publisher_sequence = run.up_to + 1)
    )
    update mosshead.publishers
    set received_up_to = greatest(received_up_to, reached.received), passed_up_to = greatest(passed_up_to, reached.passed)
    from (
        select publisher_id, max(up_to) filter (where not passed) as received, max(up_to) filter (where passed) as passed
        from run group by publisher_id
    ) as reached
    where publishers.tenant_id = tenant and publishers.namespace_id = namespace
      and publishers.publisher_id = reached.publisher_id;
end
$$;

-- A place for a namespace's events, and its lane locked: arrivals of a namespace take turns, so that the order of their positions is
-- the order of their commits, also where an app publishes in a transaction of its own. The lane comes first: an erasure that held its
-- lock may have deleted the namespace's name with all the rest. No app opens a second generation itself.
create function mosshead.open_lane(tenant uuid, namespace uuid, path text[]) returns void
    language plpgsql
as $$
begin
    if cardinality(path) > 2 and path[cardinality(path)] = '(replay)' then
        raise exception 'namespace: "(replay)" is where a namespace is replayed' using errcode = 'check_violation';
    end if;
    insert into mosshead.lanes (tenant_id, namespace_id) values (tenant, namespace) on conflict do nothing;
    perform from mosshead.lanes where tenant_id = tenant and namespace_id = namespace for update;
    if not exists (select from mosshead.tenants where tenant_id = tenant) then
        insert into mosshead.tenants (tenant_id, name) values (tenant, path[1]) on conflict do nothing;
    end if;
    insert into mosshead.namespaces (tenant_id, namespace_id, path) values (tenant, namespace, path) on conflict do nothing;
end
$$;

-- Gives a number to each event that brings none, under the namespace's own publisher; and to an event whose number another event has, as
-- from a spool that was copied: it must not be lost. An event whose id is there already keeps what it has.
create function mosshead.numbered(tenant uuid, namespace uuid, path text[], events jsonb) returns jsonb
    language plpgsql
as $$
declare
    own      uuid := mosshead.derived_id('publisher', path);
    highest  bigint;
begin
    select coalesce(max(received_up_to), 0) into highest from mosshead.publishers
    where tenant_id = tenant and namespace_id = namespace and publisher_id = own;
    return (
        with sent as (
            select distinct on (event ->> 'event_id') event, place
            from jsonb_array_elements(events) with ordinality as element (event, place)
            order by event ->> 'event_id', place
        ),
        claims as (
            select event, place,
                   (event ->> 'publisher')::uuid as publisher_id, (event ->> 'publisher_sequence')::bigint as number,
                   row_number() over (partition by event ->> 'publisher', event ->> 'publisher_sequence' order by place) as claim,
                   exists (select from mosshead.events as known
                           where known.tenant_id = tenant and known.namespace_id = namespace
                             and known.event_id = (event ->> 'event_id')::uuid) as known
            from sent
        ),
        judged as (
            select event, place, known,
                   known or publisher_id is not null and number is not null and claim = 1 and not exists (
                       select from mosshead.events as other
                       where other.tenant_id = tenant and other.namespace_id = namespace
                         and other.publisher_id = claims.publisher_id and other.publisher_sequence = claims.number) as keeps
            from claims
        ),
        given as (
            select event || case when keeps then '{}' else jsonb_build_object(
                       'publisher', own,
                       'publisher_sequence', highest + row_number() over (partition by keeps order by place)) end as event, place
            from judged
        )
        select coalesce(jsonb_agg(event order by place), '[]') from given
    );
end
$$;

-- Puts events of one namespace into the inbox, and makes its lane ready. The tenant must be set. Returns how many were new.
create function mosshead.receive(path text[], events jsonb, quiet interval, most interval) returns integer
    language plpgsql
as $$
declare
    tenant     uuid := mosshead.derived_id('tenant', path[1:1]);
    namespace  uuid := mosshead.derived_id('namespace', path);
    sent       jsonb;
    fresh      jsonb;
    stored     integer;
    ended      boolean;
    imported   boolean;
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
         occurred_at_sent, sequence)
    select tenant, namespace, (event ->> 'event_id')::uuid, event ->> 'conversation', event ->> 'role', event ->> 'speaker',
           mosshead.text_of(event -> 'content'), (event ->> 'occurred_at')::timestamptz,
           mosshead.utc_offset(event ->> 'occurred_at'), coalesce(event -> 'metadata', '{}'),
           (event ->> 'occurred_at_sent')::timestamptz, (event ->> 'sequence')::bigint
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

    -- Debounced, but never for longer than "most". What is imported waits for nothing, nor does it start what waits anew.
    select bool_or(event ->> 'type' = 'conversation_ended'), bool_and(event ? 'imported') into ended, imported
    from jsonb_array_elements(fresh) as event;
    update mosshead.lanes as lane
    set pending = lane.pending + stored,
        last_event_at = now(),
        first_pending_at = coalesce(lane.first_pending_at, (select now())),
        ready_at = (select case when ended or imported and lane.first_pending_at is null then now()
                                when imported then least(lane.ready_at, now() + quiet)
                                else least(now() + quiet, coalesce(lane.first_pending_at, now()) + most) end)
    where lane.tenant_id = tenant and lane.namespace_id = namespace;
    return stored;
end
$$;

-- The one way in. events: a JSON array of events, version 1, checked by the library and by the intake. Returns how many were new:
-- an event whose id is there already is not stored again.
-- quiet, most: the debounce. A lane is worked on when nothing came for "quiet", or when something waited for "most".
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
            raise exception 'namespace: needs a tenant and at least one more part' using errcode = 'check_violation';
        end if;
        perform mosshead.set_tenant(mosshead.derived_id('tenant', sent.path[1:1]));
        stored := stored + mosshead.receive(sent.path, sent.events, quiet, most);
    end loop;
    perform mosshead.set_tenant(null);
    return stored;
end
$$;

-- Events that the intake cannot take, with the reason. letters: a JSON array of {"reason", "digest", "bytes", "body", "event"}: the
-- SHA-256 of the body and the body itself in base64; event: the body as JSON where its envelope can be read (event_id, namespace,
-- publisher, publisher_sequence, occurred_at, type), else null. Such an event takes its number, so that its successors need not wait.
create function mosshead_write_v1.refuse(letters jsonb) returns void
    language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
    nobody     constant uuid := '00000000-0000-0000-0000-000000000000';
    letter     jsonb;
    path       text[];
    tenant     uuid;
    namespace  uuid;
    id         uuid;
    sent       jsonb;
    event      jsonb;
begin
    -- In the order of the ids, as publish takes them.
    for letter in
        select element from jsonb_array_elements(letters) as element
        order by mosshead.derived_id('namespace', array(select jsonb_array_elements_text(element -> 'event' -> 'namespace')))
    loop
        if jsonb_typeof(letter -> 'event') = 'object' then
            path := array(select jsonb_array_elements_text(letter -> 'event' -> 'namespace'));
            tenant := mosshead.derived_id('tenant', path[1:1]);
            namespace := mosshead.derived_id('namespace', path);
            id := (letter -> 'event' ->> 'event_id')::uuid;
            perform mosshead.set_tenant(tenant);
            perform mosshead.open_lane(tenant, namespace, path);
            sent := letter -> 'event';
            event := mosshead.numbered(tenant, namespace, path, jsonb_build_array(sent)) -> 0;
            insert into mosshead.publishers (tenant_id, namespace_id, publisher_id)
            select tenant, namespace, (one ->> 'publisher')::uuid from unnest(array[sent, event]) as one on conflict do nothing;
            insert into mosshead.events
                (tenant_id, namespace_id, event_id, publisher_id, publisher_sequence, type, payload, occurred_at, conversation_id,
                 state, reason)
            values (tenant, namespace, id, (event ->> 'publisher')::uuid, (event ->> 'publisher_sequence')::bigint,
                    event ->> 'type', event, (event ->> 'occurred_at')::timestamptz, event ->> 'conversation',
                    'dead', letter ->> 'reason')
            on conflict (tenant_id, namespace_id, event_id) do nothing;
            perform mosshead.move_watermark(tenant, namespace, array_agg((one ->> 'publisher')::uuid),
                                             array_agg((one ->> 'publisher_sequence')::bigint))
            from unnest(array[sent, event]) as one;
            update mosshead.lanes set ready_at = now()  -- what waited behind its number
            where tenant_id = tenant and namespace_id = namespace and ready_at > now();
            -- One that was taken already, or that an operator dealt with, is no dead letter when it comes again.
            continue when not exists (
                select from mosshead.events
                where tenant_id = tenant and namespace_id = namespace and event_id = id and state = 'dead');
        else
            tenant := nobody;
            namespace := nobody;
            id := left(letter ->> 'digest', 32)::uuid;
            perform mosshead.set_tenant(nobody);
            insert into mosshead.refused (tenant_id, namespace_id, letter_id, body)
            values (nobody, nobody, id, decode(coalesce(letter ->> 'body', ''), 'base64')) on conflict do nothing;
        end if;
        insert into mosshead.dead_letters as dead (tenant_id, namespace_id, letter_id, origin, reason, bytes)
        values (tenant, namespace, id, 'intake', letter ->> 'reason', (letter ->> 'bytes')::integer)
        on conflict (tenant_id, namespace_id, letter_id) do update
            set times = dead.times + 1, died_at = excluded.died_at, reason = excluded.reason;
    end loop;
    perform mosshead.set_tenant(null);
end
$$;
