-- Prompts that an app keeps here. A row is a version, and no row is ever changed: what counts is the latest.
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

-- What came of a prompt. A row waits until it is used, once; it may come before its prompt does.
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
    tries         integer not null default 0,                -- how often what the model made of it could not be taken
    used_at       timestamptz,
    used_by       uuid,                                      -- the decision
    version       integer,                                   -- the version that it led to; null: to none
    primary key (tenant_id, namespace_id, feedback_id)
);
create index prompt_feedback_waiting on mosshead.prompt_feedback (tenant_id, namespace_id, name, position)
    where used_at is null;

alter table mosshead.decisions
    drop constraint decisions_action_check,
    add constraint decisions_action_check check (action in
        ('add', 'update', 'supersede', 'contradict', 'none', 'quarantine', 'undo', 'clarify', 'merge', 'split', 'forget',
         'document', 'set_prompt', 'roll_back_prompt', 'optimize_prompt'));
create index decisions_of_prompts on mosshead.decisions (tenant_id, namespace_id, (fact ->> 'name'))
    where action in ('set_prompt', 'roll_back_prompt', 'optimize_prompt');

do $$
declare
    content_table text;
begin
    foreach content_table in array array['prompts', 'prompt_feedback'] loop
        execute format('alter table mosshead.%I enable row level security', content_table);
        execute format('alter table mosshead.%I force row level security', content_table);
        execute format(
            'create policy of_tenant on mosshead.%I using (tenant_id = mosshead.current_tenant())', content_table);
    end loop;
end
$$;

create view mosshead_read_v1.prompts as
select tenant_id, namespace_id, name, version, template, syntax, optimizer, instructions, when_to_update, made_by, reason, restores,
       made_at, decision_id
from mosshead.prompts;

-- Without the conversations: what waits, and what it led to.
create view mosshead_read_v1.prompt_feedback as
select tenant_id, namespace_id, feedback_id, name, comment, score, given_at, used_at, used_by, version
from mosshead.prompt_feedback;

grant select, insert, update, delete on mosshead.prompts, mosshead.prompt_feedback to mosshead_worker, mosshead_admin;
grant select on mosshead.prompts, mosshead.prompt_feedback to mosshead_backup;
grant select on mosshead_read_v1.prompts, mosshead_read_v1.prompt_feedback to mosshead_reader, mosshead_worker;
