drop view recollect_read_v1.messages_ahead;
