"""Which words of a message are likely the name that is asked about: a guess by their look alone, before any registry is asked.

Pure. Right or wrong, what follows is the same: `mosshead.resolving` holds the guess against the registry.
"""

from collections.abc import Iterator, Sequence

from mosshead.genders import gender_of
from mosshead.matching import Word, words_of
from mosshead.wordlists import AMBIGUOUS, CALENDAR, GRAMMAR

_OF_ONESELF = frozenset({"I'", "I’"})  # "I'll"


def likely_name(message: str) -> str | None:
    """The first of a message's words that holds a known first name; else that is written as a name; else that has a capital."""
    runs = list(_runs(words_of(message)))
    best = min(runs, key=_doubt, default=None)
    return _spoken(message, best) if best else None


def _runs(words: Sequence[Word]) -> Iterator[list[Word]]:
    """Words that stand together and may all be of one name."""
    run: list[Word] = []
    for word in words:
        if run and not (word.joined and _may_name(word) and not _possessive(run[-1])):
            yield run
            run = []
        if _may_name(word):
            # "Ask Peter": the capital that begins a sentence says nothing, unless it is that of a first name.
            run = [*run, word] if not run or not run[-1].opens or _first_name(run[-1]) else [word]
    if run:
        yield run


def _may_name(word: Word) -> bool:
    ordinary = word.plain in GRAMMAR or word.plain in CALENDAR or word.written[:2] in _OF_ONESELF
    ordinary = ordinary or (word.opens and word.plain in AMBIGUOUS and not _possessive(word))
    return (word.capital and not ordinary) or _first_name(word)


def _first_name(word: Word) -> bool:
    known = gender_of(word.plain, "") is not None
    return known and (word.named or (word.plain not in AMBIGUOUS and word.plain not in GRAMMAR))


def _doubt(run: Sequence[Word]) -> int:
    if any(map(_first_name, run)):
        return 0
    return 1 if any(word.named for word in run) else 2


def _possessive(word: Word) -> bool:
    return word.written.endswith(("'s", "’s", "'S", "’S", "'", "’"))


def _spoken(message: str, run: Sequence[Word]) -> str:
    spoken = message[run[0].start : run[-1].end]
    return spoken.removesuffix("s").removesuffix("S").rstrip("'’") if _possessive(run[-1]) else spoken
