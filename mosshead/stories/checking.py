"""What of an LLM's story is kept: the sentences that rest on evidence which it was shown. Pure.

A sentence without such evidence is dropped rather than marked: who reads a story reads past marks, and what nobody said is not to
be told under the name of memory.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from mosshead.fence import one_line
from mosshead.patterns import lazy_pattern
from mosshead.stories.asking import StoryAnswer, noted
from mosshead.stories.story import StoryEvidence, StorySentence, sentence

MOST = 60
"""Sentences of an answer that are looked at."""

_BRACKETS = lazy_pattern(r"\s*\[\s*\d[\d\s,;–-]*\]")
_THOUSANDS = lazy_pattern(r"(?<=\d)[,.'’](?=\d{3}(?!\d))")
_NUMBER = lazy_pattern(r"\d+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """What was kept of an answer, and how many of its sentences were not."""

    sentences: tuple[StorySentence, ...]
    dropped: int


def checked(answer: StoryAnswer, evidence: Sequence[StoryEvidence], request: str) -> Checked:
    """Keep what rests on evidence.

    A number that was not shown counts as no citation. Dropped is a sentence without one, and one with a figure (a year, a sum)
    that stands neither in what it cites, its dates included, nor in the request; and what is said twice.
    """
    shown = {one.number: one for one in evidence}
    kept: dict[str, StorySentence] = {}
    for told in answer.sentences[:MOST]:
        text = one_line(_BRACKETS.sub("", told.text))
        cited = tuple(shown[number] for number in sorted({*told.evidence} & shown.keys()))
        if any(map(str.isalnum, text)) and cited and _figures([text]) <= _figures([request, *map(_own_words, cited)]):
            kept.setdefault(text.casefold(), StorySentence(text=sentence(text), citations=cited))
    return Checked(sentences=tuple(kept.values()), dropped=len(answer.sentences) - len(kept))


def _own_words(one: StoryEvidence) -> str:
    """What a piece says, its dates in words and in figures, and not its number."""
    until = f"{one.until:%Y-%m}-{one.until:%d}" if one.until else ""
    return f"{noted(one).partition(']')[2]} {one.at.date()} {until}"


def _figures(texts: Iterable[str]) -> set[str]:
    figures = (found for text in texts for found in _NUMBER.findall(_THOUSANDS.sub("", text)))
    return {
        "".join(str(int(digit)) for digit in figure).lstrip("0") for figure in figures
    }  # whatever digits it is written in
