"""The seed phrases of wallets: 12 to 24 words from a list of plain ones."""

import re
from collections.abc import Iterator

from mosshead.patterns import lazy_pattern
from mosshead.redaction.found import Found

_ITEM = r"(?:\d{1,2}[.):]?\s{0,2})?[A-Za-z]{3,8}"
_SEED_WORDS = lazy_pattern(
    rf"(?<![\w.)]){_ITEM}(?:(?:\s{{0,3}}[,;|\n]\s{{0,3}}|\s{{1,3}}|-){_ITEM}){{11,}}(?![A-Za-z])"
)
_SEED = lazy_pattern(
    r"(?:seed|mnemonic|recovery|secret|wallet|backup|metamask|ledger|trezor)[ \-]?(?:phrase|words?|seed|key)?|"
    r"(?:12|24|twelve|twenty[ \-]four)[ \-]words?|seedphrase|wortphrase|frase semilla",
    re.IGNORECASE,
)
_MOST_OF_LABEL = 8
_LENGTHS = (24, 21, 18, 15, 12)
_ONE = lazy_pattern(r"[A-Za-z]{3,8}")
# No word of the list that wallets draw from (BIP-39), and in nearly every sentence of prose.
_PROSE = frozenset(
    "the and for are was but not had has have from his him its were been did does she them than who how our got "
    "get let could would "
    "should thanks these those their which with user said says went goes gets been being".split()
)


def find_seeds(text: str) -> Iterator[Found]:
    """Seed phrases: after a word of wallets anywhere, else by themselves on their lines."""
    for match in _SEED_WORDS.finditer(text):
        yield from _seed_in(text, match)


def _seed_in(text: str, match: re.Match[str]) -> Iterator[Found]:
    """A run of 12 to 24 words without one of prose: after a word of wallets anywhere, else by itself on its lines."""
    named = _SEED.search(text, max(match.start() - 100, 0), match.start() + 60)
    run: list[re.Match[str]] = []
    for word in [*_ONE.finditer(text, match.start(), match.end()), None]:
        if word and word[0].lower() not in _PROSE:
            run.append(word)
            continue
        if len(run) >= _LENGTHS[-1] and (named or _stands_alone(text, run)):
            words = run[_words_of_label(run) :] if named else run
            yield Found(words[0].start(), words[-1].end(), "seed phrase")
        run = []


def _words_of_label(run: list[re.Match[str]]) -> int:
    """How many words at the start of a run name it ("my seed phrase …"), so that they may stay."""
    label = 0
    for place, word in enumerate(run[: min(len(run) - _LENGTHS[-1], _MOST_OF_LABEL)], 1):
        if _SEED.fullmatch(word[0]) or word[0].lower() in {"phrase", "words"}:
            label = place
    return label


def _stands_alone(text: str, run: list[re.Match[str]]) -> bool:
    alone = re.search(
        r"(?:\A|[\n:\"'`(=])\s*(?:\d{1,2}[.):]?\s*)?\Z", text[max(run[0].start() - 12, 0) : run[0].start()]
    )
    ends = re.match(r"\s*(?:\Z|[\n\"'`).])", text[run[-1].end() : run[-1].end() + 12])
    return len(run) in _LENGTHS and bool(alone and ends) and all(word[0].islower() for word in run)
