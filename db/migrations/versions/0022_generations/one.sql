drop table recollect.generations;

create or replace view recollect_read_v1.namespaces as
select tenant_id, namespace_id, path, created_at from recollect.namespaces;

alter table recollect.namespaces drop column replay_of, drop column llm_model;

drop index recollect.events_in_effect;
alter table recollect.events drop column effective_at;
