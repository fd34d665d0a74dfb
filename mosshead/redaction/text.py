"""Tools for finders of secrets: folding, sentences, labels that announce a secret, and tests of values."""

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
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
MARK = lazy_pattern(rf"(\[redacted: (?:{'|'.join(map(re.escape, get_args(Kind)))})\])")
"""The mark in a secret's place."""


class FoundSecret(NamedTuple):
    """A secret: ``text[start:end]``."""

    start: int
    end: int
    kind: Kind


class Finder(NamedTuple):
    """A finder, with a quick test of a lower-case text that tells when it finds nothing.

    shortest: minimum length of the text. digits: whether it needs one. stems: every such text contains one of them, if there are
    any. looks_so: a test of the lower-case text.
    """

    find: Callable[[str], Iterator[FoundSecret]]
    shortest: int
    digits: bool = False
    stems: tuple[str, ...] = ()
    looks_so: Callable[[str], bool] | None = None

    def may_find(self, small: str, *, digits: bool) -> bool:
        """Do the quick test. digits: whether the text contains any."""
        if len(small) < self.shortest or (self.digits and not digits) or (self.looks_so and not self.looks_so(small)):
            return False
        for stem in self.stems:  # any() takes twice as long
            if stem in small:
                return True
        return not self.stems


def mark(kind: Kind) -> str:
    """Return the text that replaces a secret."""
    return f"[redacted: {kind}]"


_BESIDE = 8
_GAP = lazy_pattern(rf"\s{{{2 * _BESIDE + 2},}}")
_QUOTES = dict.fromkeys("\u2018\u2019\u201a\u201b\u2039\u203a", "'") | dict.fromkeys("“”„‟«»「」『』", '"')
_LETTERS = dict(zip("łŁøØđı", "lLoOdi", strict=True))  # no accent to remove
_PLAIN = _QUOTES | _LETTERS | dict.fromkeys("\u2028\u2029\u0085", "\n")
_UNSEEN = frozenset("\u115f\u1160\u3164\uffa0\u2800")


class Folded(NamedTuple):
    """A folded text. places: of each of its characters in the original, or None if they are equal."""

    text: str
    places: Sequence[int] | None

    def place(self, start: int, end: int) -> tuple[int, int]:
        """Return the place in the original of a piece of the folded text."""
        if self.places is None:
            return start, end
        return self.places[start], self.places[end - 1] + 1


def fold(text: str) -> Folded:
    """Fold a text; each character becomes one character or none."""
    if "\\" in text:
        # In JSON, the letter of "\\n" would seem to belong to the next word.
        text = text.replace("\\n", " \n").replace("\\t", "  ").replace("\\r", "  ")
    folded = text if text.isascii() else text.translate(_FOLDS)
    places = None if len(folded) == len(text) else [place for place, char in enumerate(text) if _FOLDS[ord(char)]]
    return _without_gaps(Folded(folded, places))


def _without_gaps(folded: Folded) -> Folded:
    """Shorten gaps to a few blanks and a line end; nothing is found across them."""
    text, places = folded
    kept, at = list[int](), 0
    for gap in _GAP.finditer(text):
        first, last = gap.start() + _BESIDE, gap.end() - _BESIDE
        line_end = text.find("\n", first, last)
        kept += [*range(at, first), *([line_end] if line_end >= 0 else [])]
        at = last
    if not at:
        return folded
    kept += range(at, len(text))
    return Folded("".join([text[place] for place in kept]), [places[place] for place in kept] if places else kept)


def in_small(text: str) -> str:
    """Return the text in lower case with unchanged places: patterns are several times faster on it than with IGNORECASE."""
    small = text.lower()
    # Only the dotted capital I becomes two letters; folding has already made it a plain I.
    return small if len(small) == len(text) else text.replace("\u0130", "I").lower()


class _Folds(dict[int, str]):
    def __missing__(self, code: int) -> str:
        self[code] = folded = _fold(chr(code))
        return folded


