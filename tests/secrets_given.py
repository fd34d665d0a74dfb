"""Secrets of many kinds, sentences around them, and look-alikes. Generated from a seed when a test runs.

No complete key is written here: scanners of repositories would take it for a real one.
"""

import base64
import json
import random
import string
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from mosshead.redaction.numbers import passes_luhn, passes_mod_97

_ALNUM = string.ascii_letters + string.digits
_URL_SAFE = _ALNUM + "-_"
_HEX = "0123456789abcdef"


@dataclass(frozen=True, slots=True)
class Given:
    """A secret as somebody writes it. parts: what must not remain. told: the text has its own words ("my pin is …")."""

    kind: str
    text: str
    parts: tuple[str, ...]
    told: bool = False


CARRIERS = (
    "{}",
    "Here you go: {}",
    "hey, {} thanks!",
    "Could you keep this for me? {}",
    "I got this from Lena yesterday: {}. Please file it somewhere.",
    "{} – that's the one I meant.",
    "Notiz für später: {}",
    "Voilà, {} et merci d'avance.",
    'She wrote "{}" on the whiteboard.',
    "(see below)\n\n{}\n\nBest,\nTom",
    "```\n{}\n```",
    "> {}\nwhat does this mean?",
    "- {}\n- buy milk\n- call mum",
    "We moved to Lisbon in May, and {} is still what we use there.",
    "1. {}\n2. book the flights",
    "lol I just pasted {} into the wrong chat 😅",
    "Peter asked for it, so: {}!",
    "*{}*",
    "For the new laptop, {}; remind me on Friday.",
    "Can you check whether {} still works?",
    "My sister Anna needs {} by Monday.",
    "I think it was {}, but I'm not sure any more…",
    "FYI {}",
    "Before I forget: {}. My dog is called Biscuit.",
    "ok so {} and then we go to the bakery",
    "To do today:\n\t{}\n\tgym",
    "I found an old note that says {}",
    "Bitte merken: {}. Danke!",
    "Question about {} – who made it?",
    "…{}…",
)


def secrets(seed: int, count: int) -> list[Given]:
    """Return that many secrets, with kinds taking turns."""
    rng = random.Random(seed)
    return [_MAKERS[number % len(_MAKERS)](rng) for number in range(count)]


def kinds() -> set[str]:
    """Return the kinds that `secrets` makes."""
    return {one.kind for one in secrets(0, len(_MAKERS))}


def carried(given: Given, number: int) -> str:
    """Return a secret in a sentence. One with its own words is left as it is."""
    return CARRIERS[number % len(CARRIERS)].format(given.text)


def card(rng: random.Random, start: str, length: int) -> str:
    """Return a card number that an issuer could have assigned."""
    body = start + _some(rng, string.digits, length - len(start) - 1)
    return next(body + last for last in string.digits if passes_luhn(body + last))


def iban(rng: random.Random, country: str, bban: str) -> str:
    """Return an IBAN of a country. bban: its form, with 9 for a digit and A for a letter."""
    filled = "".join(rng.choice(string.digits if char == "9" else string.ascii_uppercase) for char in bban)
    return next(one for number in range(2, 99) if passes_mod_97(one := f"{country}{number:02}{filled}"))


def grouped(digits: str, sizes: Sequence[int], between: str) -> str:
    """Return digits in groups; the last group has the remainder."""
    groups, at = [], 0
    for size in sizes:
        groups.append(digits[at : at + size])
        at += size
    return between.join(filter(None, [*groups, digits[at:]]))


def _some(rng: random.Random, chars: str, count: int) -> str:
    return "".join(rng.choice(chars) for _ in range(count))


def _token(rng: random.Random, chars: str, count: int) -> str:
    """Return a token as a key generator makes it: with more than letters."""
    return _some(rng, chars, count - 3) + "7" + _some(rng, "abcdef", 1) + "4"


def _plain(kind: str, text: str) -> Given:
    return Given(kind, text, (text,))


