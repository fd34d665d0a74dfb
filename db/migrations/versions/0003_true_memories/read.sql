-- Version 1, with more: columns at the end of views, and views that show how things were. The views of before show what is known now.
create or replace view mosshead_read_v1.memories as
select tenant_id, namespace_id, memory_id, version, kind, content, salience, factors, confidence, tier, reinforced, attribute,
       value, state, superseded_by, occurred_from, occurred_to, granularity, valid_from, valid_to, known_from, known_to,
       said_by, marked, record_name, record
from mosshead.memories;

create or replace view mosshead_read_v1.embeddings as
select tenant_id, namespace_id, model, owner_kind, owner_id, embedding, version from mosshead.embeddings;

create or replace view mosshead_read_v1.entities as
select tenant_id, namespace_id, entity_id, name, entity_type, description, parent_id, tags, is_user, created_at
from mosshead.entities where known_to is null;

create or replace view mosshead_read_v1.aliases as
select tenant_id, namespace_id, entity_id, alias, normalised from mosshead.entity_aliases where known_to is null;

create or replace view mosshead_read_v1.memory_entities as
select tenant_id, namespace_id, memory_id, entity_id, role, certainty from mosshead.memory_entities where known_to is null;

create or replace view mosshead_read_v1.relations as
select tenant_id, namespace_id, relation_id, subject_id, predicate, object_id, memory_id, valid_from, valid_to
from mosshead.relations where known_to is null;

create or replace view mosshead_read_v1.provenance as
select tenant_id, namespace_id, memory_id, message_id, quote, stance from mosshead.memory_sources where known_to is null;

create or replace view mosshead_read_v1.decisions as
select tenant_id, namespace_id, decision_id, action, memory_id, target_id, target_version, fact, candidates, decided_by,
       prompt_version, reason, decided_at, position, batch_id, extracted_by, refused, undoes, in_effect
from mosshead.decisions;

create view mosshead_read_v1.decision_memories as
select tenant_id, namespace_id, memory_id, decision_id, changed from mosshead.decision_memories;

create view mosshead_read_v1.edges as
select tenant_id, namespace_id, from_id, to_id, kind, weight from mosshead.memory_edges where known_to is null;

-- As of a time: known_from <= t and (known_to is null or known_to > t).
create view mosshead_read_v1.entities_over_time as
select tenant_id, namespace_id, entity_id, name, entity_type, description, parent_id, tags, is_user, known_from, known_to
from mosshead.entities;

create view mosshead_read_v1.aliases_over_time as
select tenant_id, namespace_id, entity_id, alias, normalised, known_from, known_to from mosshead.entity_aliases;

create view mosshead_read_v1.memory_entities_over_time as
select tenant_id, namespace_id, memory_id, entity_id, role, certainty, known_from, known_to from mosshead.memory_entities;

create view mosshead_read_v1.relations_over_time as
select tenant_id, namespace_id, relation_id, subject_id, predicate, object_id, memory_id, valid_from, valid_to, known_from,
       known_to
from mosshead.relations;

create view mosshead_read_v1.provenance_over_time as
select tenant_id, namespace_id, memory_id, message_id, quote, stance, known_from, known_to from mosshead.memory_sources;

create view mosshead_read_v1.edges_over_time as
select tenant_id, namespace_id, from_id, to_id, kind, weight, known_from, known_to from mosshead.memory_edges;
