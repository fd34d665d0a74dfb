"""Undo tricks with letters (look-alikes, figures, gaps, marks without width): patterns elsewhere are plain words."""

import codecs
import html
import re
import unicodedata
from collections.abc import Iterator
from urllib.parse import unquote


def readings(text: str) -> Iterator[str]:
    """Yield each way to read a text once, the plainest first: in lower case, without accents, on one line."""
    seen: set[str] = set()
    for reading in _readings(unescaped(text)):
        if reading not in seen:
            seen.add(reading)
            yield reading


def visible(text: str) -> str:
    """Return the text without marks of no width; case and lines stay, wide letters become plain."""
    if not text.isascii():
        text = _WITHOUT_WIDTH.sub("", unicodedata.normalize("NFKC", text))
    return _CONTROL.sub(" ", text)


def unescaped(text: str) -> str:
    r"""Return the text with the letters that ``&#105;``, ``%69`` and ``\u0069`` stand for."""
    text = html.unescape(text)
    text = _ASKED_BY_LINK.sub(lambda match: match.group().replace("+", " "), text)
    text = unquote(text) if text.count("%") >= 3 else text
    return _ESCAPES.sub(lambda match: chr(int(match[1] or match[2], 16)), text)


def turned(text: str) -> Iterator[str]:
    """Yield a text backwards, and with its letters moved by 13 places, where that gives common words."""
    plain = _plain(text)
    for other in (plain[::-1], codecs.encode(plain, "rot13")):
        if len(_COMMON.intersection(_LETTERS.findall(other))) > 1:
            yield other


def _readings(text: str) -> Iterator[str]:
    shown = visible(text)
    for one in dict.fromkeys((shown, _LINES.sub(" ; ", shown.strip()))):
        plain = _plain(one)
        yield plain
        if not one.isascii():
            yield _alike(one)
        if not _TYPED.keys().isdisjoint(_TOKENS.findall(plain)):
            yield _AS_TYPED.sub(lambda match: _TYPED[match.group()], plain)
        if _JOINED.search(plain):
            yield re.sub(r"[_-]+", " ", plain)
    wide = _WIDE.sub("\x01", shown)
    if _APART.search(wide):
        apart = _WORD_APART if "\x01" in wide else _APART
        closed = apart.sub(lambda match: re.sub(r"[ ._*|/,\-]", "", match.group()), wide)
        yield _alike(closed.replace("\x01", " "))
    plain = _alike(shown)
    if _A_FIGURE.search(plain) and _FIGURED.search(plain):
        yield _FIGURED.sub(lambda match: match.group().replace("11", "ll").translate(_FIGURES), plain)
        yield _FIGURED.sub(lambda match: match.group().replace("1", "l").translate(_FIGURES), plain)


def _alike(text: str) -> str:
    if text.isascii():
        return _plain(text)
    return _plain(text.translate(_LOOKS_LIKE)).translate(_LOOKS_LIKE)


def _plain(text: str) -> str:
    if text.isascii():
        folded = text.lower()
    else:
        decomposed = unicodedata.normalize("NFKD", text.casefold())
        folded = "".join(character for character in decomposed if not unicodedata.combining(character))
    return _TITLE.sub(r"\1 ", " ".join(_EMPHASIS.sub("", folded.translate(_STRAIGHT)).split()))


_LOOKS_LIKE = str.maketrans(
    "ΗΝΥпгавеікмнорстухѕјԁɡһӏԛԝѵαβεηικμνορτυχωɑϲϳıłøđɩʟ",
    "HNYnrabeikmhopctyxsjdghlqwvabenikmvoptuxwacjilodil",
)
_STRAIGHT = str.maketrans({"’": "'", "‘": "'", "‚": "'", "`": "'", "“": '"', "”": '"', "„": '"', "«": '"', "»": '"'})
_FIGURES = str.maketrans("013457@$!|", "oieastasil")
_WITHOUT_WIDTH = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e0fff]"
)
_EMPHASIS = re.compile(r"\*+|~~|(?<!\w)_+|_+(?!\w)")
_TITLE = re.compile(r"\b(dr|mrs?|ms|prof|st)\. ")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_LINES = re.compile(r"\s*[\r\n\u2028\u2029]+\s*")
_APART = re.compile(r"(?<!\w)(?:\w[ ._*|/,\-]{1,3}){3,}\w(?!\w)")
_WORD_APART = re.compile(r"(?<!\w)(?:\w[ ._*|/,\-]{1,3})+\w(?!\w)")
"""Of two letters, too, where wider gaps say where a word ends."""
_WIDE = re.compile(r"\s{2,}|\n")

