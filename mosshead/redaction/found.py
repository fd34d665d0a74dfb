"""What the finders find: a secret's place in a text, and its kind."""

import re
from typing import Literal, NamedTuple, get_args

from mosshead.patterns import lazy_pattern

Kind = Literal[
    "API key",
    "access token",
    "private key",
    "password",
    "PIN",
    "one-time code",
    "recovery code",
    "seed phrase",
    "card number",
    "card security code",
    "IBAN",
    "social security number",
    "authenticator key",
    "passport number",
    "national insurance number",
    "identity number",
]

MARK = lazy_pattern(rf"\[redacted: (?:{'|'.join(map(re.escape, get_args(Kind)))})\]")
"""What stands in a secret's place."""


class Found(NamedTuple):
    """A secret: ``text[start:end]``."""

    start: int
    end: int
    kind: Kind


def mark(kind: Kind) -> str:
    """The text that takes a secret's place."""
    return f"[redacted: {kind}]"
