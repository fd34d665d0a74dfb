"""Tell which refusals apply to every request: a wrong key, account, model or parameter. Pure.

Many endpoints answer 400 or 422 for these, as for a faulty text, and explain in prose. Only the beginning is read, up to where it
repeats the request: a conversation about an invalid key says nothing about this one.
"""

import re
from collections.abc import Collection
from typing import Final, Literal

from mosshead.patterns import lazy_pattern

BAD_REQUESTS: Final = frozenset({400, 413, 422})

OfAll = Literal["key", "account", "system", "model", "shape"]
"""What is wrong with every request.

system: the model accepts no system prompt. shape: it does not accept the format parameter, or another one.
"""

_BY_STATUS: Final[dict[int, OfAll]] = {401: "key", 402: "account", 403: "key", 404: "model"}
_HEAD: Final = 400
_OPENING: Final = 40
_SHORTEST: Final = 11  # shorter texts cannot match any pattern
_SIGNS: Final = lazy_pattern(r"(?:\\+[nrt]|[\W_])+")

_SAID: Final[dict[OfAll, re.Pattern[str]]] = {
    "key": lazy_pattern(r"(?:invalid|incorrect|wrong) (?:x )?api key|api key (?:is )?(?:not|invalid|expired)"),
    "account": lazy_pattern(
        r"credit balance|insufficient (?:balance|credit|fund|quota)|billing (?:\w+ ){0,2}(?:limit|disabled|account|details)"
        r"|enable billing|location is not supported"
    ),
    "system": lazy_pattern(
        r"roles must alternate|alternate between user"
        r"|system (?:role|messages?|prompts?|instructions?) (?:is |are )?not (?:supported|enabled)"
        r"|(?:only )?user and assistant roles|role\b.{0,20}does not support system|does not support (?:the )?system"
        r"|developer instruction is not enabled"
    ),
    "model": lazy_pattern(
        r"decommissioned|no models? (?:is )?loaded|not a valid model|(?:invalid|unknown) model"
        r"|model\b.{0,80}?(?:does not exist|not exist|not found|has crashed|no longer)"
    ),
    "shape": lazy_pattern(
        r"(?:unsupported|unknown|unrecognized) (?:value|parameter|name|request argument)|extra inputs are not permitted"
        r"|(?:response|output) ?(?:format|schema|config|mime ?type)|json ?(?:schema|mode|object)|structured output"
        r"|(?:specified|invalid|tool) schema|too many states|parse grammar|grammar|guided (?:json|decoding)|xgrammar|outlines"
        r"|tool ?(?:choice|use|call)|function ?call|\btools?\b.{0,30}(?:not|un)|(?:not|un).{0,30}\btools?\b"
        r"|not support (?:the )?(?:following )?param|unsupportedparam|drop params|requested parameters"
    ),
}


def of_every_request(status: int, said: str, asked: Collection[str]) -> OfAll | None:
    """Return what is wrong with every request, from a refusal; None if a text may be at fault. asked: its texts."""
    if status not in BAD_REQUESTS:
        return _BY_STATUS.get(status)
    words = _own(said, asked)
    return next((kind for kind, pattern in _SAID.items() if pattern.search(words)), None)


def refuses_temperature(said: str, asked: Collection[str]) -> bool:
    """Whether a refusal mentions the temperature. asked: as in `of_every_request`."""
    return "temperature" in _own(said, asked)


def _own(said: str, asked: Collection[str]) -> str:
    """Return the normalised beginning of a body, up to where it repeats a request text."""
    words = _plain(said[:_HEAD])
    openings = [opening for text in asked if len(opening := _plain(text.lstrip()[:_OPENING])) >= _SHORTEST]
    return words[: min((place for one in openings if (place := words.find(one)) >= 0), default=None)]


def _plain(text: str) -> str:
    """Replace punctuation by spaces: ``'API_KEY_INVALID'`` is "api key invalid". Escaped line ends count as line ends."""
    return _SIGNS.sub(" ", text.casefold()).strip()
