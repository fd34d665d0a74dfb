"""Find passwords, logins, named keys and seed phrases by the words around them in a sentence or a setting."""

import re
from collections.abc import Iterator

from mosshead.patterns import lazy_pattern
from mosshead.redaction.text import (
    IS,
    KEY_VALUE,
    STILL,
    VALUE,
    Finder,
    FoundSecret,
    Next,
    SecretSentence,
    SecretStatement,
    in_small,
    is_complex,
    is_dense,
    is_no_value,
    is_opaque,
    is_placeholder,
    matches,
    mixes_letters_and_digits,
    names_a_hash,
    names_a_thing,
    phrase_end,
    trimmed,
)

# Long words also as the end of others (DB_PASSWORD, WLAN-Passwort); short ones only on their own.
_WORDS = (
    r"(?:passw(?:or|oe)[dt]s?|passwd|pswd|pwd|pass words?|pass[ \-]?codes?|pass[ \-_]?phrases?|kenn?wort|losungswort|"
    r"mots? de passe|contrasenas?|clave de acceso|palavra[ \-]passe|parola d'ordine|wachtwoord|losenord(?:et)?|"
    r"adgangskode|passord(?:et)?|salasana|пароль|密码|密碼|ハスワート|비밀번호|(?:wifi|wi-fi|wlan|router|login|"
    r"network|netzwerk)[ \-]?(?:key|pass|schlussel)|_pass|safe ?word|"
    r"(?:secret|security) (?:word|answer)|zugangscode|(?<![a-z0-9])(?:pw|p/w|psw|mdp|mi clave|la clave (?:de|del)|"
    r"senhas?|haslo|heslo|jelszo|sifre|parolam|parola mea))"
)
_PASSWORD_IS = SecretSentence(_WORDS, rf"(?P<is>{IS}){STILL}{VALUE}")
_PASSWORD_THEN = lazy_pattern(rf"(?P<word>{_WORDS})(?![a-z])(?:\?|!|,|\s-|\)|\]|\.{{1,3}}|…)?\s+(?:again\s+)?{VALUE}")
_CHANGED = lazy_pattern(
    rf"(?:chang|set|reset|updat|switch|rotat|geandert|setz|mis|"
    rf"cambi)[a-z]*\s(?:[^.!?\n]{{0,30}}\s)?(?P<word>{_WORDS})(?![a-z])(?:\s[^.!?\n:]{{0,40}}?)??\s(?:to|auf|in|as|"
    rf"a|en|zu|from)\s+{STILL}{VALUE}"
)
_OF_WORDS = (
    r"(?:my|our|the|your|his|her|their|a|new|mein|unser|das|dein|mon|notre|mi|il mio|la mia|minha)\s(?:[\w'\-]+\s){0,4}?"
    rf"(?:{_WORDS})(?![a-z])(?!\s*(?:manager|polic|field|hint|reset|generator|length|rule|vault|book|safe|app))"
)
_IS_PASSWORD = lazy_pattern(
    rf"(?<!\S)[\"'`*(]{{0,2}}(?P<plain>[^\s\"'`<>][^\s\"`]{{2,80}}?)[\"'`*),]{{0,2}}\s(?:is|was|as|ist|est|es|e|will be|"
    rf"als|,)\s(?:still\s|now\s|also\s)?{_OF_WORDS}"
)

# "my password? It's hunter2", "hunter2 … that's my password"
_IT_IS = lazy_pattern(
    rf"(?:{_WORDS})(?![a-z])[^\n]{{0,60}}?\s(?:it|that|this)(?:'s| is| was)\s+{STILL}{VALUE}|"
    rf"(?<!\S)(?P<before>[^\s\"'`<>]{{4,80}})(?:\s[^.!?\n]{{0,40}}?)?\s(?:it|that|this|which)(?:'s| is|"
    rf" was)\s{_OF_WORDS}"
)
_SAYS_IT_IS = lazy_pattern(r"\s(?:it|that|this|which)(?:'s| is| was)\s")
_PASSWORD_STEMS = tuple(
    "answer passw pswd pwd pass kenwort kennwort losungswort mot contrasen clave palavra parola wachtwoord losenord adgangskode "
    "salasana парол 密 ハス 비밀 key schlussel word zugang pw p/w psw mdp senha haslo heslo jelszo sifre".split()
)


