-- Lanes -----------------------------------------------------------------------------------------------------------------

alter table mosshead.lanes
    add column pending          bigint not null default 0,  -- events that were received and have neither taken effect nor died
    add column lease_owner      text,                       -- the run of a task that holds the lease
    add column quarantined_at   timestamptz,                -- nothing is claimed until an operator resumes the lane
    add column quarantined_for  text;
drop index mosshead.lanes_ready;
create index lanes_ready on mosshead.lanes (ready_at)
    where batch_id is null and ready_at is not null and quarantined_at is null;
-- The first of each tenant, however many of it wait.
create index lanes_ready_of_tenant on mosshead.lanes (tenant_id, ready_at)
    where batch_id is null and ready_at is not null and quarantined_at is null;

alter table mosshead.batches
    add column starts         integer not null default 0,   -- leases of the stage at hand that nobody gave back: its crashes, and one more
    add column waiting_since  timestamptz,                  -- when the first of its events was received
    add column applied_at     timestamptz,                  -- when its events took effect
    drop constraint batches_stage_check,
    add constraint batches_stage_check check (stage in
        ('extract', 'score_salience', 'embed', 'consolidate', 'refresh_profiles', 'done', 'dead', 'split'));
drop index mosshead.batches_due;
create index batches_due on mosshead.batches (due_at) where stage not in ('done', 'dead', 'split');
create index batches_finished on mosshead.batches (finished_at) where finished_at is not null;
create index batches_applied on mosshead.batches (applied_at) where applied_at is not null;

-- received_up_to says what is here, and the publisher may forget up to there; so a gap that was waited out must not move it.
alter table mosshead.publishers
    add column passed_up_to bigint not null default 0;      -- all up to this one are here, or were waited for long enough

-- Events ----------------------------------------------------------------------------------------------------------------

alter table mosshead.events
    add column conversation_id  text,
    add column sequence         bigint,                     -- the app's own number within the conversation
    add column place            integer,                    -- within the batch: the order is decided once, by the claim
    add column late             boolean not null default false,  -- taken up after a successor of it had taken effect
    add column suspect          boolean not null default false,  -- of a batch that crashed or failed for good: taken alone
    drop constraint events_state_check,
    add constraint events_state_check check (state in ('received', 'done', 'dead', 'discarded'));
-- What each publisher's next events are, however many wait behind them.
create index events_untaken on mosshead.events (tenant_id, namespace_id, publisher_id, publisher_sequence)
    where state = 'received' and batch_id is null;
-- Whether a successor took effect already.
create index events_done_by_time on mosshead.events (tenant_id, namespace_id, conversation_id, occurred_at)
    where state = 'done' and conversation_id is not null;
create index events_done_by_sequence on mosshead.events (tenant_id, namespace_id, conversation_id, sequence)
    where state = 'done' and conversation_id is not null and sequence is not null;

-- Dead letters ----------------------------------------------------------------------------------------------------------

-- What was given up, by whom and why. Ids, times and reasons only: the content stays in events, or in refused. An event that no
-- namespace can be told of stands under the zero ids.
create table mosshead.dead_letters (
    tenant_id     uuid not null,
    namespace_id  uuid not null,
    letter_id     uuid not null,                            -- the event's id; else the start of the body's SHA-256
    origin        text not null check (origin in ('stage', 'intake')),
    reason        text not null,
    bytes         integer,                                  -- of a body that the intake refused
    times         integer not null default 1,               -- how often it came
    died_at       timestamptz not null default now(),
    primary key (tenant_id, namespace_id, letter_id)
);
create index dead_letters_in_time on mosshead.dead_letters (died_at);

-- Bodies that the intake refused and that have no place in events, because they name no namespace, publisher and number.
create table mosshead.refused (
    tenant_id     uuid not null,
    namespace_id  uuid not null,
    letter_id     uuid not null,
    body          bytea not null,                           -- cut off at the size that an event may have
    primary key (tenant_id, namespace_id, letter_id)
);

-- The service as a whole ------------------------------------------------------------------------------------------------

-- A provider that does not answer is left alone until open_until; then one stage at a time may try.
create table mosshead.breakers (
    provider    text primary key,
    open_until  timestamptz not null,
    probe_until timestamptz,                                -- somebody tries it
    failures    integer not null,                           -- in a row
    reason      text not null,
    since       timestamptz not null default now()
);

-- Workers that are alive, and how many tasks each can run at once.
create table mosshead.workers (
    worker   text primary key,
    slots    integer not null check (slots > 0),
    seen_at  timestamptz not null default now()
);

-- What there is already: events has row-level security, which binds the owner too, so tenant by tenant.
do $$
declare
    one uuid;
begin
    for one in select distinct tenant_id from mosshead.lanes loop
        perform set_config('mosshead.tenant_id', one::text, true);
        update mosshead.events set conversation_id = payload ->> 'conversation', sequence = (payload ->> 'sequence')::bigint
        where tenant_id = one;
        -- Batches under way keep the order in which their events were read: what was found in them names their places.
        update mosshead.events as event set place = taken.place
        from (select namespace_id, event_id, row_number() over (
                  partition by namespace_id, batch_id order by reached, publisher_id, publisher_sequence) as place
              from (select *, max(position) over (
                        partition by namespace_id, batch_id, publisher_id order by publisher_sequence) as reached
                    from mosshead.events
                    where tenant_id = one and state = 'received' and batch_id is not null) as under_way) as taken
        where event.tenant_id = one and event.namespace_id = taken.namespace_id and event.event_id = taken.event_id;
        update mosshead.lanes as lane set pending = (
            select count(*) from mosshead.events
            where events.tenant_id = one and events.namespace_id = lane.namespace_id and events.state = 'received')
        where lane.tenant_id = one;
        insert into mosshead.dead_letters (tenant_id, namespace_id, letter_id, origin, reason)
        select tenant_id, namespace_id, event_id, 'stage', coalesce(reason, 'unknown') from mosshead.events
        where tenant_id = one and state = 'dead';
    end loop;
    perform set_config('mosshead.tenant_id', '', true);
end
$$;
