-- ready: it has a vector of everything that has one of another model, so that apps may read with it. The active one always is.
alter table mosshead.models
    add column ready boolean not null default true,
    add constraint models_active_is_ready check (ready or not active);
update mosshead.models set ready = active;

create or replace view mosshead_read_v1.models as
select model, dimensions, active, ready from mosshead.models;

-- What a worker embeds with, so that no model is dropped that one still uses.
alter table mosshead.workers add column model text;
