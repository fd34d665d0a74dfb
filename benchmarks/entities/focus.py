"""What a conversation has in focus: what the answers of `track_conversation` are worth, after each turn of the user."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

from benchmarks.entities.counting import Share, f1, share
from benchmarks.entities.world import Focus, Talk, keys_of


class Referred(NamedTuple):
    """Words of a message, and the keys of whom they were taken to refer to."""

    text: str
    keys: frozenset[str]


@dataclass(frozen=True, slots=True)
class Tracked:
    """What was reported after a turn, by the world's own keys."""

    scene: frozenset[str] = frozenset()
    topic: frozenset[str] = frozenset()
    mention: frozenset[str] = frozenset()
    references: tuple[Referred, ...] = ()


@dataclass(frozen=True, slots=True)
class FocusScores:
    """scene_f1, topic_f1: over the sets of all turns, pooled. fade: of what was mentioned, and is in no layer at the next turn.

    pronouns, phrases: references of one word and of several that were understood, or rightly left alone.
    """

    scene_f1: float
    topic_f1: float
    fade: Share
    pronouns: Share
    phrases: Share

    def as_json(self) -> dict[str, Any]:
        """Shares; ``counts`` holds what they are taken of."""
        shares = {"fade": self.fade, "pronouns": self.pronouns, "phrases": self.phrases}
        return {
            "scene_f1": round(self.scene_f1, 4),
            "topic_f1": round(self.topic_f1, 4),
            **{name: round(one.part, 4) for name, one in shares.items()},
            "counts": {name: one.as_json() for name, one in shares.items()},
        }


def score_focus(tracked: Sequence[tuple[Talk, Sequence[Tracked]]]) -> FocusScores:
    """Hold what was reported after each turn of the user against the gold of that turn."""
    talks = [list(zip(_gold(talk), given, strict=True)) for talk, given in tracked]
    turns = [turn for talk in talks for turn in talk]
    references = [(text, ok) for gold, given in turns for text, ok in _understood(gold, given)]
    return FocusScores(
        scene_f1=_pooled((set(gold.scene), set(given.scene)) for gold, given in turns),
        topic_f1=_pooled((set(gold.topic), set(given.topic)) for gold, given in turns),
        fade=share(
            [faded for talk in talks for before, after in pairwise(talk) for faded in _faded(before[0], *after)]
        ),
        pronouns=share([ok for text, ok in references if len(text.split()) == 1]),
        phrases=share([ok for text, ok in references if len(text.split()) > 1]),
    )


def _gold(talk: Talk) -> list[Focus]:
    return [turn.gold for turn in talk.turns if turn.gold is not None]


def _pooled(pairs: Iterable[tuple[set[str], set[str]]]) -> float:
    counted = [(len(gold & given), len(given), len(gold)) for gold, given in pairs]
    return f1(*(sum(column) for column in zip(*counted, strict=True))) if counted else 1.0


def _faded(before: Focus, gold: Focus, given: Tracked) -> Iterator[bool]:
    """Of each that was merely mentioned before and is in no layer now: whether it is no longer reported as topic or mention."""
    for key in set(before.mention) - {*gold.scene, *gold.topic, *gold.mention}:
        yield key not in given.topic | given.mention


def _understood(gold: Focus, given: Tracked) -> Iterator[tuple[str, bool]]:
    for text, meant in gold.pronouns.items():
        found = [one.keys for one in _of_words(text.lower(), given.references)]
        yield text, all(keys == keys_of(meant) for keys in found) and bool(found or meant is None)


def _of_words(text: str, references: Sequence[Referred]) -> list[Referred]:
    """The references of these words; where a phrase has none, those of a longer or a shorter span of it.

    A single word is such a span only where it ends the phrase: "husband" is "her husband", "her" is somebody else.
    """
    same = [one for one in references if one.text.lower() == text]
    if same or len(text.split()) == 1:
        return same
    return [one for one in references if _is_span(one.text.lower(), text)]


def _is_span(given: str, text: str) -> bool:
    if len(given.split()) == 1:
        return text.endswith(f" {given}")
    return f" {given} " in f" {text} " or f" {text} " in f" {given} "
