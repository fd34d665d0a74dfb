alter view recollect_read_v1.scopes reset (security_barrier);
alter view recollect_read_v1.progress reset (security_barrier);
