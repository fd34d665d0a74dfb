do $$
declare
    part record;
begin
    for part in select tablename from pg_tables where schemaname = 'recollect' and tablename <> 'alembic_version' loop
        execute format('drop table recollect.%I cascade', part.tablename);
    end loop;
    drop function recollect.receive, recollect.text_of, recollect.derived_id, recollect.current_tenant;
end
$$;
