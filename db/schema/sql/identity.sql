-- Identity: the questions that stay open when a name fits several entities, the answers, and what tells namesakes apart.

-- One row for each memory that waits for the answer; those of one question share its id, and are answered together. Meanwhile the
-- memory is unsurely about each candidate. Open: answered_at is null.
create table mosshead.questions (
    tenant_id        uuid not null,
    namespace_id     uuid not null,
    question_id      uuid not null,
    text             text not null,
    candidates       uuid[] not null default '{}',
    asked_at         timestamptz not null default now(),
    answered_at      timestamptz,
    mention          text not null,
    memory_id        uuid not null,
    role             text not null check (role in ('subject', 'object', 'about')), -- of the mention in the memory
    message_id       uuid not null,
    conversation_id  text,
    relations        jsonb not null default '[]',              -- [[subject, predicate, object]], null for the mention
    answer_id        uuid,                                     -- the entity that was meant
    known_from       timestamptz not null default clock_timestamp(),
    known_to         timestamptz,
    made_by          uuid,
    ended_by         uuid,
    primary key (tenant_id, namespace_id, question_id, memory_id, known_from)
);
create unique index questions_now on mosshead.questions (tenant_id, namespace_id, question_id, memory_id)
    where known_to is null;
create index questions_of_memory on mosshead.questions (tenant_id, namespace_id, memory_id);

-- Answers are kept: what was said around a mention, and who was meant by it. The vector of the text without the mention is an
-- embedding of owner_kind 'example'.
create table mosshead.examples (
    tenant_id        uuid not null,
    namespace_id     uuid not null,
    example_id       uuid not null,
    mention          text not null,
    text             text not null,
    entity_id        uuid not null,
    others           uuid[] not null default '{}',             -- who might have been meant
    message_id       uuid,                                     -- where the service asked, of what was said in it
    conversation_id  text,
    known_from       timestamptz not null,
    known_to         timestamptz,
    made_by          uuid,
    ended_by         uuid,
    primary key (tenant_id, namespace_id, example_id, known_from)
);
create unique index examples_now on mosshead.examples (tenant_id, namespace_id, example_id) where known_to is null;
create index examples_of_entity on mosshead.examples (tenant_id, namespace_id, entity_id);

-- One row for each memory that is known now and surely about an entity, and for each answer that says who was meant: its vector
-- and its words side by side, in the order in which candidates are compared, so that one scan reads 500 of them. It repeats what stands
-- elsewhere; triggers keep it true in the transaction that changes that, whoever does. The indexes are as those of embeddings.
create table mosshead.traits (
    tenant_id     uuid not null,
    namespace_id  uuid not null,
    entity_id     uuid not null,
    model         text not null,
    owner_kind    text not null check (owner_kind in ('memory', 'example')),
    owner_id      uuid not null,
    embedding     halfvec not null,
    words         tsvector not null,                           -- without places
    expansion     tsvector,                                    -- of a memory: the words of its expansion, if any, likewise
    compact       boolean not null generated always as
        (vector_dims(embedding) <= 768 and octet_length(cast(words as text)) <= 500
         and (expansion is null or vector_dims(embedding) <= 512 and octet_length(cast(expansion as text)) <= 500)) stored,
    primary key (tenant_id, namespace_id, entity_id, model, owner_id)
) with (
    autovacuum_analyze_threshold = 50, autovacuum_analyze_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.02
);
create index traits_of_owner on mosshead.traits (tenant_id, namespace_id, owner_id, entity_id);
create index traits_side_by_side on mosshead.traits (tenant_id, namespace_id, model, entity_id)
    include (owner_kind, owner_id, embedding, words, expansion) where compact;
create index traits_at_large on mosshead.traits (tenant_id, namespace_id, model, entity_id) where not compact;

-- Brings the traits of some owners, memories or examples, up to date.
create function mosshead.refresh_traits(of_tenant uuid, of_namespace uuid, owners uuid[]) returns void
    language plpgsql set plan_cache_mode = force_generic_plan as $$
declare
    concerned uuid[];
