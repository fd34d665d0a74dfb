create or replace view mosshead_read_v1.progress as
select publisher.tenant_id, publisher.namespace_id, publisher.publisher_id, publisher.received_up_to,
       publisher.consolidated_up_to, lane.batch_id is not null or lane.profiles_due_at is not null as at_work, lane.pending
from mosshead.publishers as publisher
join mosshead.lanes as lane using (tenant_id, namespace_id)
where publisher.tenant_id = mosshead.current_tenant();

-- What was to reflect refreshes profiles once more, and ends.
update mosshead.batches set stage = 'refresh_profiles' where stage = 'reflect';
alter table mosshead.batches
    drop constraint batches_stage_check,
    add constraint batches_stage_check check (stage in
        ('extract', 'score_salience', 'embed', 'consolidate', 'refresh_profiles', 'done', 'dead', 'split'));
alter table mosshead.lanes drop column reflections_due_at;
drop table mosshead.reflections, mosshead.reflection_batches;

-- Decisions of a kind that the sixth version does not know, and events. What was forgotten stays so.
do $$
declare
    one uuid;
begin
    for one in select distinct tenant_id from mosshead.lanes loop
        perform set_config('mosshead.tenant_id', one::text, true);
        with recursive gone as (
            select tenant_id, namespace_id, decision_id from mosshead.decisions where tenant_id = one and action = 'forget'
            union
            select undo.tenant_id, undo.namespace_id, undo.decision_id from mosshead.decisions as undo
            join gone on gone.tenant_id = undo.tenant_id and gone.namespace_id = undo.namespace_id
             and gone.decision_id = undo.undoes
        ),
        forgotten as (
            delete from mosshead.decision_memories as concerned using gone
            where concerned.tenant_id = gone.tenant_id and concerned.namespace_id = gone.namespace_id
              and concerned.decision_id = gone.decision_id
        )
        delete from mosshead.decisions as decision using gone
        where decision.tenant_id = gone.tenant_id and decision.namespace_id = gone.namespace_id
          and decision.decision_id = gone.decision_id;
        update mosshead.events set state = 'dead', reason = 'undone with the migration'
        where tenant_id = one and state = 'received' and type in ('remember', 'forget', 'reflect');
        insert into mosshead.dead_letters (tenant_id, namespace_id, letter_id, origin, reason)
        select tenant_id, namespace_id, event_id, 'stage', reason from mosshead.events
        where tenant_id = one and state = 'dead' and type in ('remember', 'forget', 'reflect') on conflict do nothing;
        update mosshead.lanes as lane set pending = (
            select count(*) from mosshead.events
            where events.tenant_id = one and events.namespace_id = lane.namespace_id and events.state = 'received')
        where lane.tenant_id = one;
    end loop;
    perform set_config('mosshead.tenant_id', '', true);
end
$$;
alter table mosshead.decisions
    drop constraint decisions_action_check,
    add constraint decisions_action_check check (action in
        ('add', 'update', 'supersede', 'contradict', 'none', 'quarantine', 'undo', 'clarify', 'merge', 'split'));
