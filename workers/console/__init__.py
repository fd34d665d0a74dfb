"""The console: a look inside one namespace, in a browser. docs/how-to/console.md is for its users, decision 18 says why it is as
it is.

It reads as an app does, through `mosshead.Memory`, and writes nothing itself: what is clicked goes out as an event.
"""
