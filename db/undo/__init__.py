"""Taking decisions back; see `db.undo.decisions`."""

from db.undo.decisions import Done, builders, find, reverse

__all__ = ["Done", "builders", "find", "reverse"]
