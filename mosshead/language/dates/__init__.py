"""When a message says that something happens, by rules: "last Friday", "in May", "three weeks ago".

One module for each shape of a time phrase: the patterns of its words, and what reads them; `parse` puts them together.
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