def _api_key(rng: random.Random) -> Given:
    forms: list[tuple[str, str, int]] = [
        ("sk-", _ALNUM, 48),
        ("sk-" + "proj-", _URL_SAFE, 96),
        ("sk-" + "ant-api03-", _URL_SAFE, 93),
        ("AI" + "za", _URL_SAFE, 35),
        ("sk_" + "live_", _ALNUM, 24),
        ("rk_" + "live_", _ALNUM, 24),
        ("pk_" + "live_", _ALNUM, 24),
        ("S" + "K", _HEX, 32),
        ("key-", _HEX, 32),
        ("h" + "f_", string.ascii_letters, 34),
        ("gs" + "k_", _ALNUM, 52),
        ("shp" + "at_", _HEX, 32),
    ]
    prefix, chars, count = rng.choice(forms)
    return _plain("API key", prefix + _token(rng, chars, count))


def _token_of_a_vendor(rng: random.Random) -> Given:
    forms: list[tuple[str, str, int]] = [
        ("gh" + "p_", _ALNUM, 36),
        ("gh" + "o_", _ALNUM, 36),
        ("github_" + "pat_", _ALNUM + "_", 82),
        ("gl" + "pat-", _URL_SAFE, 20),
        ("xo" + "xb-", string.digits, 12),
        ("npm" + "_", _ALNUM, 36),
        ("py" + "pi-AgEIcHlwaS5vcmc", _URL_SAFE, 120),
        ("dckr_" + "pat_", _URL_SAFE, 27),
        ("dop_" + "v1_", _HEX, 64),
        ("S" + "G." + _some(rng, _URL_SAFE, 22) + ".", _URL_SAFE, 43),
        (_some(rng, "123456789", 10) + ":AA", _URL_SAFE, 33),
        ("M" + _some(rng, _ALNUM, 23) + "." + _some(rng, _URL_SAFE, 6) + ".", _URL_SAFE, 38),
        ("hv" + "s.", _ALNUM, 24),
    ]
    prefix, chars, count = rng.choice(forms)
    return _plain("token", prefix + _token(rng, chars, count))


def _aws(rng: random.Random) -> Given:
    key_id = rng.choice(["AK" + "IA", "AS" + "IA"]) + _some(rng, string.ascii_uppercase + "234567", 15) + "7"
    secret = _token(rng, _ALNUM + "/+", 40)
    if rng.random() < 0.5:
        return _plain("AWS key", key_id)
    name = rng.choice(
        ["aws_secret_access_key = ", "AWS_SECRET_ACCESS_KEY=", "the AWS secret access key is ", '"SecretAccessKey": "']
    )
    return Given("AWS key", name + secret + ('"' if '"' in name else ""), (secret,))


def _jwt(rng: random.Random) -> Given:
    parts = [
        json.dumps({"alg": "HS256", "typ": "JWT"}),
        json.dumps({"sub": _some(rng, string.digits, 8), "name": "Tom"}),
    ]
    signed = [
        *(base64.urlsafe_b64encode(part.encode()).decode().rstrip("=") for part in parts),
        _some(rng, _URL_SAFE, 43),
    ]
    return Given("JWT", ".".join(signed), (signed[1], signed[2]))


def _pem(rng: random.Random) -> Given:
    label = rng.choice(["RSA ", "", "EC ", "OPENSSH ", "ENCRYPTED "])
    lines = [_token(rng, _ALNUM + "+/", 64) for _ in range(rng.randint(3, 8))] + [_some(rng, _ALNUM, 21) + "=="]
    between = rng.choice(["\n", "\n", "\n", "\\n", " "])
    dashes = "-" * 5
    head, foot = f"{dashes}BEGIN {label}PRIVATE KEY{dashes}", f"{dashes}END {label}PRIVATE KEY{dashes}"
    whole = between.join([head, *lines, foot])
    # Sometimes the copy ends too early.
    return Given("private key", between.join([head, *lines[:-1]]) if rng.random() < 0.25 else whole, tuple(lines[:-1]))


_ISSUED = [
    ("4", 16),
    ("51", 16),
    ("55", 16),
    ("2221", 16),
    ("2720", 16),
    ("34", 15),
    ("37", 15),
    ("6011", 16),
    ("36", 14),
    ("3530", 16),
    ("62", 16),
]


