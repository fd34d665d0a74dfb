-- What is known of 500 namesakes came in as it was said, and lies on as many pages as there are memories. An index that holds the
-- vectors and the words too has those of one entity side by side. compact: small enough for an entry of it, which has 2,704 bytes.
alter table mosshead.traits
    add column compact boolean not null generated always as
        (vector_dims(embedding) <= 768 and octet_length(cast(words as text)) <= 500) stored;
create index traits_side_by_side on mosshead.traits (tenant_id, namespace_id, model, entity_id)
    include (owner_kind, owner_id, embedding, words) where compact;
create index traits_at_large on mosshead.traits (tenant_id, namespace_id, model, entity_id) where not compact;

-- The index alone is read where a vacuum has been, so that one has to come soon after what is new.
alter table mosshead.traits set (autovacuum_vacuum_insert_scale_factor = 0.02);

create or replace view mosshead_read_v1.traits as
select tenant_id, namespace_id, entity_id, model, owner_kind, owner_id, embedding, words, compact from mosshead.traits;
