-- What was said and has not taken effect yet -----------------------------------------------------------------------------------
--
-- Of a lane's events those that wait, and those of the batch that is at work; position is the order of their arrival. lanes has no
-- policy of its own, so the view asks for the tenant.
create view mosshead_read_v1.messages_ahead as
select message.tenant_id, message.namespace_id, message.message_id, message.conversation_id, message.role, message.speaker,
       message.content, message.occurred_at, message.metadata, event.position
from mosshead.lanes as lane
cross join lateral (
    select event_id, position from mosshead.events as waiting
    where waiting.tenant_id = lane.tenant_id and waiting.namespace_id = lane.namespace_id
      and waiting.state = 'received' and waiting.batch_id is null
    union all
    select event_id, position from mosshead.events as at_work
    where at_work.tenant_id = lane.tenant_id and at_work.namespace_id = lane.namespace_id
      and at_work.batch_id = lane.batch_id and at_work.state = 'received'
) as event
join mosshead.messages as message
  on message.tenant_id = lane.tenant_id and message.namespace_id = lane.namespace_id and message.message_id = event.event_id
where lane.tenant_id = mosshead.current_tenant();
