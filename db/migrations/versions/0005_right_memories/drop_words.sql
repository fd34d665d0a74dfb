drop index mosshead.memories_processes;
drop view mosshead_read_v1.embeddings;
drop trigger words_of_memory on mosshead.embeddings;
drop function mosshead.words_of_memory;
alter table mosshead.embeddings drop column length, drop column words;
alter table mosshead.embeddings alter column embedding set storage external;
alter table mosshead.embeddings reset (toast_tuple_target);
drop function mosshead.word_occurrences;
create view mosshead_read_v1.embeddings as
select tenant_id, namespace_id, model, owner_kind, owner_id, embedding, version from mosshead.embeddings;
