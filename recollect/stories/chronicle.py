"""A story without an LLM: each piece of evidence in its own words, dated, in the order of time. Pure."""

from collections.abc import Sequence

from recollect.stories.story import StoryEvidence, StorySentence, sentence


def chronicle(evidence: Sequence[StoryEvidence]) -> tuple[StorySentence, ...]:
    """One sentence for each piece."""
    return tuple(StorySentence(text=_told(one), citations=(one,)) for one in evidence)


def _told(one: StoryEvidence) -> str:
    if one.message:
        return sentence(f"{one.said}: {one.speaker or str(one.message.role).capitalize()} said “{one.shown}”")
    notes = [f"said on {one.said}"] if one.said != one.when else []
    if one.until is not None:
        notes.append(f"until {one.until:%-d %B %Y}")
    if one.memory and one.memory.tier == "hypothesis":
        notes.append("unsure")
    if not notes:
        return sentence(f"{one.when}: {one.shown}")
    return f"{one.when}: {one.shown.rstrip('.')} ({', '.join(notes)})."
