-- Entities: the people, places and things that memories are about.

-- The name, the type and the user's mark stay; description and parent are learned, and can be unlearned.
create table mosshead.entities (
    tenant_id     uuid not null,
    namespace_id  uuid not null,
    entity_id     uuid not null,
    name          text not null,                            -- not unique: many Peters may live here
    entity_type   text not null,
    description   text,
    parent_id     uuid,
    tags          text[] not null default '{}',
    is_user       boolean not null default false,
    created_at    timestamptz not null default now(),
    known_from    timestamptz not null default clock_timestamp(),
    known_to      timestamptz,
    made_by       uuid,
    ended_by      uuid,
    key           text,                                     -- the app's own name for it
    search        tsvector not null generated always as
        (strip(to_tsvector('english', name || ' ' || coalesce(description, '')))) stored,
    primary key (tenant_id, namespace_id, entity_id, known_from)
) with (autovacuum_analyze_threshold = 50, autovacuum_analyze_scale_factor = 0.02);
create unique index entities_now on mosshead.entities (tenant_id, namespace_id, entity_id) where known_to is null;
create unique index entities_user on mosshead.entities (tenant_id, namespace_id) where is_user and known_to is null;
create unique index entities_of_key on mosshead.entities (tenant_id, namespace_id, key) where known_to is null and key is not null;
create index entities_of_parent on mosshead.entities (tenant_id, namespace_id, parent_id)
    where known_to is null and parent_id is not null;

-- The key under which a name is looked up, here as in the library's name_key: a name without article or title, hyphens, apostrophes,
-- and the e of "ue" for "ü".
create function mosshead.name_key(normalised text) returns text
    language sql immutable strict parallel safe
    return regexp_replace(regexp_replace(regexp_replace(btrim(
        translate(normalised, U&'-\2010\2011\2012\2013\2014/,;:()"\201C\201D\201E\00AB\00BB_\00F8\0142\0111\00F0\0131\00E6\0153.''\2019\02BC`\00B4',
                  '                   olddiao')),
        ' +', ' ', 'g'),
        '^((a|an|das|der|die|dr|miss|mr|mrs|ms|prof|professor|sir|the) )+(?=.)', ''),
        '(?<=[aou])e', '', 'g');

-- The name is an alias too: one look-up finds an entity by any of its names, in lower case and without accents. A message's words find
-- a name by its first or last word, or by its initials; the library then checks whether the name stands there in full.
create table mosshead.entity_aliases (
    tenant_id     uuid not null,
    namespace_id  uuid not null,
    entity_id     uuid not null,
    alias         text not null,
    normalised    text not null,
    known_from    timestamptz not null default clock_timestamp(),
    known_to      timestamptz,
    made_by       uuid,
    ended_by      uuid,
    first_word    text not null generated always as (split_part(mosshead.name_key(normalised), ' ', 1)) stored,
    last_word     text not null generated always as (split_part(mosshead.name_key(normalised), ' ', -1)) stored,
    initials      text generated always as (case when mosshead.name_key(normalised) like '% % %' then
        regexp_replace(mosshead.name_key(normalised), '([^ ])[^ ]* *', '\1', 'g') end) stored,
    primary key (tenant_id, namespace_id, normalised, entity_id, known_from)
) with (autovacuum_analyze_threshold = 50, autovacuum_analyze_scale_factor = 0.02);
create unique index entity_aliases_now on mosshead.entity_aliases (tenant_id, namespace_id, normalised, entity_id)
    where known_to is null;
create index entity_aliases_of_entity on mosshead.entity_aliases (tenant_id, namespace_id, entity_id);
create index entity_aliases_first on mosshead.entity_aliases (tenant_id, namespace_id, first_word) where known_to is null;
create index entity_aliases_last on mosshead.entity_aliases (tenant_id, namespace_id, last_word)
    where known_to is null and last_word <> first_word;
create index entity_aliases_initials on mosshead.entity_aliases (tenant_id, namespace_id, initials)
    where known_to is null and initials is not null;

create table mosshead.memory_entities (
    tenant_id     uuid not null,
    namespace_id  uuid not null,
    memory_id     uuid not null,
    entity_id     uuid not null,
    role          text not null check (role in ('subject', 'object', 'about')),
    certainty     text not null check (certainty in ('sure', 'unsure')),
    known_from    timestamptz not null default clock_timestamp(),
    known_to      timestamptz,
    made_by       uuid,
    ended_by      uuid,
    primary key (tenant_id, namespace_id, memory_id, entity_id, known_from)
) with (autovacuum_analyze_threshold = 50, autovacuum_analyze_scale_factor = 0.02);
create unique index memory_entities_now on mosshead.memory_entities (tenant_id, namespace_id, memory_id, entity_id)
    where known_to is null;
create index memory_entities_of_entity on mosshead.memory_entities (tenant_id, namespace_id, entity_id);
-- What became known of an entity since a time, without a look at all that is known of it.
create index memory_entities_began on mosshead.memory_entities (tenant_id, namespace_id, entity_id, known_from)
    where known_to is null;

create table mosshead.relations (
    tenant_id     uuid not null,
    namespace_id  uuid not null,
    relation_id   uuid not null,
    subject_id    uuid not null,
    predicate     text not null,
    object_id     uuid not null,
    memory_id     uuid not null,                            -- the memory that says so
    valid_from    timestamptz not null,
    valid_to      timestamptz,
    known_from    timestamptz not null default clock_timestamp(),
    known_to      timestamptz,
    made_by       uuid,
    ended_by      uuid,
    primary key (tenant_id, namespace_id, relation_id, known_from)
);
create unique index relations_now on mosshead.relations
    (tenant_id, namespace_id, memory_id, subject_id, predicate, object_id) where known_to is null;
create index relations_of_subject on mosshead.relations (tenant_id, namespace_id, subject_id);
create index relations_of_object on mosshead.relations (tenant_id, namespace_id, object_id);

-- A profile that was touched is refreshed when nothing touched it for a while, or when its first touch is long enough ago.
create table mosshead.profiles (
    tenant_id     uuid not null,
    namespace_id  uuid not null,
    entity_id     uuid not null,
    summary       text not null default '',
    version       integer not null default 0,
    -- When the transaction of the first touch began: all that changed since the last refresh is known from later on.
    dirty_since   timestamptz,
    refreshed_at  timestamptz,
    touched_at    timestamptz,                              -- the latest touch
    holds         uuid[],                                   -- the memories that the summary rests on; null: to be put together anew
    primary key (tenant_id, namespace_id, entity_id)
) with (autovacuum_analyze_threshold = 50, autovacuum_analyze_scale_factor = 0.02);
create index profiles_dirty on mosshead.profiles (tenant_id, namespace_id, dirty_since) where dirty_since is not null;
create index profiles_touched on mosshead.profiles (tenant_id, namespace_id, touched_at);
