-- What the version before cannot hold: prompts, their feedback, decisions about them, and events that it does not know.
do $$
declare
    one uuid;
begin
    for one in select distinct tenant_id from recollect.lanes loop
        perform set_config('recollect.tenant_id', one::text, true);
        with recursive gone as (
            select tenant_id, namespace_id, decision_id from recollect.decisions
            where tenant_id = one and action in ('set_prompt', 'roll_back_prompt', 'optimize_prompt')
            union
            select undo.tenant_id, undo.namespace_id, undo.decision_id from recollect.decisions as undo
            join gone on gone.tenant_id = undo.tenant_id and gone.namespace_id = undo.namespace_id
             and gone.decision_id = undo.undoes
        )
        delete from recollect.decisions as decision using gone
        where decision.tenant_id = gone.tenant_id and decision.namespace_id = gone.namespace_id
          and decision.decision_id = gone.decision_id;
        delete from recollect.reflections where tenant_id = one and kind = 'prompt';
        delete from recollect.reflection_batches where tenant_id = one and kind = 'prompt';
        update recollect.lanes as lane set reflections_due_at = (
            select min(due_at) from recollect.reflections as reflection
            where reflection.tenant_id = one and reflection.namespace_id = lane.namespace_id)
        where lane.tenant_id = one;
        update recollect.events set state = 'dead', reason = 'undone with the migration'
        where tenant_id = one and state = 'received' and type in ('set_prompt', 'roll_back_prompt', 'feedback');
        insert into recollect.dead_letters (tenant_id, namespace_id, letter_id, origin, reason)
        select tenant_id, namespace_id, event_id, 'stage', reason from recollect.events
        where tenant_id = one and state = 'dead' and type in ('set_prompt', 'roll_back_prompt', 'feedback')
        on conflict do nothing;
        update recollect.lanes as lane set pending = (
            select count(*) from recollect.events
            where events.tenant_id = one and events.namespace_id = lane.namespace_id and events.state = 'received')
        where lane.tenant_id = one;
    end loop;
    perform set_config('recollect.tenant_id', '', true);
end
$$;

drop view recollect_read_v1.prompts, recollect_read_v1.prompt_feedback;
drop table recollect.prompts, recollect.prompt_feedback;
drop index recollect.decisions_of_prompts;
alter table recollect.decisions
    drop constraint decisions_action_check,
    add constraint decisions_action_check check (action in
        ('add', 'update', 'supersede', 'contradict', 'none', 'quarantine', 'undo', 'clarify', 'merge', 'split', 'forget',
         'document'));
