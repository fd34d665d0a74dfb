"""How people type in a chat, written out as the rules know it: apostrophes left out, letters for words, shouting."""

import re

from pipeline.offline.lexicon import AUXILIARIES, VERBS

_START = r"(?:(?<=^)|(?<=[,;:.(] )|(?<=\bso )|(?<=\band )|(?<=\bbut )|(?<=\bbecause )|(?<=\bcause )|(?<=\bsince )|(?<=\bno ))"
_NOT = "do does did is are was were have has had could would should ca wo ai must need".split()
_CLOSE = "mum mom dad wife husband boss boyfriend girlfriend nan grandma grandpa landlord landlady".split()

_SPELLINGS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), plain)
    for pattern, plain in (
        (rf"\b({'|'.join(_NOT)})nt\b", r"\1n't"),
        (r"\bcarnt\b", "can't"),
        (r"\b(mother|father|brother|sister|son|daughter) in law\b", r"\1-in-law"),
        (r"\b(he|she|that|there|here|what|where|who)s\b(?! of)", r"\1's"),
        (r"\b(they|you)(re)\b", r"\1'\2"),
        (r"\b(we|they|you|i)ve\b", r"\1've"),
        (r"\bim\b", "i'm"),
        (r"\bid (?=(?:like|love|rather|be|have|say|go|never|prefer|want)\b)", "i'd "),
        (
            (
                r"\bill (?=(?:be|go|do|have|get|take|bring|call|see|try|pick|send|make|let|never|probably|just|ask|tell"
                r"|pay)\b)"
            ),
            "i'll ",
        ),
        (rf"{_START}its (?!own\b)", "it's "),
        (r"\bits (?=(?:the|a|an|not|now|on|in|at|so|been|just|really|\d+)\b)", "it's "),
        (
            (
                rf"{_START}were (?=[a-z]+ing\b|(?:in|at|on|from|a|an|two|three|four|five|six|seven|eight|not|now|just"
                rf"|\d+)\b)"
            ),
            "we're ",
        ),
        (rf"\b(my|our) ({'|'.join(_CLOSE)})s (?=[a-z])", r"\1 \2's "),
        (r"(?<=\w )n (?=\w)", "and "),
        (r"^n (?=\w)", "and "),
        (r"(?<=\w )(?:w/ ?|w (?=[a-z]))(?=\w)", "with "),
        (r"\b(?:bc|bcs|cuz|coz|cos|becuse|becos)\b(?= \w)", "because"),
        (r"\b(?:tmrw|tmr|tmw|2moro|tomoz)\b", "tomorrow"),
        (r"(?<![\w.])u\b(?![\w.])", "you"),
        (r"(?<![\w.])ur\b(?![\w.])", "your"),
        (r"\b(?:evry|evrey)\b", "every"),
        (r"\bstil\b", "still"),
        (r"\blowkey\b,? ?|\bhighkey\b,? ?", ""),
        (r" (?:rn|atm|fr|af|ngl|tbh|tho|lol|lmao|ffs)(?= |$|[,.!])", ""),
    )
)
_SHOUTED = re.compile(r"\b[A-Z]{3,}\b")
_SAID_LOUDLY = (
    VERBS | AUXILIARIES | frozenset("not never all every now always really very only loves hates needs wants".split())
)


def plainly_spelt(text: str) -> str:
    """The text as it would have been typed with care: "hes at my mums n she LOVES it" → "he's at my mum's and she loves it"."""
    for pattern, plain in _SPELLINGS:
        text = pattern.sub(plain, text)
    return text if text.isupper() else _SHOUTED.sub(_quietly, text)


def _quietly(match: re.Match[str]) -> str:
    word = match[0].lower()
    return word if word in _SAID_LOUDLY else match[0]
