-- What was brought from elsewhere keeps the app's own name for it. A memory has the same key in all its versions.
alter table mosshead.entities add column key text;
create unique index entities_of_key on mosshead.entities (tenant_id, namespace_id, key)
    where known_to is null and key is not null;

alter table mosshead.memories add column key text;
create unique index memories_of_key on mosshead.memories (tenant_id, namespace_id, key)
    where known_to is null and key is not null;

create or replace view mosshead_read_v1.memories as
select tenant_id, namespace_id, memory_id, version, kind, content, salience, factors, confidence, tier, reinforced, attribute,
       value, state, superseded_by, occurred_from, occurred_to, granularity, valid_from, valid_to, known_from, known_to,
       said_by, marked, record_name, record, key
from mosshead.memories;

create or replace view mosshead_read_v1.entities as
select tenant_id, namespace_id, entity_id, name, entity_type, description, parent_id, tags, is_user, created_at, key
from mosshead.entities where known_to is null;

create or replace view mosshead_read_v1.entities_over_time as
select tenant_id, namespace_id, entity_id, name, entity_type, description, parent_id, tags, is_user, known_from, known_to, key
from mosshead.entities;
