"""`redact`: no secret remains, look-alikes do, and neither a long text nor a second pass does harm."""

import random
import re
import sys
import time
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mosshead.redaction import redact
from mosshead.redaction.redact import FINDERS
from mosshead.redaction.text import Folded
from tests.secrets_given import CARRIERS, Given, carried, kinds, look_alikes, secrets

redacting = sys.modules["mosshead.redaction.redact"]  # the function hides the module of the same name

LONG_TEXT = 32 * 1024
MOST_SECONDS = 4.0
"""Processor seconds for a long text, which takes a quarter of one. Quadratic work would take many."""

SAID = [
    ("my password is hunter2", "my password is [redacted: password]"),
    ("My Gmail password's hunter2", "My Gmail password's [redacted: password]"),
    ("The password? hunter2", "The password? [redacted: password]"),
    ("my password is: Password1", "my password is: [redacted: password]"),
    ("my password is dragon and I live in Berlin", "my password is [redacted: password] and I live in Berlin"),
    (
        "So my password is correct horse battery staple and I live in Berlin",
        "So my password is [redacted: password] and I live in Berlin",
    ),
    ("I reset the password to zebra-crossing", "I reset the password to [redacted: password]"),
    ("The admin password has been set to Winter2024!", "The admin password has been set to [redacted: password]"),
    ("wifi password - mycasaestucasa", "wifi password - [redacted: password]"),
    ("My password, which I hate, is hunter2", "My password, which I hate, is [redacted: password]"),
    ("Can you remember my password? It's hunter2.", "Can you remember my password? It's [redacted: password]."),
    ("hunter2, that's my password", "[redacted: password], that's my password"),
    ("my security answer is Fluffy", "my security answer is [redacted: password]"),
    ("Passwort: geheim123", "Passwort: [redacted: password]"),
    (
        "Das Passwort für den Router lautet FritzBox7590",
        "Das Passwort für den Router lautet [redacted: password]",
    ),
    ("le mot de passe c'est baguette75", "le mot de passe c'est [redacted: password]"),
    ("moje hasło to kotek123", "moje hasło to [redacted: password]"),
    ("мой пароль: zima2024", "мой пароль: [redacted: password]"),
    ("我的密码是abc12345", "我的密码是[redacted: password]"),
    ("my pass\u200bword is hunt\u200ber2!", "my pass\u200bword is [redacted: password]"),
    ("| password | hunter2 |", "| password | [redacted: password] |"),
    ("<password>hunter2</password>", "<password>[redacted: password]</password>"),
    ("**Password:** `hunter2`", "**Password:** `[redacted: password]`"),
    ("host=db user=bob password=foobarbaz dbname=x", "host=db user=bob password=[redacted: password] dbname=x"),
    ("mysql -u root -pfoobarbaz db", "mysql -u root -p[redacted: password] db"),
    ("log in with sarah / Tr0ub4dor&3", "log in with sarah / [redacted: password]"),
    ("postgres://bob:s3cr@t@db:5432/x", "postgres://bob:[redacted: password]@db:5432/x"),
    ("my pin is 4821", "my pin is [redacted: PIN]"),
    ("door code is 4821#", "door code is [redacted: PIN]"),
    ("the code for the front door is 4821", "the code for the front door is [redacted: PIN]"),
    ("CVV is 987", "CVV is [redacted: card security code]"),
    ("482913 is your Facebook confirmation code", "[redacted: one-time code] is your Facebook confirmation code"),
    ("2FA works again. The code is 482913", "2FA works again. The code is [redacted: one-time code]"),
    ("Use 482913 to sign in", "Use [redacted: one-time code] to sign in"),
    ("recovery codes: 3f8a-9b2c 7d1e-4c5f aa11-bb22", "recovery codes: [redacted: recovery code]"),
    ("Das Passwort meines Routers ist sonnenschein", "Das Passwort meines Routers ist [redacted: password]"),
    ("Die PIN meiner Karte ist 4821", "Die PIN meiner Karte ist [redacted: PIN]"),
    ("Die PIN der EC-Karte ist 4821", "Die PIN der EC-Karte ist [redacted: PIN]"),
    ("La mia password di Netflix è girasole", "La mia password di Netflix è [redacted: password]"),
    ('password = "it\'s me"', 'password = "[redacted: password]"'),
    ("salasana on kesakuu", "salasana on [redacted: password]"),
    ("my password on Netflix is sunshine", "my password on Netflix is [redacted: password]"),
    ("I set my password to sunshine", "I set my password to [redacted: password]"),
    ("ALTER USER bob WITH PASSWORD 'sunshine';", "ALTER USER bob WITH PASSWORD '[redacted: password]';"),
    ("CREATE USER bob IDENTIFIED BY 'sunshine'", "CREATE USER bob IDENTIFIED BY '[redacted: password]'"),
    ("define('DB_PASSWORD', 'sunshine');", "define('DB_PASSWORD', '[redacted: password]');"),
    ("docker login -u bob -p sunshine ghcr.io", "docker login -u bob -p [redacted: password] ghcr.io"),
    ("my social is 123456789", "my social is [redacted: social security number]"),
    ("4111\n1111\n1111\n1111", "[redacted: card number]"),
    ("４１１１ １１１１ １１１１ １１１１", "[redacted: card number]"),
    ("4111 1111 1111 1111 12/27", "[redacted: card number] 12/27"),
    ("for reference: 4111111111111111", "for reference: [redacted: card number]"),
    ("the card for the order is 4111111111111111", "the card for the order is [redacted: card number]"),
    ("4111111111111111DE89370400440532013000", "[redacted: card number][redacted: IBAN]"),
    ("IBAN:DE89370400440532013000", "IBAN:[redacted: IBAN]"),
    ("API_KEY=abcdefghijklmnop", "API_KEY=[redacted: API key]"),
    ("my api key is xkqzjwvbnmtrplsd", "my api key is [redacted: API key]"),
    ("2FA secret: JBSW Y3DP EHPK 3PXP, keep it", "2FA secret: [redacted: authenticator key], keep it"),
    (
        "La clave del autenticador es 5RNH 5PGI J7TP 6246.",
        "La clave del autenticador es [redacted: authenticator key].",
    ),
    ("Zwei-Faktor-App: JBSW Y3DP EHPK 3PXP", "Zwei-Faktor-App: [redacted: authenticator key]"),
    (
        "Mon numéro de sécurité sociale est le 1 95 10 17 173 094 91.",
        "Mon numéro de sécurité sociale est le [redacted: identity number].",
    ),
    ("my setup key is jbsw y3dp ehpk 3pxp", "my setup key is [redacted: authenticator key]"),
    ("db.example.com:5432:app:bob:sunshine", "db.example.com:5432:app:bob:[redacted: password]"),
    ("*:*:*:postgres:sunshine", "*:*:*:postgres:[redacted: password]"),
    ("the router says admin / Fritz123.", "the router says admin / [redacted: password]."),
    ("login: admin / swordfish", "login: admin / [redacted: password]"),
    ("bob:$apr1$abcdefgh$abcdefghijklmnopqrstuv", "bob:[redacted: password]"),
    ("machine example.com login bob password sunshine", "machine example.com login bob password [redacted: password]"),
    ("my passport number is X1234567 now", "my passport number is [redacted: passport number] now"),
    ("Reisepassnummer: C01X00T47", "Reisepassnummer: [redacted: passport number]"),
    ("my NI number is AB 12 34 56 C", "my NI number is [redacted: national insurance number]"),
    ("driving licence MORGA657054SM9IJ", "driving licence [redacted: identity number]"),
    ("codice fiscale RSSMRA85T10A562S", "codice fiscale [redacted: identity number]"),
    (r'{"note": "line\nDE89370400440532013000"}', r'{"note": "line\n[redacted: IBAN]"}'),
    ("Malta: MT84MALT011000012345MTLCAST001S.", "Malta: [redacted: IBAN]."),
]

