-- Version 1 of what a reader may see: the contract with the libraries of deployed apps.
--
-- The views belong to the owner of the tables, so that a reader needs no right on the tables, and row-level security, being forced,
-- binds them. A view may gain a column at its end; a version 2 can stand beside this one.
--
-- Publishers, lanes and scopes have no policy, so their views ask for the tenant themselves, behind a barrier: Postgres may otherwise
-- evaluate a reader's own condition first, and one that fails, or a function that tells what it is given, would show rows of every tenant.

create view mosshead_read_v1.models as
select model, dimensions, active, ready from mosshead.models;

create view mosshead_read_v1.namespaces as
select tenant_id, namespace_id, path, created_at from mosshead.namespaces where replay_of is null;

create view mosshead_read_v1.conversations as
select tenant_id, namespace_id, conversation_id, started_at, last_message_at, ended_at from mosshead.conversations;

create view mosshead_read_v1.messages as
select tenant_id, namespace_id, message_id, conversation_id, role, speaker, content, occurred_at, metadata, occurred_at_offset,
       occurred_at_sent, sequence
from mosshead.messages;

-- Messages that have not taken effect yet: those of a lane's events that wait, and those of the batch at work. position is the order of
-- their arrival.
create view mosshead_read_v1.messages_ahead as
select message.tenant_id, message.namespace_id, message.message_id, message.conversation_id, message.role, message.speaker,
       message.content, message.occurred_at, message.metadata, event.position, message.occurred_at_offset
from mosshead.lanes as lane
cross join lateral (
    select event_id, position from mosshead.events as waiting
    where waiting.tenant_id = lane.tenant_id and waiting.namespace_id = lane.namespace_id
      and waiting.state = 'received' and waiting.batch_id is null
    union all
    select event_id, position from mosshead.events as at_work
    where at_work.tenant_id = lane.tenant_id and at_work.namespace_id = lane.namespace_id
      and at_work.batch_id = lane.batch_id and at_work.state = 'received'
) as event
join mosshead.messages as message
  on message.tenant_id = lane.tenant_id and message.namespace_id = lane.namespace_id and message.message_id = event.event_id
where lane.tenant_id = mosshead.current_tenant();

create view mosshead_read_v1.summaries as
select tenant_id, namespace_id, conversation_id, content, up_to, version, updated_at
from mosshead.summaries
where tenant_id = mosshead.current_tenant();

-- How far each publisher's events have come. pending: counted as it changes, so that a read costs the same however much waits.
-- at_work: a batch is on its way through the stages, profiles wait for their refresh, or a reflection is due. A reflection that waits for
-- a quiet time does not count: that may be minutes away.
create view mosshead_read_v1.progress with (security_barrier) as
select publisher.tenant_id, publisher.namespace_id, publisher.publisher_id, publisher.received_up_to,
       publisher.consolidated_up_to,
       lane.batch_id is not null or lane.profiles_due_at is not null
           or coalesce(lane.reflections_due_at <= now(), false) as at_work,
       lane.pending
from mosshead.publishers as publisher
join mosshead.lanes as lane using (tenant_id, namespace_id)
where publisher.tenant_id = mosshead.current_tenant();

-- Memories, in every version. Known now: known_to is null and state = 'active'.
create view mosshead_read_v1.memories as
select tenant_id, namespace_id, memory_id, version, kind, content, salience, factors, confidence, tier, reinforced, attribute,
       value, state, superseded_by, occurred_from, occurred_to, granularity, valid_from, valid_to, known_from, known_to,
       said_by, marked, record_name, record, key, valid_from_offset, occurred_from_offset, occurred_to_offset
from mosshead.memories;

-- By which words a memory is found beside its own, if they were made of its content as it is now.
create view mosshead_read_v1.expansions as
select tenant_id, namespace_id, memory_id, made_of, search from mosshead.expansions;

create view mosshead_read_v1.provenance as
select tenant_id, namespace_id, memory_id, message_id, quote, stance from mosshead.memory_sources where known_to is null;

create view mosshead_read_v1.edges as
select tenant_id, namespace_id, from_id, to_id, kind, weight from mosshead.memory_edges where known_to is null;

create view mosshead_read_v1.decisions as
select tenant_id, namespace_id, decision_id, action, memory_id, target_id, target_version, fact, candidates, decided_by,
       prompt_version, reason, decided_at, position, batch_id, extracted_by, refused, undoes, in_effect, hidden
from mosshead.decisions;

create view mosshead_read_v1.decision_memories as
select tenant_id, namespace_id, memory_id, decision_id, changed from mosshead.decision_memories;

create view mosshead_read_v1.entities as
select tenant_id, namespace_id, entity_id, name, entity_type, description, parent_id, tags, is_user, created_at, key, search
from mosshead.entities where known_to is null;

create view mosshead_read_v1.aliases as
select tenant_id, namespace_id, entity_id, alias, normalised, first_word, last_word, initials
from mosshead.entity_aliases where known_to is null;

create view mosshead_read_v1.memory_entities as
select tenant_id, namespace_id, memory_id, entity_id, role, certainty from mosshead.memory_entities where known_to is null;

create view mosshead_read_v1.relations as
select tenant_id, namespace_id, relation_id, subject_id, predicate, object_id, memory_id, valid_from, valid_to
from mosshead.relations where known_to is null;

