"""Words in a text that its readers do not see: marks without width, comments, styles that hide, base64."""

import base64
import binascii
import re
from collections.abc import Iterator


def hides(text: str) -> bool:
    """Whether a text hides words by a trick. The joiners of emoji and of scripts that need them hide nothing."""
    if _TAGS.search(_FLAG.sub("", text)) or _VARIANTS.search(text) or _RUN.search(text) or _OVERRIDDEN.search(text):
        return True
    if len(_INSIDE_WORDS.findall(text)) >= _FEW:
        return True
    return _embeds(text)


def _embeds(text: str) -> bool:
    """Phone numbers and right-to-left scripts need marks of direction; plain Latin words do not."""
    if _RIGHT_TO_LEFT.search(text.replace("\ufeff", "")):
        return False
    return any(_TWO_WORDS.search(match["inside"]) for match in _EMBEDDED.finditer(text))


def concealed(text: str) -> Iterator[str]:
    """Yield the words that a text holds as base64 or as hexadecimal digits; all of it if a style hides a part."""
    if _UNSEEN.search(text) and _IN_A_TAG.search(text):
        yield text
    for number, match in enumerate(_BASE64.finditer(text)):
        decoded = _from_base64(match.group())
        if decoded and number < _MOST_HIDDEN:
            yield decoded
    for match in _HEX.finditer(text):
        digits = re.sub(r"0x|[ ,:]", "", match.group())
        if decoded := _in_words(bytes.fromhex(digits[: len(digits) // 2 * 2])):
            yield decoded


def comments(text: str) -> Iterator[str]:
    """Yield the comments that a page or a Markdown text holds."""
    for comment in _COMMENT.finditer(text):
        yield comment["inside"] or text[comment.end() :].partition("\n")[0]


def _from_base64(run: str) -> str | None:
    digits = run.rstrip("=").replace("-", "+").replace("_", "/")
    digits = digits[:-1] if len(digits) % 4 == 1 else digits
    try:
        return _in_words(base64.b64decode(digits + "=" * (-len(digits) % 4), validate=True))
    except binascii.Error:
        return None


def _in_words(data: bytes) -> str | None:
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return None
    words = _WORDS.findall(text)
    return text if len(words) > 1 and sum(map(len, words)) > len(text) * 0.5 else None


_TAGS = re.compile("[\U000e0000-\U000e007f]")
_FLAG = re.compile("\U0001f3f4[\U000e0020-\U000e007f]{1,8}")
_VARIANTS = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]{3,}")
_INSIDE_WORDS = re.compile("[A-Za-z][\u200b\u200c\u200d\u2060-\u2064\ufeff\u180e]+(?=[A-Za-z])")
_RUN = re.compile("[\u200b-\u200d\u2060-\u2064\ufeff\u180e\u00ad\u115f\u1160\u3164\uffa0]{4,}")
_OVERRIDDEN = re.compile("[\u202d\u202e]")
_EMBEDDED = re.compile("[\u202a\u202b\u2066\u2067\u2068](?P<inside>[^\u202c\u2069]*)")
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]")
_TWO_WORDS = re.compile(r"[A-Za-z]{3,}\W+[A-Za-z]{2,}")
_COMMENT = re.compile(
    r"<!-{2,}(?P<inside>.*?)(?:-{2,}>|$)|\[//\]: ?#|^\[[^\]]*\]: ?(?:#|<>) ?[\"'(]", re.DOTALL | re.MULTILINE
)
_UNSEEN = re.compile(
    r"display\s?:\s?none|visibility\s?:\s?hidden|font-size\s?:\s?(?:0|[0-2](?:\.\d+)?(?:px|pt)\b)|opacity\s?:\s?0"
    r"(?!\.[1-9])|(?<![\w-])color\s?:\s?(?:white"
    r"|#f[a-f\d]f[a-f\d]f[a-f\d]|#fff|rgba?\(\s?25\d|transparent)\b|(?:left|top|text-indent"
    r"|margin-left)\s?:\s?-\d{3,}|(?:max-)?(?:height|width)\s?:\s?[01](?:px)?\s?[;\"']|<[^>]{0,200}\shidden(?:\s|>"
    r"|=)|aria-hidden",
    re.IGNORECASE,
)
_IN_A_TAG = re.compile(r"<\s?\w+[^>]{0,300}>|style\s?=", re.IGNORECASE)
_FEW = 3
_BASE64 = re.compile(r"(?<![\w+/=-])[A-Za-z0-9+/_-]{20,}={0,2}(?![\w+/=-])")
_HEX = re.compile(r"(?<!\w)(?:0x)?(?:[0-9a-fA-F]{2}[ ,:]?){12,}(?!\w)")
_WORDS = re.compile(r"[A-Za-z]{2,}")
_MOST_HIDDEN = 20
