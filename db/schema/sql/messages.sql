-- Conversations, and what was said in them.

create table mosshead.conversations (
    tenant_id        uuid not null,
    namespace_id     uuid not null,
    conversation_id  text not null,
    started_at       timestamptz not null,
    last_message_at  timestamptz not null,
    ended_at         timestamptz,
    primary key (tenant_id, namespace_id, conversation_id)
);

create table mosshead.messages (
    tenant_id           uuid not null,
    namespace_id        uuid not null,
    message_id          uuid not null,             -- the event's id
    conversation_id     text,
    role                text not null,
    speaker             text,
    content             text not null,
    occurred_at         timestamptz not null,
    metadata            jsonb not null default '{}',
    -- A timestamptz is a moment, whatever the zone in which it came. The offset says which day it was there: a Monday evening in
    -- Seattle is a Monday. In minutes, east of UTC above 0; null: unknown, and shown in UTC.
    occurred_at_offset  smallint,
    occurred_at_sent    timestamptz,               -- as in events
    sequence            bigint,                    -- likewise
    primary key (tenant_id, namespace_id, message_id)
) with (autovacuum_analyze_threshold = 50, autovacuum_analyze_scale_factor = 0.02);
create index messages_in_time on mosshead.messages (tenant_id, namespace_id, occurred_at);
-- A new conversation has no latest messages. Without this index only a scan of all messages of the namespace shows that.
create index messages_of_conversation on mosshead.messages (tenant_id, namespace_id, conversation_id, occurred_at, message_id);

-- Summaries of conversations for which an app asked for one. A row without text was asked for and is not made yet.
create table mosshead.summaries (
    tenant_id        uuid not null,
    namespace_id     uuid not null,
    conversation_id  text not null,
    content          text not null default '',
    up_to            uuid,                         -- the latest message that it covers
    version          integer not null default 0 check (version >= 0),
    updated_at       timestamptz,
    primary key (tenant_id, namespace_id, conversation_id)
);
