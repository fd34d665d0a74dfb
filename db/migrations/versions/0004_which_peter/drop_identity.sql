-- What the third version cannot hold: questions with what waits for them, answers, and decisions of kinds that it does not know. What
-- a merge or a split did stays done.
do $$
declare
    one uuid;
begin
    for one in select distinct tenant_id from mosshead.lanes loop
        perform set_config('mosshead.tenant_id', one::text, true);
        delete from mosshead.questions where tenant_id = one;
        delete from mosshead.embeddings where tenant_id = one and owner_kind = 'example';
        with recursive gone as (
            select tenant_id, namespace_id, decision_id from mosshead.decisions
            where tenant_id = one and action in ('clarify', 'merge', 'split')
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
        where tenant_id = one and state = 'received' and type in ('clarify', 'merge', 'split');
        insert into mosshead.dead_letters (tenant_id, namespace_id, letter_id, origin, reason)
        select tenant_id, namespace_id, event_id, 'stage', reason from mosshead.events
        where tenant_id = one and state = 'dead' and type in ('clarify', 'merge', 'split') on conflict do nothing;
        update mosshead.lanes as lane set pending = (
            select count(*) from mosshead.events
            where events.tenant_id = one and events.namespace_id = lane.namespace_id and events.state = 'received')
        where lane.tenant_id = one;
    end loop;
    perform set_config('mosshead.tenant_id', '', true);
end
$$;

drop index mosshead.entities_of_parent;
drop table mosshead.examples;

alter table mosshead.embeddings
    drop constraint embeddings_owner_kind_check,
    add constraint embeddings_owner_kind_check check (owner_kind in ('memory', 'past_memory', 'profile', 'message'));

drop index mosshead.questions_of_memory, mosshead.questions_now;
alter table mosshead.questions
    drop constraint questions_pkey, add primary key (tenant_id, namespace_id, question_id),
    drop column mention, drop column memory_id, drop column role, drop column message_id, drop column conversation_id,
    drop column relations, drop column answer_id, drop column known_from, drop column known_to, drop column made_by,
    drop column ended_by;

drop index mosshead.decisions_merges;
alter table mosshead.decisions
    drop constraint decisions_action_check,
    add constraint decisions_action_check check (action in
        ('add', 'update', 'supersede', 'contradict', 'none', 'quarantine', 'undo'));
