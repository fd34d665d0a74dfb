"""Stories told from memories: what a request is about, the evidence for it in the order of time, and the telling with citations.

intents      what kind of story is asked for, and of what: rules, no LLM
times        the days of the times that a request names
gathering    the evidence: the reading of a context, the relations, and what was replaced
choosing     what of that is told, within a budget, in the order of time
chronicle    the evidence in its own words
asking       the question to an LLM that tells it
checking     what of its answer rests on the evidence
telling      all of these, one after the other
"""
