"""Publishing: from an app's call to the event queue, or into the inbox.

publishers   every event is checked before any of those published together is stored; in the app's own transaction, where it hands
             over its session, else in the spool
spool        a local SQLite file, which gives the numbers
queue        the event queue, and how much of it a spool may fill
shipper      stores in the spool, takes what waits there to the queue, and cuts it when the inbox has it
"""
