-- The order in which events took effect: they arrive in another, and the batches that tell it are cleared after a while. Of those from
-- before it is worked out where they are replayed (db/replay/generations.py).
alter table mosshead.events add column effective_at timestamptz;
create index events_in_effect on mosshead.events (tenant_id, namespace_id, effective_at) where state = 'done';

-- A namespace that is replayed has a second generation of memories: a namespace of its own, whose path is that of the first and
-- "(replay)". Apps do not see it in what they list. llm_model: in place of the service's own.
alter table mosshead.namespaces add column replay_of uuid, add column llm_model text;

create or replace view mosshead_read_v1.namespaces as
select tenant_id, namespace_id, path, created_at from mosshead.namespaces where replay_of is null;

-- As before, and no app opens such a namespace itself.
create or replace function mosshead.open_lane(tenant uuid, namespace uuid, path text[]) returns void
    language plpgsql
as $$
begin
    if cardinality(path) > 2 and path[cardinality(path)] = '(replay)' then
        raise exception 'namespace: "(replay)" is where a namespace is replayed' using errcode = 'check_violation';
    end if;
    insert into mosshead.lanes (tenant_id, namespace_id) values (tenant, namespace) on conflict do nothing;
    perform from mosshead.lanes where tenant_id = tenant and namespace_id = namespace for update;
    insert into mosshead.tenants (tenant_id, name) values (tenant, path[1]) on conflict do nothing;
    insert into mosshead.namespaces (tenant_id, namespace_id, path) values (tenant, namespace, path) on conflict do nothing;
end
$$;

-- Ids, times and numbers, and of commands that could not be replayed why, in fixed words. No policy: the sweeper looks at all of them.
create table mosshead.generations (
    tenant_id         uuid not null,
    namespace_id      uuid not null,
    replay_id         uuid not null,                        -- the namespace that is replayed into
    started_at        timestamptz not null default now(),
    own_instructions  boolean not null,                     -- it was given its own; else it has those of the first
    up_to             timestamptz not null default '-infinity',  -- effective_at of the latest event that was replayed
    replayed          bigint not null default 0,            -- events
    left_out          jsonb not null default '[]',          -- [{"event_id", "type", "why"}]
    due_at            timestamptz not null default now(),   -- when it is looked after again
    switched_at       timestamptz,                          -- when the two last changed places
    primary key (tenant_id, namespace_id)
);
create index generations_due on mosshead.generations (due_at);
grant select, insert, update, delete on mosshead.generations to mosshead_worker, mosshead_admin;
grant select on mosshead.generations to mosshead_backup;