def find_passwords(text: str) -> Iterator[FoundSecret]:
    """Find passwords by the words around them."""
    small = in_small(text)
    for said in _PASSWORD_IS.find(small, within=True, is_secret=lambda said: bool(_said(text, said))):
        yield from _said(text, said)
    for match in matches(_CHANGED, small):
        yield from password_in(text, match, loosely=True)
    for match in matches(_PASSWORD_THEN, small):
        yield from password_in(text, match, loosely=_stands_quoted(match))
    for match in _IS_PASSWORD.finditer(small):
        start, end = match.span("plain")
        if not is_no_value(text[start:end], said=True):
            yield FoundSecret(*trimmed(text, start, end), "password")
    for match in _IT_IS.finditer(small) if _SAYS_IT_IS.search(small) else ():
        if match["before"] is None:
            yield from password_in(text, match, loosely=False)
        else:
            start, end = match.span("before")
            value = text[start:end].rstrip(",;:")
            if looks_made_up(value):
                yield FoundSecret(start, start + len(value), "password")


def _said(text: str, said: SecretStatement) -> list[FoundSecret]:
    # "I changed my password on Friday" and "gave my password to Bob" contain none; "on" means "is" only in Finnish.
    leads_away = said.led["is"].strip() in {"on", "to"} and not said.word.startswith("salasana")
    loosely = said.led["quoted"] is not None or not leads_away
    return list(password_in(text, said.led, sentence=slice(said.start, said.led.end()), loosely=loosely))


def _stands_quoted(match: re.Match[str]) -> bool:
    """Whether it is quoted as in SQL: ``WITH PASSWORD 'sunshine'``; no list of columns ("password, 'email'"), nor two words."""
    value, between = match["quoted"], match.string[match.end("word") : match.start("quoted")]
    return (
        value is not None and "," not in between and not re.search(r"\s", value) and not is_no_value(value, said=True)
    )


def password_in(
    text: str, match: re.Match[str], *, loosely: bool, sentence: slice | None = None
) -> Iterator[FoundSecret]:
    """Return the value after a password's word. loosely: any word may be one. sentence: everything from the word to the value."""
    quoted = match["quoted"] is not None
    start, end = match.span("quoted") if quoted else trimmed(text, *match.span("plain"))
    value = text[start:end]
    if not loosely and not looks_made_up(value) and not re.fullmatch(r"\d{6,12}", value):
        return
    phrase = phrase_end(text, start, end) if loosely and not quoted else end
    whole = text[sentence or slice(*match.span())]
    said = loosely and ":" not in whole and "=" not in whole
    if phrase == end and (start >= end or is_no_value(value, said=said, quoted=quoted)):
        return
    yield FoundSecret(start, phrase, "password")


def looks_made_up(value: str) -> bool:
    """Whether a word is not a plain word, so that less context suffices for a password."""
    return is_complex(value) or (mixes_letters_and_digits(value) and len(value) >= 5)


