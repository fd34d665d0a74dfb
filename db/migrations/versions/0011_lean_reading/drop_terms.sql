drop view mosshead_read_v1.embeddings, mosshead_read_v1.turns;
drop index mosshead.embeddings_side_by_side, mosshead.embeddings_at_large, mosshead.turns_side_by_side, mosshead.turns_at_large;
alter table mosshead.embeddings drop column terms, drop column compact;
alter table mosshead.turns drop column terms, drop column compact;
alter table mosshead.embeddings reset (autovacuum_vacuum_insert_scale_factor);
alter table mosshead.turns reset (autovacuum_vacuum_insert_scale_factor);
drop function mosshead.terms, mosshead.term;
create view mosshead_read_v1.embeddings as
select tenant_id, namespace_id, model, owner_kind, owner_id, embedding, version, words, length from mosshead.embeddings;
create view mosshead_read_v1.turns as
select tenant_id, namespace_id, model, message_id, conversation_id, said_at, role, speaker, embedding, with_before, words, length
from mosshead.turns;
