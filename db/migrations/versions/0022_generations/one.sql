drop table recollect.generations;

create or replace view recollect_read_v1.namespaces as
select tenant_id, namespace_id, path, created_at from recollect.namespaces;

alter table recollect.namespaces drop column replay_of, drop column llm_model;

drop index recollect.events_in_effect;
alter table recollect.events drop column effective_at;

create or replace function recollect.open_lane(tenant uuid, namespace uuid, path text[]) returns void
    language plpgsql
as $$
begin
    insert into recollect.lanes (tenant_id, namespace_id) values (tenant, namespace) on conflict do nothing;
    perform from recollect.lanes where tenant_id = tenant and namespace_id = namespace for update;
    insert into recollect.tenants (tenant_id, name) values (tenant, path[1]) on conflict do nothing;
    insert into recollect.namespaces (tenant_id, namespace_id, path) values (tenant, namespace, path) on conflict do nothing;
end
$$;
