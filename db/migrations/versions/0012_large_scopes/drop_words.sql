drop function mosshead_read_v1.holding;
drop policy of_words on mosshead.embeddings;
drop policy of_words on mosshead.turns;
revoke all on mosshead.embeddings, mosshead.turns from mosshead_words;
revoke execute on function mosshead.current_tenant from mosshead_words;
revoke usage on schema mosshead from mosshead_words;

-- What only contexts use; the indexes of memories' vectors are what they were, and whole.
do $$
declare
    one record;
begin
    for one in
        select indexname from pg_indexes
        where schemaname = 'mosshead' and indexname ~ '^(words|sample|turns|turns_before|turns_words|turns_sample)_of_scope_'
    loop
        execute format('drop index mosshead.%I', one.indexname);
    end loop;
end
$$;
