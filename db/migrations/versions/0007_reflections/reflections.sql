-- Reflections --------------------------------------------------------------------------------------------------------------
--
-- What is made of a conversation once it rests, by kind: a document, episodes, a summary, a better prompt. A row is what is dirty: it
-- goes with the result that is stored, in one transaction.
create table mosshead.reflections (
    tenant_id     uuid not null,
    namespace_id  uuid not null,
    kind          text not null,
    subject       text not null,                            -- of what the kind has several: a schema, a conversation, a prompt
    dirty_since   timestamptz not null,                     -- the first touch since the last result
    due_at        timestamptz,                              -- null: all that is left of it was skipped
    one_by_one    boolean not null default false,           -- several batches at once failed for good
    put_off_for   text,                                     -- why it was not done when it was due; kinds of failures, no text
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
    skipped_for   text,                                     -- it failed for good, and this is why; else null
    primary key (tenant_id, namespace_id, kind, subject, batch_id)
);

-- When the first of the lane's reflections is due; null: none waits.
alter table mosshead.lanes add column reflections_due_at timestamptz;

alter table mosshead.batches
    drop constraint batches_stage_check,
    add constraint batches_stage_check check (stage in
        ('extract', 'score_salience', 'embed', 'consolidate', 'refresh_profiles', 'reflect', 'done', 'dead', 'split'));

do $$
declare
    content_table text;
begin
    foreach content_table in array array['reflections', 'reflection_batches'] loop
        execute format('alter table mosshead.%I enable row level security', content_table);
        execute format('alter table mosshead.%I force row level security', content_table);
        execute format(
            'create policy of_tenant on mosshead.%I using (tenant_id = mosshead.current_tenant())', content_table);
    end loop;
end
$$;
grant select, insert, update, delete on mosshead.reflections, mosshead.reflection_batches to mosshead_worker, mosshead_admin;
grant select on mosshead.reflections, mosshead.reflection_batches to mosshead_backup;

-- at_work: a batch is on its way through the stages, profiles wait for their refresh, or a reflection is due. One that waits for a
-- quiet time is nothing to wait for: that may be minutes away.
create or replace view mosshead_read_v1.progress as
select publisher.tenant_id, publisher.namespace_id, publisher.publisher_id, publisher.received_up_to,
       publisher.consolidated_up_to,
       lane.batch_id is not null or lane.profiles_due_at is not null
           or coalesce(lane.reflections_due_at <= now(), false) as at_work,
       lane.pending
from mosshead.publishers as publisher
join mosshead.lanes as lane using (tenant_id, namespace_id)
where publisher.tenant_id = mosshead.current_tenant();

-- What an agent does by its own hand ------------------------------------------------------------------------------------------

alter table mosshead.decisions
    drop constraint decisions_action_check,
    add constraint decisions_action_check check (action in
        ('add', 'update', 'supersede', 'contradict', 'none', 'quarantine', 'undo', 'clarify', 'merge', 'split', 'forget'));
