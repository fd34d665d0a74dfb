"""What goes when something is erased: of all that a namespace has, or of a part. `db.erasures` says when, and that it did."""
