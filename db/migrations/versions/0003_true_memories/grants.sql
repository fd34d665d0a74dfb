grant select on all tables in schema recollect_read_v1 to recollect_reader, recollect_worker;
grant select, insert, update, delete on recollect.memory_edges, recollect.decision_memories, recollect.budgets
    to recollect_worker, recollect_admin;
grant select on recollect.memory_edges, recollect.decision_memories, recollect.budgets to recollect_backup;
