-- Both tables have row-level security, which binds the owner too, so tenant by tenant.
do $$
declare
    one uuid;
begin
    for one in select distinct tenant_id from mosshead.lanes loop
        perform set_config('mosshead.tenant_id', one::text, true);
        delete from mosshead.candidate_facts where tenant_id = one and refused is not null;
        delete from mosshead.decisions where tenant_id = one and action = 'refuse';
    end loop;
    perform set_config('mosshead.tenant_id', '', true);
end
$$;
alter table mosshead.candidate_facts drop column refused;
alter table mosshead.decisions
    drop constraint decisions_action_check,
    add constraint decisions_action_check check (action in
        ('add', 'update', 'supersede', 'contradict', 'none', 'quarantine', 'undo', 'clarify', 'merge', 'split', 'forget',
         'document', 'set_prompt', 'roll_back_prompt', 'optimize_prompt'));
