-- Claims: what waits in lanes that are due, and the batches that are made of it. Each function takes many lanes, one after the other, for
-- a transaction may see the events of one tenant at a time. Whoever calls them holds the lanes' locks.

-- The next three functions lock lanes or batches one by one and skip those that others have locked. Citus can lock a row only by its
-- namespace.

-- Locks due lanes for a claim, in this order. profiles, reflections: whether one is due.
create function mosshead.lock_due(tenants uuid[], namespaces uuid[])
    returns table (tenant_id uuid, namespace_id uuid, profiles boolean, reflections boolean)
    language plpgsql
as $$
begin
    for place in 1 .. cardinality(tenants) loop
        return query
        select lane.tenant_id, lane.namespace_id, lane.profiles_due_at <= now(), lane.reflections_due_at <= now()
        from mosshead.lanes as lane
        where lane.tenant_id = tenants[place] and lane.namespace_id = namespaces[place] and lane.batch_id is null
          and lane.quarantined_at is null and lane.erase_due_at is null and lane.ready_at <= now()
        for update skip locked;
    end loop;
end
$$;

-- Takes lanes with a waiting erasure, at most so many. again: after how long such a lane is due again if it is not erased by then.
create function mosshead.take_to_erase(tenants uuid[], namespaces uuid[], most integer, again interval)
    returns table (tenant_id uuid, namespace_id uuid)
    language plpgsql
as $$
declare
    taken  integer := 0;
begin
    for place in 1 .. cardinality(tenants) loop
        exit when taken >= most;
        perform from mosshead.lanes as lane
        where lane.tenant_id = tenants[place] and lane.namespace_id = namespaces[place] and lane.erase_due_at <= now()
        for update skip locked;
        continue when not found;
        taken := taken + 1;
        return query
        update mosshead.lanes as lane set erase_due_at = now() + again
        where lane.tenant_id = tenants[place] and lane.namespace_id = namespaces[place]
        returning lane.tenant_id, lane.namespace_id;
    end loop;
end
$$;

-- Marks batches as hinted, at most so many. hinted: when each was hinted before; one that was hinted since is left out.
create function mosshead.hint(tenants uuid[], namespaces uuid[], batches uuid[], hinted timestamptz[], most integer)
    returns table (tenant_id uuid, namespace_id uuid, batch_id uuid, stage text)
    language plpgsql
as $$
declare
    taken  integer := 0;
begin
    for place in 1 .. cardinality(tenants) loop
        exit when taken >= most;
        perform from mosshead.batches as batch
        where batch.tenant_id = tenants[place] and batch.namespace_id = namespaces[place] and batch.batch_id = batches[place]
          and batch.finished_at is null and batch.due_at <= now() and batch.hinted_at is not distinct from hinted[place]
        for update skip locked;
        continue when not found;
        taken := taken + 1;
        return query
        update mosshead.batches as batch set hinted_at = now()
        where batch.tenant_id = tenants[place] and batch.namespace_id = namespaces[place] and batch.batch_id = batches[place]
        returning batch.tenant_id, batch.namespace_id, batch.batch_id, batch.stage;
    end loop;
end
$$;

-- Two functions return some tenants' due lanes, from an id on: from tenant to tenant through the index, wrapping around, until enough
-- tenants are found. Citus cannot do this in one recursive statement. Each has its own index, which a plan uses only if the condition is
-- constant.
do $make$
declare
    kind  record;
