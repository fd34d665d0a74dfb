"""The console: a look inside one namespace, in a browser. docs/how-to/console.md is for its users;

decision 18 gives the reasons for its design. It reads as an app does, through `mosshead.Memory`, and writes nothing itself: each
action is published as an event.
"""
