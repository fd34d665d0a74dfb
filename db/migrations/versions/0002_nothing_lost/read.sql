-- pending is counted as it changes: however much waits, a read costs the same.
create or replace view mosshead_read_v1.progress as
select publisher.tenant_id, publisher.namespace_id, publisher.publisher_id, publisher.received_up_to,
       publisher.consolidated_up_to, lane.batch_id is not null as at_work, lane.pending
from mosshead.publishers as publisher
join mosshead.lanes as lane using (tenant_id, namespace_id)
where publisher.tenant_id = mosshead.current_tenant();
