"""Find tokens by their form: keys of known vendors by prefix and length, JSON web tokens, private keys, opaque strings."""

import re
from bisect import bisect_left
from collections.abc import Iterator

from mosshead.patterns import lazy_pattern
from mosshead.redaction.text import (
    Finder,
    FoundSecret,
    Kind,
    Next,
    Places,
    in_small,
    in_url,
    is_complex,
    is_dense,
    is_opaque,
    is_public,
    mixes_letters_and_digits,
    names_a_hash,
    names_a_thing,
)

# A token may be wrapped; its next line then holds only more of it.
_WRAPPED = r"\r?\n[ \t]*(?=[A-Za-z0-9_\-]{8,400}[ \t]*(?:\r?\n|\Z))(?=[A-Za-z_\-]{0,40}\d)"
_W = rf"(?:[A-Za-z0-9_\-]|{_WRAPPED})"
_A = rf"(?:[A-Za-z0-9]|{_WRAPPED})"
_H = "[0-9a-fA-F]"
_API_KEYS = (
    rf"sk-{_W}{{16,}}",  # OpenAI, Anthropic, OpenRouter, DeepSeek, …
    rf"(?:sk|rk|pk)_(?:live|test|prod)_{_A}{{10,}}",  # Stripe
    rf"sk_{_H}{{32,}}",  # ElevenLabs
    r"whsec_[A-Za-z0-9+/=]{20,}",
    r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])",  # AWS
    rf"AIza{_W}{{30,}}",  # Google
    rf"GOCSPX-{_W}{{20,}}",
    rf"(?:SK|AC){_H}{{32}}(?![A-Za-z0-9])",  # Twilio
    rf"SG\.{_W}{{16,}}\.{_W}{{16,}}",  # SendGrid
    rf"key-{_H}{{32}}(?![A-Za-z0-9])",  # Mailgun
    rf"{_H}{{32}}-us\d{{1,2}}(?!\w)",  # Mailchimp
    rf"xkeysib-{_H}{{32,}}[\w\-]*",  # Brevo
    rf"PMAK-{_H}{{24}}-{_H}{{30,}}",  # Postman
    r"NRAK-[A-Z0-9]{20,}",  # New Relic
    # Groq, Hugging Face, Replicate, Figma, xAI, Perplexity, PostHog, Linear, Supabase, Sentry, Notion, …
    rf"(?:gsk|hf|r8|tfp|nfp|aio|dp|figd|xai|pplx|phc|phx|fw|key|pat|re|lin_api|api_org|rubygems|sbp|sb_secret)[_\-]{_W}{{20,}}",
    rf"(?:pscale_\w{{2,5}}|tvly|jina|nvapi|csk|sntry[su]|ntn|secret)[_\-]{_W}{{20,}}",
    rf"shp(?:at|ca|pa|ss)_{_H}{{32}}",  # Shopify
    rf"sq0[a-z]{{3}}-{_W}{{20,}}",  # Square
    rf"dapi{_H}{{32}}",  # Databricks
    rf"rzp_(?:live|test)_{_A}{{10,}}",  # Razorpay
    rf"lsv2_(?:pt|sk)_{_W}{{30,}}",  # LangSmith
    r"CLOJARS_[a-z0-9]{40,}",
    rf"LTAI{_A}{{12,24}}",  # Alibaba
    rf"v1\.0-{_H}{{24}}-{_H}{{40,}}",  # Cloudflare, for origin certificates
    rf"cf(?:ut|at|k)_{_A}{{40,}}",
)
_ACCESS_TOKENS = (
    rf"gh[pousr]_{_A}{{20,}}",  # GitHub
    rf"github_pat_{_W}{{20,}}",
    # GitLab; a routable token has its length and checksum after one or two dots
    (
        rf"(?:gl(?:pat|ptt|dt|rtr?|cbt|soat|oas|ft|imt|agent|ffct|wt)-|GR1348941){_W}{{16,}}"
        r"(?:(?:\.[0-9a-z]{2})?\.[0-9a-z]{9}(?![A-Za-z0-9]))?"
    ),
    rf"glsa_{_W}{{20,}}",  # Grafana
    r"glc_[\w+/=\-]{20,}",
    rf"xox[a-z](?:\.xox[a-z])?-{_W}{{10,}}",  # Slack
    rf"xapp-\d-{_W}{{10,}}",
    r"hooks\.slack\.com/(?:services|workflows|triggers)/[\w/+\-]{20,}",
    r"discord(?:app)?\.com/api/webhooks/\d+/[\w\-]{30,}",
    rf"[A-Za-z0-9_\-]{{23,28}}\.[A-Za-z0-9_\-]{{6,7}}\.{_W}{{27,}}",  # Discord
    rf"ya29\.{_W}{{20,}}",  # Google
    rf"1//0{_W}{{30,}}",
    rf"npm_{_A}{{30,}}",
    rf"pypi-{_W}{{16,}}",
    rf"dckr_(?:pat|oat)_{_W}{{20,}}",
    rf"do[opr]_v1_{_H}{{40,}}",  # DigitalOcean
    r"\d{8,10}:[A-Za-z0-9_\-]{35}(?![A-Za-z0-9_\-])",  # Telegram
    rf"hv[sbr]\.{_W}{{20,}}",  # Vault
    rf"[A-Za-z0-9]{{14}}\.atlasv1\.{_W}{{40,}}",  # Terraform
    r"AT(?:ATT|BB|CTT)[A-Za-z0-9]{2,}[\w=\-]{20,}",  # Atlassian
    r"EAA[A-Za-z0-9]{30,}",  # Meta
    rf"pat[A-Za-z0-9]{{14}}\.{_H}{{64}}",  # Airtable
    r"\w{3}\dQ~[\w~.\-]{30,}",  # Azure
    rf"[ps]k\.eyJ{_W}{{10,}}\.{_W}{{10,}}",  # Mapbox
    rf"y0_{_W}{{30,}}",  # Yandex
    rf"AQVN{_W}{{30,}}",
    # JSON web tokens, at least header and payload
    rf"eyJ[A-Za-z0-9_\-\n]{{6,600}}+\.[A-Za-z0-9_\-\n]{{6,}}(?:\.{_W}+){{0,3}}",
)
_PRIVATE_KEYS = (
    r"[5KL][1-9A-HJ-NP-Za-km-z]{50,51}(?![A-Za-z0-9])|[xyzt]prv[1-9A-HJ-NP-Za-km-z]{80,}|AGE-SECRET-KEY-(?:PQ-)?1[A-Z0-9]{50,}",
    # Bech32, which has its type before the last 1: Nostr, Sui, Cardano, age in lower case
    r"(?:nsec|ncryptsec|suiprivkey|age-secret-key-|[a-z0-9]{2,12}_x?sk)1[02-9ac-hj-np-z]{50,}|NSEC1[02-9AC-HJ-NP-Z]{50,}",
    r"S[A-Z2-7]{55}(?![A-Za-z0-9])",  # Stellar
)


