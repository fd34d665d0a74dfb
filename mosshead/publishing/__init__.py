"""Publishing: from an app's call to the event queue, or into the inbox.

validation        every event is checked before any of those published together is stored
publishers        in the app's own transaction, where it hands over its session; else into the spool
spool             a local SQLite file, which gives the numbers
spool_publisher   stores what is published in the spool, and has it shipped
shipper           takes what waits in the spool to the queue, and cuts it when the inbox has it
"""
