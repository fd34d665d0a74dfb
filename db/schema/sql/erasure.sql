-- Erasure: receipts, and the fence that keeps out what was published before an erasure and comes after it.

-- One row for each erasure, under the id of its event. Ids, times and numbers, and nothing of what was erased: of a conversation the
-- SHA-256 of its name.
create table mosshead.erasures (
    tenant_id           uuid not null,
    namespace_id        uuid not null,
    erasure_id          uuid not null,
    scope               text not null check (scope in ('everything', 'conversation', 'entity', 'memories', 'message')),
    conversation        bytea,
    asked_at            timestamptz not null,               -- as the event's id says
    position            bigint not null,                    -- of the event in the inbox
    publisher_id        uuid,                               -- whose numbers tell what it came after; null: of the namespace's own
    publisher_sequence  bigint not null,
    erased_at           timestamptz,                        -- null: under way
    rows                jsonb not null default '{}',        -- deleted or emptied, by table
    late                bigint not null default 0,          -- events that came after it and were kept out
    rewritten_at        timestamptz,                        -- since when the files of the tables hold nothing of it either
    primary key (tenant_id, namespace_id, erasure_id)
);
-- The fence asks this for each event that comes in, however often something was erased.
create index erasures_fencing on mosshead.erasures (tenant_id, namespace_id, conversation) where scope in ('everything', 'conversation');

-- Ids that were erased: nothing that still travels may bring them back.
create table mosshead.tombstones (
    tenant_id     uuid not null,
    namespace_id  uuid not null,
    digest        bytea not null,
    erased_at     timestamptz not null default now(),
    primary key (tenant_id, namespace_id, digest)
);

-- When an id was made: those of version 7 begin with Unix milliseconds (RFC 9562, 5.7). null of others.
create function mosshead.made_at(id uuid) returns timestamptz
    language sql immutable parallel safe
    return case when substr(id::text, 15, 1) = '7'
        then to_timestamp(('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint / 1000.0) end;

-- Whether an event was published before an erasure was asked for. Within one spool the numbers tell; across two, the times in their ids.
create function mosshead.precedes(
    event_id uuid, publisher_id uuid, publisher_sequence bigint, "position" bigint,
    erased_publisher_id uuid, erased_publisher_sequence bigint, erased_position bigint, asked_at timestamptz
) returns boolean
    language sql stable
    return case
        when publisher_id = erased_publisher_id then publisher_sequence < erased_publisher_sequence
        when mosshead.made_at(event_id) is not null then mosshead.made_at(event_id) < asked_at
        else "position" < erased_position end;

-- Everything that a publisher sent took effect up to its first event that waits, or up to the last that is here.
create function mosshead.settle_watermarks(tenant uuid, namespace uuid, publisher uuid default null) returns void
    language plpgsql
as $$
begin
    update mosshead.publishers as one
    set consolidated_up_to = greatest(one.consolidated_up_to, least(one.received_up_to, (
        select min(publisher_sequence) - 1 from mosshead.events
        where events.tenant_id = tenant and events.namespace_id = namespace and events.publisher_id = one.publisher_id
          and events.state = 'received')))
    where one.tenant_id = tenant and one.namespace_id = namespace and one.publisher_id = coalesce(publisher, one.publisher_id);
end
$$;

-- The fence: an event that an erasure covers, or that was erased under an id without a time, does not come in. Its number counts as
-- received, as that of any event that was sent. Whoever inserts has locked the lane, and so has the erasure.
create function mosshead.keep_out_erased() returns trigger
    language plpgsql
as $$
declare
    fence  uuid;
begin
    if new.type = 'erase' then
        return new;
    end if;
    select erasure_id into fence from mosshead.erasures as erasure
    where erasure.tenant_id = new.tenant_id and erasure.namespace_id = new.namespace_id
      and erasure.scope in ('everything', 'conversation')
      and (erasure.conversation is null or erasure.conversation = sha256(convert_to(new.conversation_id, 'UTF8')))
      and mosshead.precedes(new.event_id, new.publisher_id, new.publisher_sequence, new.position,
                            erasure.publisher_id, erasure.publisher_sequence, erasure.position, erasure.asked_at)
    order by asked_at desc limit 1;
    if fence is null and not exists (
        select from mosshead.tombstones
        where tenant_id = new.tenant_id and namespace_id = new.namespace_id and digest = sha256(uuid_send(new.event_id)))
    then
        return new;
    end if;
    update mosshead.erasures set late = late + 1
    where tenant_id = new.tenant_id and namespace_id = new.namespace_id and erasure_id = fence;
    -- Nobody shall wait for it: whoever published it takes it for in effect, unless something before it waits.
    insert into mosshead.publishers (tenant_id, namespace_id, publisher_id)
    values (new.tenant_id, new.namespace_id, new.publisher_id) on conflict do nothing;
    update mosshead.publishers as one set consolidated_up_to = new.publisher_sequence
    where one.tenant_id = new.tenant_id and one.namespace_id = new.namespace_id and one.publisher_id = new.publisher_id
      and one.received_up_to = new.publisher_sequence - 1 and one.consolidated_up_to = one.received_up_to;
    return null;
end
$$;
create trigger erased_stay_out before insert on mosshead.events
    for each row execute function mosshead.keep_out_erased();

-- An erasure that waits is due at once.
create function mosshead.have_erased() returns trigger
    language plpgsql
as $$
begin
    update mosshead.lanes set erase_due_at = coalesce(erase_due_at, (select now()))
    where tenant_id = new.tenant_id and namespace_id = new.namespace_id;
    return null;
end
$$;
-- On updates too: a dead letter may be requeued.
create trigger erasures_are_due after insert or update of state on mosshead.events
    for each row when (new.type = 'erase' and new.state = 'received') execute function mosshead.have_erased();
