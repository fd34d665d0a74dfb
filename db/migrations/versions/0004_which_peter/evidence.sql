-- How names are looked up ---------------------------------------------------------------------------------------------------

-- As mosshead.names.name_key: without article or title, hyphens, apostrophes, and the e of "ue" for "ü".
create function mosshead.name_key(normalised text) returns text
    language sql immutable strict parallel safe
    return regexp_replace(regexp_replace(regexp_replace(btrim(
        translate(normalised, U&'-\2010\2011\2012\2013\2014/,;:()"\201C\201D\201E\00AB\00BB_\00F8\0142\0111\00F0\0131\00E6\0153.''\2019\02BC`\00B4',
                  '                   olddiao')),
        ' +', ' ', 'g'),
        '^((a|an|das|der|die|dr|miss|mr|mrs|ms|prof|professor|sir|the) )+(?=.)', ''),
        '(?<=[aou])e', '', 'g');

-- A message's words find a name by its first or last word, or by its initials; where it stands there in full, mosshead.matching says.
alter table mosshead.entity_aliases
    add column first_word     text not null generated always as (split_part(mosshead.name_key(normalised), ' ', 1)) stored,
    add column last_word      text not null generated always as (split_part(mosshead.name_key(normalised), ' ', -1)) stored,
    add column initials       text generated always as (case when mosshead.name_key(normalised) like '% % %' then
        regexp_replace(mosshead.name_key(normalised), '([^ ])[^ ]* *', '\1', 'g') end) stored;
create index entity_aliases_first on mosshead.entity_aliases (tenant_id, namespace_id, first_word) where known_to is null;
create index entity_aliases_last on mosshead.entity_aliases (tenant_id, namespace_id, last_word)
    where known_to is null and last_word <> first_word;
create index entity_aliases_initials on mosshead.entity_aliases (tenant_id, namespace_id, initials)
    where known_to is null and initials is not null;

create or replace view mosshead_read_v1.aliases as
select tenant_id, namespace_id, entity_id, alias, normalised, first_word, last_word, initials
from mosshead.entity_aliases where known_to is null;

revoke all on function mosshead.name_key from public;
grant execute on function mosshead.name_key to mosshead_worker, mosshead_admin;

-- What tells namesakes apart --------------------------------------------------------------------------------------------------

-- One row for each memory that is known now and surely about an entity, and for each answer that says who was meant: its vector
-- and its words side by side, in the order in which candidates are compared, so that 500 of them are read in one scan. It repeats
-- what stands elsewhere; triggers keep it true in the transaction that changes that, whoever does.
create table mosshead.traits (
    tenant_id     uuid not null,
    namespace_id  uuid not null,
    entity_id     uuid not null,
    model         text not null,
    owner_kind    text not null check (owner_kind in ('memory', 'example')),
    owner_id      uuid not null,
    embedding     halfvec not null,
    words         tsvector not null,                        -- without places
    primary key (tenant_id, namespace_id, entity_id, model, owner_id)
);
create index traits_of_owner on mosshead.traits (tenant_id, namespace_id, owner_id, entity_id);
alter table mosshead.traits set (autovacuum_analyze_threshold = 50, autovacuum_analyze_scale_factor = 0.02);

alter table mosshead.entities
    add column search tsvector not null generated always as
        (strip(to_tsvector('english', name || ' ' || coalesce(description, '')))) stored;

create or replace view mosshead_read_v1.entities as
select tenant_id, namespace_id, entity_id, name, entity_type, description, parent_id, tags, is_user, created_at, key, search
from mosshead.entities where known_to is null;

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
          and case trait.owner_kind
              when 'memory' then exists (
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

    insert into mosshead.traits as trait (tenant_id, namespace_id, entity_id, model, owner_kind, owner_id, embedding, words)
    select of_tenant, of_namespace, wanted.* from (
        (select distinct on (link.entity_id, vector.model, vector.owner_id)
               link.entity_id, vector.model, vector.owner_kind, vector.owner_id, vector.embedding, strip(memory.search) as words
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
               strip(to_tsvector('english', example.text))
        from mosshead.examples as example
        join mosshead.embeddings as vector
          on vector.tenant_id = of_tenant and vector.namespace_id = of_namespace and vector.owner_kind = 'example'
         and vector.model = any(array(select model from mosshead.models)) and vector.owner_id = example.example_id
        where example.tenant_id = of_tenant and example.namespace_id = of_namespace and example.example_id = any(concerned)
          and example.known_to is null
    ) as wanted
    on conflict (tenant_id, namespace_id, entity_id, model, owner_id) do update
        set embedding = excluded.embedding, words = excluded.words
        where (trait.embedding, trait.words) is distinct from (excluded.embedding, excluded.words);
end
$$;

-- Run after each statement with the rows that it touched. Each table has a function of its own, so that it is planned once for each
-- connection. An update that changes none of the columns named here concerns no trait.
do $$
declare
    source record;
begin
    for source in select * from (values
        ('memories', 'memory_id', 'content, state, known_to'),
        ('memory_entities', 'memory_id', 'entity_id, certainty, known_to'),
        ('embeddings', 'owner_id', 'model, owner_kind, version, embedding'),
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
            revoke all on function mosshead.%1$s_changed from public;
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

alter table mosshead.traits enable row level security;
alter table mosshead.traits force row level security;
create policy of_tenant on mosshead.traits using (tenant_id = mosshead.current_tenant());

create view mosshead_read_v1.traits as
select tenant_id, namespace_id, entity_id, model, owner_kind, owner_id, embedding, words from mosshead.traits;

revoke all on function mosshead.refresh_traits from public;
grant execute on function mosshead.refresh_traits to mosshead_worker, mosshead_admin;
grant select, insert, update, delete on mosshead.traits to mosshead_worker, mosshead_admin;
grant select on mosshead.traits to mosshead_backup;

-- What there is already.
do $$
declare
    one uuid;
begin
    for one in select distinct tenant_id from mosshead.lanes loop
        perform set_config('mosshead.tenant_id', one::text, true);
        perform mosshead.refresh_traits(tenant_id, namespace_id, array_agg(distinct memory_id))
        from mosshead.memory_entities where tenant_id = one group by tenant_id, namespace_id;
    end loop;
    perform set_config('mosshead.tenant_id', '', true);
end
$$;