def _any(patterns: tuple[str, ...]) -> re.Pattern[str]:
    return lazy_pattern(rf"(?<![A-Za-z0-9])(?:{'|'.join(patterns)})")


_VENDORS: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    ("API key", _any(_API_KEYS)),
    ("access token", _any(_ACCESS_TOKENS)),
    ("private key", _any(_PRIVATE_KEYS)),
)
_BLOCK = lazy_pattern(
    r"-{1,10} ?(BEGIN|END) ?[A-Z0-9 ]{0,40}?(PRIVATE KEY|PUBLIC KEY|CERTIFICATE)[A-Z0-9 ]{0,20}-{0,10}"
)
_ENCODED = lazy_pattern(
    r"(?:(?:\s|\\[nr]|[\"'`,+>|])*[A-Za-z0-9+/=]{12,76}(?![A-Za-z0-9+/=]))+(?:(?:\s|\\[nr])*[A-Za-z0-9+/]{1,11}={1,2})?"
)
_PUTTY = lazy_pattern(r"(?<![A-Za-z0-9])PuTTY-User-Key-File-\d")
_PUTTY_END = lazy_pattern(r"Private-MAC:\s*[0-9a-f]+")
_LONGEST_PUTTY = 8000
_LINE = lazy_pattern(r"[A-Za-z0-9+/=]{1,76}\Z")
_LONG = lazy_pattern(r"(?<![A-Za-z0-9+/_=\-])[A-Za-z0-9+/_\-]{32,}={0,2}")
_AFTER_PREFIX = lazy_pattern(
    r"(?<![A-Za-z0-9_\-])([A-Za-z]{2,12})(?:[_\-][A-Za-z0-9]{1,10}){0,3}[_\-]([A-Za-z0-9]{20,})(?![A-Za-z0-9])"
)
_NAMES_OF_THINGS = frozenset(
    "cus pi ch in sub prod price evt acct txn pm si cs re seti src tok card ba po tr req msg run thread asst file "
    "chatcmpl resp call toolu batch vs ft ftjob step gen img org proj user usr team doc page node task job order "
    "item obj id uid session conv app sha sha1 sha256 sha384 sha512 md5 build release commit snapshot ami vol sg vpc "
    "subnet eni igw rtb i".split()
)


