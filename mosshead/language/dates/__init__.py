"""Resolve time phrases by rules: "last Friday", "in May", "three weeks ago".

Each module handles one shape of phrase: its patterns and their readers; `parse` combines them.
"""

from mosshead.language.dates.parse import (
    Period,
    TimePhrase,
    period_of,
    periods,
    phrases_on,
    resolve_time,
    times_in,
    where_asked,
)

__all__ = ["Period", "TimePhrase", "period_of", "periods", "phrases_on", "resolve_time", "times_in", "where_asked"]