-- An entity that is no more, because it was merged into another, has no profile.
create view mosshead_read_v1.profiles as
select tenant_id, namespace_id, entity_id, summary, version, dirty_since, refreshed_at
from mosshead.profiles as profile
where exists (
    select from mosshead.entities as entity
    where entity.tenant_id = profile.tenant_id and entity.namespace_id = profile.namespace_id
      and entity.entity_id = profile.entity_id and entity.known_to is null);

create view mosshead_read_v1.questions as
select tenant_id, namespace_id, question_id, text, candidates, asked_at, answered_at, mention, memory_id, role, message_id,
       conversation_id, answer_id
from mosshead.questions where known_to is null;

create view mosshead_read_v1.examples as
select tenant_id, namespace_id, example_id, mention, text, entity_id, others, conversation_id
from mosshead.examples where known_to is null;

create view mosshead_read_v1.traits as
select tenant_id, namespace_id, entity_id, model, owner_kind, owner_id, embedding, words, compact,
       expansion
from mosshead.traits;

create view mosshead_read_v1.documents as
select tenant_id, namespace_id, document_id, schema_name, body, version, known_from as updated_at, fields, made_by
from mosshead.documents where known_to is null;

create view mosshead_read_v1.prompts as
select tenant_id, namespace_id, name, version, template, syntax, optimizer, instructions, when_to_update, made_by, reason, restores,
       made_at, decision_id
from mosshead.prompts;

-- Without the conversations: what waits, and what it led to.
create view mosshead_read_v1.prompt_feedback as
select tenant_id, namespace_id, feedback_id, name, comment, score, given_at, used_at, used_by, version
from mosshead.prompt_feedback;

create view mosshead_read_v1.erasures as
select tenant_id, namespace_id, erasure_id, scope, asked_at, erased_at, rows, late, rewritten_at from mosshead.erasures;

-- What searches scan ------------------------------------------------------------------------------------------------------

create view mosshead_read_v1.embeddings as
select tenant_id, namespace_id, model, owner_kind, owner_id, embedding, version, words, length, terms, compact
from mosshead.embeddings;

create view mosshead_read_v1.turns as
select tenant_id, namespace_id, model, message_id, conversation_id, said_at, role, speaker, embedding, with_before, words, length,
       terms, compact
from mosshead.turns;

-- The words of what is known now, stemmed, with how often each occurs.
create view mosshead_read_v1.terms as
select tenant_id, namespace_id, memory_id, word.lexeme as term, cardinality(word.positions) as frequency
from mosshead.memories cross join lateral unnest(search) as word
where known_to is null and state = 'active';

create view mosshead_read_v1.vocabulary as
select tenant_id, namespace_id, model, scanned, lexeme, holders, occurrences, term from mosshead.vocabulary;

-- Where indexed is true, a search that names the scope in literals may go through its index; elsewhere search is exact.
create view mosshead_read_v1.scopes with (security_barrier) as
select tenant_id, namespace_id, model, indexed, memories, turns_indexed, turns
from mosshead.scopes where tenant_id = mosshead.current_tenant();

-- Which rows of a large scope hold words. A large scope has an index of its words, and no reader could use it: Postgres lets no condition
-- with @@ into an index beneath row-level security, for @@ is not known to keep what it sees to itself. So this function looks, as a role
-- that sees all rows of the two tables, and returns only ids of rows of the transaction's tenant.
--
-- scanned: 'memories' or 'turns'. sought: queries, each of which finds what the one before finds, and more; the first that finds enough
-- is the last that is asked. most: the largest number of rows, any of those that there are.
create function mosshead_read_v1.holding(
    scanned text, namespace_id uuid, model text, sought text[], enough integer, most integer
) returns setof uuid
    language plpgsql stable security definer rows 100 set search_path = pg_catalog, pg_temp
    set enable_seqscan = off set enable_indexscan = off set enable_indexonlyscan = off
as $$
declare
    query text;
    found uuid[] := '{}';
begin
    foreach query in array sought loop
        -- The scope is in literals, as it is in the condition of the index.
        execute format(
            'select array(select %s and tenant_id = %L::uuid and namespace_id = %L::uuid and model = %L and words @@ $1 limit $2)',
            case scanned when 'turns' then 'message_id from mosshead.turns where true'
                         else 'owner_id from mosshead.embeddings where owner_kind = ''memory''' end,
            mosshead.current_tenant(), namespace_id, model
        ) into found using query::tsquery, most;
        exit when cardinality(found) >= enough;
    end loop;
    return query select unnest(found);
end
$$;

-- What the server knows a token by. The owner sees the tokens of all tenants (policies.sql), so the view asks for the tenant itself.
create view mosshead_read_v1.api_tokens with (security_barrier) as
select tenant_id, token_id, digest, prefix, scopes
from mosshead.api_tokens
where tenant_id = mosshead.current_tenant() and (expires_at is null or expires_at > now());

-- Whether any tenant has a token: without one the server opens no address that others reach.
create function mosshead_read_v1.has_api_tokens() returns boolean
    language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
    select exists (select from mosshead.api_tokens where expires_at is null or expires_at > now())
$$;

-- How things were: the rows of all times -----------------------------------------------------------------------------------

create view mosshead_read_v1.entities_over_time as
select tenant_id, namespace_id, entity_id, name, entity_type, description, parent_id, tags, is_user, known_from, known_to, key
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

create view mosshead_read_v1.documents_over_time as
select tenant_id, namespace_id, document_id, schema_name, body, version, fields, known_from, known_to, made_by, ended_by
from mosshead.documents;