def find_tokens(text: str) -> Iterator[FoundSecret]:
    """Find keys and tokens by their form alone."""
    public, blocks = _key_blocks(text)
    yield from blocks
    yield from _putty_keys(text, public)
    for kind, pattern in _VENDORS:
        for match in pattern.finditer(text):
            if mixes_letters_and_digits(match[0]) and not _within(public, match.start()):
                yield FoundSecret(match.start(), match.end(), kind)
    for match in _AFTER_PREFIX.finditer(text):
        if match[1].lower() not in _NAMES_OF_THINGS and is_opaque(match[2]) and not in_url(text, match.start()):
            yield FoundSecret(match.start(), match.end(), "API key")
    for match in _LONG.finditer(text):
        if is_opaque(match[0]) and not _is_named(text, match) and not _within(public, match.start()):
            yield FoundSecret(match.start(), match.end(), "access token")


def _putty_keys(text: str, public: list[tuple[int, int]]) -> Iterator[FoundSecret]:
    ends, at = Next(_PUTTY_END, text), 0
    while begins := _PUTTY.search(text, at):
        at = begins.end()
        end = ends.after(at)
        if end and end.start() - at <= _LONGEST_PUTTY:
            at = end.end()
            if not _within(public, begins.start()):
                yield FoundSecret(begins.start(), at, "private key")


def _is_named(text: str, match: re.Match[str]) -> bool:
    start = match.start()
    prefix = re.split(r"[_\-]", match[0], maxsplit=1)[0].lower()
    named = is_public(match[0]) or prefix in _NAMES_OF_THINGS
    return named or in_url(text, start) or names_a_hash(text, start) or names_a_thing(text, start)


def _key_blocks(text: str) -> tuple[list[tuple[int, int]], list[FoundSecret]]:
    """Return the places of public blocks (certificates, public keys) and of private keys, including truncated ones."""
    public: list[tuple[int, int]] = []
    private: list[FoundSecret] = []
    opened: re.Match[str] | None = None
    done = 0
    for line in [*_BLOCK.finditer(text), None]:
        closing = line if opened and line and line[1] == "END" and line[2] == opened[2] else None
        if opened:
            done = (closing or _ENCODED.match(text, opened.end()) or opened).end()
            if opened[2] == "PRIVATE KEY":
                private.append(FoundSecret(opened.start(), done, "private key"))
            else:
                public.append((opened.start(), done))
        opened = line if line and line[1] == "BEGIN" else None
        if line and line[1] == "END" and line[2] == "PRIVATE KEY" and not closing:
            private.append(FoundSecret(_start_of_encoded(text, done, line.start()), line.end(), "private key"))
            done = line.end()
    return public, private


def _start_of_encoded(text: str, least: int, end: int) -> int:
    start = end
    while (before := text.rfind("\n", least, start)) >= 0 and before < start:
        line_start = text.rfind("\n", least, before) + 1 or least
        if not _LINE.match(text[line_start:before].strip()):
            break
        start = line_start
        if line_start == least:
            break
    return start


def _within(spans: list[tuple[int, int]], place: int) -> bool:
    at = bisect_left(spans, (place + 1,))
    return at > 0 and place < spans[at - 1][1]


