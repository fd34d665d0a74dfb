-- Which rows of a large namespace hold words ------------------------------------------------------------------------------------
--
-- A large scope has an index of its words (db/search_indexes.py). No reader could use it: Postgres lets no condition with @@ into an index
-- beneath row-level security, for @@ is not known to keep what it sees to itself. So a function looks, as a role that sees all rows of
-- the two tables, and gives nothing but the ids of rows of the transaction's tenant.
grant usage on schema mosshead to mosshead_words;
grant select on mosshead.embeddings, mosshead.turns to mosshead_words;
grant execute on function mosshead.current_tenant to mosshead_words;
create policy of_words on mosshead.embeddings for select to mosshead_words using (true);
create policy of_words on mosshead.turns for select to mosshead_words using (true);

-- scanned: 'memories' or 'turns'. sought: queries, of which each finds what the one before finds, and more; the first that finds enough is
-- the last that is asked. most: so many rows at most, any of those that there are.
create function mosshead_read_v1.holding(
    scanned text, namespace_id uuid, model text, sought text[], enough integer, most integer
) returns setof uuid
    language plpgsql stable security definer rows 100 set search_path = pg_catalog, pg_temp
    set enable_seqscan = off set enable_indexscan = off set enable_indexonlyscan = off
as $$
declare
    query text;
    found uuid[] := '{}';
begin
    foreach query in array sought loop
        -- The scope is in literals, as it is in the condition of the index.
        execute format(
            'select array(select %s and tenant_id = %L::uuid and namespace_id = %L::uuid and model = %L and words @@ $1 limit $2)',
            case scanned when 'turns' then 'message_id from mosshead.turns where true'
                         else 'owner_id from mosshead.embeddings where owner_kind = ''memory''' end,
            mosshead.current_tenant(), namespace_id, model
        ) into found using query::tsquery, most;
        exit when cardinality(found) >= enough;
    end loop;
    return query select unnest(found);
end
$$;
revoke all on function mosshead_read_v1.holding from public;
grant execute on function mosshead_read_v1.holding to mosshead_reader, mosshead_worker;
grant create on schema mosshead_read_v1 to mosshead_words;
alter function mosshead_read_v1.holding owner to mosshead_words;
revoke create on schema mosshead_read_v1 from mosshead_words;

-- Scopes that have the index of their memories' vectors have to get the others, before a context counts on them.
update mosshead.scopes set indexed = false where indexed;
