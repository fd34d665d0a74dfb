drop index recollect.memories_began, recollect.memory_entities_began, recollect.profiles_touched;
alter table recollect.lanes drop column profiles_due_at;
alter table recollect.profiles drop column touched_at, drop column holds;
