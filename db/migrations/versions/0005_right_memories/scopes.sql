-- Scopes that outgrow a scan ---------------------------------------------------------------------------------------------------
--
-- How many vectors of memories a namespace has of a model, kept by triggers in the transaction that changes it, and whether they have
-- an index of their own: db/search_indexes.py. It holds ids and numbers only, and has no policy: who makes indexes looks across tenants.
create table mosshead.scopes (
    tenant_id     uuid not null,
    namespace_id  uuid not null,
    model         text not null references mosshead.models,
    memories      bigint not null default 0,
    indexed       boolean not null default false,
    primary key (tenant_id, namespace_id, model)
);

create function mosshead.count_memories() returns trigger language plpgsql as $$
begin
    if tg_op = 'INSERT' then
        insert into mosshead.scopes as scope (tenant_id, namespace_id, model, memories)
        select tenant_id, namespace_id, model, count(*) from came where owner_kind = 'memory'
        group by tenant_id, namespace_id, model order by tenant_id, namespace_id, model
        on conflict (tenant_id, namespace_id, model) do update set memories = scope.memories + excluded.memories;
    elsif tg_op = 'DELETE' then
        update mosshead.scopes as scope set memories = scope.memories - gone.memories
        from (select tenant_id, namespace_id, model, count(*) as memories from went where owner_kind = 'memory'
              group by tenant_id, namespace_id, model) as gone
        where (scope.tenant_id, scope.namespace_id, scope.model) = (gone.tenant_id, gone.namespace_id, gone.model);
    else
        insert into mosshead.scopes as scope (tenant_id, namespace_id, model, memories)
        select tenant_id, namespace_id, model, sum(one) from (
            select tenant_id, namespace_id, model, 1 as one from came where owner_kind = 'memory'
            union all
            select tenant_id, namespace_id, model, -1 from went where owner_kind = 'memory') as changed
        group by tenant_id, namespace_id, model having sum(one) <> 0 order by tenant_id, namespace_id, model
        on conflict (tenant_id, namespace_id, model) do update set memories = scope.memories + excluded.memories;
    end if;
    return null;
end
$$;
revoke all on function mosshead.count_memories from public;
create trigger scopes_after_insert after insert on mosshead.embeddings referencing new table as came
    for each statement execute function mosshead.count_memories();
create trigger scopes_after_update after update on mosshead.embeddings referencing old table as went new table as came
    for each statement execute function mosshead.count_memories();
create trigger scopes_after_delete after delete on mosshead.embeddings referencing old table as went
    for each statement execute function mosshead.count_memories();

-- Where indexed is true, a search that names the scope in literals may go through its index; where it is not, search is exact.
create view mosshead_read_v1.scopes as
select tenant_id, namespace_id, model, indexed, memories from mosshead.scopes where tenant_id = mosshead.current_tenant();

grant select, insert, update, delete on mosshead.scopes to mosshead_worker, mosshead_admin;
grant select on mosshead.scopes to mosshead_backup;

-- What there is already.
do $$
declare
    one uuid;
begin
    for one in select distinct tenant_id from mosshead.lanes loop
        perform set_config('mosshead.tenant_id', one::text, true);
        insert into mosshead.scopes (tenant_id, namespace_id, model, memories)
        select tenant_id, namespace_id, model, count(*) from mosshead.embeddings
        where tenant_id = one and owner_kind = 'memory' group by tenant_id, namespace_id, model;
    end loop;
    perform set_config('mosshead.tenant_id', '', true);
end
$$;
