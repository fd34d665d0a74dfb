"""When a message says that something happens, by rules: "last Friday", "in May", "three weeks ago".

One module for each shape of a time phrase: the patterns of its words, and what reads them; `parse` puts them together.
"""

from mosshead.language.dates.parse import TimePhrase, resolve_time, times_in

__all__ = ["TimePhrase", "resolve_time", "times_in"]
