"""What of a long message tells whom a name in it means: the words around the fact, and not a whole document."""

from typing import Final

MOST_SAID: Final = 8_000
"""Characters of one message that are read for each fact that was taken from it. The longest message of the development sets has
1,279; of one of 256 KB each mention would cost a fifth of a second."""

_STEP = MOST_SAID // 2


def surroundings(content: str, quote: str) -> str:
    """The part of a message that holds a quote, or its beginning, where it does not. Facts near to each other share theirs."""
    if len(content) <= MOST_SAID:
        return content
    place = max(content.find(quote), 0)
    start = max(place - _STEP // 2, 0) // _STEP * _STEP
    return content[start : start + MOST_SAID]
