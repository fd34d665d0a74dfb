"""What leads from a word of secrets to the secret, in sentences and in settings: "for the wifi", "is still", ``=``, quotes.

The patterns read folded text in small letters, so neither an accent nor a capital needs a spelling of its own ("contrasena").
Each is bounded: none looks further than a sentence, so the time is linear in the text.
"""

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from mosshead.patterns import lazy_pattern

_OPENER = (
    r",?\s(?:for|to|of|on|at|in|with|from|that|which|we|i|you|they|he|she|here|again|now|there|btw|fur|zum|zur|"
    r"vom|von|beim|im|am|de|du|des|"
    r"d|di|del|della|dello|do|da|de[rs]|[mdsu](?:ein|nser)e[rs]|ihre[rs]|eine[rs]|furs|"
    r"para|pour|per|pro|van|voor|till|на|от|для)(?![a-z])"
)
_IN_BRACKETS = r"(?:\s?[(\[][^)\]\n]{1,40}[)\]])?"
_LONGEST_SUBJECT = 60
_LONGEST_PLAIN = 200
"""Characters of a value, from the second on."""
_ENDS_SUBJECT = lazy_pattern(r"[!?\n:=;]|\.(?!\S)")
IS = (
    r"(?:\s*+\\?+[\"'`*]{0,3}+\s*+(?:=>|->|:=|==?|:|→|\||>)[*_]{0,3}\s*+|\s++(?:is|was|are|be|will be|would be|being|"
    r"equals|reads?|ist|lautet|heisst|war|wird|est|sera|es|era|"
    r"sera|e|foi|jest|to|on|ar|er|это|-|=|is now|used to be|has been|had been|will be)(?:\s?:)?\s++|'s\s++|"
    r",?\s*+c'est\s++|\s*+(?:是|为|は|이|는)\s*+)"
)
STILL = (
    r"(?:(?:still|now|just|simply|currently|always|again|literally|only|set to|back to|called|this|actually|"
    r"basically|also|probably|like|jetzt|immer noch|noch|"
    r"einfach|toujours|maintenant|ahora|todavia|ancora|sempre|the word|the following|following|as follows|"
    r"something like)[\s:,]+|[:=\-]\s*+){0,3}"
)
VALUE = (
    r"(?:\\?(?P<quote>[\"'`]|\*\*|\*)(?P<quoted>(?:(?!(?P=quote))[^\n]){1,100}?)\\?(?P=quote)|"
    # First as it nearly always is, for the step from character to character costs most of the time.
    r"(?P<plain>[^\s\"'`<>](?:[^\s\"'`<]{1,200}+(?![<'])|(?:[^\s\"'`<]|<(?!/)|'(?=\w)){1,200})))"
)
KEY_VALUE = r"\\?[\"'`*<(]{0,2}(?P<plain>[a-z0-9+/_.~%$!@#^&*\-]{6,600}={0,2})"


class Said(NamedTuple):
    """What a sentence says: the word of secrets, and what follows it, whose groups are "is" and the value's."""

    word: str
    start: int
    subject: slice
    led: re.Match[str]


class Sentence:
    """Sentences of a word, what it is of ("for the wifi"), and what leads to a value.

    What a word is of can be any words. A pattern would look for the value behind each of them, for each word of secrets again;
    here the text is searched for values once.
    """

    def __init__(self, word: str, led: str, *, before: str = "", after: str = "") -> None:
        """word: ends where no letter follows. led: what leads to the value, and the value. before, after: of the word."""
        whole = rf"{before}(?P<word>{word})(?![a-z])"
        self._word = lazy_pattern(whole)
        self._opened = lazy_pattern(whole + after + _OPENER)
        self._direct = lazy_pattern(rf"{whole}{after}(?P<subject>{_IN_BRACKETS}){led}")
        self._led = lazy_pattern(",?" + led)

    def find(
        self, text: str, *, within: bool = False, is_secret: Callable[[Said], bool] | None = None
    ) -> Iterator[Said]:
        """The sentences of a text in small letters, from left to right. within: also those that begin in another's value.

        is_secret: whether a sentence's value is one. Of those that begin in a value of the most characters the last will then do:
        it reaches the furthest.
        """
        values, ends = Next(self._led, text), Next(_ENDS_SUBJECT, text)
        at = 0
        while word := self._word.search(text, at):
            said = self._at(text, word.start(), values, ends)
            if said is None:
                at = word.start() + 1
                continue
            yield said
            at = said.start + len(said.word) if within else said.led.end()
            if is_secret and said.led.end("plain") - said.led.start("plain") > _LONGEST_PLAIN and is_secret(said):
                at = self._last_within(text, at, said.led.end(), values, ends)

    def _last_within(self, text: str, start: int, end: int, values: "Next", ends: "Next") -> int:
        """Where the last sentence begins within a value."""
        for word in reversed([*self._word.finditer(text, start, end)]):
            if self._at(text, word.start(), values, ends):
                return word.start()
        return start

    def _at(self, text: str, start: int, values: "Next", ends: "Next") -> Said | None:
        opened = self._opened.match(text, start)
        led = values.after(opened.end()) if opened else None
        if opened and led and led.start() - opened.end() <= _LONGEST_SUBJECT:
            end = ends.after(opened.end())
            if end is None or end.start() >= led.start():
                return Said(opened["word"], opened.start("word"), slice(opened.end("word"), led.start()), led)
        direct = self._direct.match(text, start)
        return direct and Said(direct["word"], direct.start("word"), slice(*direct.span("subject")), direct)


class Next:
    """A pattern's first match from a place on. Asked for places in their order, it reads the text once."""

    def __init__(self, pattern: re.Pattern[str], text: str) -> None:
        self._pattern, self._text = pattern, text
        self._from = len(text) + 1  # nothing is known yet
        self._match: re.Match[str] | None = None

    def after(self, place: int) -> re.Match[str] | None:
        """The first match that begins at the place or behind it."""
        if place < self._from or (self._match is not None and self._match.start() < place):
            self._from, self._match = place, self._pattern.search(self._text, place)
        return self._match


def trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """Without the punctuation of the sentence that a value stands in."""
    while end > start and text[end - 1] in ".,;:?)]}\"'`*|\\":
        end -= 1
    return start, end


def matches(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """A pattern's matches, also those that begin within another, behind its group "word": "my key is API_KEY=…"."""
    at = 0
    while match := pattern.search(text, at):
        yield match
        at = match.end("word")
