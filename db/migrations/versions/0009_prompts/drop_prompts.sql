-- What the version before cannot hold: prompts, their feedback, decisions about them, and events that it does not know.
do $$
declare
    one uuid;
begin
    for one in select distinct tenant_id from mosshead.lanes loop
        perform set_config('mosshead.tenant_id', one::text, true);
        with recursive gone as (
            select tenant_id, namespace_id, decision_id from mosshead.decisions
            where tenant_id = one and action in ('set_prompt', 'roll_back_prompt', 'optimize_prompt')
            union
            select undo.tenant_id, undo.namespace_id, undo.decision_id from mosshead.decisions as undo
            join gone on gone.tenant_id = undo.tenant_id and gone.namespace_id = undo.namespace_id
             and gone.decision_id = undo.undoes
        )
        delete from mosshead.decisions as decision using gone
        where decision.tenant_id = gone.tenant_id and decision.namespace_id = gone.namespace_id
          and decision.decision_id = gone.decision_id;
        delete from mosshead.reflections where tenant_id = one and kind = 'prompt';
        delete from mosshead.reflection_batches where tenant_id = one and kind = 'prompt';
        update mosshead.lanes as lane set reflections_due_at = (
            select min(due_at) from mosshead.reflections as reflection
            where reflection.tenant_id = one and reflection.namespace_id = lane.namespace_id)
        where lane.tenant_id = one;
        update mosshead.events set state = 'dead', reason = 'undone with the migration'
        where tenant_id = one and state = 'received' and type in ('set_prompt', 'roll_back_prompt', 'feedback');
        insert into mosshead.dead_letters (tenant_id, namespace_id, letter_id, origin, reason)
        select tenant_id, namespace_id, event_id, 'stage', reason from mosshead.events
        where tenant_id = one and state = 'dead' and type in ('set_prompt', 'roll_back_prompt', 'feedback')
        on conflict do nothing;
        update mosshead.lanes as lane set pending = (
            select count(*) from mosshead.events
            where events.tenant_id = one and events.namespace_id = lane.namespace_id and events.state = 'received')
        where lane.tenant_id = one;
    end loop;
    perform set_config('mosshead.tenant_id', '', true);
end
$$;

drop view mosshead_read_v1.prompts, mosshead_read_v1.prompt_feedback;
drop table mosshead.prompts, mosshead.prompt_feedback;
drop index mosshead.decisions_of_prompts;
alter table mosshead.decisions
    drop constraint decisions_action_check,
    add constraint decisions_action_check check (action in
        ('add', 'update', 'supersede', 'contradict', 'none', 'quarantine', 'undo', 'clarify', 'merge', 'split', 'forget',
         'document'));
