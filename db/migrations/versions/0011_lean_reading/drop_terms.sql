drop view recollect_read_v1.embeddings, recollect_read_v1.turns;
drop index recollect.embeddings_side_by_side, recollect.embeddings_at_large, recollect.turns_side_by_side, recollect.turns_at_large;
alter table recollect.embeddings drop column terms, drop column compact;
alter table recollect.turns drop column terms, drop column compact;
alter table recollect.embeddings reset (autovacuum_vacuum_insert_scale_factor);
alter table recollect.turns reset (autovacuum_vacuum_insert_scale_factor);
drop function recollect.terms, recollect.term;
create view recollect_read_v1.embeddings as
select tenant_id, namespace_id, model, owner_kind, owner_id, embedding, version, words, length from recollect.embeddings;
create view recollect_read_v1.turns as
select tenant_id, namespace_id, model, message_id, conversation_id, said_at, role, speaker, embedding, with_before, words, length
from recollect.turns;
