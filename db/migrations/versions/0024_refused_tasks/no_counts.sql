drop table recollect.refused_tasks;
