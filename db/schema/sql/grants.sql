-- Who may use what. The roles themselves are made in db/schema/migrate.py, which an administrator runs.

-- Everyone may execute a new function until this is taken away.
revoke all on all functions in schema mosshead, mosshead_read_v1, mosshead_write_v1 from public;

-- The intake hands in events, and may do nothing else.
grant usage on schema mosshead_write_v1 to mosshead_ingest;
grant execute on function mosshead_write_v1.publish, mosshead_write_v1.refuse to mosshead_ingest;

-- Apps read the views. The views call current_tenant with the rights of the reader.
grant usage on schema mosshead_read_v1 to mosshead_reader;
grant select on all tables in schema mosshead_read_v1 to mosshead_reader;

-- Workers read and write everything, and read the views as an app does. They publish, for the dead letters that the intake refused: an
-- operator's command publishes one and deletes its letter in one transaction. Functions in generated columns, policies and triggers run
-- with the rights of whoever writes.
grant usage on schema mosshead, mosshead_read_v1, mosshead_write_v1 to mosshead_worker;
grant select, insert, update, delete on all tables in schema mosshead to mosshead_worker;
revoke all on mosshead.alembic_version from mosshead_worker;
grant select on all tables in schema mosshead_read_v1 to mosshead_worker;
grant execute on function
    mosshead.current_tenant, mosshead.set_tenant, mosshead.derived_id, mosshead.move_watermark, mosshead.settle_watermarks,
    mosshead.made_at, mosshead.precedes, mosshead.name_key, mosshead.refresh_traits,
    mosshead.lanes_with_events, mosshead.lanes_without_events, mosshead.lock_due, mosshead.hint, mosshead.take_to_erase,
    mosshead.waiting_events, mosshead.claim, mosshead.bind,
    mosshead.word_occurrences, mosshead.term, mosshead.terms, mosshead.count_words, mosshead.count_scope, mosshead.usage_within,
    mosshead_write_v1.publish
to mosshead_worker;
grant execute on function mosshead.current_tenant, mosshead_read_v1.has_api_tokens to mosshead_reader;

-- A backup reads all that pg_dump asks for.
grant usage on schema mosshead to mosshead_backup;
grant select on all tables in schema mosshead to mosshead_backup;
grant select on all sequences in schema mosshead to mosshead_backup;

-- mosshead_words owns the one function that looks for words in an index, and may read what that needs.
grant usage on schema mosshead to mosshead_words;
grant select on mosshead.embeddings, mosshead.turns to mosshead_words;
grant execute on function mosshead.current_tenant to mosshead_words;
grant execute on function mosshead_read_v1.holding to mosshead_reader, mosshead_worker;
grant create on schema mosshead_read_v1 to mosshead_words;
alter function mosshead_read_v1.holding owner to mosshead_words;
revoke create on schema mosshead_read_v1 from mosshead_words;