_IS_LOGIN = lazy_pattern(
    r"(?<!\S)[\w.+@\-]{2,64}\s?[/:|]\s?(?P<plain>[^\s\"'`<>]{4,80})\s(?:is|are|as)\s(?:the|my|our|your|his|"
    r"her)\s(?:\w+\s){0,2}?"
    r"(?:logins?|credentials?|creds|account)(?![a-z])"
)
_HEAD = (
    r"(?<![a-z])(?:log(?:ged|ging)?[ \-]?(?:in|on)|logins?|sign(?:ed)?[ \-]?(?:in|on)|credentials?|creds|accounts?|"
    r"users?(?:[ \-]?names?)?(?:\s?/\s?pass(?:words?)?)?|zugangsdaten|anmelde\w{0,10}|einloggen|identifiants|access|"
    r"ssh|ftp|auth|benutzer\w{0,10}|usuario|utente)(?![a-z])"
)
_HEADS = tuple(
    map(
        lazy_pattern,
        (_HEAD, r"users?[ \-]?names?(?![a-z])", r"users?(?:\s?/\s?pass(?:words?)?)?(?![a-z])", r"users?(?![a-z])"),
    )
)
"""Patterns for words about a login, and for shorter ones: of "user name/…" the first word alone may be one."""

_FURTHEST = 60
_PAIR = lazy_pattern(
    r"[\s:=\"'(](?!\d+:[\w.\-]+:\d)(?P<user>[\w.+@\-]{2,64}?)"  # but not a forwarded port
    r"(?:\s?[/|:]\s?|\s(?:and|und|et|y|with|mit)\s)(?P<plain>[^\s\"'`<>]{4,80})"
)
_USER_PASS = lazy_pattern(
    r"(?<![a-z])(?:user(?:[ \-]?name)?|login|email|e-mail|account|benutzer(?:name)?|usuario|"
    r"id)\b[^\n]{0,80}?[\s,;/]pass\b\s*[:=\-]?\s*"
    rf"(?:is\s)?{VALUE}|(?<![a-z])pass\s?[:=]\s*(?P<other>\S{{3,80}})"
)
_USER_THEN = lazy_pattern(
    r"(?<![a-z])(?:user(?:[ \-]?name)?|login|benutzer(?:name)?|usuario)\s*[:=]?\s+(?:is\s)?[^\s,;]{2,64}"
    r"[\s,;/]+(?:and\s)?(?:the\s)?"
    rf"pass(?:word)?\s+{VALUE}"
)
_IN_URL = lazy_pattern(
    r"(?<![a-z0-9])[a-z][a-z0-9+.\-]{1,20}://[^\s/:@\"'<>]{0,100}:(?P<plain>[^\s\"'<>]{1,200})"
    r"@(?=[\w\[])"
)
_FLAGGED = lazy_pattern(
    r"(?:(?<!\S)--?(?:password|passwd|pass|pwd|token|api-key|apikey|secret|auth-token|access-token)[= ]\s?|"
    r"sshpass\s+-p\s?|"
    r"(?:mysql|mariadb|mysqldump|mysqladmin)\b[^\n]{0,80}?\s-p|(?:curl|wget|http)\b[^\n]{0,200}?\s(?:-u|"
    r"--user)[ =][\"']?[\w.@\-]{1,64}:|redis-cli\b[^\n]{0,80}?\s-a\s|login\s\S{1,64}\s+password\s|"
    r"docker\slogin\b[^\n]{0,80}?\s-p\s|user\s[^\n]{1,80}?\sidentified\s(?:with\s\S{1,40}\s)?by\s(?=[\"'])|"
    r"define\s?\(\s?[\"']\w{0,40}pass(?:word|wd)?[\"']\s?,\s?)[\"']?(?P<plain>[^\s\"']{3,200})"
)

# A season pass costs 120 euros, and a first pass is rough.
_OTHER_PASS = lazy_pattern(
    r"\b(?:season|boarding|bus|train|rail|metro|travel|ski|lift|day|week|month(?:ly)?|annual|guest|visitor|backstage|museum|"
    r"press|hall|gym|mountain|forward|back|first|second|third|last|next|final|one|two|each|every|quick|rough)[ \-]\Z"
)
_PORT = lazy_pattern(r"\d{1,5}(?:/|\Z)")
_ROLES = (
    r"(?:admin|administrator|root|sysadmin|superuser|superadmin|guest|user|username|"
    r"[\w.+\-]{1,64}@[\w\-]{1,63}\.[\w.\-]{2,63})"
)

