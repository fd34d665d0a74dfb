-- Words beside the vectors of memories ----------------------------------------------------------------------------------------
--
-- One scan of a namespace's vectors gives both the cosines and what exact BM25 needs, without a look at the memories.

-- How many words a tsvector holds, each as often as it occurs. Stop words do not count, and of a word no more than 255.
create function mosshead.word_occurrences(words tsvector) returns integer
    language sql immutable strict parallel safe
    return (select coalesce(sum(cardinality(positions)), 0)::integer from unnest(words));
revoke all on function mosshead.word_occurrences from public;
grant execute on function mosshead.word_occurrences to mosshead_worker, mosshead_admin;

alter table mosshead.embeddings
    add column words  tsvector,                             -- of a memory: the words of the version that began with the text
    add column length integer generated always as (mosshead.word_occurrences(words)) stored;

-- In the row itself, however long the vector: out of line, each would cost a scan a look-up of its own.
alter table mosshead.embeddings alter column embedding set storage main;
alter table mosshead.embeddings set (toast_tuple_target = 8160);

-- A trigger, because vectors of memories are written in several places, and words must not differ from their memory's in any.
create function mosshead.words_of_memory() returns trigger language plpgsql as $$
begin
    new.words := null;
    if new.owner_kind = 'memory' then
        select search into new.words from mosshead.memories as memory
        where memory.tenant_id = new.tenant_id and memory.namespace_id = new.namespace_id
          and memory.memory_id = new.owner_id and memory.version = new.version;
    end if;
    return new;
end
$$;
revoke all on function mosshead.words_of_memory from public;
create trigger words_of_memory before insert or update of owner_kind, owner_id, version on mosshead.embeddings
    for each row execute function mosshead.words_of_memory();

create or replace view mosshead_read_v1.embeddings as
select tenant_id, namespace_id, model, owner_kind, owner_id, embedding, version, words, length from mosshead.embeddings;

-- What there is already: embeddings has row-level security, which binds the owner too, so tenant by tenant. No trait changes by it.
alter table mosshead.embeddings disable trigger traits_after_update;
do $$
declare
    one uuid;
begin
    for one in select distinct tenant_id from mosshead.lanes loop
        perform set_config('mosshead.tenant_id', one::text, true);
        update mosshead.embeddings set owner_kind = owner_kind where tenant_id = one and owner_kind = 'memory';
    end loop;
    perform set_config('mosshead.tenant_id', '', true);
end
$$;
alter table mosshead.embeddings enable trigger traits_after_update;

-- A context looks for taught processes apart from all else: few among many memories.
create index memories_processes on mosshead.memories (tenant_id, namespace_id, memory_id)
    where kind = 'process' and known_to is null;
