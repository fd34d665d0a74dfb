"""Stories told from memories: what a request is about, the evidence for it in the order of time, and the telling with citations.

requests   what kind of story is asked for, of what, and of which days: rules, no LLM
evidence   the reading of a context, the relations, what was replaced, and what of that fits a budget
prompt     the question to an LLM that tells the story
story      the story with its sentences and what they cite
tell       all of these, one after the other, and the chronicle without an LLM
"""

from mosshead.contrib.stories.requests import StoryIntent
from mosshead.contrib.stories.story import Story, StoryEvidence, StorySentence
from mosshead.contrib.stories.tell import tell_story

__all__ = ["Story", "StoryEvidence", "StoryIntent", "StorySentence", "tell_story"]
