"""What an endpoint refuses as a bad request although any request would meet it: a key, an account, a model, a parameter. Pure.

Many endpoints answer 400 or 422, as where a text is at fault, and say which in prose. Its head is read here, up to where it
repeats what was asked: a conversation about a key that is not valid says nothing of the endpoint's.
"""

import re
from collections.abc import Collection
from typing import Final, Literal

from mosshead.patterns import lazy_pattern

BAD_REQUESTS: Final = frozenset({400, 413, 422})

OfAll = Literal["key", "account", "system", "model", "shape"]
"""What is wrong with every request. system: the model takes no system prompt. shape: it does not take what it was asked for JSON
with, or another parameter."""

_BY_STATUS: Final[dict[int, OfAll]] = {401: "key", 402: "account", 403: "key", 404: "model"}
_HEAD: Final = 400
_OPENING: Final = 40
_SHORTEST: Final = 11  # what is said in fewer characters says nothing of what is looked for
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
    """What is wrong with every request, by a refusal of one of some texts; None where a text may be at fault."""
    if status not in BAD_REQUESTS:
        return _BY_STATUS.get(status)
    words = _own(said, asked)
    return next((kind for kind, pattern in _SAID.items() if pattern.search(words)), None)


def refuses_temperature(said: str, asked: Collection[str]) -> bool:
    """Whether the body of a refusal speaks of the temperature. asked: as for `of_every_request`."""
    return "temperature" in _own(said, asked)


def _own(said: str, asked: Collection[str]) -> str:
    """The head of a body without signs, up to where the first of the texts begins."""
    words = _plain(said[:_HEAD])
    openings = [opening for text in asked if len(opening := _plain(text.lstrip()[:_OPENING])) >= _SHORTEST]
    return words[: min((place for one in openings if (place := words.find(one)) >= 0), default=None)]


def _plain(text: str) -> str:
    """Words without signs: ``'API_KEY_INVALID'`` is "api key invalid". Lines end alike in a text and in the JSON of one."""
    return _SIGNS.sub(" ", text.casefold()).strip()