ORDINARY = """\
ssh -L 5433:db01.internal:5432 bastion, then point psql at localhost:5433
Season pass: 120 euros
First pass: rough draft. Second pass: polish.
Set the alarm to 0630
Basic Python3 course
My password is expired
What is my password?
a strong password is long
Password must contain 8 characters
the password is the same as before
His password is stored in the vault
mein Passwort ist abgelaufen
J'ai oublié mon mot de passe
I changed my password on Friday
the columns 'password', 'email' and password, 'name'
the suspect was identified by 'Bob'
I forgot my password on vacation
I use the same password on Netflix
I gave the wifi password to Anna yesterday
my password to Netflix expired
password = getpass()
password=${DB_PASSWORD}
Password: <your password>
password: ********
api_key=YOUR_API_KEY
log in with Google or Apple
I logged in at 9 and Peter logged in at 10
The session starts at 10am
the key to success is patience
The secret is to use butter
The access token expires after 3600 seconds
bearer of bad news
Basic English 101
I won a pin 2023
PIN code 560001
pin 13 of the Arduino
passenger 4821 has a boarding pass 4821
sort code 12-34-56
Confirmation code: ABC123
2FA was added in 2019
HTTP status code is 404
the order number is 4111 1111 1111 1111
EAN 4006381333931
IMEI 490154203237518
timestamp 1700000000000
order 112-3456789-1234567
IPv6 2001:0db8:85a3:0000:0000:8a2e:0370:7334
pi is 3.14159265358979323846
0000111122223333
bitcoin address 1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2
git commit 9fceb02d0ae598e95dc970b74767f19372d61af8
https://youtu.be/dQw4w9WgXcQ
UserServiceImplFactoryBeanConfigurationTest2 failed
com.example.MyClass$Inner2
Meet me at 5/6 Main St
I love long walks along quiet empty beaches during cold winter mornings here
set API_KEY=your-key
API_KEY=<key>
API_KEY=your_api_key_here
API_KEY=REPLACE_ME
api_key=settings.api_key
token = getToken()
primary_key=customeridentifier
the user / password fields
admin / editor / viewer
admin / editor
src/app.py:120:5:error:unused
main.c:4200:warning:unused:variable
12:30:45:00:11
00:1a:2b:3c:4d:5e
hostname:port:database:username:password
localhost:5432:db:user:password
My passport expires in 2031
My passport expires on 12.05.2031
passport: 10/05/2031
I paid 130 for my new passport
The passport office opens at 9
I pay national insurance every month
National insurance went up by 2.5 percent in 2024
2FA setup: open that page then scan
The secret: give them more time than they need
We use two-factor login with keys that they send
root / home / var
admin:8080
user / guest
The driver's license test is on Monday
tax id is required
the tin 12345 cans
My flight is BA2490 and my passport is in the drawer
the token is authenticationmiddleware
the key is straightforwardness
secret=true
API_KEY=process.env.API_KEY
age1qyqszqgpqyqszqgpqyqszqgpqyqszqgpqyqszqgpqyqszqgpqyqszqgpqyqs0y6l6q
I need a visa, not a passport, for 30 days
operator / technician
test / staging / production
demo / trial
GET admin/v1beta2
Her patente is pending
The pan 12345678 is non-stick
my national id card is blue
nie 20 Euro
test / prod2024
user | admin | guest
export STRIPE_API_KEY=<your key>
API_KEY=${API_KEY}
api_key: required
SORT_KEY=createdtimestamp
The API key is straightforwardly documented
age ratio 1:2:3:4:5
registry:5000:latest
the meeting is at 10:30:15
room / desk / floor
Use root / boot for the first disk
Both admin / owner roles can invite
we met at 2FA conference that took ages
scan with your authenticator then type what they show
NI is short for Northern Ireland
My passport photo cost 12 euros
two passports, 1 visa
passport control is in hall 4
the v1.0-beta release
v1.0-rc1-20240301
her licence plate is B-MW 4821
the otp library in Erlang
C3PO and R2D2 met on 2024-03-01T12:00:00Z""".splitlines()