# "admin / s3cret"; with a third it is a list ("admin / editor2 / viewer")
_ROLE_AND = lazy_pattern(
    rf"(?<![\w/.@+\-])(?:{_ROLES}(?:\s/\s|\s?\|\s?)|(?:admin|administrator|root):)(?P<plain>[^\s\"'`<>/|]{{4,80}})(?!\s?[/|])(?=[\s\"'`<>]|\Z)"
)
_ROLE_AND_WORD = lazy_pattern(
    r"(?<![a-z])(?:log[ \-]?in|logins?|credentials?|creds|zugangsdaten|identifiants)(?:\s(?:is|are|with|sind|ist|mit|as))?"
    r"\s?[:=]?\s(?:admin|administrator|root)\s?[/|]\s?(?P<plain>[a-z]{4,40})(?=[.,;!?)]?(?:\s|\Z))(?!\s?[/|])"
)
_ROLES_BESIDE = lazy_pattern(
    r"(?:(?:super|end|power)?users?|admins?|administrators?|editors?|viewers?|guests?|owners?|members?|moderators?|managers?|developers?|"
    r"staff|root|customers?|clients?|teachers?|students?|parents?|support|sales|roles?|access|accounts?|public|groups?|teams?|node|level|"
    r"tier|prod|staging|dev|room|page|step|home|panel|dashboard|v)[\-_]?\d*\Z"
)
_PGPASS = lazy_pattern(
    r"(?<![\w.:/\-])(?P<host>(?=[\w.\-]{0,253}[a-z]|\d+\.\d+\.\d)[\w.\-]{1,253}|\*):(?:\d{4,5}|\*):"
    r"(?:\*|[\w.\-]{0,62}[a-z_][\w.\-]{0,62}):(?:\*|[a-z_][\w.@\-]{0,62}):(?P<plain>[^\s\"'`<>]{3,200})"
)
_SOURCE = lazy_pattern(
    r"[\w.\-]*\.(?:py|js|ts|tsx|jsx|go|rs|c|cc|cpp|h|hpp|java|kt|rb|php|sh|sql|log|txt|md|css|html?)\Z"
)

# Hashes as in htpasswd and /etc/shadow: anybody can try words against one.
_CRYPTED = lazy_pattern(r"(?<![\w$])\$(?:apr1|2[abxy]|[156y]|argon2(?:id?|d))\$[\w./$=,+\-]{20,200}")
_LOGIN_STEMS = tuple(
    "admin root guest @ :* $ :1 :2 :3 :4 :5 :6 :7 :8 :9 "
    "login log log- sign cred account user anmelde zugang einloggen identif access ssh ftp auth benutzer usuario utente pass "
    "pwd :// token api secret mysql mariadb curl wget http redis-cli email".split()
)


def find_logins(text: str) -> Iterator[FoundSecret]:
    """Find passwords next to their user."""
    small = in_small(text)
    for match in _USER_PASS.finditer(small):
        if match["other"] is None:
            yield from password_in(text, match, loosely=True)
        elif not is_no_value(text[slice(*match.span("other"))], said=False) and not _OTHER_PASS.search(
            small, max(0, match.start() - 20), match.start()
        ):
            yield FoundSecret(*trimmed(text, *match.span("other")), "password")
    for match in _USER_THEN.finditer(small):
        yield from password_in(text, match, loosely=True)
    parted = "/" in small or ":" in small or "|" in small
    for match in [*_pairs(small), *(_IS_LOGIN.finditer(small) if parted else ())]:
        start, end = trimmed(text, *match.span("plain"))
        if looks_made_up(text[start:end]) and not text[start].isdigit():
            yield FoundSecret(start, end, "password")
    yield from _role_and_password(text, small) if parted else ()
    for match in _CRYPTED.finditer(text) if "$" in small else ():
        yield FoundSecret(*trimmed(text, *match.span()), "password")
    for match in [*(_IN_URL.finditer(small) if "://" in small else ()), *_FLAGGED.finditer(small)]:
        start, end = match.span("plain")
        if not is_placeholder(text[start:end]) and not _PORT.match(text[start:end]):
            yield FoundSecret(start, end, "password")