begin
    -- Most of what is written concerns nobody yet: a memory and its vector come before its links.
    select array_agg(owner) into concerned
    from unnest(owners) as owner
    where exists (select from mosshead.memory_entities as link
                  where link.tenant_id = of_tenant and link.namespace_id = of_namespace and link.memory_id = owner
                    and link.known_to is null and link.certainty = 'sure')
       or exists (select from mosshead.traits as trait
                  where trait.tenant_id = of_tenant and trait.namespace_id = of_namespace and trait.owner_id = owner)
       or exists (select from mosshead.examples as example
                  where example.tenant_id = of_tenant and example.namespace_id = of_namespace and example.example_id = owner
                    and example.known_to is null);
    if concerned is null then
        return;
    end if;

    delete from mosshead.traits as trait
    where trait.tenant_id = of_tenant and trait.namespace_id = of_namespace and trait.owner_id = any(concerned)
      and not exists (
        select from mosshead.embeddings as vector
        where vector.tenant_id = of_tenant and vector.namespace_id = of_namespace and vector.model = trait.model
          and vector.owner_kind = trait.owner_kind and vector.owner_id = trait.owner_id
          and case when trait.owner_kind = 'memory' then exists (
                select from mosshead.memory_entities as link
                where link.tenant_id = of_tenant and link.namespace_id = of_namespace and link.memory_id = trait.owner_id
                  and link.entity_id = trait.entity_id and link.known_to is null and link.certainty = 'sure'
              ) and exists (
                select from mosshead.memories as memory
                where memory.tenant_id = of_tenant and memory.namespace_id = of_namespace
                  and memory.memory_id = trait.owner_id and memory.known_to is null and memory.state = 'active'
              )
              else exists (
                select from mosshead.examples as example
                where example.tenant_id = of_tenant and example.namespace_id = of_namespace
                  and example.example_id = trait.owner_id and example.entity_id = trait.entity_id and example.known_to is null
              ) end
      );

    insert into mosshead.traits as trait
        (tenant_id, namespace_id, entity_id, model, owner_kind, owner_id, embedding, words, expansion)
    select of_tenant, of_namespace, wanted.* from (
        (select distinct on (link.entity_id, vector.model, vector.owner_id)
               link.entity_id, vector.model, vector.owner_kind, vector.owner_id, vector.embedding, strip(memory.search) as words,
               nullif(strip(ts_filter(vector.words, '{a}')), '') as expansion
        from mosshead.memory_entities as link
        join mosshead.memories as memory
          on memory.tenant_id = of_tenant and memory.namespace_id = of_namespace and memory.memory_id = link.memory_id
         and memory.known_to is null and memory.state = 'active'
        join mosshead.embeddings as vector
          on vector.tenant_id = of_tenant and vector.namespace_id = of_namespace and vector.owner_kind = 'memory'
         and vector.model = any(array(select model from mosshead.models)) and vector.owner_id = link.memory_id
        where link.tenant_id = of_tenant and link.namespace_id = of_namespace and link.memory_id = any(concerned)
          and link.known_to is null and link.certainty = 'sure'
        order by link.entity_id, vector.model, vector.owner_id, vector.version desc)
        union all
        select example.entity_id, vector.model, vector.owner_kind, vector.owner_id, vector.embedding,
               strip(to_tsvector('english', example.text)), null
        from mosshead.examples as example
        join mosshead.embeddings as vector
          on vector.tenant_id = of_tenant and vector.namespace_id = of_namespace and vector.owner_kind = 'example'
         and vector.model = any(array(select model from mosshead.models)) and vector.owner_id = example.example_id
        where example.tenant_id = of_tenant and example.namespace_id = of_namespace and example.example_id = any(concerned)
          and example.known_to is null
    ) as wanted
    on conflict (tenant_id, namespace_id, entity_id, model, owner_id) do update
        set embedding = excluded.embedding, words = excluded.words, expansion = excluded.expansion
        where (trait.embedding, trait.words, trait.expansion)
            is distinct from (excluded.embedding, excluded.words, excluded.expansion);
end
$$;

-- Runs after each statement with the rows that it touched. Each table has a function of its own, so that it is planned once for each
-- connection. An update that changes none of the columns named here concerns no trait.
do $$
declare
    source record;
begin
    for source in select * from (values
        ('memories', 'memory_id', 'content, state, known_to'),
        ('memory_entities', 'memory_id', 'entity_id, certainty, known_to'),
        ('embeddings', 'owner_id', 'model, owner_kind, version, embedding, words'),
        ('examples', 'example_id', 'entity_id, text, known_to')) as one (name, owner, columns)
    loop
        execute format($function$
            create function mosshead.%1$s_changed() returns trigger language plpgsql as $body$
            declare
                one record;
            begin
                if tg_op = 'UPDATE' then
                    for one in
                        select tenant_id, namespace_id, array_agg(distinct %2$s) as owners from (
                            (select tenant_id, namespace_id, %2$s, %3$s from changed
                             except all select tenant_id, namespace_id, %2$s, %3$s from before)
                            union all
                            (select tenant_id, namespace_id, %2$s, %3$s from before
                             except all select tenant_id, namespace_id, %2$s, %3$s from changed)
                        ) as row group by 1, 2
                    loop
                        perform mosshead.refresh_traits(one.tenant_id, one.namespace_id, one.owners);
                    end loop;
                else
                    for one in select tenant_id, namespace_id, array_agg(distinct %2$s) as owners from changed group by 1, 2 loop
                        perform mosshead.refresh_traits(one.tenant_id, one.namespace_id, one.owners);
                    end loop;
                end if;
                return null;
            end
            $body$;
            create trigger traits_after_insert after insert on mosshead.%1$s referencing new table as changed
                for each statement execute function mosshead.%1$s_changed();
            create trigger traits_after_update after update on mosshead.%1$s referencing old table as before new table as changed
                for each statement execute function mosshead.%1$s_changed();
            create trigger traits_after_delete after delete on mosshead.%1$s referencing old table as changed
                for each statement execute function mosshead.%1$s_changed();
        $function$, source.name, source.owner, source.columns);
    end loop;
end
$$;
