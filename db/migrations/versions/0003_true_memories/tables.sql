-- What can be undone ------------------------------------------------------------------------------------------------------
--
-- Every row that a decision makes or ends names it: made_by, ended_by. Nothing is overwritten: a row that changes is ended, and the
-- next begins. Known now: known_to is null. As of a time: known_from <= t and (known_to is null or known_to > t).
-- All rows of one decision carry its time, so that what was so before and after it can be told apart.

alter table mosshead.memories
    add column made_by      uuid,
    add column ended_by     uuid,
    add column said_by      text,                           -- who said it, where several people speak as users
    add column marked       boolean not null default false, -- the user asked to remember it
    add column record_name  text,                           -- the app's own schema that the record fits
    add column record       jsonb,
    drop constraint memories_state_check,
    add constraint memories_state_check check (state in ('active', 'superseded', 'withdrawn'));

-- stance: whether what was said speaks for the memory or against it.
alter table mosshead.memory_sources
    add column stance      text not null default 'for' check (stance in ('for', 'against')),
    add column known_from  timestamptz not null default clock_timestamp(),
    add column known_to    timestamptz,
    add column made_by     uuid,
    add column ended_by    uuid,
    drop constraint memory_sources_pkey,
    add primary key (tenant_id, namespace_id, memory_id, message_id, known_from);
create unique index memory_sources_now on mosshead.memory_sources (tenant_id, namespace_id, memory_id, message_id)
    where known_to is null;

alter table mosshead.memory_entities
    add column known_from  timestamptz not null default clock_timestamp(),
    add column known_to    timestamptz,
    add column made_by     uuid,
    add column ended_by    uuid,
    drop constraint memory_entities_pkey,
    add primary key (tenant_id, namespace_id, memory_id, entity_id, known_from);
create unique index memory_entities_now on mosshead.memory_entities (tenant_id, namespace_id, memory_id, entity_id)
    where known_to is null;

alter table mosshead.relations
    add column known_from  timestamptz not null default clock_timestamp(),
    add column known_to    timestamptz,
    add column made_by     uuid,
    add column ended_by    uuid,
    drop constraint relations_pkey,
    add primary key (tenant_id, namespace_id, relation_id, known_from),
    drop constraint relations_tenant_id_namespace_id_memory_id_subject_id_predi_key;
create unique index relations_now on mosshead.relations
    (tenant_id, namespace_id, memory_id, subject_id, predicate, object_id) where known_to is null;

-- The name, the type and the user's mark of an entity stay; its description and its parent are learned, and can be unlearned.
alter table mosshead.entities
    add column known_from  timestamptz not null default clock_timestamp(),
    add column known_to    timestamptz,
    add column made_by     uuid,
    add column ended_by    uuid,
    drop constraint entities_pkey,
    add primary key (tenant_id, namespace_id, entity_id, known_from);
drop index mosshead.entities_user;
create unique index entities_user on mosshead.entities (tenant_id, namespace_id) where is_user and known_to is null;
create unique index entities_now on mosshead.entities (tenant_id, namespace_id, entity_id) where known_to is null;

alter table mosshead.entity_aliases
    add column known_from  timestamptz not null default clock_timestamp(),
    add column known_to    timestamptz,
    add column made_by     uuid,
    add column ended_by    uuid,
    drop constraint entity_aliases_pkey,
    add primary key (tenant_id, namespace_id, normalised, entity_id, known_from);
create unique index entity_aliases_now on mosshead.entity_aliases (tenant_id, namespace_id, normalised, entity_id)
    where known_to is null;

-- How two memories stand to each other. What shares an entity is read from memory_entities, what sums up from profiles.
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

-- A vector belongs to the version of a memory that began with its text; those before it are kept for reads as of a time.
alter table mosshead.embeddings
    add column version integer not null default 1,
    drop constraint embeddings_pkey,
    add primary key (tenant_id, namespace_id, model, owner_kind, owner_id, version);

