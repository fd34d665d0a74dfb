-- Lanes: the order of work. One lane for each namespace; at most one batch of it is at work.
--
-- Lanes, publishers and batches hold ids and times only, and have no policy: the scheduler works across tenants, and under a policy it
-- would find no rows and no error.
--
-- Each batch updates its rows here about twenty times. Most updates change no column that an index has as a key or in its condition, and
-- find room in the page, so that Postgres writes no index for them (HOT).

create table mosshead.lanes (
    tenant_id           uuid not null,
    namespace_id        uuid not null,
    ready_at            timestamptz,                 -- the only timer (debounce and back-off); null: nothing is pending
    first_pending_at    timestamptz,
    batch_id            uuid,                        -- the batch at work
    epoch               bigint not null default 0,   -- fencing token: grows with every lease
    lease_until         timestamptz,
    pending             bigint not null default 0,   -- events that were received and have neither taken effect nor died
    lease_owner         text,                        -- the run of a task that holds the lease
    quarantined_at      timestamptz,                 -- nothing is claimed until an operator resumes the lane
    quarantined_for     text,
    profiles_due_at     timestamptz,                 -- when the first dirty profile is due; ready_at takes it over where no event waits
    reflections_due_at  timestamptz,                 -- when the first reflection is due
    erase_due_at        timestamptz,                 -- when a worker hears of a waiting erasure (again); until it is done, no claims
    last_event_at       timestamptz,                 -- when the newest event was received; null in a replay, and once all was erased
    primary key (tenant_id, namespace_id)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);
create index lanes_ready on mosshead.lanes (ready_at)
    where batch_id is null and ready_at is not null and quarantined_at is null;
-- These find the first lane of each tenant, however many of its lanes wait. Apart, for those with events are ready soon: most tenants
-- of a large service have only lanes that rest until a profile or a reflection is due.
create index lanes_with_events_of_tenant on mosshead.lanes (tenant_id, ready_at)
    where batch_id is null and ready_at is not null and quarantined_at is null and first_pending_at is not null;
create index lanes_without_events_of_tenant on mosshead.lanes (tenant_id, ready_at)
    where batch_id is null and ready_at is not null and quarantined_at is null and first_pending_at is null;
create index lanes_working on mosshead.lanes (batch_id) where batch_id is not null;
create index lanes_quarantined on mosshead.lanes (quarantined_at) where quarantined_at is not null;
create index lanes_erasing on mosshead.lanes (erase_due_at) where erase_due_at is not null;

-- A publisher numbers its events of a namespace from 1 without gaps.
create table mosshead.publishers (
    tenant_id           uuid not null,
    namespace_id        uuid not null,
    publisher_id        uuid not null,
    received_up_to      bigint not null default 0,   -- all up to this one are in the inbox, so the publisher may forget them
    consolidated_up_to  bigint not null default 0,   -- the newest that took effect
    passed_up_to        bigint not null default 0,   -- all up to this one are here, or were waited for long enough
    clock_ahead_at      timestamptz,                 -- when its latest event with a time far ahead came
    primary key (tenant_id, namespace_id, publisher_id)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);

-- Some events of a lane on their way through the stages.
create table mosshead.batches (
    tenant_id       uuid not null,
    namespace_id    uuid not null,
    batch_id        uuid not null,
    stage           text not null check (stage in
        ('extract', 'score_salience', 'embed', 'consolidate', 'refresh_profiles', 'reflect', 'done', 'dead', 'split')),
    due_at          timestamptz not null default now(),
    hinted_at       timestamptz,
    attempts        integer not null default 0,      -- failures of the current stage that count
    error           text,                            -- kind of the latest failure, never text of a conversation
    created_at      timestamptz not null default now(),
    finished_at     timestamptz,
    starts          integer not null default 0,      -- leases of the current stage that nobody gave back: its crashes, and one more
    waiting_since   timestamptz,                     -- when the first of its events was received
    applied_at      timestamptz,                     -- when its events took effect
    formed_by       text,                            -- who extracted: "rules", or the model's name; a replay looks for the former
    over_budget_at  timestamptz,                     -- when a stage first went without the LLM because the tenant's budget was spent
    in_english      boolean,                         -- whether what its users said is; null where that cannot be told
    overruns        smallint not null default 0,     -- how often the current stage ran past MOSSHEAD_STAGE_SECONDS; its process is killed
    primary key (tenant_id, namespace_id, batch_id)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);
create index batches_open on mosshead.batches (batch_id) where finished_at is null;  -- of columns that no stage changes
create index batches_finished on mosshead.batches (finished_at) where finished_at is not null;
create index batches_applied on mosshead.batches (applied_at) where applied_at is not null;
create index batches_over_budget on mosshead.batches (over_budget_at) where over_budget_at is not null;
