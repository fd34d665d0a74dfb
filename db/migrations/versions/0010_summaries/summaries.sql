-- Summaries ----------------------------------------------------------------------------------------------------------------
--
-- Of the conversations for which an app asked for one. A row without text was asked for and is not made yet.
create table recollect.summaries (
    tenant_id        uuid not null,
    namespace_id     uuid not null,
    conversation_id  text not null,
    content          text not null default '',
    up_to            uuid,                                 -- the latest message that it holds
    version          integer not null default 0 check (version >= 0),
    updated_at       timestamptz,
    primary key (tenant_id, namespace_id, conversation_id)
);
alter table recollect.summaries enable row level security;
alter table recollect.summaries force row level security;
create policy of_tenant on recollect.summaries using (tenant_id = recollect.current_tenant());
grant select, insert, update, delete on recollect.summaries to recollect_worker, recollect_admin;
grant select on recollect.summaries to recollect_backup;

create view recollect_read_v1.summaries as
select tenant_id, namespace_id, conversation_id, content, up_to, version, updated_at
from recollect.summaries
where tenant_id = recollect.current_tenant();
grant select on recollect_read_v1.summaries to recollect_reader, recollect_worker;
