-- As mosshead.names.normalise: accents, points and nuktas go, vowels, tones and the voicing of kana stay; and "yahoo!" is "yahoo".
-- entity_aliases has row-level security, which binds the owner too, so tenant by tenant. What is told apart now was one before,
-- so that no two names of an entity can meet.
do $$
declare
    one uuid;
begin
    for one in select distinct tenant_id from mosshead.lanes loop
        perform set_config('mosshead.tenant_id', one::text, true);
        update mosshead.entity_aliases
        set normalised = btrim(regexp_replace(regexp_replace(regexp_replace(
            lower(normalize(alias, nfkd)),
            U&'[\0300-\036F\0483-\0487\0591-\05BD\05BF\05C1\05C2\05C4\05C5\05C7\0610-\061A\064B-\065F\0670\06D6-\06DC'
              '\06DF-\06E4\06E7\06E8\06EA-\06ED\093C\09BC\0A3C\0ABC\0B3C\0C3C\0CBC\1037\1DC0-\1DFF\20D0-\20F0]', '', 'g'),
            '[''’]s?(?=\s|$)', '', 'g'), '\s+', ' ', 'g'))
        where tenant_id = one and normalize(alias, nfkd) ~ U&'[\0900-\1AAF\3099\309A]';
        with bare as (
            select namespace_id, entity_id, normalised, regexp_replace(
                regexp_replace(normalised, '(^| )[@#]+(?=[^ @#!?])', '\1', 'g'), '(?<=[^ @#!?])[!?]+(?= |$)', '', 'g') as plain
            from mosshead.entity_aliases where tenant_id = one and normalised ~ '(^| )[@#]+[^ @#!?]|[^ @#!?][!?]+( |$)'
        ),
        chosen as (
            select distinct on (namespace_id, entity_id, plain) namespace_id, entity_id, normalised, plain
            from bare order by namespace_id, entity_id, plain, normalised collate "C"
        )
        update mosshead.entity_aliases as name set normalised = chosen.plain
        from chosen
        where name.tenant_id = one and name.namespace_id = chosen.namespace_id and name.entity_id = chosen.entity_id
          and name.normalised = chosen.normalised and not exists (
              select from mosshead.entity_aliases as other
              where other.tenant_id = one and other.namespace_id = chosen.namespace_id and other.entity_id = chosen.entity_id
                and other.normalised = chosen.plain);
    end loop;
    perform set_config('mosshead.tenant_id', '', true);
end
$$;
