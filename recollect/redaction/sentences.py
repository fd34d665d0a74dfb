"""What leads from a word of secrets to the secret, in sentences and in settings: "for the wifi", "is still", ``=``, quotes.

The patterns read folded text, so an accent needs no spelling of its own ("contrasena"). Each is bounded: none looks further
than a sentence, so the time is linear in the text.
"""

import re
from collections.abc import Iterator

SUBJECT = (
    r"(?:,?\s(?:for|to|of|on|at|in|with|from|that|which|we|i|you|they|he|she|here|again|now|there|btw|fur|zum|zur|"
    r"vom|von|beim|im|am|de|du|des|"
    r"d|di|del|della|dello|do|da|de[rs]|[mdsu](?:ein|nser)e[rs]|ihre[rs]|eine[rs]|furs|"
    r"para|pour|per|pro|van|voor|till|на|от|для)(?![a-z])(?:[^.!?\n:=;]|"
    r"\.(?=\S)){0,60}?,?|\s?[(\[][^)\]\n]{1,40}[)\]])?"
)
IS = (
    r"(?:\s*\\?[\"'`*]{0,3}\s*(?:=>|->|:=|==?|:|→|\||>)[*_]{0,3}\s*|\s+(?:is|was|are|be|will be|would be|being|"
    r"equals|reads?|ist|lautet|heisst|war|wird|est|sera|es|era|"
    r"sera|e|foi|jest|to|on|ar|er|это|-|=|is now|used to be|has been|had been|will be)(?:\s?:)?\s+|'s\s+|"
    r",?\s*c'est\s+|\s*(?:是|为|は|이|는)\s*)"
)
STILL = (
    r"(?:(?:still|now|just|simply|currently|always|again|literally|only|set to|back to|called|this|actually|"
    r"basically|also|probably|like|jetzt|immer noch|noch|"
    r"einfach|toujours|maintenant|ahora|todavia|ancora|sempre|the word|the following|following|as follows|"
    r"something like)[\s:,]+|[:=\-]\s*){0,3}"
)
VALUE = (
    r"(?:\\?(?P<quote>[\"'`]|\*\*|\*)(?P<quoted>(?:(?!(?P=quote))[^\n]){1,100}?)\\?(?P=quote)|"
    r"(?P<plain>[^\s\"'`<>](?:[^\s\"'`<]|<(?!/)|'(?=\w)){1,200}))"
)
KEY_VALUE = r"\\?[\"'`*<(]{0,2}(?P<plain>[A-Za-z0-9+/_.~%$!@#^&*\-]{6,600}={0,2})"


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
