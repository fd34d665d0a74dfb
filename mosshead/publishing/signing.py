"""Signed events: a key permits publishing for one tenant. The app signs, the intake verifies. Pure.

A signed event is JSON text in exactly one form, so that no byte can change unnoticed:

    {"signed":1,"kid":"app-1","signature":"<64 hex digits>","event":"<the event, as JSON text>"}

The signature is HMAC-SHA256 (RFC 2104) over a version line, the kid's line, and the event's text, which contains its namespace.
Replaying an event is harmless, since its id is stored once.
"""

import hashlib
import hmac
import json
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field

from mosshead.errors import ConfigurationError, SignatureRefused
from mosshead.events import MAX_EVENT_BYTES
from mosshead.patterns import lazy_pattern
from mosshead.serialization import json_object

MAX_SIGNED_BYTES = 2 * MAX_EVENT_BYTES + 1024
"""Maximum size of a signed event, in which the event's text is escaped once more."""

LEAST_SECRET = 32
"""Minimum length of a secret in characters; `openssl rand -hex 32` makes a good one."""

_DOMAIN = "mosshead event 1"
_KID = lazy_pattern(r"[A-Za-z0-9._-]{1,64}")
# No colon or comma, which separate the keys in the service's setting.
_SECRET = lazy_pattern(rf"[!-+\--9;-~]{{{LEAST_SECRET},}}")


@dataclass(frozen=True, slots=True)
class SigningKey:
    """An app's key. kid: Its public name, so that two keys can be valid during a rotation."""

    kid: str
    secret: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class TenantKey:
    """A key as the service knows it. tenant: The tenant whose events it may sign."""

    tenant: str
    secret: str = field(repr=False)


def parse_key(text: str) -> SigningKey:
    """Parse an app's key, ``KID:SECRET``. Raises ConfigurationError, which shows no part of the secret."""
    kid, _, secret = text.partition(":")
    if not _KID.fullmatch(kid) or not _SECRET.fullmatch(secret):
        raise ConfigurationError(f"MOSSHEAD_SIGNING_KEY: {_form('KID:SECRET')}")
    return SigningKey(kid, secret)


def parse_keys(text: str) -> dict[str, TenantKey]:
    """Parse the service's keys, ``KID:TENANT:SECRET,…``, by kid. Raises ConfigurationError, which shows no part of a secret."""
    keys: dict[str, TenantKey] = {}
    for place, entry in enumerate(filter(None, map(str.strip, text.split(","))), 1):
        kid, _, rest = entry.partition(":")
        tenant, _, secret = rest.rpartition(":")
        if not _KID.fullmatch(kid) or not tenant or not _SECRET.fullmatch(secret):
            raise ConfigurationError(f"MOSSHEAD_SIGNING_KEYS: key {place}: {_form('KID:TENANT:SECRET')}")
        if kid in keys:
            raise ConfigurationError(f"MOSSHEAD_SIGNING_KEYS: key {place}: duplicate kid {kid}; give each key its own")
        keys[kid] = TenantKey(unicodedata.normalize("NFC", tenant), secret)
    return keys


def sign(event: str, key: SigningKey) -> str:
    """Return an event (JSON text) in a signed envelope, which is JSON text, too."""
    signed = f"{_DOMAIN}\n{key.kid}\n{event}".encode("utf-8", "surrogatepass")
    signature = hmac.new(key.secret.encode(), signed, hashlib.sha256).hexdigest()
    envelope = {"signed": 1, "kid": key.kid, "signature": signature, "event": event}
    return json.dumps(envelope, ensure_ascii=False, separators=(",", ":"))


def open_signed(body: str | bytes, keys: Mapping[str, TenantKey]) -> str:
    """Verify a signed envelope, and return the event's JSON text.

    keys: By kid, from `parse_keys`. Raises SignatureRefused if the body is not signed, the kid is unknown, the signature does
    not match every byte, or the event belongs to another tenant than the key.
    """
    raw = body.encode("utf-8", "surrogatepass") if isinstance(body, str) else bytes(body)
    envelope = json_object(raw) or {}
    kid, event = envelope.get("kid"), envelope.get("event")
    if "signed" not in envelope or not isinstance(kid, str) or not isinstance(event, str):
        raise SignatureRefused("event: not signed; give the app its key in MOSSHEAD_SIGNING_KEY")
    key = keys.get(kid)
    if key is None:
        raise SignatureRefused("event: signed with a key that the service does not know")
    # Compare whole envelopes: of two spellings of the same JSON, only one was signed.
    whole = sign(event, SigningKey(kid, key.secret)).encode("utf-8", "surrogatepass")
    if not hmac.compare_digest(whole, raw):
        raise SignatureRefused("event: wrong signature; the event was changed in transit, or the secret differs")
    namespace = (json_object(event) or {}).get("namespace")
    tenant = namespace[0] if isinstance(namespace, list) and namespace else None
    if not isinstance(tenant, str) or unicodedata.normalize("NFC", tenant) != key.tenant:
        raise SignatureRefused("event: its namespace belongs to another tenant than its key")
    return event


def _form(shape: str) -> str:
    return (
        f"not of the form {shape}; a KID has at most 64 letters, digits, dots, dashes or underscores, a SECRET at least "
        f"{LEAST_SECRET} characters without spaces, colons or commas"
    )