# Parts of secrets, so that random search comes near to them.
PIECES = st.sampled_from(
    [
        *"password is pw : = ' \" token key my pin code 4821 482913 the for to - -- sk- a1b2c3 hunter2 4111".split(),
        *"1111 card DE89 3704 0044 0532 0130 00 :// user@ eyJ . @ Bearer cookie; verification abandon é １".split(),
        *("\n", "\u200b", "[redacted: PIN]", "[redacted: ", "-----BEGIN PRIVATE KEY-----"),
    ]
)
TEXTS = st.text() | st.lists(PIECES, max_size=30).map(" ".join) | st.lists(PIECES, max_size=30).map("".join)

LONG = [
    *"a;1;1 ;ab1 ;password ;password is ;password to the ;my password is x ;pin is 1;token=;key=a1;eyJ;eyJ.;-;1234 ;@;://".split(
        ";"
    ),
    *"4111 1111 1111 1111 ;DE89 3704;login a/b ;user a pass ;http://a:b@;abandon ability ;verification code ;basic ".split(
        ";"
    ),
    *"it's my password ;recovery codes 1a2b ;PuTTY-User-Key-File-2;A1_;the order number is ;seed phrase ;curl -u ".split(
        ";"
    ),
    *(
        "eyJaaaaaaa\n",
        "sk-a1b2\n",
        "-----BEGIN PRIVATE KEY-----",
        "----END PRIVATE KEY-----\n",
        "AbC1" * 16 + "\n",
        "\n",
    ),
    *("[redacted: PIN]", "[redacted: ", "\u200b1", '\\"', "M" + "a" * 24 + ".", "a=bbbbbbbb1;"),
]


