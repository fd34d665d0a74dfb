-- How many messages workers refused, by the hour and the reason: nothing of the messages themselves.
create table mosshead.refused_tasks (
    hour    timestamptz not null,
    reason  text not null,
    times   bigint not null check (times > 0),
    primary key (hour, reason)
);

grant select, insert, update, delete on mosshead.refused_tasks to mosshead_worker, mosshead_admin;
grant select on mosshead.refused_tasks to mosshead_backup;
