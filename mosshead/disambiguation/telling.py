"""What a message says of whom it names: the words around the name, and those of the turns before."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from mosshead.names import NO_FIGURE, normalise
from mosshead.patterns import lazy_pattern
from mosshead.wordlists import BEFORE_NAMES, GRAMMAR

SCENE_TURNS = 3
"""So many turns before a message set its scene."""

MOST_CHARACTERS = 600
"""Of a message, and of the turns before it: about half of what the local model reads. The last turns say most."""

STAND_IN = "someone"
"""What is embedded in place of the name."""

OF_ANYBODY = frozenset(
    """ask asked asking asks ca call called calling calls come comes coming day days feel feels find found good happy hear heard
    hello help hey hi idea keep keeps kind know known knows last late leave left look looking looks lot mean means message
    mind need needed needs new next ok okay old phone rang right ring rung said say saying says seem seems seen sorry sort
    sound sounds sure talk talking tell telling tells thank thanks think thinks thought time today told tomorrow tonight
    tried try trying want wanted wants way week well wo word work works wrong yesterday""".split()
)
"""What is said of anybody: that two use such a word tells nothing."""

_WORD = lazy_pattern(rf"{NO_FIGURE}+(?:['’]{NO_FIGURE}+)*")
_CLIPPED = lazy_pattern(r"(?:n['’]t|['’](?:s|m|d|ll|ve|re)?)$")

_ADDRESS = frozenset("mr mrs ms miss".split())
_TITLES = (BEFORE_NAMES - _ADDRESS) | frozenset(
    """admiral ambassador archbishop baron baroness bishop brigadier cardinal commander commissioner constable councillor count
    countess detective duchess duke emperor general governor inspector lady lieutenant lord magistrate marshal pope prince
    princess rabbi reverend sheriff superintendent""".split()
)
_GIVING = frozenset(
    """ask asked bring brought collect fetch gave get give given giving hand handed lend lent offer offered owe owed pay paid pick
    read send sent show showed shown sold teach tell telling told""".split()
)
"""Before "Peter the keys" they give Peter the keys, and do not call him so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Telling:
    """What is said around a mention. Both are made by `telling`, and what was found for them by `mosshead.evidence`.

    texts: what is embedded, the message behind the turns before it, with "someone" for the mention.
    words: what is looked for word by word (any case; Postgres stems them), of the message. Words of grammar are left out.
    scene_words: the same of the turns before it.
    described: those of the words that say outright what the bearer is: "Peter the roofer", "Senator Holm".
    """

    texts: tuple[str, ...]
    words: tuple[str, ...]
    scene_words: tuple[str, ...] = ()
    described: frozenset[str] = frozenset()


def telling(message: str, mention: str, history: Sequence[str] = ()) -> Telling:
    """What is said around a mention: the message without the name, and the turns before, oldest first."""
    name = re.compile(rf"(?<!\w){re.escape(mention.strip())}(['’]s?)?(?!\w)", re.IGNORECASE)
    said, before = message[:MOST_CHARACTERS], " ".join(history[-SCENE_TURNS:])[-MOST_CHARACTERS:]
    # A sentence with a gap lies elsewhere than a whole one; the name itself would lie near to all who bear it.
    text, scene = (" ".join(name.sub(rf"{STAND_IN}\1", one).split()) for one in (said, before))
    named = frozenset(normalise(mention).split())
    words, scene_words = _words(text, named), _words(scene, named)
    described = frozenset(_described(said, name)).intersection(words)
    return Telling(texts=(f"{scene} {text}".strip(),), words=words, scene_words=scene_words, described=described)


def _words(text: str, besides: frozenset[str]) -> tuple[str, ...]:
    """The words that may tell something, each once."""
    dull = besides | GRAMMAR
    return tuple(dict.fromkeys(word for word in _bare(text) if len(word) > 1 and word not in dull))


def _bare(text: str) -> Iterator[str]:
    return (_CLIPPED.sub("", word.casefold()) for word in _WORD.findall(text))


def _described(message: str, name: re.Pattern[str]) -> Iterator[str]:
    """The words by which the message itself describes who is meant, behind the name and before it."""
    for place in name.finditer(message):
        before = tuple(_bare(message[: place.start()]))[-1:]
        yield from _TITLES.intersection(before)
        yield from _behind(message[place.end() :], given=not _GIVING.isdisjoint(before))


def _behind(rest: str, *, given: bool) -> Iterator[str]:
    """Of ", the glazier," or "from the parish council": the first two words that may tell something."""
    found = re.match(r"(,?) (?:(?:from|of|at) )?(?:the|a|an|our|my) ([^,.;:!?]+)", rest, re.IGNORECASE)
    if found and (found[1] or not given):
        yield from _words(found[2], frozenset())[:2]
