"""Build the context for a message: parse it, resolve names, retrieve along separate paths, assemble within a token budget.

Pure functions around two or three round trips to Postgres. docs/explanation/reading.md describes the data flow and how the
weights were set.
"""
