-- Tenants, their namespaces, and the ids of both.
--
-- Three schemas: mosshead has the tables and is the service's own; mosshead_read_v1 has the views that an app's library selects from;
-- mosshead_write_v1 has the functions through which events come in. mosshead_owner owns all of it.
--
-- Every key begins with (tenant_id, namespace_id): row-level security, hash partitions and a distributed Postgres need no new keys.
-- Rows that a decision makes or ends carry its id (made_by, ended_by) and its time (known_from, known_to). Nothing is overwritten: a
-- row that changes is ended, and the next one begins. Known now: known_to is null. Known at a time t:
-- known_from <= t and (known_to is null or known_to > t). All rows of one decision carry the same time.

create schema mosshead_read_v1;
create schema mosshead_write_v1;

-- The tenant of the transaction, as set by set_tenant or by SET LOCAL. The policies compare each row with it.
-- After a transaction the setting is '' and not null, hence nullif.
create function mosshead.current_tenant() returns uuid
    language sql stable parallel safe
    return nullif(current_setting('mosshead.tenant_id', true), '')::uuid;

-- Makes the rest of the transaction show only this tenant's rows, or none for null. Citus passes SET LOCAL on to its workers, but not
-- set_config, which is quicker.
create function mosshead.set_tenant(tenant uuid) returns void
    language plpgsql
as $$
begin
    if current_setting('citus.propagate_set_commands', true) = 'local' then
        execute format('set local mosshead.tenant_id = %L', coalesce(tenant::text, ''));
    else
        perform set_config('mosshead.tenant_id', coalesce(tenant::text, ''), true);
    end if;
end
$$;

-- Ids of tenants and namespaces follow from their names, here as in the library: the first 16 bytes of the SHA-256 of the kind and
-- the parts, joined by U+001F.
create function mosshead.derived_id(kind text, parts text[]) returns uuid
    language sql immutable parallel safe
    return encode(
        substring(sha256(convert_to(kind || chr(31) || array_to_string(parts, chr(31)), 'UTF8')) from 1 for 16), 'hex')::uuid;

create table mosshead.tenants (
    tenant_id   uuid primary key,
    name        text not null,
    created_at  timestamptz not null default now()
);

create table mosshead.namespaces (
    tenant_id      uuid not null references mosshead.tenants,
    namespace_id   uuid not null,
    path           text[] not null,
    created_at     timestamptz not null default now(),
    -- What the app wants formed of its conversations.
    instructions   text not null default '',
    schemas        jsonb not null default '[]',    -- [{"name", "json_schema"}]
    configured_at  timestamptz,
    profiles       jsonb not null default '[]',    -- documents, each by the name and the JSON Schema of its kind
    episodes       boolean not null default false,
    replay_of      uuid,                           -- set in a second generation of memories (replay.sql)
    llm_model      text,                           -- in place of the service's own
    primary key (tenant_id, namespace_id)
);

-- The models that make vectors, for all tenants, and so without a policy. One is active: new vectors come from it, and queries must use
-- it.
create table mosshead.models (
    model       text primary key,
    dimensions  integer not null check (dimensions between 1 and 4000),
    active      boolean not null default false,
    created_at  timestamptz not null default now(),
    ready       boolean not null default true,     -- everything with a vector of another model has one of this model too
    constraint models_active_is_ready check (ready or not active)
);
create unique index models_active on mosshead.models (active) where active;
