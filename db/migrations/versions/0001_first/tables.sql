-- Every key is led by (tenant_id, namespace_id): row-level security, hash partitions and a distributed Postgres need no new keys.
-- Ids of tenants and namespaces are derived from their names (mosshead/paths.py, and write.sql beside this file).
-- Two tables are not a namespace's: tenants and models.

create table mosshead.tenants (
    tenant_id   uuid primary key,
    name        text not null,
    created_at  timestamptz not null default now()
);

create table mosshead.namespaces (
    tenant_id     uuid not null references mosshead.tenants,
    namespace_id  uuid not null,
    path          text[] not null,
    created_at    timestamptz not null default now(),
    primary key (tenant_id, namespace_id)
);

-- The models with which vectors were made. One is active: new vectors come from it, and queries must use it.
create table mosshead.models (
    model       text primary key,
    dimensions  integer not null check (dimensions between 1 and 4000),
    active      boolean not null default false,
    created_at  timestamptz not null default now()
);
create unique index models_active on mosshead.models (active) where active;

-- The order of work -----------------------------------------------------------------------------------------------------

-- One namespace's events in order; at most one batch of it is at work. ready_at is the only timer (debounce and back-off).
create table mosshead.lanes (
    tenant_id         uuid not null,
    namespace_id      uuid not null,
    ready_at          timestamptz,                 -- null: nothing is pending
    first_pending_at  timestamptz,
    batch_id          uuid,                        -- the batch at work
    epoch             bigint not null default 0,   -- fencing token: grows with every lease
    lease_until       timestamptz,
    primary key (tenant_id, namespace_id)
);
create index lanes_ready on mosshead.lanes (ready_at) where batch_id is null and ready_at is not null;
create index lanes_working on mosshead.lanes (batch_id) where batch_id is not null;

-- A publisher numbers its events of a namespace from 1 without gaps.
create table mosshead.publishers (
    tenant_id        uuid not null,
    namespace_id     uuid not null,
    publisher_id     uuid not null,
    received_up_to   bigint not null default 0,    -- all up to this one are in the inbox
    consolidated_up_to bigint not null default 0,  -- the newest that took effect
    primary key (tenant_id, namespace_id, publisher_id)
);

-- The inbox, and the durable log of what was published.
create table mosshead.events (
    tenant_id           uuid not null,
    namespace_id        uuid not null,
    event_id            uuid not null,
    position            bigint generated always as identity,   -- order of arrival
    publisher_id        uuid not null,
    publisher_sequence  bigint not null check (publisher_sequence > 0),
    type                text not null,
    payload             jsonb not null,
    occurred_at         timestamptz not null,
    received_at         timestamptz not null default now(),
    state               text not null default 'received' check (state in ('received', 'done', 'dead')),
    batch_id            uuid,
    reason              text,                                   -- why it is dead
    primary key (tenant_id, namespace_id, event_id),
    unique (tenant_id, namespace_id, publisher_id, publisher_sequence)
);
create index events_pending on mosshead.events (tenant_id, namespace_id, position) where state = 'received' and batch_id is null;
create index events_of_batch on mosshead.events (tenant_id, namespace_id, batch_id) where batch_id is not null;

-- Some contiguous events on their way through the stages.
create table mosshead.batches (
    tenant_id     uuid not null,
    namespace_id  uuid not null,
    batch_id      uuid not null,
    stage         text not null check (stage in ('extract', 'score_salience', 'embed', 'consolidate', 'refresh_profiles', 'done', 'dead')),
    due_at        timestamptz not null default now(),
    hinted_at     timestamptz,
    attempts      integer not null default 0,      -- failures of the stage at hand that count
    error         text,                            -- kind of the latest failure, never text of a conversation
    created_at    timestamptz not null default now(),
    finished_at   timestamptz,
    primary key (tenant_id, namespace_id, batch_id)
);
create index batches_due on mosshead.batches (due_at) where stage not in ('done', 'dead');

-- What extract found, with what the next stages add to it, until consolidate takes it up.
create table mosshead.candidate_facts (
    tenant_id     uuid not null,
    namespace_id  uuid not null,
    batch_id      uuid not null,
    number        integer not null,
    fact          jsonb not null,
    salience      real,
    factors       jsonb,
    model         text references mosshead.models,
    embedding     halfvec,
    primary key (tenant_id, namespace_id, batch_id, number)
);

