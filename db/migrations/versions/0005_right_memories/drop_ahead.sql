drop view mosshead_read_v1.messages_ahead;
