"""Publishing: from an app's call to the event queue, or into the inbox.

publishers   check all events of a call, then store them in the app's own transaction (with ``session=``) or in the spool
spool        a local SQLite file, which numbers the events
queue        the event queue, and how many events of a spool may be in it
shipper      sends events from the spool to the queue, and removes them once the inbox has them
"""
