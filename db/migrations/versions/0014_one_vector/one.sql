-- Which messages are near is told by the vector of each with the turn before it alone (mosshead/search/messages.py). An entry of
-- the index has room for a larger one of those.

-- The table is written anew, and every index with it; those of large scopes take minutes, and `python -m workers index` makes them again
-- beside the running service. Until then their contexts are exact.
do $$
declare
    one record;
begin
    for one in select indexname from pg_indexes where tablename = 'turns' and indexname like '%\_of\_scope\_%' loop
        execute format('drop index mosshead.%I', one.indexname);
    end loop;
    update mosshead.scopes set indexed = false where indexed;
end
$$;

drop index mosshead.turns_side_by_side;
alter table mosshead.turns alter column compact set expression as
    (vector_dims(with_before) <= 768 and length(words) <= 84
     and octet_length(conversation_id) <= 100 and octet_length(model) <= 200);
create index turns_side_by_side on mosshead.turns (tenant_id, namespace_id, model)
    include (message_id, conversation_id, said_at, length, with_before, terms) where compact;
