"""Compare a model's text with its sources by meaning; a doubtful fact stays a hypothesis.

`grounds` prepares a fact and its sources, and `doubt` collects the doubts. `interpretation` finds the clauses behind a fact,
`moods` whether they assert it, `tenses` whether it is over, and `people` whom they are about. `subjects` and `actors` compare who
does what. `names`, `figures`, `labels` and `replacements` compare what stands beside a name, a number or a date; `bindings` finds
the clauses to compare, and `segments` divides sentences by their figures.
"""

from pipeline.extraction.doubts.grounds import Grounding, known_words
from pipeline.extraction.doubts.interpretation import Doubt

__all__ = ["Doubt", "Grounding", "known_words"]
