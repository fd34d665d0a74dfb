drop schema mosshead_read_v1 cascade;
