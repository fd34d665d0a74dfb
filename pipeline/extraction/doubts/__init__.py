"""Whether what a model wrote is borne out by what was said, compared by meaning; what is doubted stays a hypothesis.

`doubt` puts the doubts together, `interpretation` finds the clauses that a content is taken from, `moods` says how they were
meant, `people` of whom, and `subjects` whether each clause tells of those to whom the content gives it.
"""

from pipeline.extraction.doubts.doubt import confirms, doubts_of
from pipeline.extraction.doubts.interpretation import Doubt, Interpretation

__all__ = ["Doubt", "Interpretation", "confirms", "doubts_of"]
