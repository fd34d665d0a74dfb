"""Alembic's entry: runs the migrations on the connection that `db.migrate` hands over, as the owner of the tables."""

from alembic import context

connection = context.config.attributes["connection"]
context.configure(connection=connection, version_table_schema="mosshead", transaction_per_migration=False)
with context.begin_transaction():
    context.run_migrations()
