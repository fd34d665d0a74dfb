drop schema recollect_read_v1 cascade;
