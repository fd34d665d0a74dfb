drop function recollect_read_v1.holding;
drop policy of_words on recollect.embeddings;
drop policy of_words on recollect.turns;
revoke all on recollect.embeddings, recollect.turns from recollect_words;
revoke execute on function recollect.current_tenant from recollect_words;
revoke usage on schema recollect from recollect_words;

-- What only contexts use; the indexes of memories' vectors are what they were, and whole.
do $$
declare
    one record;
begin
    for one in
        select indexname from pg_indexes
        where schemaname = 'recollect' and indexname ~ '^(words|sample|turns|turns_before|turns_words|turns_sample)_of_scope_'
    loop
        execute format('drop index recollect.%I', one.indexname);
    end loop;
end
$$;
