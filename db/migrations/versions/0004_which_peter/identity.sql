-- Whom a mention means, where the words left it open; what the answer taught; entities that turn out to be one, or two.

alter table mosshead.decisions
    drop constraint decisions_action_check,
    add constraint decisions_action_check check (action in
        ('add', 'update', 'supersede', 'contradict', 'none', 'quarantine', 'undo', 'clarify', 'merge', 'split'));
create index decisions_merges on mosshead.decisions (tenant_id, namespace_id) where action = 'merge' and in_effect;

-- One row for each memory that waits for the answer; those of one question share its id, and are answered together. Meanwhile the
-- memory is unsurely about each candidate. Open: answered_at is null.
alter table mosshead.questions
    add column mention          text not null,
    add column memory_id        uuid not null,
    add column role             text not null check (role in ('subject', 'object', 'about')), -- of the mention in the memory
    add column message_id       uuid not null,
    add column conversation_id  text,
    add column relations        jsonb not null default '[]',  -- [[subject, predicate, object]], null for the mention
    add column answer_id        uuid,                         -- the entity that was meant
    add column known_from       timestamptz not null default clock_timestamp(),
    add column known_to         timestamptz,
    add column made_by          uuid,
    add column ended_by         uuid,
    drop constraint questions_pkey,
    add primary key (tenant_id, namespace_id, question_id, memory_id, known_from);
create unique index questions_now on mosshead.questions (tenant_id, namespace_id, question_id, memory_id)
    where known_to is null;
create index questions_of_memory on mosshead.questions (tenant_id, namespace_id, memory_id);

-- Answers are kept: what was said around a mention, and who was meant by it. The vector of the text without the mention is an
-- embedding of owner_kind 'example'.
create table mosshead.examples (
    tenant_id        uuid not null,
    namespace_id     uuid not null,
    example_id       uuid not null,
    mention          text not null,
    text             text not null,
    entity_id        uuid not null,
    others           uuid[] not null default '{}',             -- who might have been meant
    message_id       uuid,                                     -- where the service asked, of what was said in it
    conversation_id  text,
    known_from       timestamptz not null,
    known_to         timestamptz,
    made_by          uuid,
    ended_by         uuid,
    primary key (tenant_id, namespace_id, example_id, known_from)
);
create unique index examples_now on mosshead.examples (tenant_id, namespace_id, example_id) where known_to is null;
create index examples_of_entity on mosshead.examples (tenant_id, namespace_id, entity_id);

alter table mosshead.embeddings
    drop constraint embeddings_owner_kind_check,
    add constraint embeddings_owner_kind_check check (owner_kind in
        ('memory', 'past_memory', 'profile', 'message', 'example'));

create index entities_of_parent on mosshead.entities (tenant_id, namespace_id, parent_id)
    where known_to is null and parent_id is not null;

alter table mosshead.examples enable row level security;
alter table mosshead.examples force row level security;
create policy of_tenant on mosshead.examples using (tenant_id = mosshead.current_tenant());

create or replace view mosshead_read_v1.questions as
select tenant_id, namespace_id, question_id, text, candidates, asked_at, answered_at, mention, memory_id, role, message_id,
       conversation_id, answer_id
from mosshead.questions where known_to is null;

create view mosshead_read_v1.examples as
select tenant_id, namespace_id, example_id, mention, text, entity_id, others, conversation_id
from mosshead.examples where known_to is null;

grant select, insert, update, delete on mosshead.examples to mosshead_worker, mosshead_admin;
grant select on mosshead.examples to mosshead_backup;
