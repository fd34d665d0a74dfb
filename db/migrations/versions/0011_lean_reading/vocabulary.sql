-- How common each word is -------------------------------------------------------------------------------------------------------
--
-- By namespace, model and what is scanned: how many rows hold a word, and under '' how many rows there are, and how many words in all.
-- Triggers keep it, in the transaction that changes the rows. Writers of one scope wait for each other at the row '', which comes first.
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

alter table mosshead.vocabulary enable row level security;
alter table mosshead.vocabulary force row level security;
create policy of_tenant on mosshead.vocabulary using (tenant_id = mosshead.current_tenant());
grant select, insert, update, delete on mosshead.vocabulary to mosshead_worker, mosshead_admin;
grant select on mosshead.vocabulary to mosshead_backup;

create view mosshead_read_v1.vocabulary as
select tenant_id, namespace_id, model, scanned, lexeme, holders, occurrences, term from mosshead.vocabulary;

create type mosshead.worded as (tenant_id uuid, namespace_id uuid, model text, words tsvector, length integer, sign integer);

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
revoke all on function mosshead.count_words, mosshead.words_came, mosshead.words_went, mosshead.words_changed from public;
grant execute on function mosshead.count_words to mosshead_worker, mosshead_admin;

-- Turns are written once and deleted, and never changed.
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

-- What there is already: both tables have row-level security, which binds the owner too, so tenant by tenant.
do $$
declare
    one uuid;
begin
    for one in select distinct tenant_id from mosshead.lanes loop
        perform set_config('mosshead.tenant_id', one::text, true);
        insert into mosshead.vocabulary (tenant_id, namespace_id, model, scanned, lexeme, holders, occurrences)
        select tenant_id, namespace_id, model, scanned, lexeme, count(*), sum(occurrences) from (
            select tenant_id, namespace_id, model, 'memories' as scanned, word as lexeme,
                   case when word = '' then coalesce(length, 0) else 0 end as occurrences
            from mosshead.embeddings cross join unnest(coalesce(tsvector_to_array(words), '{}') || array['']) as word
            where tenant_id = one and owner_kind = 'memory'
            union all
            select tenant_id, namespace_id, model, 'turns', word, case when word = '' then length else 0 end
            from mosshead.turns cross join unnest(tsvector_to_array(words) || array['']) as word
            where tenant_id = one
        ) as words group by tenant_id, namespace_id, model, scanned, lexeme;
    end loop;
    perform set_config('mosshead.tenant_id', '', true);
end
$$;
