"""The roles of the database, which `db.schema.migrate` makes."""

from typing import Final

OWNER: Final = "mosshead_owner"
"""Owns the tables and the views. Nobody logs in as it."""

LOGINS: Final = ("mosshead_ingest", "mosshead_worker", "mosshead_reader")
BACKUP: Final = "mosshead_backup"
"""It bypasses row-level security."""

WORDS: Final = "mosshead_words"
"""Owns the one function that searches for words in an index, and may do nothing else. Nobody logs in as it."""
