drop schema mosshead_read_v1 cascade;
drop table mosshead.memory_edges, mosshead.decision_memories, mosshead.budgets;

-- What the second version cannot hold: history beside the current rows, what was withdrawn, decisions of other kinds.
do $$
declare
    one uuid;
begin
    for one in select distinct tenant_id from mosshead.lanes loop
        perform set_config('mosshead.tenant_id', one::text, true);
        delete from mosshead.memory_sources where tenant_id = one and (known_to is not null or stance = 'against');
        delete from mosshead.memory_entities where tenant_id = one and known_to is not null;
        delete from mosshead.relations where tenant_id = one and known_to is not null;
        delete from mosshead.entities where tenant_id = one and known_to is not null;
        delete from mosshead.entity_aliases where tenant_id = one and known_to is not null;
        delete from mosshead.embeddings as old where tenant_id = one and exists (
            select from mosshead.embeddings as newer
            where newer.tenant_id = one and newer.namespace_id = old.namespace_id and newer.model = old.model
              and newer.owner_id = old.owner_id and newer.version > old.version);
        delete from mosshead.memories as memory where tenant_id = one and exists (
            select from mosshead.memories as withdrawn
            where withdrawn.tenant_id = one and withdrawn.namespace_id = memory.namespace_id
              and withdrawn.memory_id = memory.memory_id and withdrawn.known_to is null and withdrawn.state = 'withdrawn');
        delete from mosshead.decisions where tenant_id = one and action in ('contradict', 'quarantine', 'undo');
        -- Events of types that only this version carries out.
        update mosshead.events set state = 'dead', reason = 'undone with the migration'
        where tenant_id = one and state = 'received' and type in ('undo', 'configure');
        insert into mosshead.dead_letters (tenant_id, namespace_id, letter_id, origin, reason)
        select tenant_id, namespace_id, event_id, 'stage', reason from mosshead.events
        where tenant_id = one and state = 'dead' and type in ('undo', 'configure') on conflict do nothing;
        update mosshead.lanes as lane set pending = (
            select count(*) from mosshead.events
            where events.tenant_id = one and events.namespace_id = lane.namespace_id and events.state = 'received')
        where lane.tenant_id = one;
    end loop;
    perform set_config('mosshead.tenant_id', '', true);
end
$$;

alter table mosshead.events drop column formed_by;
drop index mosshead.batches_over_budget;
alter table mosshead.batches drop column formed_by, drop column over_budget_at;
drop index mosshead.usage_of_tenant;
alter table mosshead.usage drop column stage;
alter table mosshead.namespaces drop column instructions, drop column schemas, drop column configured_at;

drop index mosshead.decisions_in_order;
alter table mosshead.decisions
    drop column position, drop column extracted_by, drop column refused, drop column undoes, drop column in_effect,
    drop column entities, drop constraint decisions_action_check,
    alter column fact set not null,
    add constraint decisions_action_check check (action in ('add', 'update', 'supersede', 'none'));

alter table mosshead.embeddings
    drop constraint embeddings_pkey,
    add primary key (tenant_id, namespace_id, model, owner_kind, owner_id),
    drop column version;

drop index mosshead.entity_aliases_now;
alter table mosshead.entity_aliases
    drop constraint entity_aliases_pkey, add primary key (tenant_id, namespace_id, normalised, entity_id),
    drop column known_from, drop column known_to, drop column made_by, drop column ended_by;

drop index mosshead.entities_user, mosshead.entities_now;
alter table mosshead.entities
    drop constraint entities_pkey, add primary key (tenant_id, namespace_id, entity_id),
    drop column known_from, drop column known_to, drop column made_by, drop column ended_by;
create unique index entities_user on mosshead.entities (tenant_id, namespace_id) where is_user;

drop index mosshead.relations_now;
alter table mosshead.relations
    drop constraint relations_pkey, add primary key (tenant_id, namespace_id, relation_id),
    add unique (tenant_id, namespace_id, memory_id, subject_id, predicate, object_id),
    drop column known_from, drop column known_to, drop column made_by, drop column ended_by;

drop index mosshead.memory_entities_now;
alter table mosshead.memory_entities
    drop constraint memory_entities_pkey, add primary key (tenant_id, namespace_id, memory_id, entity_id),
    drop column known_from, drop column known_to, drop column made_by, drop column ended_by;

drop index mosshead.memory_sources_now;
alter table mosshead.memory_sources
    drop constraint memory_sources_pkey, add primary key (tenant_id, namespace_id, memory_id, message_id),
    drop column stance, drop column known_from, drop column known_to, drop column made_by, drop column ended_by;

alter table mosshead.memories
    drop column made_by, drop column ended_by, drop column said_by, drop column marked, drop column record_name,
    drop column record, drop constraint memories_state_check,
    add constraint memories_state_check check (state in ('active', 'superseded'));