-- Answers that were paid for: a crash after the answer costs no second call.
create table mosshead.step_results (
    tenant_id     uuid not null,
    namespace_id  uuid not null,
    key           bytea not null,                  -- SHA-256 of model, prompt, its version and its inputs
    prompt        text not null,
    model         text not null,
    result        jsonb not null,
    created_at    timestamptz not null default now(),
    primary key (tenant_id, namespace_id, key)
);

-- What is remembered ----------------------------------------------------------------------------------------------------

create table mosshead.conversations (
    tenant_id        uuid not null,
    namespace_id     uuid not null,
    conversation_id  text not null,
    started_at       timestamptz not null,
    last_message_at  timestamptz not null,
    ended_at         timestamptz,
    primary key (tenant_id, namespace_id, conversation_id)
);

create table mosshead.messages (
    tenant_id        uuid not null,
    namespace_id     uuid not null,
    message_id       uuid not null,                -- the event's id
    conversation_id  text,
    role             text not null,
    speaker          text,
    content          text not null,
    occurred_at      timestamptz not null,
    metadata         jsonb not null default '{}',
    primary key (tenant_id, namespace_id, message_id)
);
create index messages_in_time on mosshead.messages (tenant_id, namespace_id, occurred_at);

-- One row for each version. known_*: when Mosshead held it to be so; valid_*: when it was so.
-- The row with known_to null is what is known now; a superseded one stays, closed in valid time, and points on.
create table mosshead.memories (
    tenant_id         uuid not null,
    namespace_id      uuid not null,
    memory_id         uuid not null,
    version           integer not null check (version > 0),
    kind              text not null,
    content           text not null,
    salience          real not null check (salience between 0 and 10),
    factors           jsonb not null default '{}',
    confidence        real not null check (confidence between 0 and 1),
    tier              text not null check (tier in ('hypothesis', 'solid')),
    reinforced        integer not null default 0,
    attribute         text,
    value             text,
    state             text not null check (state in ('active', 'superseded')),
    superseded_by     uuid,
    occurred_from     timestamptz,
    occurred_to       timestamptz,
    granularity       text,
    valid_from        timestamptz not null,
    valid_to          timestamptz,
    known_from        timestamptz not null default now(),
    known_to          timestamptz,
    search            tsvector not null generated always as (to_tsvector('english', content)) stored,
    primary key (tenant_id, namespace_id, memory_id, version)
);
create unique index memories_now on mosshead.memories (tenant_id, namespace_id, memory_id) where known_to is null;
create index memories_of_attribute on mosshead.memories (tenant_id, namespace_id, attribute)
    where known_to is null and attribute is not null;

create table mosshead.memory_sources (
    tenant_id     uuid not null,
    namespace_id  uuid not null,
    memory_id     uuid not null,
    message_id    uuid not null,
    quote         text not null,
    primary key (tenant_id, namespace_id, memory_id, message_id)
);
create index memory_sources_of_message on mosshead.memory_sources (tenant_id, namespace_id, message_id);

-- Vectors stand by themselves, so that two models can live side by side during a change of models. A memory's vector becomes a
-- "past_memory" when the memory is superseded: what is nearest among the memories of now is found in this table alone.
create table mosshead.embeddings (
    tenant_id     uuid not null,
    namespace_id  uuid not null,
    model         text not null references mosshead.models,
    owner_kind    text not null check (owner_kind in ('memory', 'past_memory', 'profile', 'message')),
    owner_id      uuid not null,
    embedding     halfvec not null,
    primary key (tenant_id, namespace_id, model, owner_kind, owner_id)
);

-- One row for each thing that consolidation decided, with what it saw.
create table mosshead.decisions (
    tenant_id       uuid not null,
    namespace_id    uuid not null,
    decision_id     uuid not null,
    batch_id        uuid not null,
    action          text not null check (action in ('add', 'update', 'supersede', 'none')),
    memory_id       uuid,                          -- what it made or changed
    target_id       uuid,                          -- what it was held against
    target_version  integer,
    fact            jsonb not null,
    candidates      jsonb not null,                -- [{"memory_id", "version", "similarity"}]
    decided_by      text not null,                 -- "rules", or the model's name
    prompt_version  integer,
    reason          text not null,
    decided_at      timestamptz not null default now(),
    primary key (tenant_id, namespace_id, decision_id)
);
create index decisions_of_memory on mosshead.decisions (tenant_id, namespace_id, memory_id);

-- Whom and what the memories are about ----------------------------------------------------------------------------------

