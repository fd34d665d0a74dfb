"""Publishing: from an app's call to the event queue, or into the inbox.

checking    every event is checked before any of those published together is stored or sent
spool       mode "spool": a local SQLite file, which gives the numbers
shipper     takes what waits in the spool to the queue, and cuts it when the inbox has it
direct      mode "direct": straight to the queue, which may lose it
inbox       in the app's own transaction, where it hands over its session
"""
