-- dead_letters, breakers and workers hold ids, times and reasons only, and have no policy: an operator looks across tenants.
alter table recollect.refused enable row level security;
alter table recollect.refused force row level security;
create policy of_tenant on recollect.refused using (tenant_id = recollect.current_tenant());
