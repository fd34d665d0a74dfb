-- What one stage hands to the next.

-- The facts that extract found, with what the later stages add, until consolidate takes them.
create table mosshead.candidate_facts (
    tenant_id     uuid not null,
    namespace_id  uuid not null,
    batch_id      uuid not null,
    number        integer not null,
    fact          jsonb not null,
    salience      real,
    factors       jsonb,
    model         text references mosshead.models,
    embedding     halfvec,
    refused       text,                            -- why extract refused what the LLM proposed; consolidate logs it
    primary key (tenant_id, namespace_id, batch_id, number)
);

-- The vectors and words that embed made of a batch's messages, until they take effect. They go with their batch.
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

-- Answers that were paid for: a crash after the answer costs no second call.
create table mosshead.step_results (
    tenant_id     uuid not null,
    namespace_id  uuid not null,
    key           bytea not null,                  -- SHA-256 of model, prompt, its version and its inputs
    prompt        text not null,
    model         text not null,
    result        jsonb not null,
    created_at    timestamptz not null default now(),
    primary key (tenant_id, namespace_id, key)
);
