grant select on all tables in schema mosshead_read_v1 to mosshead_reader, mosshead_worker;
grant select, insert, update, delete on mosshead.memory_edges, mosshead.decision_memories, mosshead.budgets
    to mosshead_worker, mosshead_admin;
grant select on mosshead.memory_edges, mosshead.decision_memories, mosshead.budgets to mosshead_backup;
