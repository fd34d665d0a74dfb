-- Replays: second generations of memories.

-- A namespace that is replayed has a second generation of memories: a namespace of its own, whose path is that of the first and
-- "(replay)". Apps do not see it in what they list. Ids, times and numbers, and the reasons, in fixed words, why commands could not be
-- replayed. No policy: the scheduler looks at all of them.
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
