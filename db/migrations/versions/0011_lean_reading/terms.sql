-- Words as a sparse vector ------------------------------------------------------------------------------------------------------
--
-- BM25 is, but for the length of the text, a sum over the words that it shares with the question: of how rare each is, times what its
-- occurrences weigh. As an inner product of two sparse vectors that takes a tenth of the time that tsvector and ts_rank take.

-- The place of a word in such a vector. Two words that share one count as one: of 500 million places that is seldom.
create function mosshead.term(lexeme text) returns integer
    language sql immutable strict parallel safe
    return (hashtextextended(lexeme, 0) & 536870911)::integer + 1;

-- What the occurrences of each word weigh: n of them n · 2.2 / (n + 1.2), and so one of them 1. A vector holds 16,000 words at most.
create function mosshead.terms(words tsvector) returns sparsevec
    language sql immutable strict parallel safe
    return (
        select ('{' || coalesce(string_agg(place || ':' || weight, ','), '') || '}/536870912')::sparsevec from (
            select mosshead.term(lexeme) as place,
                   max(cast(2.2 * cardinality(positions) / (cardinality(positions) + 1.2) as real)) as weight
            from (select lexeme, positions from unnest(words) order by positions[1], lexeme limit 8000) as word group by place
        ) as one
    );
revoke all on function mosshead.term, mosshead.terms from public;
grant execute on function mosshead.term, mosshead.terms to mosshead_worker, mosshead_admin;

-- Rows of one namespace came in as they were said, and lie scattered over the table: to visit them takes four times as long as to
-- compare them. An index that holds what a scan compares has them side by side. compact: small enough for an entry of it, which has
-- 2,704 bytes; what is not is read from the table.

-- Both tables are written anew, and every index with them; those of large scopes take minutes, and `python -m workers index` makes them
-- again beside the running service. Until then their searches are exact.
do $$
declare
    one record;
begin
    for one in select indexname from pg_indexes where schemaname = 'mosshead' and indexname like 'embeddings\_of\_scope\_%' loop
        execute format('drop index mosshead.%I', one.indexname);
    end loop;
    update mosshead.scopes set indexed = false where indexed;
end
$$;

alter table mosshead.embeddings
    add column terms sparsevec generated always as (mosshead.terms(words)) stored,
    add column compact boolean not null generated always as
        (vector_dims(embedding) <= 768 and coalesce(length(words), 0) <= 96 and octet_length(model) <= 200) stored;
create index embeddings_side_by_side on mosshead.embeddings (tenant_id, namespace_id, model)
    include (owner_id, length, embedding, terms) where owner_kind = 'memory' and compact;
create index embeddings_at_large on mosshead.embeddings (tenant_id, namespace_id, model)
    where owner_kind = 'memory' and not compact;

alter table mosshead.turns
    add column terms sparsevec not null generated always as (mosshead.terms(words)) stored,
    add column compact boolean not null generated always as
        (vector_dims(embedding) <= 384 and vector_dims(with_before) <= 384 and length(words) <= 84
         and octet_length(conversation_id) <= 100 and octet_length(model) <= 200) stored;
create index turns_side_by_side on mosshead.turns (tenant_id, namespace_id, model)
    include (message_id, conversation_id, said_at, length, embedding, with_before, terms) where compact;
create index turns_at_large on mosshead.turns (tenant_id, namespace_id, model) where not compact;

-- The index alone is read where a vacuum has been, so that one has to come soon after what is new.
alter table mosshead.embeddings set (autovacuum_vacuum_insert_scale_factor = 0.02);
alter table mosshead.turns set (autovacuum_vacuum_insert_scale_factor = 0.02);

create or replace view mosshead_read_v1.embeddings as
select tenant_id, namespace_id, model, owner_kind, owner_id, embedding, version, words, length, terms, compact
from mosshead.embeddings;
create or replace view mosshead_read_v1.turns as
select tenant_id, namespace_id, model, message_id, conversation_id, said_at, role, speaker, embedding, with_before, words, length,
       terms, compact
from mosshead.turns;
