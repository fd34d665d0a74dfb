-- Decisions: one row for each thing that consolidation, a command or an erasure decided, with what it saw.

create table mosshead.decisions (
    tenant_id       uuid not null,
    namespace_id    uuid not null,
    decision_id     uuid not null,
    batch_id        uuid not null,
    action          text not null check (action in
        ('add', 'update', 'supersede', 'contradict', 'none', 'quarantine', 'refuse', 'undo', 'clarify', 'merge', 'split', 'forget',
         'document', 'set_prompt', 'roll_back_prompt', 'optimize_prompt', 'erase')),
    memory_id       uuid,                          -- what it made or changed
    target_id       uuid,                          -- what it was held against; of a document, the document
    target_version  integer,                       -- of a document: the version that was read; 0: there was none
    fact            jsonb,                         -- of refuse: what was proposed
    candidates      jsonb not null,                -- [{"memory_id", "version", "similarity"}]
    decided_by      text not null,                 -- "rules", or the model's name
    prompt_version  integer,
    reason          text not null,
    decided_at      timestamptz not null default now(),
    position        bigint generated always as identity,
    extracted_by    text,                          -- who found the fact: "rules", or the model's name
    refused         text,                          -- why what the model proposed, or an undo, was not carried out
    undoes          uuid,                          -- the decision that this one takes back
    in_effect       boolean not null default true, -- false: taken back, or never carried out
    entities        uuid[] not null default '{}',  -- of which it learned something
    hidden          uuid[] not null default '{}',  -- messages that reading does not show while it is in effect
    primary key (tenant_id, namespace_id, decision_id)
);
create index decisions_in_order on mosshead.decisions (tenant_id, namespace_id, position);
create index decisions_of_memory on mosshead.decisions (tenant_id, namespace_id, memory_id);
create index decisions_hiding on mosshead.decisions (tenant_id, namespace_id)
    where in_effect and hidden <> '{}';
create index decisions_merges on mosshead.decisions (tenant_id, namespace_id) where action = 'merge' and in_effect;
create index decisions_of_documents on mosshead.decisions (tenant_id, namespace_id, target_id) where action = 'document';
create index decisions_of_prompts on mosshead.decisions (tenant_id, namespace_id, (fact ->> 'name'))
    where action in ('set_prompt', 'roll_back_prompt', 'optimize_prompt');

-- The memories that a decision concerns. changed: it made a new version of the memory, or of what belongs to it.
create table mosshead.decision_memories (
    tenant_id     uuid not null,
    namespace_id  uuid not null,
    memory_id     uuid not null,
    decision_id   uuid not null,
    changed       boolean not null,
    primary key (tenant_id, namespace_id, memory_id, decision_id)
);
create index decision_memories_of_decision on mosshead.decision_memories (tenant_id, namespace_id, decision_id);