@pytest.mark.parametrize(("text", "redacted"), SAID)
def test_words_around_a_secret_stay_and_the_secret_is_redacted(text: str, redacted: str) -> None:
    assert redact(text) == redacted


@pytest.mark.parametrize("text", ORDINARY)
def test_ordinary_text_stays(text: str) -> None:
    assert redact(text) == text


@pytest.mark.parametrize("number", range(len(CARRIERS)))
def test_no_kind_of_secret_survives_in_any_sentence(number: int) -> None:
    for one in secrets(number, 4 * len(kinds())):
        assert_gone(one, redact(carried(one, number)))


def assert_gone(one: Given, text: str) -> None:
    left = [part for part in one.parts if part in text]
    assert not left, (one.kind, left)


def test_look_alikes_survive() -> None:
    given = [text for seed in range(5) for text in look_alikes(seed, 200)]
    changed = [text for text in given if redact(text) != text]
    assert len(changed) <= len(given) // 100, changed


def private_key() -> list[str]:
    """Return the lines of a complete key."""
    keys = (one.text.split("\n") for one in secrets(3, 300) if one.kind == "private key")
    return next(lines for lines in keys if len(lines) > 5 and "END" in lines[-1])


def test_truncated_private_key_is_redacted_whichever_end_is_missing() -> None:
    lines = private_key()
    for cut in (lines[:-2], lines[2:]):
        secret = tuple(line for line in cut if "KEY" not in line)
        redacted = redact("my key:\n" + "\n".join(cut) + "\nthanks")
        assert_gone(Given("private key", "", secret), redacted)
        assert redacted.endswith("\nthanks")


def test_certificate_stays() -> None:
    first, *lines, last = private_key()
    public = "\n".join(
        [re.sub("BEGIN .*KEY", "BEGIN CERTIFICATE", first), *lines, re.sub("END .*KEY", "END CERTIFICATE", last)]
    )
    assert redact(public) == public


@given(TEXTS)
def test_redacted_text_stays_unchanged(text: str) -> None:
    assert redact(redact(text)) == redact(text)


@given(st.integers(0, 10_000), st.integers(0, 400), st.text(max_size=20))
def test_redacted_text_is_unchanged_in_any_surroundings(seed: int, number: int, around: str) -> None:
    text = around + carried(secrets(seed, number % 16 + 1)[-1], number) + around
    assert redact(redact(text)) == redact(text)


