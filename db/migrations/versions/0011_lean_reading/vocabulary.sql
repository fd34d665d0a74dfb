-- How common each word is -------------------------------------------------------------------------------------------------------
--
-- By namespace, model and what is scanned: how many rows hold a word, and under '' how many rows there are, and how many words in all.
-- Triggers keep it, in the transaction that changes the rows. Writers of one scope wait for each other at the row '', which comes first.
create table recollect.vocabulary (
    tenant_id     uuid not null,
    namespace_id  uuid not null,
    model         text not null references recollect.models,
    scanned       text not null,                            -- 'memories' or 'turns'
    lexeme        text collate "C" not null,
    holders       bigint not null,
    occurrences   bigint not null default 0,
    term          integer not null generated always as (recollect.term(lexeme)) stored,
    primary key (tenant_id, namespace_id, model, scanned, lexeme)
) with (fillfactor = 80);

alter table recollect.vocabulary enable row level security;
alter table recollect.vocabulary force row level security;
create policy of_tenant on recollect.vocabulary using (tenant_id = recollect.current_tenant());
grant select, insert, update, delete on recollect.vocabulary to recollect_worker, recollect_admin;
grant select on recollect.vocabulary to recollect_backup;

create view recollect_read_v1.vocabulary as
select tenant_id, namespace_id, model, scanned, lexeme, holders, occurrences, term from recollect.vocabulary;

create type recollect.worded as (tenant_id uuid, namespace_id uuid, model text, words tsvector, length integer, sign integer);

create function recollect.count_words(scanned text, changed recollect.worded[]) returns void language sql as $$
    insert into recollect.vocabulary as known (tenant_id, namespace_id, model, scanned, lexeme, holders, occurrences)
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

create function recollect.words_came() returns trigger language plpgsql as $$
begin
    if tg_table_name = 'turns' then
        perform recollect.count_words('turns', array_agg((tenant_id, namespace_id, model, words, length, 1)::recollect.worded))
        from came having count(*) > 0;
    else
        perform recollect.count_words('memories', array_agg((tenant_id, namespace_id, model, words, length, 1)::recollect.worded))
        from came where owner_kind = 'memory' having count(*) > 0;
    end if;
    return null;
end
$$;
create function recollect.words_went() returns trigger language plpgsql as $$
begin
    if tg_table_name = 'turns' then
        perform recollect.count_words('turns', array_agg((tenant_id, namespace_id, model, words, length, -1)::recollect.worded))
        from went having count(*) > 0;
    else
        perform recollect.count_words('memories', array_agg((tenant_id, namespace_id, model, words, length, -1)::recollect.worded))
        from went where owner_kind = 'memory' having count(*) > 0;
    end if;
    return null;
end
$$;
create function recollect.words_changed() returns trigger language plpgsql as $$
begin
    perform recollect.count_words('memories', array_agg((tenant_id, namespace_id, model, words, length, sign)::recollect.worded))
    from (select tenant_id, namespace_id, model, words, length, owner_kind, 1 as sign from came
          union all
          select tenant_id, namespace_id, model, words, length, owner_kind, -1 from went) as one
    where owner_kind = 'memory' having count(*) > 0;
    return null;
end
$$;
revoke all on function recollect.count_words, recollect.words_came, recollect.words_went, recollect.words_changed from public;
grant execute on function recollect.count_words to recollect_worker, recollect_admin;

-- Turns are written once and deleted, and never changed.
create trigger vocabulary_after_insert after insert on recollect.embeddings referencing new table as came
    for each statement execute function recollect.words_came();
create trigger vocabulary_after_update after update on recollect.embeddings referencing old table as went new table as came
    for each statement execute function recollect.words_changed();
create trigger vocabulary_after_delete after delete on recollect.embeddings referencing old table as went
    for each statement execute function recollect.words_went();
create trigger vocabulary_after_insert after insert on recollect.turns referencing new table as came
    for each statement execute function recollect.words_came();
create trigger vocabulary_after_delete after delete on recollect.turns referencing old table as went
    for each statement execute function recollect.words_went();

-- What there is already: both tables have row-level security, which binds the owner too, so tenant by tenant.
do $$
declare
    one uuid;
begin
    for one in select distinct tenant_id from recollect.lanes loop
        perform set_config('recollect.tenant_id', one::text, true);
        insert into recollect.vocabulary (tenant_id, namespace_id, model, scanned, lexeme, holders, occurrences)
        select tenant_id, namespace_id, model, scanned, lexeme, count(*), sum(occurrences) from (
            select tenant_id, namespace_id, model, 'memories' as scanned, word as lexeme,
                   case when word = '' then coalesce(length, 0) else 0 end as occurrences
            from recollect.embeddings cross join unnest(coalesce(tsvector_to_array(words), '{}') || array['']) as word
            where tenant_id = one and owner_kind = 'memory'
            union all
            select tenant_id, namespace_id, model, 'turns', word, case when word = '' then length else 0 end
            from recollect.turns cross join unnest(tsvector_to_array(words) || array['']) as word
            where tenant_id = one
        ) as words group by tenant_id, namespace_id, model, scanned, lexeme;
    end loop;
    perform set_config('recollect.tenant_id', '', true);
end
$$;
