"""Compare a model's text with its sources by meaning; a doubtful fact stays a hypothesis.

`grounds` prepares a fact and its sources, and `doubt` collects the doubts. `interpretation` finds the clauses behind a fact,
`moods` whether they assert it, and `people` whom they are about. `subjects` and `actors` compare people clause by clause, and
`figures` numbers and dates; `bindings` finds the clauses to compare.
"""

from pipeline.extraction.doubts.grounds import Grounding, known_words
from pipeline.extraction.doubts.interpretation import Doubt

__all__ = ["Doubt", "Grounding", "known_words"]
