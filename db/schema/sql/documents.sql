-- Documents, prompts, and the reflections that form them once a conversation rests.

-- A document is one JSON object in a schema of the app's own. A row is one version of it. fields: for each field that was ever set or
-- removed, by JSON Pointer, since when it is so ("at"), who changed it ("hand": the app edited it; else it was formed), and by which
-- decision ("by").
create table mosshead.documents (
    tenant_id     uuid not null,
    namespace_id  uuid not null,
    document_id   uuid not null,
    schema_name   text not null,
    body          jsonb not null,
    version       integer not null default 1,
    known_from    timestamptz not null default clock_timestamp(),
    fields        jsonb not null default '{}',
    known_to      timestamptz,
    made_by       uuid,
    ended_by      uuid,
    primary key (tenant_id, namespace_id, document_id, version)
);
create unique index documents_now on mosshead.documents (tenant_id, namespace_id, document_id) where known_to is null;

-- Prompts that an app keeps here. A row is a version, and no row ever changes: the latest counts.
create table mosshead.prompts (
    tenant_id       uuid not null,
    namespace_id    uuid not null,
    name            text not null,
    version         integer not null check (version >= 1),  -- without gaps
    template        text not null,
    syntax          text not null check (syntax in ('format', 'mustache', 'none')),
    optimizer       text not null check (optimizer in ('metaprompt', 'gradient', 'prompt_memory', 'off')),
    instructions    text not null,                           -- how it may be changed, in the app's words
    when_to_update  text not null,
    made_by         text not null,                           -- "app", or the name of the model that improved it
    reason          text not null,
    restores        integer,                                 -- the version whose text it brings back
    made_at         timestamptz not null,
    decision_id     uuid not null,
    primary key (tenant_id, namespace_id, name, version)
);

-- How a prompt did. A row waits until it is used, once; it may come before its prompt does.
create table mosshead.prompt_feedback (
    tenant_id     uuid not null,
    namespace_id  uuid not null,
    feedback_id   uuid not null,                             -- its event's
    name          text not null,
    messages      jsonb not null,                            -- [{"role", "content"}]
    comment       text not null,
    score         double precision,
    given_at      timestamptz not null,
    position      bigint generated always as identity,       -- the order in which it took effect
    tries         integer not null default 0,                -- how often the model's proposal was refused
    used_at       timestamptz,
    used_by       uuid,                                      -- the decision
    version       integer,                                   -- the version that it led to; null: to none
    primary key (tenant_id, namespace_id, feedback_id)
);
create index prompt_feedback_waiting on mosshead.prompt_feedback (tenant_id, namespace_id, name, position)
    where used_at is null;

-- Reflections that are due, by kind: a document, episodes, a summary, a better prompt. The transaction that stores the result deletes
-- the row.
create table mosshead.reflections (
    tenant_id     uuid not null,
    namespace_id  uuid not null,
    kind          text not null,
    subject       text not null,                             -- of what the kind has several: a schema, a conversation, a prompt
    dirty_since   timestamptz not null,                      -- the first touch since the last result
    due_at        timestamptz,                               -- null: all that is left of it was skipped
    one_by_one    boolean not null default false,            -- several batches at once failed for good
    put_off_for   text,                                      -- why it was not done when it was due; kinds of failures, no text
    primary key (tenant_id, namespace_id, kind, subject)
);

-- The batches whose messages a reflection has not seen yet, in the order in which they took effect.
create table mosshead.reflection_batches (
    tenant_id     uuid not null,
    namespace_id  uuid not null,
    kind          text not null,
    subject       text not null,
    batch_id      uuid not null,
    position      bigint generated always as identity,
    skipped_for   text,                                      -- it failed for good, and this is why; else null
    primary key (tenant_id, namespace_id, kind, subject, batch_id)
);
