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
create function mosshead.count_words(scanned text, changed mosshead.worded[]) returns void language plpgsql as $$
#variable_conflict use_column
begin
    insert into mosshead.vocabulary as known (tenant_id, namespace_id, model, scanned, lexeme, holders, occurrences)
    select tenant_id, namespace_id, model, $1, lexeme, sum(sign), sum(sign * occurrences)
    from (select tenant_id, namespace_id, model, '' as lexeme, sign, coalesce(length, 0) as occurrences from unnest($2)
          union all
          select tenant_id, namespace_id, model, word, sign, 0 from unnest($2) cross join unnest(tsvector_to_array(words)) as word
         ) as one
    group by tenant_id, namespace_id, model, lexeme having sum(sign) <> 0 or sum(sign * occurrences) <> 0
    order by tenant_id, namespace_id, model, lexeme collate "C"
    on conflict (tenant_id, namespace_id, model, scanned, lexeme)
    do update set holders = known.holders + excluded.holders, occurrences = known.occurrences + excluded.occurrences;
end
$$;

create function mosshead.words_came() returns trigger language plpgsql as $$
begin
    if tg_argv[0] = 'turns' then
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
    if tg_argv[0] = 'turns' then
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
    for each statement execute function mosshead.words_came('memories');
create trigger vocabulary_after_update after update on mosshead.embeddings referencing old table as went new table as came
    for each statement execute function mosshead.words_changed();
create trigger vocabulary_after_delete after delete on mosshead.embeddings referencing old table as went
    for each statement execute function mosshead.words_went('memories');
create trigger vocabulary_after_insert after insert on mosshead.turns referencing new table as came
    for each statement execute function mosshead.words_came('turns');
create trigger vocabulary_after_delete after delete on mosshead.turns referencing old table as went
    for each statement execute function mosshead.words_went('turns');

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

-- Adds to the counts of a scope, or subtracts.
create function mosshead.count_scope(of_tenant uuid, of_namespace uuid, of_model text, more_memories bigint, more_turns bigint)
    returns void language plpgsql as $$
begin
    update mosshead.scopes as scope set memories = scope.memories + more_memories, turns = scope.turns + more_turns
    where scope.tenant_id = of_tenant and scope.namespace_id = of_namespace and scope.model = of_model;
    if not found and (more_memories > 0 or more_turns > 0) then
        insert into mosshead.scopes as scope (tenant_id, namespace_id, model, memories, turns)
        values (of_tenant, of_namespace, of_model, more_memories, more_turns)
        on conflict (tenant_id, namespace_id, model)
        do update set memories = scope.memories + excluded.memories, turns = scope.turns + excluded.turns;
    end if;
end
$$;

create function mosshead.count_memories() returns trigger language plpgsql as $$
declare
    one  record;
begin
    if tg_op = 'INSERT' then
        for one in select tenant_id, namespace_id, model, count(*) as more from came where owner_kind = 'memory'
                   group by tenant_id, namespace_id, model order by tenant_id, namespace_id, model loop
            perform mosshead.count_scope(one.tenant_id, one.namespace_id, one.model, one.more, 0);
        end loop;
    elsif tg_op = 'DELETE' then
        for one in select tenant_id, namespace_id, model, -count(*) as more from went where owner_kind = 'memory'
                   group by tenant_id, namespace_id, model order by tenant_id, namespace_id, model loop
            perform mosshead.count_scope(one.tenant_id, one.namespace_id, one.model, one.more, 0);
        end loop;
    else
        for one in select tenant_id, namespace_id, model, sum(sign) as more from (
                       select tenant_id, namespace_id, model, 1 as sign from came where owner_kind = 'memory'
                       union all
                       select tenant_id, namespace_id, model, -1 from went where owner_kind = 'memory') as changed
                   group by tenant_id, namespace_id, model having sum(sign) <> 0 order by tenant_id, namespace_id, model loop
            perform mosshead.count_scope(one.tenant_id, one.namespace_id, one.model, one.more, 0);
        end loop;
    end if;
    return null;
end
$$;

create function mosshead.count_turns() returns trigger language plpgsql as $$
declare
    one  record;
begin
    if tg_op = 'INSERT' then
        for one in select tenant_id, namespace_id, model, count(*) as more from came
                   group by tenant_id, namespace_id, model order by tenant_id, namespace_id, model loop
            perform mosshead.count_scope(one.tenant_id, one.namespace_id, one.model, 0, one.more);
        end loop;
    else
        for one in select tenant_id, namespace_id, model, -count(*) as more from went
                   group by tenant_id, namespace_id, model order by tenant_id, namespace_id, model loop
            perform mosshead.count_scope(one.tenant_id, one.namespace_id, one.model, 0, one.more);
        end loop;
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
