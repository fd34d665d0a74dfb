drop table mosshead.generations;

create or replace view mosshead_read_v1.namespaces as
select tenant_id, namespace_id, path, created_at from mosshead.namespaces;

alter table mosshead.namespaces drop column replay_of, drop column llm_model;

drop index mosshead.events_in_effect;
alter table mosshead.events drop column effective_at;

create or replace function mosshead.open_lane(tenant uuid, namespace uuid, path text[]) returns void
    language plpgsql
as $$
begin
    insert into mosshead.lanes (tenant_id, namespace_id) values (tenant, namespace) on conflict do nothing;
    perform from mosshead.lanes where tenant_id = tenant and namespace_id = namespace for update;
    insert into mosshead.tenants (tenant_id, name) values (tenant, path[1]) on conflict do nothing;
    insert into mosshead.namespaces (tenant_id, namespace_id, path) values (tenant, namespace, path) on conflict do nothing;
end
$$;
