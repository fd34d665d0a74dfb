-- What the LLM proposed as a fact and extract did not take, and why: consolidate logs it, with what it decides of the others. fact then
-- holds what was proposed.
alter table mosshead.candidate_facts add column refused text;
alter table mosshead.decisions
    drop constraint decisions_action_check,
    add constraint decisions_action_check check (action in
        ('add', 'update', 'supersede', 'contradict', 'none', 'quarantine', 'refuse', 'undo', 'clarify', 'merge', 'split', 'forget',
         'document', 'set_prompt', 'roll_back_prompt', 'optimize_prompt'));
