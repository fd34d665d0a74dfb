create or replace view recollect_read_v1.progress as
select publisher.tenant_id, publisher.namespace_id, publisher.publisher_id, publisher.received_up_to,
       publisher.consolidated_up_to, lane.batch_id is not null or lane.profiles_due_at is not null as at_work, lane.pending
from recollect.publishers as publisher
join recollect.lanes as lane using (tenant_id, namespace_id)
where publisher.tenant_id = recollect.current_tenant();

-- What was to reflect refreshes profiles once more, and ends.
update recollect.batches set stage = 'refresh_profiles' where stage = 'reflect';
alter table recollect.batches
    drop constraint batches_stage_check,
    add constraint batches_stage_check check (stage in
        ('extract', 'score_salience', 'embed', 'consolidate', 'refresh_profiles', 'done', 'dead', 'split'));
alter table recollect.lanes drop column reflections_due_at;
drop table recollect.reflections, recollect.reflection_batches;
