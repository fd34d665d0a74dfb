-- ready: it has a vector of everything that has one of another model, so that apps may read with it. The active one always is.
alter table recollect.models
    add column ready boolean not null default true,
    add constraint models_active_is_ready check (ready or not active);
update recollect.models set ready = active;

create or replace view recollect_read_v1.models as
select model, dimensions, active, ready from recollect.models;

-- What a worker embeds with, so that no model is dropped that one still uses.
alter table recollect.workers add column model text;
