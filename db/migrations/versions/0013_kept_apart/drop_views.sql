alter view mosshead_read_v1.scopes reset (security_barrier);
alter view mosshead_read_v1.progress reset (security_barrier);
