"""How well facts are extracted and consolidated, held against cases with gold facts: tests/data/extraction/README.md."""
