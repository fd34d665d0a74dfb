drop schema mosshead_write_v1, mosshead_read_v1 cascade;
drop function mosshead.receive, mosshead.numbered, mosshead.open_lane, mosshead.move_watermark, mosshead.text_of,
    mosshead.derived_id;
drop table mosshead.dead_letters, mosshead.refused, mosshead.breakers, mosshead.workers;

do $$
declare
    one uuid;
begin
    for one in select distinct tenant_id from mosshead.lanes loop
        perform set_config('mosshead.tenant_id', one::text, true);
        update mosshead.events set state = 'dead' where tenant_id = one and state = 'discarded';
    end loop;
    perform set_config('mosshead.tenant_id', '', true);
end
$$;
drop index mosshead.events_untaken, mosshead.events_done_by_time, mosshead.events_done_by_sequence;
alter table mosshead.events
    drop column conversation_id, drop column sequence, drop column place, drop column late, drop column suspect,
    drop constraint events_state_check, add constraint events_state_check check (state in ('received', 'done', 'dead'));

alter table mosshead.publishers drop column passed_up_to;
delete from mosshead.batches where stage = 'split';
drop index mosshead.batches_due, mosshead.batches_finished, mosshead.batches_applied;
alter table mosshead.batches
    drop column starts, drop column waiting_since, drop column applied_at,
    drop constraint batches_stage_check,
    add constraint batches_stage_check check (stage in
        ('extract', 'score_salience', 'embed', 'consolidate', 'refresh_profiles', 'done', 'dead'));
create index batches_due on mosshead.batches (due_at) where stage not in ('done', 'dead');

drop index mosshead.lanes_ready, mosshead.lanes_ready_of_tenant;
alter table mosshead.lanes
    drop column pending, drop column lease_owner, drop column quarantined_at, drop column quarantined_for;
create index lanes_ready on mosshead.lanes (ready_at) where batch_id is null and ready_at is not null;
