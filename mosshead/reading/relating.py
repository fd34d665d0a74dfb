"""Whether a message has to do with anything that is known. Pure.

Something is always nearest, be it to "hi" or to "can you convert 5 miles to km?", and would fill the budget of a context.
"""

from collections.abc import Sequence
from datetime import date

from mosshead.embedders.model_files import MODEL
from mosshead.patterns import lazy_pattern
from mosshead.reading.parsing import Parsed
from mosshead.reading.periods import periods

NEAR = {MODEL: 0.25}
"""By embedding model the cosine that what is nearest to a message has at least, if the message has to do with it.

Of 385 questions about conversations of LoCoMo, with "you" for the names, none lies below; of 20 requests that have to do with
none of them, 45 % (docs/reading.md). Of other models it is not known: to them all that is asked has to do with what is known.
"""

FEW = 20
"""Of so few things all may be shown: what stands out among them is not told by standard deviations. Where more are known, more
are found."""

_SMALL_TALK = frozenset(
    """
    a ah all alright and awesome bye cheers cool excellent fine good goodbye goodnight great haha hello hey hi hiya hm hmm lol
    lovely morning much nice night no nope oh ok okay perfect please right so sounds super sure thank thanks that thats the then
    there thx very well wonderful wow yeah yep yes you
    """.split()
)
_WORD = lazy_pattern(r"[^\W\d_]+")
_APOSTROPHES = str.maketrans("", "", "'’")


def relates(message: Parsed, cosines: Sequence[float], *, model: str, day: date) -> bool:
    """Whether a message has to do with what is known.

    cosines: of the memories and messages that were found for it. model: that embeds. day: on which it is asked. Whoever names
    somebody who is known, or a time, asks for something; and where a pronoun means somebody, too.
    """
    if len(cosines) <= FEW or message.named or message.implied or periods(message.text, day):
        return True
    return not _is_small_talk(message.text) and max(cosines) >= NEAR.get(model, -1.0)


def _is_small_talk(text: str) -> bool:
    words = _WORD.findall(text.casefold().translate(_APOSTROPHES))
    return bool(words) and _SMALL_TALK.issuperset(words)