def _card(rng: random.Random) -> Given:
    start, length = rng.choice(_ISSUED)
    digits = card(rng, start, length)
    sizes = {15: (4, 6, 5), 14: (4, 6, 4), 16: (4, 4, 4, 4)}[length]
    written = rng.choice([digits, grouped(digits, sizes, " "), grouped(digits, sizes, "-")])
    if rng.random() < 0.15:
        written = written.translate({ord(str(digit)): chr(0xFF10 + digit) for digit in range(10)})
    elif rng.random() < 0.15:
        written = written[:6] + "\u200b" + written[6:]
    return Given("card", written, tuple({written, digits}))


_BBANS = {
    "DE": "9" * 18,
    "GB": "AAAA" + "9" * 14,
    "FR": "9" * 23,
    "NL": "AAAA" + "9" * 10,
    "ES": "9" * 20,
    "CH": "9" * 17,
    "NO": "9" * 11,
}


def _iban(rng: random.Random) -> Given:
    country, bban = rng.choice(sorted(_BBANS.items()))
    whole = iban(rng, country, bban)
    written = rng.choice([whole, grouped(whole, [4] * (len(whole) // 4), " "), whole.lower()])
    return Given("IBAN", written, tuple({written, whole}))


_WORDS = "tulip maple comet pepper anchor violet rocket walnut ember lantern pickle saddle harbor thistle copper marble".split()


def password(rng: random.Random) -> str:
    """Return a password, made up as people or as generators do."""
    word = rng.choice(_WORDS)
    return rng.choice(
        [
            f"{word.title()}{rng.randint(10, 99)}!",
            f"{word}{rng.randint(100, 9999)}",
            f"{word[:3].title()}{rng.randint(1, 9)}{word[3:]}&{rng.randint(1, 9)}",
            word + rng.choice(_WORDS),
            "-".join(rng.sample(_WORDS, 4)),
            _some(rng, _ALNUM + "!$%&#", 11) + "a7",
        ]
    )


_PASSWORD_SAID = (
    "my password is {}",
    "the wifi password is {}",
    "password: {}",
    "pw: {}",
    "Passwort: {}",
    "mein Passwort lautet {}",
    "mon mot de passe est {}",
    "la contraseña es {}",
    "the password for the guest network is {}",
    "user: sarah, password: {}",
    'my Netflix password is "{}"',
    "DB_PASSWORD={}",
    '{{"user": "sarah", "password": "{}"}}',
    "I changed my password to {}",
    "la password è {}",
    "minha senha é {}",
    "{} is my email password",
    "use {} as the password",
    "--password={}",
    "the passcode for Zoom is {}",
)


def _password(rng: random.Random) -> Given:
    value = password(rng)
    return Given("password", rng.choice(_PASSWORD_SAID).format(value), (value,), told=True)


def _login(rng: random.Random) -> Given:
    value = f"{rng.choice(_WORDS).title()}{rng.randint(10, 99)}&{rng.randint(1, 9)}x"
    said = (
        "log in with sarah / {}",
        "creds: admin:{}",
        "the login is tom@example.com / {}",
        "username sarah, pass {}",
        "curl -u sarah:{} https://example.com",
    )
    return Given("login", rng.choice(said).format(value), (value,), told=True)


def _connection(rng: random.Random) -> Given:
    value = _token(rng, _ALNUM + "!*.", rng.randint(8, 20))
    scheme, host = rng.choice(
        [
            ("postgres", "db.internal:5432/app"),
            ("redis", "cache:6379/0"),
            ("mongodb+srv", "c0.example.net/x"),
            ("amqp", "mq"),
            ("https", "example.com/repo.git"),
        ]
    )
    return Given("connection string", f"{scheme}://app:{value}@{host}", (value,))


def _header(rng: random.Random) -> Given:
    token = _token(rng, _URL_SAFE, 40)
    basic = base64.b64encode(f"sarah:{_token(rng, _ALNUM, 12)}".encode()).decode()
    text, part = rng.choice(
        [
            (f"Authorization: Bearer {token}", token),
            (f"Authorization: Basic {basic}", basic),
            (f"curl -H 'Authorization: Bearer {token}' https://api.example.com/v1", token),
            (f"Cookie: theme=dark; session={token}", token),
            (f"https://example.com/reset?token={token}&lang=en", token),
            (f"X-Api-Key: {token}", token),
        ]
    )
    return Given("header", text, (part,))


def _named(rng: random.Random) -> Given:
    value = rng.choice(
        [
            _token(rng, _HEX, 32),
            _token(rng, _HEX, 40),
            _token(rng, _ALNUM, 24),
            _token(rng, _ALNUM, 32),
            str(uuid.UUID(int=rng.getrandbits(128), version=4)),
        ]
    )
    said = (
        "my API key is {}",
        "api_key: {}",
        "WEATHER_API_KEY={}",
        "the access token is {}",
        "client_secret = '{}'",
        "mein API-Schlüssel ist {}",
        'token: "{}"',
    )
    return Given("named key", rng.choice(said).format(value), (value,), told=True)


def _pin(rng: random.Random) -> Given:
    value = _some(rng, "3456789", rng.choice([4, 4, 6]))
    said = (
        "my pin is {}",
        "PIN: {}",
        "the pin for my card is {}",
        "the alarm code is {}",
        "my SIM PIN is {}",
        "meine PIN ist {}",
        "{} is my pin",
    )
    return Given("PIN", rng.choice(said).format(value), (value,), told=True)


def _one_time(rng: random.Random) -> Given:
    value = _some(rng, "3456789", 6)
    said = (
        "your verification code is {}",
        "{} is your WhatsApp code",
        "The bank sent a one-time code: {}",
        "the 2FA code says {}",
        "Your login code is {}",
        "OTP {}",
    )
    return Given("one-time code", rng.choice(said).format(value), (value,), told=True)


def _social_security(rng: random.Random) -> Given:
    return _plain("SSN", f"{rng.randint(100, 665)}-{rng.randint(10, 99)}-{rng.randint(1000, 9999)}")


def _seed_phrase(rng: random.Random) -> Given:
    words = [rng.choice(_WORDS) for _ in range(rng.choice([12, 24]))]
    return Given(
        "seed phrase", "my seed phrase is " + " ".join(words), (" ".join(words[2:6]), " ".join(words[-4:])), told=True
    )


_BECH32 = "023456789acdefghjklmnpqrstuvwxyz"
_BASE32 = string.ascii_uppercase + "234567"


def _cloudflare(rng: random.Random) -> Given:
    return _plain("Cloudflare key", "v1" + ".0-" + _some(rng, _HEX, 24) + "-" + _some(rng, _HEX, 146))


def _routable(rng: random.Random) -> Given:
    prefix = rng.choice(["glp" + "at-", "glr" + "t-t1_", "gld" + "t-"])
    payload = prefix + _token(rng, _ALNUM, rng.randint(30, 60))
    ends = rng.choice([".01.", "."]) + _some(rng, string.digits + string.ascii_lowercase, 9)
    return Given("GitLab token", payload + ends, (payload, ends))


def _bech32(rng: random.Random) -> Given:
    lower = rng.choice(["nse" + "c1", "suipriv" + "key1"]) + _some(rng, _BECH32, 58)
    age = "AGE-SECRET-" + "KEY-1" + _some(rng, _BECH32, 58).upper()
    return _plain("bech32 key", rng.choice([lower, age]))


def _authenticator(rng: random.Random) -> Given:
    groups = [
        _some(rng, _BASE32, 2) + _some(rng, "234567", 1) + _some(rng, _BASE32, 1) for _ in range(rng.choice([4, 8]))
    ]
    value = " ".join(groups)
    value = rng.choice([value, value.lower(), "".join(groups), value.replace(" ", "-")])
    said = (
        "my TOTP secret is {}",
        "2FA setup key: {}",
        "the authenticator key for GitHub is {}",
        "the two-factor secret {}",
    )
    return Given("authenticator key", rng.choice(said).format(value), (value,), told=True)


def _pgpass(rng: random.Random) -> Given:
    value = password(rng)
    host = rng.choice(["db.example.com", "localhost", "10.0.4.7", "*"])
    line = (
        f"{host}:{rng.choice(['5432', '6543', '*'])}:{rng.choice(['app', '*'])}:{rng.choice(['bob', 'app_rw'])}:{value}"
    )
    return Given(".pgpass", line, (value,))


def _admin(rng: random.Random) -> Given:
    value = f"{rng.choice(_WORDS).title()}{rng.randint(10, 99)}{rng.choice(['!', '&x', ''])}"
    user = rng.choice(["admin", "root", "Administrator", "lena@example.com"])
    return Given("admin login", f"{user} / {value}", (value,), told=True)


def _of_letters(rng: random.Random) -> Given:
    value = _some(rng, rng.choice([string.ascii_lowercase, string.ascii_uppercase, string.ascii_letters]), 24)
    name = rng.choice(["API_KEY=", "WEATHER_API_KEY=", "export SECRET_KEY=", "api_key='"])
    return Given("key of letters", name + value + ("'" if "'" in name else ""), (value,), told=True)


def _paper(rng: random.Random) -> Given:
    nine, letters = _some(rng, "3456789", 9), string.ascii_uppercase
    insurance = " ".join(["AB", nine[:2], nine[2:4], nine[4:6], "C"])
    said, value = rng.choice(
        [
            ("my passport number is {}", nine),
            ("Passport no. {}", _some(rng, letters, 1) + nine[:8]),
            ("passport: {}", nine[:2] + _some(rng, letters, 2) + nine[:5]),
            ("meine Reisepassnummer ist {}", "C0" + nine[:6]),
            ("numéro de passeport : {}", nine[:2] + _some(rng, letters, 2) + nine[:5]),
            ("my national insurance number is {}", insurance),
            ("NI number: {}", insurance.replace(" ", "")),
            ("my driver's license number is {}", _some(rng, letters, 1) + nine[:7]),
            ("the tax ID is {}", " ".join(["12", nine[:3], nine[3:6], nine[6:]])),
        ]
    )
    return Given("paper", said.format(value), (value,), told=True)


_MAKERS: tuple[Callable[[random.Random], Given], ...] = (
    _api_key,
    _token_of_a_vendor,
    _aws,
    _jwt,
    _pem,
    _card,
    _iban,
    _password,
    _login,
    _connection,
    _header,
    _named,
    _pin,
    _one_time,
    _social_security,
    _seed_phrase,
    _cloudflare,
    _routable,
    _bech32,
    _authenticator,
    _pgpass,
    _admin,
    _of_letters,
    _paper,
)


def look_alikes(seed: int, count: int) -> list[str]:
    """Return that many sentences with a look-alike of a secret, with forms taking turns."""
    rng = random.Random(seed)
    return [_LOOK_ALIKES[number % len(_LOOK_ALIKES)](rng) for number in range(count)]


def _digits(rng: random.Random, count: int) -> str:
    return _some(rng, "123456789", 1) + _some(rng, string.digits, count - 1)


def _no_card(rng: random.Random) -> str:
    while passes_luhn(digits := "4" + _digits(rng, 15)):
        pass
    return digits


_LOOK_ALIKES: tuple[Callable[[random.Random], str], ...] = (
    lambda rng: f"My order number is {_digits(rng, rng.choice([8, 10, 12]))}",
    lambda rng: f"Order #{_digits(rng, 3)}-{_digits(rng, 7)}-{_digits(rng, 7)} arrives on Friday",
    lambda rng: f"Invoice {rng.randint(2020, 2026)}-{_digits(rng, 5)} is still unpaid",
    lambda rng: f"The tracking number is 1Z{_some(rng, string.ascii_uppercase + string.digits, 16)}",
    lambda rng: f"The fix is in commit {_some(rng, _HEX, 40)}",
    lambda rng: f"I reverted {_some(rng, _HEX, 7)} because it broke the build",
    lambda rng: f"call me at +1 (206) 555-{_digits(rng, 4)} ext. {_digits(rng, 4)}",
    lambda rng: f"My extension at the office is {_digits(rng, 4)}",
    lambda rng: f"Her phone number is +49 151 {_digits(rng, 8)}",
    lambda rng: f"The row has the id {uuid.UUID(int=rng.getrandbits(128), version=4)}",
    lambda rng: f"The ISBN is 978-{_digits(rng, 1)}-{_digits(rng, 4)}-{_digits(rng, 4)}-{_digits(rng, 1)}",
    lambda rng: f"We met on {rng.randint(2010, 2025)}-0{rng.randint(1, 9)}-{rng.randint(10, 28)} at 18:30",
    lambda rng: f"The cabin is at {rng.uniform(40, 60):.6f}, {rng.uniform(-10, 20):.6f}",
    lambda rng: f"The house costs {rng.randint(300, 900)},{_digits(rng, 3)} euros",
    lambda rng: f"sha256: {_some(rng, _HEX, 64)}",
    lambda rng: f"the md5 checksum of the file is {_some(rng, _HEX, 32)}",
    lambda rng: f"My old test number {_no_card(rng)} is no card at all",
    lambda rng: f"Tracking number {card(rng, '4', 16)} is on its way",
    lambda rng: f"Order {card(rng, '51', 16)} was cancelled",
    lambda rng: f"Bestellnummer: {card(rng, '4', 16)}",
    lambda rng: rng.choice(["My password manager is Bitwarden", "I use 1Password as my password manager"]),
    lambda rng: rng.choice(["I forgot my password again", "I always forget my passwords, it is annoying"]),
    lambda rng: f"The password policy says {rng.randint(8, 16)} characters and a digit",
    lambda rng: rng.choice(
        ["My password is too short", "the wifi password is on the fridge", "the password is expired"]
    ),
    lambda rng: f"The pin code of Bengaluru is 5600{rng.randint(10, 99)}",
    lambda rng: rng.choice(["We work on a token economy", f"The model reads {rng.randint(4, 128)}000 tokens"]),
    lambda rng: f"the image starts with data:image/png;base64,iVBORw0KGgo{_some(rng, _ALNUM + '+/', 40)}",
    lambda rng: (
        rng.choice(["Donaudampfschifffahrtsgesellschaftskapitän", "Rindfleischetikettierungsüberwachungsaufgabe"])
        + " ist ein langes Wort"
    ),
    lambda rng: f"the zip code is {_digits(rng, 5)} and the area code is {_digits(rng, 3)}",
    lambda rng: f"https://docs.google.com/document/d/1{_some(rng, _URL_SAFE, 43)}/edit is the plan",
    lambda rng: (
        f"Flight LH{_digits(rng, 3)} on the 1{rng.randint(0, 9)}th, booking {_some(rng, string.ascii_uppercase, 6)}"
    ),
    lambda rng: f"I earn {_digits(rng, 5)} a year and pay {_digits(rng, 3)}.50 for the gym",
    lambda rng: (
        f"Python 3.{rng.randint(9, 14)}.{rng.randint(0, 9)} with numpy==2.{rng.randint(0, 3)}.1 on port {rng.randint(1024, 9999)}"
    ),
    lambda rng: f"Customer number {_digits(rng, 9)}, contract number {_digits(rng, 11)}",
    lambda rng: f"It failed with error code {_digits(rng, 4)} in step {rng.randint(1, 9)}",
    lambda rng: f"docker pull app@sha256:{_some(rng, _HEX, 64)}",
    lambda rng: f"the promo code is SAVE{rng.randint(10, 50)} and it lasts until June",
    lambda rng: f"My student ID is {_digits(rng, 8)} and I sit in room {_digits(rng, 3)}",
    lambda rng: "DE is the country, and FR76 is the road that we took for 120 km",
    lambda rng: f"follow me at npub1{_some(rng, _BECH32, 58)}",
    lambda rng: f"src/{_some(rng, 'abc', 4)}.py:{rng.randint(1000, 9999)}:12:error:unused-variable",
    lambda rng: f"My passport expires on 1{rng.randint(0, 9)}.05.20{rng.randint(27, 36)}",
    lambda rng: f"the roles are admin / editor{rng.randint(1, 99)} / viewer",
    lambda rng: f"test_{_some(rng, 'abc', 3)}_moves_the_cursor_to_the_next_line_when_the_line_is_full passes",
)