begin
    for kind in
        select * from (values ('lanes_with_events', 'is not null'), ('lanes_without_events', 'is null')) as one (name, has_events)
    loop
        execute format($function$
            create function mosshead.%1$I(drawn uuid, walked integer, most integer)
                returns table (tenant_id uuid, namespace_id uuid, ready_at timestamptz)
                language plpgsql
            as $$
            #variable_conflict use_column
            declare
                tenant     uuid := drawn;
                first      record;
                found_due  integer := 0;
                wrapped    boolean := false;
            begin
                for step in 1 .. walked loop
                    select tenant_id, ready_at into first from mosshead.lanes
                    where tenant_id > tenant and first_pending_at %2$s
                      and batch_id is null and ready_at is not null and quarantined_at is null and erase_due_at is null
                    order by tenant_id, ready_at limit 1;
                    if first is null and not wrapped then
                        wrapped := true;
                        tenant := '00000000-0000-0000-0000-000000000000';
                        continue;
                    end if;
                    exit when first is null or wrapped and first.tenant_id > drawn or found_due >= most;
                    tenant := first.tenant_id;
                    continue when first.ready_at > now();
                    found_due := found_due + 1;
                    return query
                    select tenant_id, namespace_id, ready_at from mosshead.lanes
                    where tenant_id = tenant and ready_at <= now() and first_pending_at %2$s
                      and batch_id is null and ready_at is not null and quarantined_at is null and erase_due_at is null
                    order by ready_at limit most;
                end loop;
            end
            $$
        $function$, kind.name, kind.has_events);
    end loop;
end
$make$;

-- Each publisher's next events of each lane, at most so many, without their text; nothing behind a gap in its numbers.
-- gap: how long a missing event is waited for.
create function mosshead.waiting_events(tenants uuid[], namespaces uuid[], gap interval, most integer)
    returns table (
        tenant_id uuid, namespace_id uuid, event_id uuid, publisher_id uuid, number bigint, conversation text, sequence bigint,
        occurred_at timestamptz, "position" bigint, tokens integer, suspect boolean, command boolean)
    language plpgsql
as $$
#variable_conflict use_column
begin
    for lane in 1 .. cardinality(tenants) loop
        perform mosshead.set_tenant(tenants[lane]);
        return query
        select event.* from mosshead.publishers as publisher cross join lateral (
            -- A time that Python has no name for would end the claims of all lanes: an event that got one by way of SQL fails in its batch.
            select events.tenant_id, events.namespace_id, event_id, publisher_id, publisher_sequence, conversation_id, events.sequence,
                   least(greatest(events.occurred_at, '0002-01-01'), '9999-01-01'),
                   events.position, coalesce(octet_length(payload ->> 'content') + 3, 0) / 4, events.suspect,
                   type not in ('message', 'conversation_ended')
            from mosshead.events
            where events.tenant_id = tenants[lane] and events.namespace_id = namespaces[lane]
              and events.publisher_id = publisher.publisher_id and events.state = 'received' and events.batch_id is null
              and events.type <> 'erase' and publisher_sequence <= greatest(publisher.received_up_to, publisher.passed_up_to, (
                  -- Once an event has waited out its gap, all before it may be taken with it, however lately they came: else it would
                  -- overtake them.
                  select waited.publisher_sequence from mosshead.events as waited
                  where waited.tenant_id = tenants[lane] and waited.namespace_id = namespaces[lane]
                    and waited.publisher_id = publisher.publisher_id and waited.state = 'received' and waited.batch_id is null
                    and waited.publisher_sequence > publisher.received_up_to and waited.received_at < now() - gap
                  order by waited.publisher_sequence desc limit 1))
            order by publisher_sequence limit most
        ) as event
        where publisher.tenant_id = tenants[lane] and publisher.namespace_id = namespaces[lane];
    end loop;
    perform mosshead.set_tenant(null);
end
$$;

-- Makes a batch in each lane, of events in their order or of none, and sets the lane's timer. claims: a JSON array of {"tenant_id",
-- "namespace_id", "batch_id", "stage", "event_ids"}. Without a stage there is no batch: the lane is looked at again when the gap that holds
-- its events has lasted long enough, or a profile or a reflection is due; never, where there is none of them.
create function mosshead.claim(claims jsonb, gap interval) returns void
    language plpgsql
as $$
declare
    one  record;
