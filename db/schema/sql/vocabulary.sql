-- Counts that triggers keep, in the transaction that changes the rows: how common each word is, and how large each scope.

-- How many rows of a namespace and model hold a word; under '' how many rows there are, and how many words in all. Writers of one scope
-- wait for each other at the row '', which comes first.
create table mosshead.vocabulary (
    tenant_id     uuid not null,
    namespace_id  uuid not null,
    model         text not null references mosshead.models,
    scanned       text not null,                            -- 'memories' or 'turns'
    lexeme        text collate "C" not null,
    holders       bigint not null,
    occurrences   bigint not null default 0,
    term          integer not null generated always as (mosshead.term(lexeme)) stored,
    primary key (tenant_id, namespace_id, model, scanned, lexeme)
) with (fillfactor = 80);

-- A row that came (sign 1) or went (-1).
create type mosshead.worded as (tenant_id uuid, namespace_id uuid, model text, words tsvector, length integer, sign integer);

-- In the order of the key, so that two writers never wait for each other.
create function mosshead.count_words(scanned text, changed mosshead.worded[]) returns void language sql as $$
    insert into mosshead.vocabulary as known (tenant_id, namespace_id, model, scanned, lexeme, holders, occurrences)
    select tenant_id, namespace_id, model, $1, lexeme, sum(sign), sum(sign * occurrences)
    from (select tenant_id, namespace_id, model, '' as lexeme, sign, coalesce(length, 0) as occurrences from unnest($2)
          union all
          select tenant_id, namespace_id, model, word, sign, 0 from unnest($2) cross join unnest(tsvector_to_array(words)) as word
         ) as one
    group by tenant_id, namespace_id, model, lexeme having sum(sign) <> 0 or sum(sign * occurrences) <> 0
    order by tenant_id, namespace_id, model, lexeme collate "C"
    on conflict (tenant_id, namespace_id, model, scanned, lexeme)
    do update set holders = known.holders + excluded.holders, occurrences = known.occurrences + excluded.occurrences
$$;

create function mosshead.words_came() returns trigger language plpgsql as $$
begin
    if tg_table_name = 'turns' then
        perform mosshead.count_words('turns', array_agg((tenant_id, namespace_id, model, words, length, 1)::mosshead.worded))
        from came having count(*) > 0;
    else
        perform mosshead.count_words('memories', array_agg((tenant_id, namespace_id, model, words, length, 1)::mosshead.worded))
        from came where owner_kind = 'memory' having count(*) > 0;
    end if;
    return null;
end
$$;

create function mosshead.words_went() returns trigger language plpgsql as $$
begin
    if tg_table_name = 'turns' then
        perform mosshead.count_words('turns', array_agg((tenant_id, namespace_id, model, words, length, -1)::mosshead.worded))
        from went having count(*) > 0;
    else
        perform mosshead.count_words('memories', array_agg((tenant_id, namespace_id, model, words, length, -1)::mosshead.worded))
        from went where owner_kind = 'memory' having count(*) > 0;
    end if;
    return null;
end
$$;

create function mosshead.words_changed() returns trigger language plpgsql as $$
begin
    perform mosshead.count_words('memories', array_agg((tenant_id, namespace_id, model, words, length, sign)::mosshead.worded))
    from (select tenant_id, namespace_id, model, words, length, owner_kind, 1 as sign from came
          union all
          select tenant_id, namespace_id, model, words, length, owner_kind, -1 from went) as one
    where owner_kind = 'memory' having count(*) > 0;
    return null;
end
$$;

create trigger vocabulary_after_insert after insert on mosshead.embeddings referencing new table as came
    for each statement execute function mosshead.words_came();
create trigger vocabulary_after_update after update on mosshead.embeddings referencing old table as went new table as came
    for each statement execute function mosshead.words_changed();
create trigger vocabulary_after_delete after delete on mosshead.embeddings referencing old table as went
    for each statement execute function mosshead.words_went();
create trigger vocabulary_after_insert after insert on mosshead.turns referencing new table as came
    for each statement execute function mosshead.words_came();
create trigger vocabulary_after_delete after delete on mosshead.turns referencing old table as went
    for each statement execute function mosshead.words_went();

-- How many vectors of memories and of messages a namespace has of a model. A scope that outgrows a scan gets indexes of its own, which
-- `mosshead service index` builds beside the running service. Ids and numbers only, and no policy: that command looks across tenants.
create table mosshead.scopes (
    tenant_id      uuid not null,
    namespace_id   uuid not null,
    model          text not null references mosshead.models,
    memories       bigint not null default 0,
    indexed        boolean not null default false,          -- the memories have indexes of their own
    turns          bigint not null default 0,
    turns_indexed  boolean not null default false,
    primary key (tenant_id, namespace_id, model)
);

create function mosshead.count_memories() returns trigger language plpgsql as $$
begin
    if tg_op = 'INSERT' then
        insert into mosshead.scopes as scope (tenant_id, namespace_id, model, memories)
        select tenant_id, namespace_id, model, count(*) from came where owner_kind = 'memory'
        group by tenant_id, namespace_id, model order by tenant_id, namespace_id, model
        on conflict (tenant_id, namespace_id, model) do update set memories = scope.memories + excluded.memories;
    elsif tg_op = 'DELETE' then
        update mosshead.scopes as scope set memories = scope.memories - gone.memories
        from (select tenant_id, namespace_id, model, count(*) as memories from went where owner_kind = 'memory'
              group by tenant_id, namespace_id, model) as gone
        where (scope.tenant_id, scope.namespace_id, scope.model) = (gone.tenant_id, gone.namespace_id, gone.model);
    else
        insert into mosshead.scopes as scope (tenant_id, namespace_id, model, memories)
        select tenant_id, namespace_id, model, sum(one) from (
            select tenant_id, namespace_id, model, 1 as one from came where owner_kind = 'memory'
            union all
            select tenant_id, namespace_id, model, -1 from went where owner_kind = 'memory') as changed
        group by tenant_id, namespace_id, model having sum(one) <> 0 order by tenant_id, namespace_id, model
        on conflict (tenant_id, namespace_id, model) do update set memories = scope.memories + excluded.memories;
    end if;
    return null;
end
$$;

create function mosshead.count_turns() returns trigger language plpgsql as $$
begin
    if tg_op = 'INSERT' then
        insert into mosshead.scopes as scope (tenant_id, namespace_id, model, turns)
        select tenant_id, namespace_id, model, count(*) from came
        group by tenant_id, namespace_id, model order by tenant_id, namespace_id, model
        on conflict (tenant_id, namespace_id, model) do update set turns = scope.turns + excluded.turns;
    else
        update mosshead.scopes as scope set turns = scope.turns - gone.turns
        from (select tenant_id, namespace_id, model, count(*) as turns from went group by tenant_id, namespace_id, model) as gone
        where (scope.tenant_id, scope.namespace_id, scope.model) = (gone.tenant_id, gone.namespace_id, gone.model);
    end if;
    return null;
end
$$;

create trigger scopes_after_insert after insert on mosshead.embeddings referencing new table as came
    for each statement execute function mosshead.count_memories();
create trigger scopes_after_update after update on mosshead.embeddings referencing old table as went new table as came
    for each statement execute function mosshead.count_memories();
create trigger scopes_after_delete after delete on mosshead.embeddings referencing old table as went
    for each statement execute function mosshead.count_memories();
create trigger scopes_after_insert after insert on mosshead.turns referencing new table as came
    for each statement execute function mosshead.count_turns();
create trigger scopes_after_delete after delete on mosshead.turns referencing old table as went
    for each statement execute function mosshead.count_turns();
