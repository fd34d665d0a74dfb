-- Version 1 of what a reader may see. The views belong to the owner of the tables, so that a reader needs no right on the tables, and
-- row-level security, being forced, binds them. A change to a view is a migration; a version 2 can stand beside this one.
create schema mosshead_read_v1;

create view mosshead_read_v1.models as
select model, dimensions, active from mosshead.models;

create view mosshead_read_v1.namespaces as
select tenant_id, namespace_id, path, created_at from mosshead.namespaces;

create view mosshead_read_v1.conversations as
select tenant_id, namespace_id, conversation_id, started_at, last_message_at, ended_at from mosshead.conversations;

create view mosshead_read_v1.messages as
select tenant_id, namespace_id, message_id, conversation_id, role, speaker, content, occurred_at, metadata from mosshead.messages;

-- Every version. What is known now: known_to is null and state = 'active'. As of a time: known_from <= t and t < known_to.
create view mosshead_read_v1.memories as
select tenant_id, namespace_id, memory_id, version, kind, content, salience, factors, confidence, tier, reinforced, attribute,
       value, state, superseded_by, occurred_from, occurred_to, granularity, valid_from, valid_to, known_from, known_to
from mosshead.memories;

create view mosshead_read_v1.embeddings as
select tenant_id, namespace_id, model, owner_kind, owner_id, embedding from mosshead.embeddings;

-- The words of what is known now, stemmed, with how often each occurs.
create view mosshead_read_v1.terms as
select tenant_id, namespace_id, memory_id, word.lexeme as term, cardinality(word.positions) as frequency
from mosshead.memories cross join lateral unnest(search) as word
where known_to is null and state = 'active';

create view mosshead_read_v1.entities as
select tenant_id, namespace_id, entity_id, name, entity_type, description, parent_id, tags, is_user, created_at
from mosshead.entities;

create view mosshead_read_v1.aliases as
select tenant_id, namespace_id, entity_id, alias, normalised from mosshead.entity_aliases;

create view mosshead_read_v1.memory_entities as
select tenant_id, namespace_id, memory_id, entity_id, role, certainty from mosshead.memory_entities;

create view mosshead_read_v1.relations as
select tenant_id, namespace_id, relation_id, subject_id, predicate, object_id, memory_id, valid_from, valid_to
from mosshead.relations;

create view mosshead_read_v1.profiles as
select tenant_id, namespace_id, entity_id, summary, version, dirty_since, refreshed_at from mosshead.profiles;

create view mosshead_read_v1.documents as
select tenant_id, namespace_id, document_id, schema_name, body, version, updated_at from mosshead.documents;

create view mosshead_read_v1.questions as
select tenant_id, namespace_id, question_id, text, candidates, asked_at, answered_at from mosshead.questions;

create view mosshead_read_v1.provenance as
select tenant_id, namespace_id, memory_id, message_id, quote from mosshead.memory_sources;

create view mosshead_read_v1.decisions as
select tenant_id, namespace_id, decision_id, action, memory_id, target_id, target_version, fact, candidates, decided_by,
       prompt_version, reason, decided_at
from mosshead.decisions;

-- How far each publisher's events have come. lanes and publishers have no policy of their own, so the view asks for the tenant.
-- pending: events of the namespace that have not taken effect. at_work: a batch is on its way through the stages.
create view mosshead_read_v1.progress as
select publisher.tenant_id, publisher.namespace_id, publisher.publisher_id, publisher.received_up_to,
       publisher.consolidated_up_to, lane.batch_id is not null as at_work,
       (select count(*) from mosshead.events
        where events.tenant_id = publisher.tenant_id and events.namespace_id = publisher.namespace_id
          and events.state = 'received') as pending
from mosshead.publishers as publisher
join mosshead.lanes as lane using (tenant_id, namespace_id)
where publisher.tenant_id = mosshead.current_tenant();
