"""Erasure of a namespace, or of a part of it. `db.erasure.erasures` says when it happens, and that it did."""
