-- A document is one JSON object in a schema of the app's own. A row is one version of it, which nothing overwrites: one that changes
-- is ended, and the next begins. fields: of each field that was ever set or removed, by JSON Pointer, since when it is so
-- ("at"), by whose hand ("hand": the app edited it; else it was formed), and by which decision ("by").
alter table mosshead.documents rename column updated_at to known_from;
alter table mosshead.documents
    alter column known_from set default clock_timestamp(),
    add column fields      jsonb not null default '{}',
    add column known_to    timestamptz,
    add column made_by     uuid,
    add column ended_by    uuid,
    drop constraint documents_pkey,
    add primary key (tenant_id, namespace_id, document_id, version);
create unique index documents_now on mosshead.documents (tenant_id, namespace_id, document_id) where known_to is null;

-- What the app wants formed: documents, each by the name and the JSON Schema of its kind, and episodes.
alter table mosshead.namespaces
    add column profiles  jsonb not null default '[]',
    add column episodes  boolean not null default false;

-- A decision about a document names it as its target, at the version that was read (0: there was none).
alter table mosshead.decisions
    drop constraint decisions_action_check,
    add constraint decisions_action_check check (action in
        ('add', 'update', 'supersede', 'contradict', 'none', 'quarantine', 'undo', 'clarify', 'merge', 'split', 'forget',
         'document'));
create index decisions_of_documents on mosshead.decisions (tenant_id, namespace_id, target_id) where action = 'document';

create or replace view mosshead_read_v1.documents as
select tenant_id, namespace_id, document_id, schema_name, body, version, known_from as updated_at, fields, made_by
from mosshead.documents where known_to is null;

create view mosshead_read_v1.documents_over_time as
select tenant_id, namespace_id, document_id, schema_name, body, version, fields, known_from, known_to, made_by, ended_by
from mosshead.documents;
