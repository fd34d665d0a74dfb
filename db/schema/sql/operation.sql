-- Operation: what the LLM costs, who may come in through the server, and how the service as a whole is doing.

-- The tokens of each call.
create table mosshead.usage (
    tenant_id          uuid not null,
    namespace_id       uuid not null,
    usage_id           uuid not null,
    prompt             text not null,
    model              text not null,
    prompt_tokens      integer not null,
    completion_tokens  integer not null,
    at                 timestamptz not null default now(),
    stage              text,
    primary key (tenant_id, namespace_id, usage_id)
);
create index usage_of_tenant on mosshead.usage (tenant_id, at);
create index usage_in_time on mosshead.usage (at);

-- What all tenants together cost of late: for a monitor, which may not see whose it was.
create function mosshead.usage_within(within interval)
    returns table (stage text, model text, calls bigint, prompt_tokens bigint, completion_tokens bigint)
    language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
    select coalesce(stage, ''), model, count(*), sum(prompt_tokens), sum(completion_tokens)
    from mosshead.usage where at > now() - within group by 1, 2
$$;

create table mosshead.budgets (
    tenant_id       uuid primary key references mosshead.tenants,
    tokens_per_day  bigint not null check (tokens_per_day > 0),
    set_at          timestamptz not null default now()
);

-- Tokens of `mosshead serve`. Of a token its SHA-256 alone is kept: it is 32 random bytes behind the tenant's id, so that no slow hash
-- is needed, and whoever looks one up knows the tenant before.
create table mosshead.api_tokens (
    tenant_id   uuid not null references mosshead.tenants,
    token_id    uuid not null,
    digest      bytea not null,
    prefix      text[] not null,                            -- of the namespaces that it opens, the tenant first
    scopes      text[] not null check (scopes <@ array['read', 'write', 'erase'] and scopes <> '{}'),
    name        text not null,                              -- the operator's own, for the list
    created_at  timestamptz not null default now(),
    expires_at  timestamptz,
    primary key (tenant_id, token_id),
    unique (tenant_id, digest)
);

-- The four tables below belong to no tenant, and have no policy.

-- A provider that does not answer is left alone until open_until; then one stage at a time may try.
create table mosshead.breakers (
    provider     text primary key,
    open_until   timestamptz not null,
    probe_until  timestamptz,                               -- somebody tries it
    failures     integer not null,                          -- in a row
    reason       text not null,
    since        timestamptz not null default now()
);

-- How a model of an endpoint is asked for JSON, as it was found out.
create table mosshead.llm_manners (
    endpoint     text not null,                             -- its address, without what may be secret
    model        text not null,
    mode         text not null,
    system       boolean not null,                          -- whether it takes a system prompt
    temperature  boolean not null,
    found_at     timestamptz not null default now(),
    primary key (endpoint, model)
);

-- Workers that are alive.
create table mosshead.workers (
    worker   text primary key,
    slots    integer not null check (slots > 0),            -- how many tasks it can run at once
    seen_at  timestamptz not null default now(),
    model    text                                           -- it embeds with this one, so nobody may drop it
);

-- How many messages workers refused, by the hour and the reason: nothing of the messages themselves.
create table mosshead.refused_tasks (
    hour    timestamptz not null,
    reason  text not null,
    times   bigint not null check (times > 0),
    primary key (hour, reason)
);
