-- dead_letters, breakers and workers hold ids, times and reasons only, and have no policy: an operator looks across tenants.
alter table mosshead.refused enable row level security;
alter table mosshead.refused force row level security;
create policy of_tenant on mosshead.refused using (tenant_id = mosshead.current_tenant());
