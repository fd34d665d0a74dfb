do $$
declare
    part record;
begin
    for part in select tablename from pg_tables where schemaname = 'mosshead' and tablename <> 'alembic_version' loop
        execute format('drop table mosshead.%I cascade', part.tablename);
    end loop;
    drop function mosshead.receive, mosshead.text_of, mosshead.derived_id, mosshead.current_tenant;
end
$$;
