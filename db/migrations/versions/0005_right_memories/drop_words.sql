drop index recollect.memories_processes;
drop view recollect_read_v1.embeddings;
drop trigger words_of_memory on recollect.embeddings;
drop function recollect.words_of_memory;
alter table recollect.embeddings drop column length, drop column words;
alter table recollect.embeddings alter column embedding set storage external;
alter table recollect.embeddings reset (toast_tuple_target);
drop function recollect.word_occurrences;
create view recollect_read_v1.embeddings as
select tenant_id, namespace_id, model, owner_kind, owner_id, embedding, version from recollect.embeddings;
