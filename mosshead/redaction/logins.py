"""Passwords given with a login: pairs of a user and a password, addresses that hold both, options of commands."""

import re
from collections.abc import Iterator

from mosshead.patterns import lazy_pattern
from mosshead.redaction.folding import in_small
from mosshead.redaction.found import Found
from mosshead.redaction.passwords import looks_made_up, password_in
from mosshead.redaction.sentences import VALUE, Next, trimmed
from mosshead.redaction.words import is_no_value, is_placeholder

_IS_LOGIN = lazy_pattern(
    r"(?<!\S)[\w.+@\-]{2,64}\s?[/:|]\s?(?P<plain>[^\s\"'`<>]{4,80})\s(?:is|are|as)\s(?:the|my|our|your|his|"
    r"her)\s(?:\w+\s){0,2}?"
    r"(?:logins?|credentials?|creds|account)(?![a-z])"
)
_HEAD = (
    r"(?<![a-z])(?:log(?:ged|ging)?[ \-]?(?:in|on)|logins?|sign(?:ed)?[ \-]?(?:in|on)|credentials?|creds|accounts?|"
    r"users?(?:[ \-]?names?)?(?:\s?/\s?pass(?:words?)?)?|zugangsdaten|anmelde\w{0,10}|einloggen|identifiants|"
    r"access|ssh|ftp|auth|"
    r"benutzer\w{0,10}|usuario|utente)(?![a-z])"
)
_HEADS = tuple(
    map(
        lazy_pattern,
        (_HEAD, r"users?[ \-]?names?(?![a-z])", r"users?(?:\s?/\s?pass(?:words?)?)?(?![a-z])", r"users?(?![a-z])"),
    )
)
"""What speaks of a login, and the shorter forms of it: of "user name/…" the first word alone may be one."""
_FURTHEST = 60
_PAIR = lazy_pattern(
    r"[\s:=\"'(](?!\d+:[\w.\-]+:\d)(?P<user>[\w.+@\-]{2,64}?)"  # but no forwarded port
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
    r"--user)[ =][\"']?[\w.@\-]{1,64}:|"
    r"redis-cli\b[^\n]{0,80}?\s-a\s|login\s\S{1,64}\s+password\s|docker\slogin\b[^\n]{0,80}?\s-p\s|"
    r"user\s[^\n]{1,80}?\sidentified\s(?:with\s\S{1,40}\s)?by\s(?=[\"'])|"
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
# "admin / s3cret"; a third beside them makes a list of the two ("admin / editor2 / viewer")
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
# As htpasswd and /etc/shadow keep them: anybody can try words against one.
_CRYPTED = lazy_pattern(r"(?<![\w$])\$(?:apr1|2[abxy]|[156y]|argon2(?:id?|d))\$[\w./$=,+\-]{20,200}")

LOGIN_NEEDS = tuple(
    "admin root guest @ :* $ :1 :2 :3 :4 :5 :6 :7 :8 :9 "
    "login log log- sign cred account user anmelde zugang einloggen identif access ssh ftp auth benutzer usuario utente pass "
    "pwd :// token api secret mysql mariadb curl wget http redis-cli email".split()
)
"""One of these is in every text, in small letters, in which a login is found."""


def find_logins(text: str) -> Iterator[Found]:
    """Passwords that stand with their user."""
    small = in_small(text)
    for match in _USER_PASS.finditer(small):
        if match["other"] is None:
            yield from password_in(text, match, loosely=True)
        elif not is_no_value(text[slice(*match.span("other"))], said=False) and not _OTHER_PASS.search(
            small, max(0, match.start() - 20), match.start()
        ):
            yield Found(*trimmed(text, *match.span("other")), "password")
    for match in _USER_THEN.finditer(small):
        yield from password_in(text, match, loosely=True)
    parted = "/" in small or ":" in small or "|" in small
    for match in [*_pairs(small), *(_IS_LOGIN.finditer(small) if parted else ())]:
        start, end = trimmed(text, *match.span("plain"))
        if looks_made_up(text[start:end]) and not text[start].isdigit():
            yield Found(start, end, "password")
    yield from _role_and_password(text, small) if parted else ()
    for match in _CRYPTED.finditer(text) if "$" in small else ():
        yield Found(*trimmed(text, *match.span()), "password")
    for match in [*(_IN_URL.finditer(small) if "://" in small else ()), *_FLAGGED.finditer(small)]:
        start, end = match.span("plain")
        if not is_placeholder(text[start:end]) and not _PORT.match(text[start:end]):
            yield Found(start, end, "password")


def _role_and_password(text: str, small: str) -> Iterator[Found]:
    for match in _ROLE_AND.finditer(small):
        start, end = trimmed(text, *match.span("plain"))
        value = text[start:end]
        if looks_made_up(value) and not (
            is_placeholder(value) or value[0].isdigit() or _ROLES_BESIDE.match(small, start, end)
        ):
            yield Found(start, end, "password")
    for match in _ROLE_AND_WORD.finditer(small):
        if not (is_no_value(match["plain"], said=True) or _ROLES_BESIDE.match(match["plain"])):
            yield Found(*match.span("plain"), "password")
    for match in _PGPASS.finditer(small) if small.count(":") > 3 else ():
        start, end = trimmed(text, *match.span("plain"))
        value = text[start:end]
        if not _SOURCE.match(match["host"]) and (looks_made_up(value) or not is_no_value(value, said=False)):
            yield Found(start, end, "password")


def _pairs(text: str) -> Iterator[re.Match[str]]:
    """A user and a password, on the line of a word that speaks of a login; the text is searched for pairs once."""
    pairs, at = Next(_PAIR, text), 0
    while head := _HEADS[0].search(text, at):
        pair = _pair_behind(text, head.start(), pairs)
        if pair:
            yield pair
        at = pair.end() if pair else head.start() + 1


def _pair_behind(text: str, start: int, pairs: Next) -> re.Match[str] | None:
    for form in _HEADS:
        head = form.match(text, start)
        pair = pairs.after(head.end()) if head else None
        if head and pair and pair.start() - head.end() <= _FURTHEST and "\n" not in text[head.end() : pair.start()]:
            return pair
    return None
