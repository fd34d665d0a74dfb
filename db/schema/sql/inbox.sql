-- The inbox: events as they were published, and those that were given up.

-- The inbox, and the durable log of what was published.
create table mosshead.events (
    tenant_id           uuid not null,
    namespace_id        uuid not null,
    event_id            uuid not null,
    position            bigint generated always as identity,   -- order of arrival
    publisher_id        uuid not null,
    -- Ends where every reader of JSON still has the number exactly.
    publisher_sequence  bigint not null check (publisher_sequence > 0)
                        constraint events_number_within_bounds check (publisher_sequence <= 9007199254740991),
    type                text not null,
    payload             jsonb not null,
    occurred_at         timestamptz not null,
    received_at         timestamptz not null default now(),
    state               text not null default 'received' check (state in ('received', 'done', 'dead', 'discarded')),
    batch_id            uuid,
    reason              text,                                   -- why it is dead
    conversation_id     text,
    sequence            bigint,                                 -- the app's own number within the conversation
    place               integer,                                -- within the batch: the claim decides the order once
    late                boolean not null default false,         -- claimed after a successor of it had taken effect
    suspect             boolean not null default false,         -- of a batch that crashed or failed for good: claimed alone
    formed_by           text,                                   -- as of its batch
    effective_at        timestamptz,                            -- the order of effect outlives the batches, which are cleared
    occurred_at_sent    timestamptz,                            -- the time that came, where it lay too far ahead to stand
    primary key (tenant_id, namespace_id, event_id),
    unique (tenant_id, namespace_id, publisher_id, publisher_sequence)
) with (
    autovacuum_analyze_threshold = 50, autovacuum_analyze_scale_factor = 0.02,  -- why: statistics.sql
    autovacuum_vacuum_scale_factor = 0.05                   -- each event leaves two dead rows, at its claim and at its end
);
create index events_pending on mosshead.events (tenant_id, namespace_id, position) where state = 'received' and batch_id is null;
create index events_of_batch on mosshead.events (tenant_id, namespace_id, batch_id) where batch_id is not null;
-- Finds each publisher's next events, however many wait behind them.
create index events_untaken on mosshead.events (tenant_id, namespace_id, publisher_id, publisher_sequence)
    where state = 'received' and batch_id is null;
-- These two tell whether a successor took effect already.
create index events_done_by_time on mosshead.events (tenant_id, namespace_id, conversation_id, occurred_at)
    where state = 'done' and conversation_id is not null;
create index events_done_by_sequence on mosshead.events (tenant_id, namespace_id, conversation_id, sequence)
    where state = 'done' and conversation_id is not null and sequence is not null;
create index events_in_effect on mosshead.events (tenant_id, namespace_id, effective_at) where state = 'done';

-- Events that were given up, and why. Ids, times and reasons only, and no policy: the content stays in events, or in refused. An event
-- without a readable namespace stands under the zero ids.
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
