-- How many messages a scope holds, beside its memories, and whether those have indexes of their own: `indexed` is of memories alone.
alter table mosshead.scopes add column turns bigint not null default 0, add column turns_indexed boolean not null default false;

create function mosshead.count_turns() returns trigger language plpgsql as $$
begin
    if tg_op = 'INSERT' then
        insert into mosshead.scopes as scope (tenant_id, namespace_id, model, turns)
        select tenant_id, namespace_id, model, count(*) from came
        group by tenant_id, namespace_id, model order by tenant_id, namespace_id, model
        on conflict (tenant_id, namespace_id, model) do update set turns = scope.turns + excluded.turns;
    else
        update mosshead.scopes as scope set turns = scope.turns - gone.turns
        from (select tenant_id, namespace_id, model, count(*) as turns from went group by tenant_id, namespace_id, model) as gone
        where (scope.tenant_id, scope.namespace_id, scope.model) = (gone.tenant_id, gone.namespace_id, gone.model);
    end if;
    return null;
end
$$;
revoke all on function mosshead.count_turns from public;

-- Turns are written once and deleted, and never changed.
create trigger scopes_after_insert after insert on mosshead.turns referencing new table as came
    for each statement execute function mosshead.count_turns();
create trigger scopes_after_delete after delete on mosshead.turns referencing old table as went
    for each statement execute function mosshead.count_turns();

create or replace view mosshead_read_v1.scopes with (security_barrier) as
select tenant_id, namespace_id, model, indexed, memories, turns_indexed, turns
from mosshead.scopes where tenant_id = mosshead.current_tenant();

-- What there is already: the table has row-level security, which binds the owner too, so tenant by tenant. A scope had all indexes or none.
do $$
declare
    one uuid;
begin
    for one in select distinct tenant_id from mosshead.lanes loop
        perform set_config('mosshead.tenant_id', one::text, true);
        insert into mosshead.scopes as scope (tenant_id, namespace_id, model, turns)
        select tenant_id, namespace_id, model, count(*) from mosshead.turns where tenant_id = one group by tenant_id, namespace_id, model
        on conflict (tenant_id, namespace_id, model) do update set turns = excluded.turns, turns_indexed = scope.indexed;
    end loop;
    perform set_config('mosshead.tenant_id', '', true);
end
$$;