begin
    for one in
        select * from jsonb_to_recordset(claims) as given (
            tenant_id uuid, namespace_id uuid, batch_id uuid, stage text, event_ids uuid[])
    loop
        perform mosshead.set_tenant(one.tenant_id);
        if cardinality(one.event_ids) > 0 then
            perform mosshead.bind(one.tenant_id, one.namespace_id, one.batch_id, one.event_ids);
        end if;
        if one.stage is not null then
            insert into mosshead.batches (tenant_id, namespace_id, batch_id, stage, hinted_at, waiting_since)
            select one.tenant_id, one.namespace_id, one.batch_id, one.stage, now(), min(received_at)
            from mosshead.events
            where tenant_id = one.tenant_id and namespace_id = one.namespace_id and event_id = any(one.event_ids);
        end if;
        -- What is left of the lane is due as soon as this batch is done. A gap that was waited out is waited out once: what comes after
        -- it is not held again.
        update mosshead.lanes as lane set
            batch_id = case when one.stage is not null then one.batch_id end,
            (ready_at, first_pending_at) = (
                select case when one.stage is null then least(min(received_at) + gap, lane.profiles_due_at, lane.reflections_due_at)
                            when count(*) > 0 then now() end, min(received_at)
                from (select received_at from mosshead.events
                      where tenant_id = one.tenant_id and namespace_id = one.namespace_id and state = 'received' and batch_id is null
                      order by position limit 1) as next
            )
        where lane.tenant_id = one.tenant_id and lane.namespace_id = one.namespace_id;
    end loop;
    perform mosshead.set_tenant(null);
end
$$;

-- Binds events to a batch, in this order. One that a successor of its conversation or of its publisher preceded into effect is marked as
-- late. The watermark of a publisher with a gap that was waited out passes it. The tenant must be set.
create function mosshead.bind(tenant uuid, namespace uuid, batch uuid, event_ids uuid[]) returns void
    language plpgsql
as $$
#variable_conflict use_column
declare
    passed_by     uuid[];
    passed_up_to  bigint[];
begin
    update mosshead.events as event set batch_id = batch, place = taken.place, late = event.late
        or event.publisher_sequence < (
            select consolidated_up_to from mosshead.publishers as publisher
            where publisher.tenant_id = tenant and publisher.namespace_id = namespace and publisher.publisher_id = event.publisher_id)
        or exists (
            select from mosshead.events as done
            where done.tenant_id = tenant and done.namespace_id = namespace and done.state = 'done'
              and done.conversation_id = event.conversation_id and done.sequence > event.sequence
              and done.publisher_id <> event.publisher_id)
        or exists (
            select from mosshead.events as done
            where done.tenant_id = tenant and done.namespace_id = namespace and done.state = 'done'
              and done.conversation_id = event.conversation_id and done.occurred_at > event.occurred_at
              and (done.sequence is null or event.sequence is null) and done.publisher_id <> event.publisher_id)
    from unnest(event_ids) with ordinality as taken (event_id, place)
    where event.tenant_id = tenant and event.namespace_id = namespace and event.event_id = taken.event_id;

    with taken as (
        select publisher_id, max(publisher_sequence) as up_to from mosshead.events
        where tenant_id = tenant and namespace_id = namespace and batch_id = batch group by publisher_id
    ),
    passed as (
        update mosshead.publishers as publisher set passed_up_to = taken.up_to from taken
        where publisher.tenant_id = tenant and publisher.namespace_id = namespace and publisher.publisher_id = taken.publisher_id
          and greatest(publisher.received_up_to, publisher.passed_up_to) < taken.up_to
        returning publisher.publisher_id, taken.up_to
    )
    select array_agg(publisher_id), array_agg(up_to) into passed_by, passed_up_to from passed;
    if passed_by is not null then
        perform mosshead.move_watermark(tenant, namespace, passed_by, passed_up_to);
    end if;
end
$$;