_FIGURED = re.compile(
    r"(?<![a-z013457@$!|])(?!\d+(?:[a-z]|st|nd|rd|th|pm|am|kg|km|cm|mm|ml|ms|mb|gb|min|hrs?)\b)(?=[a-z013457@$!|]{3})"
    r"(?=[a-z013457@$!|]*(?:[a-z][013457@$]|[013457@$!|][a-z]))[a-z013457@$!|]+"
)
"""A run with figures for letters, from where it begins. The figures of "5th" and "10 km" stand for none."""

_JOINED = re.compile(r"_|\w-\w+-\w")
"""Words set together by marks, two marks at least: what one joins is no phrase."""

_ASKED_BY_LINK = re.compile(r"(?<=[?&])\w{1,20}=[\w%.,:;'!-]+(?:\+[\w%.,:;'!-]+){3,}")
"""A question that a link puts to an assistant: its words stand between plus signs."""

_ESCAPES = re.compile(r"\\u([0-9a-fA-F]{4})|\\x([0-9a-fA-F]{2})")
_LETTERS = re.compile(r"[a-z]+")
_COMMON = frozenset(
    "the and you your all any every to of that this is are not do don from now on as it me my in for"
    " with say says tell ignore forget"
    " disregard obey always never previous instructions rules answer reply respond user assistant".split()
)
_TYPED = {
    "u": "you", "ya": "you", "yu": "you", "ur": "your", "youre": "you're", "ull": "you'll", "youll": "you'll", "u r": "you are",
    "urself": "yourself",
    "dont": "don't", "doesnt": "doesn't", "didnt": "didn't", "cant": "can't", "wont": "won't", "isnt": "isn't",
    "arent": "aren't", "wasnt": "wasn't", "werent": "weren't", "shouldnt": "shouldn't", "mustnt": "mustn't",
    "neednt": "needn't", "havent": "haven't", "hasnt": "hasn't", "wouldnt": "wouldn't", "couldnt": "couldn't",
    "im": "i'm", "ive": "i've", "thats": "that's", "whats": "what's", "shes": "she's", "hes": "he's", "theyre": "they're",
    "gonna": "going to", "gotta": "have to", "wanna": "want to", "lemme": "let me", "gimme": "give me",
    "pls": "please", "plz": "please", "plse": "please", "ppl": "people", "em": "them",
    "bout": "about", "abt": "about", "b4": "before",
    "evrything": "everything", "everythin": "everything", "evry": "every", "evryone": "everyone", "everyting": "everything",
    "alwys": "always", "allways": "always", "alway": "always", "nvr": "never", "frm": "from", "msg": "message",
    "msgs": "messages", "convo": "conversation", "convos": "conversations", "txt": "text", "smth": "something",
    "sumthing": "something", "sth": "something", "any1": "anyone", "every1": "everyone",
    "some1": "someone",
    "everytime": "every time", "evrytime": "every time", "wen": "when", "wenever": "whenever", "whenver": "whenever",
    "tel": "tell", "nite": "night", "2day": "today", "tmrw": "tomorrow", "instrucions": "instructions",
    "intructions": "instructions", "instructons": "instructions", "ignor": "ignore", "igonre": "ignore", "ignroe": "ignore",
    "previus": "previous", "previos": "previous", "prev": "previous", "forgt": "forget", "recomend": "recommend",
    "reccomend": "recommend", "reccommend": "recommend", "anymore": "any more", "noone": "no one", "wat": "what", "wot": "what",
    "shud": "should", "shld": "should", "hav": "have", "hv": "have", "bcuz": "because", "cuz": "because",
    "da": "the", "dat": "that", "dis": "this", "tht": "that", "teh": "the", "rulez": "rules", "rite": "right", "fone": "phone",
    "pasword": "password", "passwrd": "password", "pw": "password", "pics": "pictures", "pic": "picture", "info": "information",
    "assistent": "assistant", "asistant": "assistant",
}  # fmt: skip
"""How people type in chats, and the words that they mean."""

_AS_TYPED = re.compile(r"(?<![\w'@/.-])(?:" + "|".join(sorted(_TYPED, key=len, reverse=True)) + r")(?![\w'@/-])")
_TOKENS = re.compile(r"[a-z0-9]+")
_A_FIGURE = re.compile(r"[013457@$!|]")
