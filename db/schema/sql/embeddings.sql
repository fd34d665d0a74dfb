-- Vectors and words, side by side: one scan of a namespace gives both the cosines and what exact BM25 needs, without a look at the
-- memories or the messages.
--
-- BM25 is, but for the length of the text, a sum over the words that a text shares with the question: how rare each is, times what its
-- occurrences weigh. As an inner product of two sparse vectors it takes a tenth of the time of tsvector and ts_rank.
--
-- Rows of one namespace came in as they were said, and lie scattered over the table: visiting them takes four times as long as comparing
-- them. So an index ("side_by_side") includes all that a scan compares, and keeps a namespace's rows together. An entry of it has 2,704
-- bytes; a row that does not fit (not compact) is read from the table ("at_large").

-- How many words a tsvector holds, each as often as it occurs. Stop words do not count, and a word counts at most 255 times. Words of
-- an expansion, which bear the label A, do not make a text longer.
create function mosshead.word_occurrences(words tsvector) returns integer
    language sql immutable strict parallel safe
    return (select coalesce(sum(cardinality(array_positions(weights, 'D'))), 0)::integer from unnest(words));

-- The place of a word in a sparse vector. Two words that share one count as one: of 500 million places that is seldom.
create function mosshead.term(lexeme text) returns integer
    language sql immutable strict parallel safe
    return (hashtextextended(lexeme, 0) & 536870911)::integer + 1;

-- The weight of each word: n occurrences weigh n · 2.2 / (n + 1.2), and so one weighs 1; a word that only the
-- expansion has weighs half of that. A vector holds 16,000 words at most.
create function mosshead.terms(words tsvector) returns sparsevec
    language sql immutable strict parallel safe
    return (
        select ('{' || coalesce(string_agg(place || ':' || weight, ','), '') || '}/536870912')::sparsevec from (
            select mosshead.term(lexeme) as place,
                   max(cast(case times when 0 then 0.5 else 2.2 * times / (times + 1.2) end as real)) as weight
            from (select lexeme, cardinality(array_positions(weights, 'D')) as times
                  from unnest(words) order by positions[1], lexeme limit 8000) as word group by place
        ) as one
    );

-- The vectors of memories, profiles, messages and examples. A table of their own lets two models live side by side during a change of
-- models. A memory's vector becomes a "past_memory" when the memory is superseded: this table alone then finds what is nearest among the
-- memories of now. It belongs to the version of the memory that began with its text; earlier ones serve reads as of a time.
create table mosshead.embeddings (
    tenant_id     uuid not null,
    namespace_id  uuid not null,
    model         text not null references mosshead.models,
    owner_kind    text not null check (owner_kind in ('memory', 'past_memory', 'profile', 'message', 'example')),
    owner_id      uuid not null,
    embedding     halfvec storage main not null,            -- in the row itself: out of line, each would cost a scan a look-up
    version       integer not null default 1,
    words         tsvector,                                 -- of a memory: the words of that version, and of its expansion
    length        integer generated always as (mosshead.word_occurrences(words)) stored,
    terms         sparsevec generated always as (mosshead.terms(words)) stored,
    compact       boolean not null generated always as
        (vector_dims(embedding) <= 768 and coalesce(length(words), 0) <= 96 and octet_length(model) <= 200) stored,
    primary key (tenant_id, namespace_id, model, owner_kind, owner_id, version)
) with (
    autovacuum_analyze_threshold = 50, autovacuum_analyze_scale_factor = 0.02,
    toast_tuple_target = 8160,                              -- keeps long vectors in the row
    autovacuum_vacuum_insert_scale_factor = 0.02            -- an index is read alone where a vacuum has been, so one comes soon
);
create index embeddings_side_by_side on mosshead.embeddings (tenant_id, namespace_id, model)
    include (owner_id, length, embedding, terms) where owner_kind = 'memory' and compact;
create index embeddings_at_large on mosshead.embeddings (tenant_id, namespace_id, model)
    where owner_kind = 'memory' and not compact;

-- A trigger, because several places write vectors of memories, and the words must be the memory's in all of them.
create function mosshead.words_of_memory() returns trigger language plpgsql as $$
begin
    new.words := null;
    if new.owner_kind = 'memory' then
        select memory.search || coalesce(expansion.search, '') into new.words
        from mosshead.memories as memory
        left join mosshead.expansions as expansion
          on expansion.tenant_id = memory.tenant_id and expansion.namespace_id = memory.namespace_id
         and expansion.memory_id = memory.memory_id and expansion.made_of = sha256(convert_to(memory.content, 'UTF8'))
        where memory.tenant_id = new.tenant_id and memory.namespace_id = new.namespace_id
          and memory.memory_id = new.owner_id and memory.version = new.version;
    end if;
    return new;
end
$$;
create trigger words_of_memory before insert or update of owner_kind, owner_id, version on mosshead.embeddings
    for each row execute function mosshead.words_of_memory();

create function mosshead.expansion_changed() returns trigger language plpgsql as $$
declare
    one mosshead.expansions := case tg_op when 'DELETE' then old else new end;
begin
    update mosshead.embeddings as vector set version = vector.version
    where vector.tenant_id = one.tenant_id and vector.namespace_id = one.namespace_id
      and vector.model = any(array(select model from mosshead.models))
      and vector.owner_kind = 'memory' and vector.owner_id = one.memory_id;
    return null;
end
$$;
create trigger words_of_expansion after insert or delete or update of made_of, phrases on mosshead.expansions
    for each row execute function mosshead.expansion_changed();

-- Messages as reading scans them: one row for each message that took effect and says something, by user or assistant, in the order of
-- its conversation. Its text stays in messages. Rows are written once and deleted, and never changed.
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
    with_before      halfvec storage main not null,         -- of the turn before it and it; a scan compares this one alone
    words            tsvector not null,                     -- of its date, its speaker and its text
    length           integer not null generated always as (mosshead.word_occurrences(words)) stored,
    terms            sparsevec not null generated always as (mosshead.terms(words)) stored,
    compact          boolean not null generated always as
        (vector_dims(with_before) <= 768 and length(words) <= 84
         and octet_length(conversation_id) <= 100 and octet_length(model) <= 200) stored,
    primary key (tenant_id, namespace_id, model, conversation_id, said_at, message_id),
    foreign key (tenant_id, namespace_id, message_id) references mosshead.messages on delete cascade
) with (
    toast_tuple_target = 8160,
    autovacuum_analyze_threshold = 50, autovacuum_analyze_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.02
);
create unique index turns_of_message on mosshead.turns (tenant_id, namespace_id, message_id, model);
create index turns_side_by_side on mosshead.turns (tenant_id, namespace_id, model)
    include (message_id, conversation_id, said_at, length, with_before, terms) where compact;
create index turns_at_large on mosshead.turns (tenant_id, namespace_id, model) where not compact;
