"""Erasure of a namespace or a part of it. `db.erasure.erasures` schedules erasures and writes their receipts."""
