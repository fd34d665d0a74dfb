-- Messages as reading scans them -----------------------------------------------------------------------------------------------
--
-- One row for each message that took effect and says something, by user or assistant: its vectors and its words side by side, in the
-- order of its conversation. Its text stays in messages.
create table mosshead.turns (
    tenant_id        uuid not null,
    namespace_id     uuid not null,
    model            text not null references mosshead.models,
    message_id       uuid not null,
    conversation_id  text not null,                         -- '' where the app named none: those are one conversation
    said_at          timestamptz not null,
    role             text not null,
    speaker          text,
    embedding        halfvec storage main not null,         -- of its text
    with_before      halfvec storage main not null,         -- of the turn before it and it; of its text alone where it is the first
    words            tsvector not null,                     -- of its date, its speaker and its text
    length           integer not null generated always as (mosshead.word_occurrences(words)) stored,
    primary key (tenant_id, namespace_id, model, conversation_id, said_at, message_id),
    foreign key (tenant_id, namespace_id, message_id) references mosshead.messages on delete cascade
) with (
    toast_tuple_target = 8160,                              -- as with embeddings: a scan reads rows, and nothing out of line
    autovacuum_analyze_threshold = 50, autovacuum_analyze_scale_factor = 0.02
);
create unique index turns_of_message on mosshead.turns (tenant_id, namespace_id, message_id, model);

-- What the stage "embed" made of a batch's messages, until they take effect. It goes with its batch.
create table mosshead.candidate_turns (
    tenant_id     uuid not null,
    namespace_id  uuid not null,
    batch_id      uuid not null,
    message_id    uuid not null,
    model         text not null references mosshead.models,
    embedding     halfvec not null,
    with_before   halfvec not null,
    words         tsvector not null,
    primary key (tenant_id, namespace_id, batch_id, message_id),
    foreign key (tenant_id, namespace_id, batch_id) references mosshead.batches on delete cascade
);

do $$
declare
    content_table text;
begin
    foreach content_table in array array['turns', 'candidate_turns'] loop
        execute format('alter table mosshead.%I enable row level security', content_table);
        execute format('alter table mosshead.%I force row level security', content_table);
        execute format(
            'create policy of_tenant on mosshead.%I using (tenant_id = mosshead.current_tenant())', content_table);
    end loop;
end
$$;

create view mosshead_read_v1.turns as
select tenant_id, namespace_id, model, message_id, conversation_id, said_at, role, speaker, embedding, with_before, words, length
from mosshead.turns;

grant select, insert, update, delete on mosshead.turns, mosshead.candidate_turns to mosshead_worker, mosshead_admin;
grant select on mosshead.turns, mosshead.candidate_turns to mosshead_backup;
