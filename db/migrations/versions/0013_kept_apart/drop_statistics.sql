-- What the last ANALYZE left out the next one gathers.
do $$
declare
    one record;
begin
    for one in
        select relname as relation, attname as attribute from pg_attribute join pg_class on pg_class.oid = attrelid
        where relnamespace = 'mosshead'::regnamespace and relkind = 'r' and attstattarget = 0
    loop
        execute format('alter table mosshead.%I alter column %I set statistics default', one.relation, one.attribute);
        perform pg_clear_attribute_stats('mosshead', one.relation, one.attribute, false);
    end loop;
end
$$;
