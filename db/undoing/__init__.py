"""Taking decisions back; see `db.undoing.decisions`."""

from db.undoing.decisions import Done, builders, find, reverse

__all__ = ["Done", "builders", "find", "reverse"]
