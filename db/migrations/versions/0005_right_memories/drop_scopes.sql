drop view recollect_read_v1.scopes;
drop trigger scopes_after_insert on recollect.embeddings;
drop trigger scopes_after_update on recollect.embeddings;
drop trigger scopes_after_delete on recollect.embeddings;
drop function recollect.count_memories;
drop table recollect.scopes;
do $$
declare
    one record;
begin
    for one in select indexname from pg_indexes where schemaname = 'recollect' and indexname like 'embeddings\_of\_scope\_%' loop
        execute format('drop index recollect.%I', one.indexname);
    end loop;
end
$$;