def _role_and_password(text: str, small: str) -> Iterator[FoundSecret]:
    for match in _ROLE_AND.finditer(small):
        start, end = trimmed(text, *match.span("plain"))
        value = text[start:end]
        if looks_made_up(value) and not (
            is_placeholder(value) or value[0].isdigit() or _ROLES_BESIDE.match(small, start, end)
        ):
            yield FoundSecret(start, end, "password")
    for match in _ROLE_AND_WORD.finditer(small):
        if not (is_no_value(match["plain"], said=True) or _ROLES_BESIDE.match(match["plain"])):
            yield FoundSecret(*match.span("plain"), "password")
    for match in _PGPASS.finditer(small) if small.count(":") > 3 else ():
        start, end = trimmed(text, *match.span("plain"))
        value = text[start:end]
        if not _SOURCE.match(match["host"]) and (looks_made_up(value) or not is_no_value(value, said=False)):
            yield FoundSecret(start, end, "password")


def _pairs(text: str) -> Iterator[re.Match[str]]:
    """Find pairs of user and password on the line of a word about a login; the text is searched for pairs once."""
    pairs, at = Next(_PAIR, text), 0
    while longest := _HEADS[0].search(text, at):
        at = longest.start() + 1
        for head in filter(None, [form.match(text, longest.start()) for form in _HEADS]):
            pair = pairs.after(head.end())
            if pair and pair.start() - head.end() <= _FURTHEST and "\n" not in text[head.end() : pair.start()]:
                yield pair
                at = pair.end()
                break


_KEY = (
    r"(?:api[ _\-]?keys?|access[ _\-]?keys?(?:[ _\-]?id)?|secret[ _\-]?(?:access[ _\-]?)?keys?|private[ _\-]?keys?|"
    r"(?:account|auth|signing|encryption|master|deploy|license|app|wallet|service|integration|storage|bot|root|"
    r"user|rest|webhook|"
    r"subscription|session|stream)[ _\-]?keys?|(?<![a-z])(?:keys?|auth|sid|sig|session|secrets?|tokens?)|[_\-]keys?|"
    r"(?:client|app|shared|signing|webhook|consumer)[ _\-]?secrets?|_secrets?|(?<=[a-z])tokens?|_tokens?|token|"
    r"sess(?:ion)?[_\- ]?ids?|sessid|(?:csrf|xsrf)[\w\-]{0,20}|cookies?|signature|x-amz-credential|credentials?|"
    r"authorization|bearer|"
    r"jeton|schlussel|cle (?:d'api|api|secrete)|chave(?: de api)?|clave(?: de)? api|chiave(?: api)?|токен|ключ|密钥|令牌)"
)
_KEY_IS = SecretSentence(
    _KEY,
    rf"(?P<is>{IS}|\s*\\?[\"'`]?\s*[=:>]\s*|[\s:?,]{{1,3}}){STILL}{KEY_VALUE}",
    after=r"(?:\s?\([^)\n]{1,30}\))?",
)
_HEADER = lazy_pattern(
    r"(?<![a-z])(?:(?:proxy-)?authorization\\?[\"']?\s*[:=]\s*\\?[\"']?"
    r"(?:bearer|basic|token|digest|negotiate|apikey|api-key|aws4-hmac-sha256)?\s*|"
    rf"x-[a-z\-]{{2,30}}(?:key|token|secret)\\?[\"']?\s*[:=]\s*\\?[\"']?|(?P<scheme>bearer|basic)\s+){KEY_VALUE}"
)
_COOKIES = lazy_pattern(r"(?<![a-z])(?:set-)?cookie\s?:\s*([^\n]{3,4000})")
_COOKIE = lazy_pattern(r"[\w.\-]+=([^\s;,\"']{8,})")
_URL_USER = lazy_pattern(r"(?<![A-Za-z0-9])[A-Za-z][A-Za-z0-9+.\-]{1,20}://([A-Za-z0-9_\-]{20,200})@(?=[\w.\-]+)")

