drop table mosshead.refused_tasks;