def _fold(char: str) -> str:
    category = unicodedata.category(char)
    if category in {"Cf", "Mn", "Me"} or char in _UNSEEN:
        return ""
    if category == "Pd" or char == "\u2212":
        return "-"
    if category == "Zs":
        return " "
    if category == "Nd":
        return str(unicodedata.digit(char))
    # Also without its accent, so that "contraseña" is one word in either Unicode form.
    plain = "".join(one for one in unicodedata.normalize("NFKD", char) if not unicodedata.combining(one))
    return _PLAIN.get(char) or (plain if len(plain) == 1 else char)


_FOLDS = _Folds()
_THINGS = (
    "order|invoice|tracking|booking|reservation|serial|imei|isbn|issn|ean|upc|gtin|barcode|sku|shipment|parcel|package|awb|waybill|"
    "membership|loyalty|meter|vin|po|rma|transaction|id|ids|phone|tel|telephone|fax|extension|ext|receipt|consignment|"
    "bestellung|bestellnummer|auftrag|auftragsnummer|rechnung|rechnungsnummer|sendung|sendungsnummer|sendungsverfolgung|"
    "paketnummer|kundennummer|vertragsnummer|aktenzeichen|seriennummer|telefon|vorgang|vorgangsnummer|artikelnummer|"
    "commande|facture|suivi|colis|pedido|factura|seguimiento|ordine|fattura|spedizione|encomenda|fatura|rastreio"
)

# Words that may introduce anything ("for reference: …", "in this case: …"), so they must also announce a number.
_MAYBE = (
    "reference|ref|case|ticket|part|policy|member|model|article|item|product|lot|batch|mobile|asset|claim|file|document|job|build|"
    "run|issue|delivery|registration|customer|client|supplier|vendor|contract|confirmation|account|track|device|unit|student|employee"
)
_HASHES = (
    r"commit|commits|revision|rev|sha|sha-?\d+|md5|hash|hashes|checksum|digest|etag|fingerprint|integrity|cid|"
    r"ipfs|address|tx|"
    r"txid|txhash|block|image|base64|uuid|guid|trace|span|blob|object|tree|branch|tag|container|layer|pubkey|public key"
)
_NUMBER = r"[ \-_]?(?:number|numbers|no|nr|num|nummer|numero|id|code|#)"
_GLUE = (
    r"(?:[\s:#=.(\[\"'`\-]|\b(?:number|numbers|no|nr|num|id|code|is|was|are|ist|lautet|war|nummer|numero|n|est|es|e|"
    r"called|the|de|del|di|do)\b|[\u00b0\u00ba])*"
)
_THING = lazy_pattern(rf"(?<![a-z])(?:(?:{_THINGS})s?|(?:{_MAYBE})s?{_NUMBER})(?![a-z]){_GLUE}\Z")
_HASH = lazy_pattern(rf"(?<![a-z])(?:{_HASHES})(?![a-z]){_GLUE}\Z")
_CARD = lazy_pattern(r"(?<![a-z])(?:cards?|visa|mastercard|amex|cc|karte|tarjeta|carte|carta)(?![a-z])[^,;.!?\n]*\Z")
_LOOKS_BACK = 48


def names_a_thing(text: str, start: int) -> bool:
    """Whether the words right before a place announce the number of an order, a parcel, a phone, …"""
    before = in_small(text[max(start - _LOOKS_BACK, 0) : start])
    label = _THING.search(before)
    # "the card for the order is …"
    return label is not None and not _CARD.search(before[: label.start()])


def names_a_hash(text: str, start: int) -> bool:
    """Whether the words right before a place announce a hash, an address or an image."""
    return bool(_HASH.search(in_small(text[max(start - _LOOKS_BACK, 0) : start])))


_OPENER = (
    r",?\s(?:for|to|of|on|at|in|with|from|that|which|we|i|you|they|he|she|here|again|now|there|btw|fur|zum|zur|vom|"
    r"von|beim|im|am|de|du|des|d|di|del|della|dello|do|da|de[rs]|[mdsu](?:ein|nser)e[rs]|ihre[rs]|eine[rs]|furs|para|"
    r"pour|per|pro|van|voor|till|на|от|для)(?![a-z])"
)
_IN_BRACKETS = r"(?:\s?[(\[][^)\]\n]{1,40}[)\]])?"
_LONGEST_SUBJECT = 60
_LONGEST_PLAIN = 200
"""Maximum characters of a value after the first."""