@given(TEXTS)
def test_quick_check_misses_no_secret(text: str) -> None:
    assert_quick_looks_are_right(text)


def test_quick_check_misses_none_of_the_given_secrets() -> None:
    for text in [said for said, _ in SAID] + [one.text for one in secrets(1, 400)]:
        assert_quick_looks_are_right(text)


def assert_quick_looks_are_right(text: str) -> None:
    for finder in FINDERS:
        assert finder.may_find(text.lower(), digits=any(map(str.isdigit, text))) or not list(finder.find(text)), (
            finder.find.__name__,
            text,
        )


@pytest.mark.parametrize("piece", LONG)
def test_long_text_of_one_piece_finishes(piece: str) -> None:
    """An eighth of what a message may contain. A backtracking pattern would not finish at all."""
    text = (piece * (LONG_TEXT // len(piece) + 1))[:LONG_TEXT]
    started = time.process_time()
    assert isinstance(redact(text), str)
    assert time.process_time() - started < MOST_SECONDS


@pytest.mark.parametrize("blank", [" ", "\t", "\n", " \n", "\u3000", "\\n"])
@pytest.mark.parametrize(
    "before", ["", "The key for", "key", "password for", "pin", "login", "user", "Authorization:", "token"]
)
def test_gap_as_between_table_columns_finishes_too(before: str, blank: str) -> None:
    row = f"{before}{blank * (LONG_TEXT // 4 // len(blank))}"
    started = time.process_time()
    assert redact(row * 4) == row * 4
    assert time.process_time() - started < MOST_SECONDS


@pytest.mark.parametrize("blanks", [1, 16, 17, 400])
@pytest.mark.parametrize("around", ["", "\u3000", "é "])
def test_secret_is_found_across_a_gap_and_the_gap_stays(blanks: int, around: str) -> None:
    gap = " " * blanks
    text = f"{around}{gap}the password is:{gap}hunter22{gap}and so on{around}"
    assert redact(text) == text.replace("hunter22", "[redacted: password]")


def test_parts_separated_by_a_line_end_stay_separate_in_a_gap() -> None:
    far = " " * 40
    assert redact(f"login{far}ann/qwe123rty9") == f"login{far}ann/[redacted: password]"
    apart = f"login{far}\n{far}ann/qwe123rty9"
    assert redact(apart) == apart


@pytest.mark.parametrize(
    "piece",
    [
        "ladigits}парольVague|A1B2-C3D4",
        "DE89my ",
        "pw:",
        " - 9",
        "&00000000codes…seguridad- ",
        "pw:aB3",
        "pw:'aB3",
        "pin 1234pw:aB3",
    ],
)
def test_long_text_is_scanned_a_few_times_whatever_is_found_in_it(piece: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A pass once removed a word or 200 characters of a run without blanks, and the next read the rest again: for minutes."""
    folded: list[int] = []
    once: Callable[[str], Folded] = redacting.fold

    def counted(text: str) -> Folded:
        folded.append(len(text))
        return once(text)

    monkeypatch.setattr(redacting, "fold", counted)
    text = piece * (8 * 1024 // len(piece))
    redact(text)
    assert sum(folded) <= 8 * len(text)
    assert len(folded) <= len(text)


def test_none_of_the_secrets_stays_where_each_redaction_reveals_another() -> None:
    run = "pw:aB3" * 1000
    redacted = redact(f"We met at noon. {run} Then we had tea.")
    assert redacted.startswith("We met at noon. ")
    assert redacted.endswith(" Then we had tea.")
    assert "aB3" not in redacted
    assert redact(redacted) == redacted


def test_secret_in_a_long_text_is_found() -> None:
    rng = random.Random(7)
    words = " ".join(rng.choice("we had tea in the garden on a sunny day".split()) for _ in range(10_000))
    assert redact(f"{words} my pin is 4821 {words}").count("[redacted: PIN]") == 1
