-- How many messages workers refused, by the hour and the reason: nothing of the messages themselves.
create table recollect.refused_tasks (
    hour    timestamptz not null,
    reason  text not null,
    times   bigint not null check (times > 0),
    primary key (hour, reason)
);

grant select, insert, update, delete on recollect.refused_tasks to recollect_worker, recollect_admin;
grant select on recollect.refused_tasks to recollect_backup;
