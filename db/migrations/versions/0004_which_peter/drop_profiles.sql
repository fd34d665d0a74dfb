drop index mosshead.memories_began, mosshead.memory_entities_began, mosshead.profiles_touched;
alter table mosshead.lanes drop column profiles_due_at;
alter table mosshead.profiles drop column touched_at, drop column holds;