# Vague words, after which only a longer value is a key; "auth", "session" and "key" often precede other things.
_WEAK = lazy_pattern(r"(?:signature|sig|cookies?|auth|session|sid|credentials?|authorization|keys?|schlussel|ключ)\Z")
_UUID = lazy_pattern(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\Z", re.IGNORECASE)
_DASHED = lazy_pattern(r"(?=.*\d)(?:[A-Z0-9]{3,8}-){2,9}[A-Z0-9]{3,8}\Z")
_LETTERS = lazy_pattern(r"[A-Za-z]+(?:[_\-][A-Za-z]+)*")
_SHORTEST_OF_LETTERS, _SHORTEST_SAID = 12, 16
_MOST_VOWELS = 0.28  # a fifth of random letters are vowels, of words more than a third
_STANDS_FOR_A_KEY = lazy_pattern(
    r"your|here|key|token|secret|example|placeholder|change|replace|insert|dummy|sample|test|todo|fixme|value|name|string|xxx|"
    r"redact|omit|hidden|generat|paste|enter|provide|credential|config|setting|environment|variable|default|optional|required|"
    r"undefined|(.)\1{4}",
    re.IGNORECASE,
)
"""Placeholders for a key in a manual, or its name in a program."""

_OF_ANYTHING = frozenset({"_key", "_keys", "-key", "-keys", " key"})
"""Parts of a name that fit any key ("sort_key", "primary_key")."""

_NAMED_STEMS = tuple(
    "key auth sid sig session sess secret token csrf xsrf cookie signature cred bearer basic jeton schlussel cle "
    "chave clave chiave токен ключ 密钥 令牌 ://".split()
)


def find_named(text: str) -> Iterator[FoundSecret]:
    """Find keys and tokens by their names."""
    small = in_small(text)
    for said in _KEY_IS.find(small, within=True):
        start, end = trimmed(text, *said.led.span("plain"))
        if _is_key(text[start:end], said) and not names_a_hash(text, start) and not names_a_thing(text, start):
            yield FoundSecret(start, end, "API key" if "key" in said.word else "access token")
    for match in _HEADER.finditer(small):
        start, end = trimmed(text, *match.span("plain"))
        value = text[start:end]
        # "a basic Python3 course": after a mere word, only a long token counts.
        dense = is_dense(value, 12) if match["scheme"] else mixes_letters_and_digits(value) or is_opaque(value)
        if dense or text[end : end + 1] == "=":
            yield FoundSecret(start, end, "access token")
    for cookies in _COOKIES.finditer(small):
        for cookie in _COOKIE.finditer(text, *cookies.span(1)):
            if mixes_letters_and_digits(cookie[1]):
                yield FoundSecret(*cookie.span(1), "access token")
    for match in _URL_USER.finditer(text):
        if mixes_letters_and_digits(match[1]):
            yield FoundSecret(*match.span(1), "access token")


def _is_key(value: str, said: SecretStatement) -> bool:
    """Whether the value after a word for a key is one: dense letters and digits, and more of them after a vaguer word."""
    if is_placeholder(value) or "://" in value or "(" in value:
        return False
    assigned = bool(said.led["is"].strip(" ?,"))
    weak = bool(_WEAK.match(said.word))
    if _UUID.match(value):
        return assigned
    if assigned and not weak and (_is_of_letters(value, said) or _DASHED.match(value)):
        return True
    least = (12 if weak else 8) + (0 if assigned else 8)
    return is_dense(value, least) or (assigned and len(value) >= 16 and (is_opaque(value) or is_complex(value)))


def _is_of_letters(value: str, said: SecretStatement) -> bool:
    """Whether a value of only letters is a key: any right after "=", as in a setting; in a sentence, one that is not a word."""
    value = value.rstrip("!")
    if not _LETTERS.fullmatch(value) or _STANDS_FOR_A_KEY.search(value) or said.word in _OF_ANYTHING:
        return False
    letters = re.sub(r"[^A-Za-z]", "", value).lower()
    vowels = sum(map(letters.count, "aeiouy"))
    if said.led["is"].strip(" \"'`\\") == "=" and len(letters) >= _SHORTEST_OF_LETTERS:
        return letters == value.lower() or vowels <= _MOST_VOWELS * len(letters)
    return len(letters) >= _SHORTEST_SAID and vowels <= _MOST_VOWELS * len(letters)


_ITEM = r"(?:\d{1,2}[.):]?\s{0,2})?[A-Za-z]{3,8}"
_SEED_WORDS = lazy_pattern(
    rf"(?<![\w.)]){_ITEM}(?:(?:\s{{0,3}}[,;|\n]\s{{0,3}}|\s{{1,3}}|-){_ITEM}){{11,}}(?![A-Za-z])"
)
_SEED = lazy_pattern(
    r"(?:seed|mnemonic|recovery|secret|wallet|backup|metamask|ledger|trezor)[ \-]?(?:phrase|words?|seed|key)?|"
    r"(?:12|24|twelve|twenty[ \-]four)[ \-]words?|seedphrase|wortphrase|frase semilla",
    re.IGNORECASE,
)
_MOST_OF_LABEL = 8
_LENGTHS = (24, 21, 18, 15, 12)
_ONE = lazy_pattern(r"[A-Za-z]{3,8}")

# Words that are not in the wallets' list (BIP-39), but in almost every sentence of prose.
_PROSE = frozenset(
    "the and for are was but not had has have from his him its were been did does she them than who how our got get "
    "let could would should thanks these those their which with user said says went goes gets been being".split()
)


def find_seeds(text: str) -> Iterator[FoundSecret]:
    """Find seed phrases of 12 to 24 words: anywhere after a word about wallets, otherwise only on their own lines."""
    for match in _SEED_WORDS.finditer(text):
        named = _SEED.search(text, max(match.start() - 100, 0), match.start() + 60)
        run: list[re.Match[str]] = []  # runs without a word of prose
        for word in [*_ONE.finditer(text, match.start(), match.end()), None]:
            if word and word[0].lower() not in _PROSE:
                run.append(word)
                continue
            if len(run) >= _LENGTHS[-1] and (named or _stands_alone(text, run)):
                words = run[_words_of_label(run) :] if named else run
                yield FoundSecret(words[0].start(), words[-1].end(), "seed phrase")
            run = []


def _words_of_label(run: list[re.Match[str]]) -> int:
    """Return how many words at the start of a run are its label ("my seed phrase …"), which may stay."""
    label = 0
    for place, word in enumerate(run[: min(len(run) - _LENGTHS[-1], _MOST_OF_LABEL)], 1):
        if _SEED.fullmatch(word[0]) or word[0].lower() in {"phrase", "words"}:
            label = place
    return label


def _stands_alone(text: str, run: list[re.Match[str]]) -> bool:
    alone = re.search(
        r"(?:\A|[\n:\"'`(=])\s*(?:\d{1,2}[.):]?\s*)?\Z", text[max(run[0].start() - 12, 0) : run[0].start()]
    )
    ends = re.match(r"\s*(?:\Z|[\n\"'`).])", text[run[-1].end() : run[-1].end() + 12])
    return len(run) in _LENGTHS and bool(alone and ends) and all(word[0].islower() for word in run)


FINDERS = (
    Finder(find_passwords, 5, stems=_PASSWORD_STEMS),
    Finder(find_logins, 8, stems=_LOGIN_STEMS),
    Finder(find_named, 9, stems=_NAMED_STEMS),
    Finder(find_seeds, 47, looks_so=lambda small: sum(map(small.count, " \n-,")) > 10),
)
