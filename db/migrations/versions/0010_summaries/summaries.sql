-- Summaries ----------------------------------------------------------------------------------------------------------------
--
-- Of the conversations for which an app asked for one. A row without text was asked for and is not made yet.
create table mosshead.summaries (
    tenant_id        uuid not null,
    namespace_id     uuid not null,
    conversation_id  text not null,
    content          text not null default '',
    up_to            uuid,                                 -- the latest message that it holds
    version          integer not null default 0 check (version >= 0),
    updated_at       timestamptz,
    primary key (tenant_id, namespace_id, conversation_id)
);
alter table mosshead.summaries enable row level security;
alter table mosshead.summaries force row level security;
create policy of_tenant on mosshead.summaries using (tenant_id = mosshead.current_tenant());
grant select, insert, update, delete on mosshead.summaries to mosshead_worker, mosshead_admin;
grant select on mosshead.summaries to mosshead_backup;

create view mosshead_read_v1.summaries as
select tenant_id, namespace_id, conversation_id, content, up_to, version, updated_at
from mosshead.summaries
where tenant_id = mosshead.current_tenant();
grant select on mosshead_read_v1.summaries to mosshead_reader, mosshead_worker;
