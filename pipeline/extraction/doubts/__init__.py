"""Whether what a model wrote is borne out by what was said, compared by meaning; what is doubted stays a hypothesis.

`grounds` lays a fact beside its sources, and `doubt` puts the doubts together. `interpretation` finds the clauses that a content
is taken from, `moods` says how they were meant, `people` of whom, and `subjects` whether each clause tells of those to whom the
content gives it.
"""

from pipeline.extraction.doubts.grounds import Grounding, known_words
from pipeline.extraction.doubts.interpretation import Doubt

__all__ = ["Doubt", "Grounding", "known_words"]