_TOKEN_HERE = lazy_pattern(r"[\"'`*(\[<{=]{0,3}(?P<value>[^\s\"'`<>]{6,64})")
_TOKEN = lazy_pattern(r"(?<!\S)[\"'`*(\[<{=]{0,3}(?P<value>[^\s\"'`<>]{6,64})")
_LONG_TOKEN = lazy_pattern(r"(?<![A-Za-z0-9+/_=.\-])[A-Za-z0-9+/_~\-]{16,200}={0,2}(?![A-Za-z0-9+/_=\-])")
_END = ".,;:?)]}\"'`*"
_PASSWORDS = lazy_pattern(
    r"passw|passwd|\bpwd?\b|passcode|pass ?phrase|kennwort|mot de passe|\bmdp\b|contrasena|\bsenha|wachtwoord|"
    r"losenord|haslo|пароль|парол|credential|"
    r"\bcreds\b|zugangsdaten|\blog ?-?in\b|logged in|logging in|\blogins?\b|sign in|密码|パスワード|비밀번호|\bsecret\b|\bpin\b"
)
_KEYS = lazy_pattern(
    r"api[ _\-]?keys?|access[ _\-]?(?:key|token|code)|secret|(?<![a-z])tokens?(?![a-z])|credential|\bcreds\b|"
    r"private[ _\-]?key|bearer|auth(?:[ _\-]?(?:key|token|code)|orization)|passw|"
    r"(?:signing|encryption|master|deploy|license|webhook|wallet|account|storage|service)[ _\-]?(?:key|secret)|"
    r"zugangsschlussel|schlussel|clave|cle d'api|chave|chiave|"
    r"токен|ключ|密钥|令牌|session|cookie|mnemonic|seed\b|\bkeys?\b"
)
_STRONG = lazy_pattern(
    r"api[ _\-]?keys?|access[ _\-]?(?:key|token)|secret|private[ _\-]?key|auth[ _\-]?(?:key|token)|bearer|"
    r"credential|wallet|signing key|encryption key|api-schlussel|clave api"
)
_HEX = lazy_pattern(r"(?:0x)?[0-9a-f]{7,}\Z", re.IGNORECASE)
_UUID = lazy_pattern(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\Z", re.IGNORECASE)
_PLAIN = lazy_pattern(
    r"\d{1,4}(?:st|nd|rd|th|am|pm|gb|mb|kb|ms|px|km|kg|cm|x|k|m|%|\+)?\Z|v?\d+(?:[.\-]\w+)+\Z|1password\d*|"
    r"\w+\.(?:py|js|ts|md|txt|json|ya?ml|pdf|png|jpe?g|csv|html?|docx?|xlsx?|sh|go|rs|java|c|h)\Z",
    re.IGNORECASE,
)
_BEFORE, _AFTER = 90, 50
_LONGEST_WORD = 24  # "subscription" and the like are shorter, including what may follow
_VERY_COMPLEX = lazy_pattern(
    r"(?=\S*[a-z])(?=\S*[A-Z])(?=\S*\d)(?=[A-Za-z0-9]\S*[!#$%^&*@~])[A-Za-z0-9!#$%^&*@~?_\-]{8,40}\Z"
)


def find_near(text: str) -> Iterator[FoundSecret]:
    """Find complex words near "password" or "login", dense tokens near "key" or "token", and words from generators."""
    small = in_small(text)
    yield from _near_passwords(text, Places(_PASSWORDS, small, longest=_LONGEST_WORD))
    strong, keys = (Places(words, small, longest=_LONGEST_WORD) for words in (_STRONG, _KEYS))
    for match in _LONG_TOKEN.finditer(text):
        if _is_key(text, match, strong, keys):
            yield FoundSecret(match.start(), match.end(), "access token")


def _near_passwords(text: str, words: Places) -> Iterator[FoundSecret]:
    cut, at = 0, 0
    while match := (_TOKEN_HERE.match(text, at) if 0 < cut == at else None) or _TOKEN.search(text, at):
        start, end = match.span("value")
        begins = cut if match.start() == cut else 0
        at = match.end()
        end = start + len(text[start:end].rstrip(_END))
        value = text[start:end]
        if not is_complex(value) or _PLAIN.match(value):
            continue
        # The link is searched for last: it may begin far before.
        if (_VERY_COMPLEX.match(value) or _around(words, start, end, begins)) and not in_url(text, start, begins):
            yield FoundSecret(start, end, "password")
            # The text after a mark is a word again. It is handled here, or a long run would need a pass for each.
            if end < len(text) and not text[end].isspace():
                cut = at = end


def _is_key(text: str, match: re.Match[str], strong: Places, keys: Places) -> bool:
    value, start, end = match[0], *match.span()
    if not is_dense(value, 12) or _UUID.match(value) or is_public(value) or in_url(text, start):
        return False
    if names_a_hash(text, start) or names_a_thing(text, start):
        return False
    return _around(strong if _HEX.match(value) or not is_opaque(value) else keys, start, end)


def _around(words: Places, start: int, end: int, begins: int = 0) -> bool:
    return words.in_window(max(start - _BEFORE, begins), start) or words.in_window(end, end + _AFTER)


_LOOKS_LONG = lazy_pattern(r"[a-z0-9+/_.\-]{16}|private key")
FINDERS = (
    Finder(find_near, 8, digits=True),
    Finder(find_tokens, 11, looks_so=lambda small: bool(_LOOKS_LONG.search(small))),
)
