"""A story without an LLM: each piece of evidence in its own words, dated, in the order of time. Pure."""

from collections.abc import Sequence

from mosshead.stories.story import StoryEvidence, StorySentence, sentence


def chronicle(evidence: Sequence[StoryEvidence]) -> tuple[StorySentence, ...]:
    """One sentence for each piece."""
    return tuple(StorySentence(text=_told(one), citations=(one,)) for one in evidence)


def _told(one: StoryEvidence) -> str:
    if one.message:
        return sentence(f"{one.said}: {one.speaker or str(one.message.role).capitalize()} said “{one.shown}”")
    if not one.remarks:
        return sentence(f"{one.when}: {one.shown}")
    return f"{one.when}: {one.shown.rstrip('.')} ({', '.join(one.remarks)})."
