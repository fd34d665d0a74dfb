"""Alembic's environment: runs the migrations on the connection that `db.schema.migrate` passes, as the owner of the tables."""

from alembic import context

connection = context.config.attributes["connection"]
context.configure(connection=connection, version_table_schema="mosshead", transaction_per_migration=False)
with context.begin_transaction():
    context.run_migrations()
