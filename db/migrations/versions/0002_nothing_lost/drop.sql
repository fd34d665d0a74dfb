drop schema recollect_write_v1, recollect_read_v1 cascade;
drop function recollect.receive, recollect.numbered, recollect.open_lane, recollect.move_watermark, recollect.text_of,
    recollect.derived_id;
drop table recollect.dead_letters, recollect.refused, recollect.breakers, recollect.workers;

do $$
declare
    one uuid;
begin
    for one in select distinct tenant_id from recollect.lanes loop
        perform set_config('recollect.tenant_id', one::text, true);
        update recollect.events set state = 'dead' where tenant_id = one and state = 'discarded';
    end loop;
    perform set_config('recollect.tenant_id', '', true);
end
$$;
drop index recollect.events_untaken, recollect.events_done_by_time, recollect.events_done_by_sequence;
alter table recollect.events
    drop column conversation_id, drop column sequence, drop column place, drop column late, drop column suspect,
    drop constraint events_state_check, add constraint events_state_check check (state in ('received', 'done', 'dead'));

alter table recollect.publishers drop column passed_up_to;
delete from recollect.batches where stage = 'split';
drop index recollect.batches_due, recollect.batches_finished, recollect.batches_applied;
alter table recollect.batches
    drop column starts, drop column waiting_since, drop column applied_at,
    drop constraint batches_stage_check,
    add constraint batches_stage_check check (stage in
        ('extract', 'score_salience', 'embed', 'consolidate', 'refresh_profiles', 'done', 'dead'));
create index batches_due on recollect.batches (due_at) where stage not in ('done', 'dead');

drop index recollect.lanes_ready, recollect.lanes_ready_of_tenant;
alter table recollect.lanes
    drop column pending, drop column lease_owner, drop column quarantined_at, drop column quarantined_for;
create index lanes_ready on recollect.lanes (ready_at) where batch_id is null and ready_at is not null;
