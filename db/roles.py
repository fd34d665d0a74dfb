"""The roles of the database, which `db.migrate` makes."""

from typing import Final

OWNER: Final = "recollect_owner"
"""Owns the tables and the views. Nobody logs in as it."""

LOGINS: Final = ("recollect_ingest", "recollect_worker", "recollect_reader", "recollect_admin")
BACKUP: Final = "recollect_backup"
"""Row-level security does not bind it."""

WORDS: Final = "recollect_words"
"""Owns the one function that looks for words in an index, and may do nothing else. Nobody logs in as it."""
