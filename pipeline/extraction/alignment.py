"""Locate quoted words in messages, tolerating gaps, other punctuation and corrected typos."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from typing import Final

from mosshead.language.lexicon import Word, classes_of, first_names, words_of
from mosshead.language.names import MARKS
from mosshead.language.verbs import PAST_FORMS
from pipeline.models import Message

_NO_WORD = re.compile(r"\W+")
_TOKEN = re.compile(rf"[\w{MARKS}]+")
_DOTTED_I = "i\u0307"  # the lowercase of "İ"; patterns match it as "i"
_KEPT = 64
_MOST_WORDS, _MOST_QUOTED = 2_000, 120
_LEAST_COVERED: Final = 0.7
_GAP = re.compile(r"…|\.{3}|\[\s*\]")
_MOST_PIECES = 6
_LONGEST_GAP = 12
_A_SHORT, _A_STEM, _A_PART, _A_NAME = 3, 4, 5, 5
_SHARED = 0.6
_SOUNDS = str.maketrans("ykzw", "icsv")
_ENDINGS = re.compile(r"(?:ings?|ed|es|s|e)$")


@dataclass(frozen=True, slots=True)
class QuotePlace:
    """The position of a quote. covered: the share of its words found there."""

    message: Message
    start: int
    end: int
    covered: float = 1.0

    @property
    def text(self) -> str:
        """The words as typed."""
        return self.message.content[self.start : self.end]


def place_of(quote: str, messages: Sequence[Message]) -> QuotePlace | None:
    """Find a quote in messages; None if most of it is missing."""
    tokens = _TOKEN.findall(quote)
    if not tokens:
        return None
    words = run_together(" ".join(tokens))
    holding = [message for message in messages if words in run_together(message.content)]
    pattern = re.compile(r"\W+".join(map(re.escape, tokens)), re.IGNORECASE) if words and holding else None
    for message in holding:
        if pattern and (match := pattern.search(message.content)):
            return QuotePlace(message, match.start(), match.end())
    found = [place for message in messages if (place := _aligned(words_of(quote), message))]
    return max(found, key=lambda place: place.covered, default=None) or _in_pieces(quote, messages)


def _in_pieces(quote: str, messages: Sequence[Message]) -> QuotePlace | None:
    """Return the longest piece of a quote with gaps, if every piece occurs somewhere."""
    pieces = [piece for piece in _GAP.split(quote) if _TOKEN.search(piece)]
    places = [place_of(piece, messages) for piece in pieces] if 1 < len(pieces) <= _MOST_PIECES else []
    found = [place for place in places if place]
    return max(found, key=lambda place: len(place.text)) if found and len(found) == len(pieces) else None


@lru_cache(_KEPT)
def run_together(text: str) -> str:
    """Strip case, spaces and punctuation.

    A stripped text that lacks a quote rules it out at once; the pattern is slow on repetitive texts.
    """
    return _NO_WORD.sub("", text.lower().replace(_DOTTED_I, "i"))


def _aligned(quoted: Sequence[Word], message: Message) -> QuotePlace | None:
    said = words_of(message.content)
    if not quoted or len(said) > _MOST_WORDS or len(quoted) > _MOST_QUOTED or len(quoted) < 2:
        return None
    keys, own = [word.key for word in quoted], [word.key for word in said]
    near = {key: next((one for one in set(own) if is_misspelling(key, one)), key) for key in set(keys) - set(own)}
    matcher = SequenceMatcher(None, [near.get(key, key) for key in keys], own, autojunk=False)
    blocks = [block for block in matcher.get_matching_blocks() if block.size]
    if not blocks:
        return None
    whole = max(range(len(blocks)), key=lambda at: blocks[at].size)
    left = right = whole
    while left and blocks[left].b - (blocks[left - 1].b + blocks[left - 1].size) <= _LONGEST_GAP:
        left -= 1
    while right + 1 < len(blocks) and blocks[right + 1].b - (blocks[right].b + blocks[right].size) <= _LONGEST_GAP:
        right += 1
    kept = blocks[left : right + 1]
    covered = sum(block.size for block in kept) / len(quoted)
    if covered < _LEAST_COVERED:
        return None
    return QuotePlace(message, said[kept[0].b].start, said[kept[-1].b + kept[-1].size - 1].end, round(covered, 2))


@lru_cache(_KEPT * _KEPT)
def says_the_same(one: str, other: str) -> bool:
    """Whether two words are forms of one word, or synonyms."""
    if one == other or _stem(one) == _stem(other):
        return True
    short, long = sorted((one, other), key=len)
    shared = next((at for at, pair in enumerate(zip(short, long, strict=False)) if pair[0] != pair[1]), len(short))
    shortened = (
        len(short.removesuffix("s")) >= _A_SHORT
        and len(long) >= len(short) + _A_SHORT
        and long.startswith(short.removesuffix("s"))
    )
    bent = shortened or (shared >= _A_STEM and shared >= _SHARED * len(long))
    joined = len(short) >= _A_PART and short in long
    return bent or joined or bool(classes_of(one) & classes_of(other)) or is_misspelling(one, other)


@lru_cache(_KEPT * _KEPT)
def _stem(key: str) -> str:
    plain = PAST_FORMS.get(key, key)
    stem = _ENDINGS.sub("", plain) if len(plain) >= _A_STEM else plain
    return stem[:-1] + "y" if stem.endswith("i") and len(stem) > 2 else stem


def is_misspelling(one: str, other: str) -> bool:
    """Whether a word is the other with two letters swapped, or a letter omitted, doubled or added within.

    A substituted letter makes another name (Maria, Mario), as do two known names and another ending (Daniel, Daniela).
    """
    if min(len(one), len(other)) < _A_NAME or one[0] != other[0] or {one, other} <= first_names() or not one.isalpha():
        return False
    if len(one) > _A_NAME and one.translate(_SOUNDS) == other.translate(_SOUNDS):
        return True
    if len(one) == len(other):
        apart = [at for at, pair in enumerate(zip(one, other, strict=True)) if pair[0] != pair[1]]
        return len(apart) == 2 and apart[1] - apart[0] == 1 and sorted(one) == sorted(other)
    short, long = sorted((one, other), key=len)
    return len(long) - len(short) == 1 and any(long[:at] + long[at + 1 :] == short for at in range(1, len(short)))


def written_out(words: Sequence[Word], said: Sequence[Word]) -> frozenset[str]:
    """Return the words that spell out an abbreviation in the text ("NYC", "HvA"), or names abbreviated there."""
    short = {
        word.key for word in said if 1 < len(word.key) <= _LONGEST_SHORT and word.text[1:] != word.text[1:].lower()
    }
    short |= {word.key for word in said if 2 < len(word.key) <= _LONGEST_SHORT}
    found: set[str] = set()
    for start in range(len(words)):
        plain, capitals, told = "", "", ""
        for end, word in enumerate(words[start : start + _LONGEST_NAME], start + 1):
            plain += word.key[:1]
            capitals += word.key[:1] if word.text[:1].isupper() else ""
            told += word.key[:1] if len(word.key) > _A_SHORT or word.text[:1].isupper() else ""
            if end - start > 1 and (
                plain in short
                or (told in short and len(told) > 2 and words[start].text[:1].isupper())
                or (capitals in short and len(capitals) > 1 and words[start].text[:1].isupper())
            ):
                found |= {one.key for one in words[start:end]}
    return frozenset(found)


_LONGEST_SHORT, _LONGEST_NAME = 6, 9