_ENDS_SUBJECT = lazy_pattern(r"[!?\n:=;]|\.(?!\S)")
IS = (
    r"(?:\s*+\\?+[\"'`*]{0,3}+\s*+(?:=>|->|:=|==?|:|→|\||>)[*_]{0,3}\s*+|\s++(?:is|was|are|be|will be|would be|being|"
    r"equals|reads?|ist|lautet|heisst|war|wird|est|sera|es|era|sera|e|foi|jest|to|on|ar|er|это|-|=|is now|used to be|"
    r"has been|had been|will be)(?:\s?:)?\s++|'s\s++|,?\s*+c'est\s++|\s*+(?:是|为|は|이|는)\s*+)"
)
STILL = (
    r"(?:(?:still|now|just|simply|currently|always|again|literally|only|set to|back to|called|this|actually|"
    r"basically|also|probably|like|jetzt|immer noch|noch|einfach|toujours|maintenant|ahora|todavia|ancora|sempre|"
    r"the word|the following|following|as follows|something like)[\s:,]+|[:=\-]\s*+){0,3}"
)
VALUE = (
    r"(?:\\?(?P<quote>[\"'`]|\*\*|\*)(?P<quoted>(?:(?!(?P=quote))[^\n]){1,100}?)\\?(?P=quote)|"
    # The common case comes first, because stepping through characters takes most of the time.
    r"(?P<plain>[^\s\"'`<>](?:[^\s\"'`<]{1,200}+(?![<'])|(?:[^\s\"'`<]|<(?!/)|'(?=\w)){1,200})))"
)
KEY_VALUE = r"\\?[\"'`*<(]{0,2}(?P<plain>[a-z0-9+/_.~%$!@#^&*\-]{6,600}={0,2})"


class SecretStatement(NamedTuple):
    """A match of a sentence: the word for a secret, and the text after it, with the groups "is" and those of the value."""

    word: str
    start: int
    subject: slice
    led: re.Match[str]


class SecretSentence:
    """A pattern of sentences: a word, its object ("for the wifi"), and the lead to a value. A text is searched for leads once."""

    def __init__(self, word: str, led: str, *, before: str = "", after: str = "") -> None:
        """word: ends before a non-letter. led: the lead and the value. before, after: of the word."""
        whole = rf"{before}(?P<word>{word})(?![a-z])"
        self._word = lazy_pattern(whole)
        self._opened = lazy_pattern(whole + after + _OPENER)
        self._direct = lazy_pattern(rf"{whole}{after}(?P<subject>{_IN_BRACKETS}){led}")
        self._led = lazy_pattern(",?" + led)

    def find(
        self, text: str, *, within: bool = False, is_secret: Callable[[SecretStatement], bool] | None = None
    ) -> Iterator[SecretStatement]:
        """Yield the sentences of a lower-case text, from left to right. within: also those that begin in another's value.

        is_secret: tests whether a sentence's value is one. Inside a value of maximum length, only the last sentence is yielded.
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
                inner = reversed([word.start() for word in self._word.finditer(text, at, said.led.end())])
                at = next((start for start in inner if self._at(text, start, values, ends)), at)

    def _at(self, text: str, start: int, values: "Next", ends: "Next") -> SecretStatement | None:
        opened = self._opened.match(text, start)
        led = values.after(opened.end()) if opened else None
        if opened and led and led.start() - opened.end() <= _LONGEST_SUBJECT:
            end = ends.after(opened.end())
            if end is None or end.start() >= led.start():
                return SecretStatement(
                    opened["word"], opened.start("word"), slice(opened.end("word"), led.start()), led
                )
        direct = self._direct.match(text, start)
        return direct and SecretStatement(direct["word"], direct.start("word"), slice(*direct.span("subject")), direct)


class Next:
    """A pattern's first match from a place on. With ascending places it reads the text only once."""

    def __init__(self, pattern: re.Pattern[str], text: str) -> None:
        self._pattern, self._text = pattern, text
        self._from = len(text) + 1  # nothing is known yet
        self._match: re.Match[str] | None = None

    def after(self, place: int) -> re.Match[str] | None:
        """Return the first match that begins at or after the place."""
        if place < self._from or (self._match is not None and self._match.start() < place):
            self._from, self._match = place, self._pattern.search(self._text, place)
        return self._match


def trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """Remove the surrounding sentence's punctuation from a value."""
    while end > start and text[end - 1] in ".,;:?)]}\"'`*|\\":
        end -= 1
    return start, end


def matches(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """Yield a pattern's matches, also those that begin within another after its group "word": "my key is API_KEY=…"."""
    at = 0
    while match := pattern.search(text, at):
        yield match
        at = match.end("word")


_RUN_OF_LOWER = lazy_pattern(r"[a-z]{3,}")
_VOWEL = lazy_pattern(r"[aeiouy]")
_MOST_IN_WORDS = 0.45  # random base64 has a tenth of its characters in such runs with a vowel, CamelCase half

# Images, documents, public keys, IPFS: the base64 of their first bytes.
_PUBLIC = lazy_pattern(
    r"iVBORw0KGgo|/9j/|R0lGOD|UklGR|PHN2Zy|PD94bW|JVBERi0|UEsDB|Qk[0-9A-Za-z]|AAAAB3NzaC1|AAAAC3NzaC1|AAAAE2Vj|"
    r"AAAAFGFz|AAAAI|Qm[1-9A-HJ-NP-Za-km-z]{44}\Z|sha\d+-|md5-|[13][1-9A-HJ-NP-Za-km-z]{25,34}\Z|0x[0-9A-Fa-f]{40}\Z"
)
_LONGEST_LINK = 300
_SYMBOL = lazy_pattern(r"[!#$%^&*@~?]")
_DIGIT = lazy_pattern(r"[0-9]")
_LETTER = lazy_pattern(r"[A-Za-z]")
_URL_OR_ADDRESS = lazy_pattern(
    r"[a-z]+://|www\.|[\w.+\-]+@[\w\-]+\.[\w.\-]+\Z|[@#<{(/]|\w+\(|-{2}|\$[{(]|.*\]\(", re.IGNORECASE
)


def mixes_letters_and_digits(token: str) -> bool:
    """Whether a token contains both."""
    if token.isascii():
        return bool(_DIGIT.search(token) and _LETTER.search(token))
    return any(map(str.isdigit, token)) and any(map(str.isalpha, token))


def is_opaque(token: str) -> bool:
    """Whether a long token mixes both cases and digits and is not made of words: a key, not a name or a hex hash."""
    uppers, lowers = sum(map(str.isupper, token)), sum(map(str.islower, token))
    if min(uppers, lowers) < 3 or not (any(map(str.isdigit, token)) or len(token) >= 40):
        return False
    words = filter(_VOWEL.search, _RUN_OF_LOWER.findall(token))
    return sum(map(len, words)) < _MOST_IN_WORDS * len(token)


def is_dense(token: str, least: int) -> bool:
    """Whether a token has a run of that many letters and digits that contains both."""
    return any(len(run) >= least and mixes_letters_and_digits(run) for run in re.split(r"[^A-Za-z0-9]+", token))


def is_public(token: str) -> bool:
    """Whether a token begins like an image, a document or a public key."""
    return bool(_PUBLIC.match(token))


def is_complex(token: str) -> bool:
    """Whether a short token mixes characters like a password: ``Tr0ub4dor&3``, ``hunter2!x``; not an address, link or code."""
    if not mixes_letters_and_digits(token):
        return False
    mixed = _SYMBOL.search(token, 1) or (any(map(str.isupper, token[1:])) and any(map(str.islower, token)))
    return bool(mixed) and not _URL_OR_ADDRESS.match(token)


def in_url(text: str, place: int, begins: int = 0) -> bool:
    """Whether a place is inside a link or an image's data, whose parts are names. begins: the start of the text."""
    before = text[max(place - _LONGEST_LINK, begins) : place]
    word = before[max(map(before.rfind, " \n\t\"'<")) + 1 :]
    return "://" in word or ";base64," in word or word.endswith("data:")


_NO_VALUES = frozenset(
    # what a password is, was or must be
    "too not no a an the my your our his her their its this that these those it in on at of to by for from with "
    "without within under over wrong expired weak strong secure insecure safe unsafe case case-sensitive stored "
    "hashed salted encrypted required optional being going about always never still also just only very so really "
    "quite pretty rather more less most least long longer short shorter simple complex easy easier hard harder "
    "difficult good better best bad worse worst correct incorrect invalid valid ok okay fine the same same different "
    "new old unique random missing empty blank null none nil undefined unknown unset n/a na tbd todo true false yes "
    "string str text int varchar char password passwords passwort pwd secret hidden masked visible changed reset "
    "forgotten lost stolen leaked compromised public known shared saved kept written given sent needed necessary "
    "important useless pointless outdated dated mandatory default set unset working broken gone fixed ready done up "
    "down out there here where when why how what which who whose whatever something anything nothing everything "
    "someone somewhere one two three four five six seven eight nine ten twelve at-least must should shall can cannot "
    "can't could may might will would won't wont do does don't doesn't did didn't has have had having is isn't was "
    "wasn't are aren't were be been am if unless until because since as like than then and or but nor either neither "
    "both all any some each every another other many much few several enough almost nearly probably maybe perhaps "
    "actually basically literally i you he she we they me him us them mine yours ours myself yourself now today "
    "tomorrow yesterday soon later again already yet ever please thanks thank ask see check tell send give use using "
    "make keep remember note save forget i'm i've it's that's you're via per manager policy policies field fields "
    "reset hint hints prompt protection protected rules rule requirements generator reuse sharing managed rotated "
    "updated recovered sensitive alphanumeric numeric digits characters chars letters symbols stuff problem issue "
    "thing part reason kindness between getting asking causing failing annoying confusing changing expiring wrongly "
    "unchanged used private confidential personal internal external available accepted rejected denied refused "
    "printed taped stuck pinned posted listed found "
    # and in other languages
    "zu nicht falsch abgelaufen sicher unsicher lang kurz einfach schwer stark schwach vergessen neu alt gleich "
    "gleiche dasselbe das der die den dem ein eine einen kein keine sehr noch immer schon nur auch jetzt hier dort "
    "wo wie was wer muss soll kann darf wurde wird ist war geheim weg gut schlecht auf im in am bei mit von fur "
    "gespeichert geandert gesperrt bekannt unbekannt leer und oder aber le la les un une des du de pas trop tres "
    "oublie faux mauvais perdu expire incorrecte incorrect correcte trop faible fort forte dans sur chez avec pour "
    "est el los las una muy no incorrecta correcta olvidada perdida segura debil fuerte larga corta en con para por "
    "il lo gli uno molto non sbagliata scaduta sicura debole forte nel nella o os um uma muito nao errada segura "
    "fraca na com em не неверный истек".split()
)
_CONJUNCTIONS = frozenset(
    "and but or so if for please thanks thank by because which that i we you it he she they can could don't do in on "
    "at the with just ok okay remember keep save note lol haha now since as not when while to of from is was are has "
    "had will would a an my your our his her und oder aber bitte danke fur mit auf im wenn weil ich wir du et ou "
    "mais merci pour avec y o pero gracias para con e ma grazie per still again though anyway btw everyone guys too "
    "also then there here maybe before after until username user login email".split()
)
_PLACEHOLDER = lazy_pattern(
    r"[*x.\u2022_\-#?]+\Z|<[^>]*>?\Z|\$\{?[A-Za-z_]\w*\}?\Z|\{\{|%\(?\w*\)?s?\Z|%[A-Z_]+%|\{\w*\}\Z|\[\w*|"
    r"(?:self|os|settings|config|cfg|process|env|environ|request|req|user|data|this|args|params|form|ctx|secrets|"
    r"vault|opts|options)[.\[]|"
    r"[A-Za-z_][\w.]*\(|your[_\-]?\w+|changeme\Z|example\Z|placeholder\Z|redacted\Z|omitted\Z|https?://|\w+[_\-]here\Z",
    re.IGNORECASE,
)
_WORD = lazy_pattern(r"[A-Za-z]+(?:'[a-z]+)?\Z")
_NEXT_WORD = lazy_pattern(r"[ \-]([A-Za-z]{2,14}|\d{1,4})(?![\w'])")
_MOST_WORDS = 24


def is_placeholder(value: str) -> bool:
    """Whether a value is only a placeholder: ``***``, ``<password>``, ``$PASSWORD``, ``os.environ["…"]``, ``getpass()``."""
    return bool(_PLACEHOLDER.match(value))


def is_no_value(value: str, *, said: bool, quoted: bool = False) -> bool:
    """Whether the value describes the password ("is expired") instead of being it. said: whether the value is in a sentence."""
    if quoted:
        return not value.strip() or is_placeholder(value)
    word = value.casefold().rstrip("!…")
    if len(word) < 3 or word in _NO_VALUES or is_placeholder(value):
        return True
    return said and bool(re.fullmatch(r"[a-z]{3,}(?:ed|able|ible|less)", value))


def phrase_end(text: str, start: int, end: int) -> int:
    """Return the end of a passphrase that begins with ``text[start:end]``: there, unless that is letters only and two more words
    follow.

    After a word often used to describe passwords ("correct", "long"), three more must follow, none of them such a word.
    """
    if not _WORD.match(text[start:end]):
        return end
    at, words = end, 0
    while words < _MOST_WORDS and (match := _NEXT_WORD.match(text, at)) and match[1].casefold() not in _CONJUNCTIONS:
        at, words = match.end(), words + 1
    first, *more = re.split(r"[ \-]", text[text.rfind(" ", 0, end) + 1 : at].casefold())
    doubtful = is_no_value(first, said=True)
    if words < 2 + doubtful or (doubtful and not _NO_VALUES.isdisjoint(more)):
        return end
    return at


_LONGEST_CUT = 8
"""Longest match that must be followed by the end of a word: "logins"."""
_CUT = lazy_pattern(r"\w\w")


class Places:
    """The places in a text where a pattern matches, for many windows; longest: maximum length of a match."""

    def __init__(self, pattern: re.Pattern[str], text: str, *, longest: int = 0) -> None:
        self._pattern, self._text, self._longest = pattern, text, longest
        self._found: list[int] | None = None

    def in_window(self, start: int, end: int) -> bool:
        """Like ``pattern.search(text, start, end)``, which sees the text before the window."""
        for at in range(bisect_left(self._starts, start), len(self._starts)):
            if self._starts[at] >= end:
                break
            if self._starts[at] < end - self._longest or self._pattern.match(self._text, self._starts[at], end):
                return True
        # The window's end makes a word of a longer one that continues after it.
        cuts = _CUT.fullmatch(self._text, max(end - 1, 0), end + 1)
        return bool(cuts and self._pattern.search(self._text, max(start, end - _LONGEST_CUT), end))

    def in_piece(self, start: int, end: int) -> bool:
        """Like ``pattern.search(text[start:end])``, if no match reaches across the end."""
        at = bisect_left(self._starts, start + 1)
        if at < len(self._starts) and self._starts[at] < end:
            return True
        # The piece's start makes a word of a longer one that began before it.
        return bool(self._pattern.match(self._text[start:end]))

    @property
    def _starts(self) -> list[int]:
        # Before Python 3.12 a `cached_property` has one lock for all objects; a child forked while it is held never gets it.
        if self._found is None:
            starts, at = list[int](), 0
            while match := self._pattern.search(self._text, at):
                starts.append(match.start())
                at = match.start() + 1
            self._found = starts
        return self._found
