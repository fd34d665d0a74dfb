"""Reading: parse a message, resolve whom it names, retrieve along paths that do not compete, assemble within a budget of tokens.

Pure functions around two or three round trips to Postgres. docs/explanation/reading.md tells the data's way, and how the weights
were set.
"""
