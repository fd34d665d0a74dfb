"""Tell stories from memories: parse a request, gather evidence in order of time, and tell it with citations.

requests   the kind, topic and days of a story: rules, no LLM
evidence   the reads of a context, relations, replaced memories, and a budget for all
prompt     the prompt for an LLM that tells the story
story      the story with its sentences and citations
tell       the whole process, and the chronicle without an LLM
"""

from mosshead.contrib.stories.requests import StoryIntent
from mosshead.contrib.stories.story import Story, StoryEvidence, StorySentence
from mosshead.contrib.stories.tell import tell_story

__all__ = ["Story", "StoryEvidence", "StoryIntent", "StorySentence", "tell_story"]
