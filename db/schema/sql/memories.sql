-- Memories: what is remembered, where it was said, and how two memories stand to each other.

-- One row for each version. known_*: when Mosshead held it to be so; valid_*: when it was so. A superseded memory stays, closed in
-- valid time, and points to its successor. The offsets are as in messages.
create table mosshead.memories (
    tenant_id             uuid not null,
    namespace_id          uuid not null,
    memory_id             uuid not null,
    version               integer not null check (version > 0),
    kind                  text not null,
    content               text not null,
    salience              real not null check (salience between 0 and 10),
    factors               jsonb not null default '{}',
    confidence            real not null check (confidence between 0 and 1),
    tier                  text not null check (tier in ('hypothesis', 'solid')),
    reinforced            integer not null default 0,
    attribute             text,
    value                 text,
    state                 text not null check (state in ('active', 'superseded', 'withdrawn')),
    superseded_by         uuid,
    occurred_from         timestamptz,
    occurred_to           timestamptz,
    granularity           text,
    valid_from            timestamptz not null,
    valid_to              timestamptz,
    known_from            timestamptz not null default now(),
    known_to              timestamptz,
    search                tsvector not null generated always as (to_tsvector('english', content)) stored,
    made_by               uuid,
    ended_by              uuid,
    said_by               text,                             -- who said it, where several people speak as users
    marked                boolean not null default false,   -- the user asked to remember it
    record_name           text,                             -- the app's own schema that the record fits
    record                jsonb,
    key                   text,                             -- the app's own name for it, the same in all versions
    valid_from_offset     smallint,
    occurred_from_offset  smallint,
    occurred_to_offset    smallint,
    primary key (tenant_id, namespace_id, memory_id, version)
) with (autovacuum_analyze_threshold = 50, autovacuum_analyze_scale_factor = 0.02);
create unique index memories_now on mosshead.memories (tenant_id, namespace_id, memory_id) where known_to is null;
create index memories_of_attribute on mosshead.memories (tenant_id, namespace_id, attribute)
    where known_to is null and attribute is not null;
create unique index memories_of_key on mosshead.memories (tenant_id, namespace_id, key) where known_to is null and key is not null;
-- What became known since a time.
create index memories_began on mosshead.memories (tenant_id, namespace_id, known_from) where known_to is null;
-- A context looks for taught processes apart from all else: few among many memories.
create index memories_processes on mosshead.memories (tenant_id, namespace_id, memory_id)
    where kind = 'process' and known_to is null;

-- What one would mention when talking about a memory, as an LLM wrote it down: words by which it is found, and that nobody reads.
-- It is made of one content, and counts for no other.
create table mosshead.expansions (
    tenant_id       uuid not null,
    namespace_id    uuid not null,
    memory_id       uuid not null,
    made_of         bytea not null,                         -- the SHA-256 of the content
    phrases         text not null,                          -- one a line; '' where the model knew none
    search          tsvector not null generated always as (setweight(to_tsvector('english', phrases), 'A')) stored,
    prompt_version  integer not null,
    made_by         text not null,                          -- the model
    made_at         timestamptz not null default now(),
    primary key (tenant_id, namespace_id, memory_id)
);

create table mosshead.memory_sources (
    tenant_id     uuid not null,
    namespace_id  uuid not null,
    memory_id     uuid not null,
    message_id    uuid not null,
    quote         text not null,
    stance        text not null default 'for' check (stance in ('for', 'against')),  -- whether the message supports the memory
    known_from    timestamptz not null default clock_timestamp(),
    known_to      timestamptz,
    made_by       uuid,
    ended_by      uuid,
    primary key (tenant_id, namespace_id, memory_id, message_id, known_from)
);
create unique index memory_sources_now on mosshead.memory_sources (tenant_id, namespace_id, memory_id, message_id)
    where known_to is null;
create index memory_sources_of_message on mosshead.memory_sources (tenant_id, namespace_id, message_id);

-- Two memories that share an entity have no edge: memory_entities tells that.
create table mosshead.memory_edges (
    tenant_id     uuid not null,
    namespace_id  uuid not null,
    from_id       uuid not null,                            -- the later one
    to_id         uuid not null,
    kind          text not null check (kind in ('similar', 'contradicts', 'replaces')),
    weight        real,                                     -- of similar: the cosine when the edge was made
    known_from    timestamptz not null,
    known_to      timestamptz,
    made_by       uuid not null,
    ended_by      uuid,
    primary key (tenant_id, namespace_id, from_id, to_id, kind, known_from)
);
create index memory_edges_back on mosshead.memory_edges (tenant_id, namespace_id, to_id);
create unique index memory_edges_now on mosshead.memory_edges (tenant_id, namespace_id, from_id, to_id, kind)
    where known_to is null;