create table mosshead.entities (
    tenant_id     uuid not null,
    namespace_id  uuid not null,
    entity_id     uuid not null,
    name          text not null,                   -- not unique: many Peters may live here
    entity_type   text not null,
    description   text,
    parent_id     uuid,
    tags          text[] not null default '{}',
    is_user       boolean not null default false,
    created_at    timestamptz not null default now(),
    primary key (tenant_id, namespace_id, entity_id)
);
create unique index entities_user on mosshead.entities (tenant_id, namespace_id) where is_user;

-- The name is an alias too: one look-up finds an entity by any of its names, in lower case and without accents.
create table mosshead.entity_aliases (
    tenant_id     uuid not null,
    namespace_id  uuid not null,
    entity_id     uuid not null,
    alias         text not null,
    normalised    text not null,
    primary key (tenant_id, namespace_id, normalised, entity_id)
);
create index entity_aliases_of_entity on mosshead.entity_aliases (tenant_id, namespace_id, entity_id);

create table mosshead.memory_entities (
    tenant_id     uuid not null,
    namespace_id  uuid not null,
    memory_id     uuid not null,
    entity_id     uuid not null,
    role          text not null check (role in ('subject', 'object', 'about')),
    certainty     text not null check (certainty in ('sure', 'unsure')),
    primary key (tenant_id, namespace_id, memory_id, entity_id)
);
create index memory_entities_of_entity on mosshead.memory_entities (tenant_id, namespace_id, entity_id);

create table mosshead.relations (
    tenant_id     uuid not null,
    namespace_id  uuid not null,
    relation_id   uuid not null,
    subject_id    uuid not null,
    predicate     text not null,
    object_id     uuid not null,
    memory_id     uuid not null,                   -- the memory that says so
    valid_from    timestamptz not null,
    valid_to      timestamptz,
    primary key (tenant_id, namespace_id, relation_id),
    unique (tenant_id, namespace_id, memory_id, subject_id, predicate, object_id)
);
create index relations_of_subject on mosshead.relations (tenant_id, namespace_id, subject_id);
create index relations_of_object on mosshead.relations (tenant_id, namespace_id, object_id);

create table mosshead.profiles (
    tenant_id     uuid not null,
    namespace_id  uuid not null,
    entity_id     uuid not null,
    summary       text not null default '',
    version       integer not null default 0,
    dirty_since   timestamptz,                     -- set by the transaction that touched the entity
    refreshed_at  timestamptz,
    primary key (tenant_id, namespace_id, entity_id)
);
create index profiles_dirty on mosshead.profiles (tenant_id, namespace_id, dirty_since) where dirty_since is not null;

create table mosshead.conversation_entities (
    tenant_id        uuid not null,
    namespace_id     uuid not null,
    conversation_id  text not null,
    entity_id        uuid not null,
    last_mention_at  timestamptz not null,
    primary key (tenant_id, namespace_id, conversation_id, entity_id)
);

create table mosshead.documents (
    tenant_id     uuid not null,
    namespace_id  uuid not null,
    document_id   uuid not null,
    schema_name   text not null,
    body          jsonb not null,
    version       integer not null default 1,
    updated_at    timestamptz not null default now(),
    primary key (tenant_id, namespace_id, document_id)
);

create table mosshead.questions (
    tenant_id     uuid not null,
    namespace_id  uuid not null,
    question_id   uuid not null,
    text          text not null,
    candidates    uuid[] not null default '{}',
    asked_at      timestamptz not null default now(),
    answered_at   timestamptz,
    primary key (tenant_id, namespace_id, question_id)
);

-- Ids that were erased: nothing that still travels may bring them back.
create table mosshead.tombstones (
    tenant_id     uuid not null,
    namespace_id  uuid not null,
    digest        bytea not null,
    erased_at     timestamptz not null default now(),
    primary key (tenant_id, namespace_id, digest)
);

-- What the LLM cost.
create table mosshead.usage (
    tenant_id          uuid not null,
    namespace_id       uuid not null,
    usage_id           uuid not null,
    prompt             text not null,
    model              text not null,
    prompt_tokens      integer not null,
    completion_tokens  integer not null,
    at                 timestamptz not null default now(),
    primary key (tenant_id, namespace_id, usage_id)
);

-- Plans for tables without statistics join every row of a namespace with every other. A fresh namespace is small and grows at once,
-- so its tables are analyzed early and often.
do $$
declare
    growing text;
begin
    foreach growing in array array[
        'events', 'messages', 'memories', 'embeddings', 'memory_entities', 'entities', 'entity_aliases', 'profiles'
    ]
    loop
        execute format(
            'alter table mosshead.%I set (autovacuum_analyze_threshold = 50, autovacuum_analyze_scale_factor = 0.02)', growing);
    end loop;
end
$$;
