"""The proof of the first promise: nothing lost, nothing doubled, in order, whatever dies.

catalogue    every fault
of_…         what is done, by what it is done to
runs         one fault: traffic before it, the verdict after it
checker      what was sent, held against what took effect
cluster      the service and its servers, all of them to be killed
naive        what it is held against: a Celery task for each event
machine      a state machine on the write side's statements, its model, and mutants, which it must notice
"""
