-- As before: all marks go that Unicode says combine. Of names of one entity that are the same then, one is looked up as before.
do $$
declare
    one uuid;
begin
    for one in select distinct tenant_id from mosshead.lanes loop
        perform set_config('mosshead.tenant_id', one::text, true);
        with bare as (
            select tenant_id, namespace_id, entity_id, normalised, regexp_replace(
                normalised,
                U&'[\094D\0951-\0954\09CD\09FE\0A4D\0ACD\0B4D\0BCD\0C4D\0C55\0C56\0CCD\0D3B\0D3C\0D4D\0DCA\0E38-\0E3A\0E48-\0E4B'
                  '\0EB8-\0EBA\0EC8-\0ECB\0F18\0F19\0F35\0F37\0F39\0F71\0F72\0F74\0F7A-\0F7D\0F80\0F82-\0F84\0F86\0F87\0FC6'
                  '\1039\103A\108D\135D-\135F\1714\1715\1734\17D2\17DD\18A9\1939-\193B\1A17\1A18\1A60\1A75-\1A7C\1A7F'
                  '\3099\309A]', '', 'g') as plain
            from mosshead.entity_aliases where tenant_id = one
        ),
        ranked as (
            select *, dense_rank() over (
                partition by namespace_id, entity_id, plain order by normalised <> plain, normalised collate "C") as place
            from bare
        )
        update mosshead.entity_aliases as name set normalised = ranked.plain
        from ranked
        where name.tenant_id = one and name.namespace_id = ranked.namespace_id and name.entity_id = ranked.entity_id
          and name.normalised = ranked.normalised and ranked.place = 1 and ranked.plain not in ('', name.normalised);
    end loop;
    perform set_config('mosshead.tenant_id', '', true);
end
$$;