alter table mosshead.decisions
    add column position      bigint generated always as identity,
    add column extracted_by  text,                          -- who found the fact: "rules", or the model's name
    add column refused       text,                          -- why what the model proposed, or an undo, was not carried out
    add column undoes        uuid,                          -- the decision that this one takes back
    add column in_effect     boolean not null default true, -- false: taken back, or never carried out
    add column entities      uuid[] not null default '{}',  -- of which it learned something
    alter column fact drop not null,
    drop constraint decisions_action_check,
    add constraint decisions_action_check check (action in
        ('add', 'update', 'supersede', 'contradict', 'none', 'quarantine', 'undo'));
create index decisions_in_order on mosshead.decisions (tenant_id, namespace_id, position);

-- The memories that a decision concerns. changed: it made a new version of the memory, or of what belongs to it.
create table mosshead.decision_memories (
    tenant_id     uuid not null,
    namespace_id  uuid not null,
    memory_id     uuid not null,
    decision_id   uuid not null,
    changed       boolean not null,
    primary key (tenant_id, namespace_id, memory_id, decision_id)
);
create index decision_memories_of_decision on mosshead.decision_memories (tenant_id, namespace_id, decision_id);

-- What the app wants of a namespace -----------------------------------------------------------------------------------------

alter table mosshead.namespaces
    add column instructions   text not null default '',
    add column schemas        jsonb not null default '[]',  -- [{"name", "json_schema"}]
    add column configured_at  timestamptz;

-- What it costs -------------------------------------------------------------------------------------------------------------

-- Who extracted: "rules", or the model's name. A later replay finds here what was formed without the LLM.
alter table mosshead.batches add column formed_by text;
-- When a stage of it first went without the LLM because its tenant's budget was spent.
alter table mosshead.batches add column over_budget_at timestamptz;
create index batches_over_budget on mosshead.batches (over_budget_at) where over_budget_at is not null;
alter table mosshead.events add column formed_by text;
alter table mosshead.usage add column stage text;
create index usage_of_tenant on mosshead.usage (tenant_id, at);

create table mosshead.budgets (
    tenant_id       uuid primary key references mosshead.tenants,
    tokens_per_day  bigint not null check (tokens_per_day > 0),
    set_at          timestamptz not null default now()
);

-- What there is already: these tables have row-level security, which binds the owner too, so tenant by tenant.
do $$
declare
    one uuid;
begin
    for one in select distinct tenant_id from mosshead.lanes loop
        perform set_config('mosshead.tenant_id', one::text, true);
        update mosshead.entities set known_from = created_at where tenant_id = one;
        update mosshead.entity_aliases as alias set known_from = entity.created_at from mosshead.entities as entity
        where alias.tenant_id = one and entity.tenant_id = one and entity.namespace_id = alias.namespace_id
          and entity.entity_id = alias.entity_id;
        update mosshead.memory_sources as source set known_from = memory.known_from from mosshead.memories as memory
        where source.tenant_id = one and memory.tenant_id = one and memory.namespace_id = source.namespace_id
          and memory.memory_id = source.memory_id and memory.version = 1;
        update mosshead.memory_entities as link set known_from = memory.known_from from mosshead.memories as memory
        where link.tenant_id = one and memory.tenant_id = one and memory.namespace_id = link.namespace_id
          and memory.memory_id = link.memory_id and memory.version = 1;
        update mosshead.relations as edge set known_from = memory.known_from from mosshead.memories as memory
        where edge.tenant_id = one and memory.tenant_id = one and memory.namespace_id = edge.namespace_id
          and memory.memory_id = edge.memory_id and memory.version = 1;
        -- What these decided cannot be undone: no row names them.
        insert into mosshead.decision_memories (tenant_id, namespace_id, memory_id, decision_id, changed)
        select tenant_id, namespace_id, concerned.memory_id, decision_id, false
        from mosshead.decisions cross join lateral (
            select memory_id union select target_id) as concerned (memory_id)
        where tenant_id = one and concerned.memory_id is not null;
    end loop;
    perform set_config('mosshead.tenant_id', '', true);
end
$$;
