-- Profiles with a timer ---------------------------------------------------------------------------------------------------
--
-- A profile that was touched is refreshed when nothing touched it for a while, or when its first touch is long enough ago.
-- dirty_since: when the transaction of the first touch began; all that changed since the last refresh is known from later on.
alter table mosshead.profiles
    add column touched_at  timestamptz,                     -- the latest touch
    add column holds       uuid[];                          -- the memories that the summary rests on; null: to be put together anew
create index profiles_touched on mosshead.profiles (tenant_id, namespace_id, touched_at);

-- When the first of the lane's dirty profiles is due; null: none is dirty. ready_at takes it over where no event waits.
alter table mosshead.lanes add column profiles_due_at timestamptz;

-- What became known of an entity since a time, without a look at all that is known of it.
create index memory_entities_began on mosshead.memory_entities (tenant_id, namespace_id, entity_id, known_from)
    where known_to is null;
create index memories_began on mosshead.memories (tenant_id, namespace_id, known_from) where known_to is null;

-- An entity that is no more, because it was merged into another, has no profile.
create or replace view mosshead_read_v1.profiles as
select tenant_id, namespace_id, entity_id, summary, version, dirty_since, refreshed_at
from mosshead.profiles as profile
where exists (
    select from mosshead.entities as entity
    where entity.tenant_id = profile.tenant_id and entity.namespace_id = profile.namespace_id
      and entity.entity_id = profile.entity_id and entity.known_to is null);

-- at_work: a batch is on its way through the stages, or profiles wait for their refresh.
create or replace view mosshead_read_v1.progress as
select publisher.tenant_id, publisher.namespace_id, publisher.publisher_id, publisher.received_up_to,
       publisher.consolidated_up_to, lane.batch_id is not null or lane.profiles_due_at is not null as at_work, lane.pending
from mosshead.publishers as publisher
join mosshead.lanes as lane using (tenant_id, namespace_id)
where publisher.tenant_id = mosshead.current_tenant();

-- What there is already: profiles has row-level security, which binds the owner too, so tenant by tenant.
do $$
declare
    one uuid;
begin
    for one in select distinct tenant_id from mosshead.lanes loop
        perform set_config('mosshead.tenant_id', one::text, true);
        update mosshead.profiles set touched_at = greatest(dirty_since, refreshed_at) where tenant_id = one;
        update mosshead.lanes as lane
        set profiles_due_at = now(), ready_at = coalesce(ready_at, case when batch_id is null then now() end)
        where tenant_id = one and exists (
            select from mosshead.profiles as profile
            where profile.tenant_id = one and profile.namespace_id = lane.namespace_id and profile.dirty_since is not null);
    end loop;
    perform set_config('mosshead.tenant_id', '', true);
end
$$;
