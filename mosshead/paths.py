"""Namespaces: whose memories these are, as a path that begins with the tenant.

Ids are derived from names, so any process can compute them without a look-up. SHA-256 rather than MD5: users often choose path
parts, and a crafted collision would let one user read another's memories. The SQL function ``mosshead_write_v1.publish`` derives
the same ids.
"""

import hashlib
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Self
from uuid import UUID

from mosshead.errors import InvalidNamespace
from mosshead.patterns import lazy_pattern

REPLAY = "(replay)"
"""The last path part of a namespace's replay."""

_MAX_PARTS = 8
_MAX_PART_LENGTH = 200
_INVISIBLE = {"Cc": "control character", "Cf": "format character", "Zl": "line separator", "Zp": "paragraph separator"}
"""Forbidden Unicode categories: invisible characters would allow two namespaces whose names look alike."""
_JOINERS = "\u200c\u200d"
"""ZWNJ and ZWJ, which Persian and Indic scripts need."""
_VIRAMA = 9
"""The combining class of viramas; a joiner may end a word after one."""
_TEMPLATE = lazy_pattern(r"\{([^{}]*)\}")

_VALUES: ContextVar[Mapping[str, object]] = ContextVar("mosshead_values", default=MappingProxyType({}))


@contextmanager
def values(**given: object) -> Iterator[None]:
    """Set values for namespace templates within a block: ``with mosshead.values(user_id="sarah_123"): …``.

    Nested blocks add to outer ones. Values are held in a context variable: asyncio tasks and `asyncio.to_thread` inherit them,
    other threads do not. Values passed to `Memory.namespace` take precedence.
    """
    token = _VALUES.set({**_VALUES.get(), **given})
    try:
        yield
    finally:
        _VALUES.reset(token)


def with_context(given: Mapping[str, object]) -> Mapping[str, object]:
    """Combine the values of the enclosing blocks with those given."""
    return {**_VALUES.get(), **given}


@dataclass(frozen=True, slots=True)
class NamespacePrefix:
    """The common beginning of some namespaces' paths: the tenant, and possibly further parts."""

    parts: tuple[str, ...]

    @classmethod
    def of(cls, parts: Sequence[str], values: Mapping[str, object] | None = None) -> Self:
        """Check a prefix, filling templates as `NamespacePath.of` does. Raises InvalidNamespace."""
        if isinstance(parts, str) or not parts:
            raise InvalidNamespace(
                "namespace: give the parts of a prefix one by one, the tenant first: 'acme', 'support'"
            )
        return cls(tuple(_part(part, place, values or {}) for place, part in enumerate(parts)))

    @property
    def tenant_id(self) -> UUID:
        """The tenant's id, derived from its name."""
        return _derived_id("tenant", self.parts[:1])


@dataclass(frozen=True, slots=True)
class NamespacePath(NamespacePrefix):
    """A validated namespace path.

    parts: the tenant, then at least one more part, such as ``("acme", "sarah_123")``; each in Unicode normal form C, so that the
        same name typed differently is equal.
    """

    @classmethod
    def of(cls, parts: Sequence[str], values: Mapping[str, object] | None = None) -> Self:
        """Check a path, filling templates such as ``"{user_id}"`` from ``values``.

        Raises InvalidNamespace if a part is empty, too long, not text, an unresolved template, or contains invisible characters.
        """
        if isinstance(parts, str):
            raise InvalidNamespace("namespace: give its parts one by one, the tenant first: 'acme', 'sarah_123'")
        if len(parts) < 2:
            raise InvalidNamespace(
                "namespace: needs a tenant and at least one more part, such as ('acme', 'sarah_123'); "
                f"got {len(parts)} part{'' if len(parts) == 1 else 's'}"
            )
        if len(parts) > _MAX_PARTS:
            raise InvalidNamespace(f"namespace: at most {_MAX_PARTS} parts, got {len(parts)}")
        return cls(tuple(_part(part, place, values or {}) for place, part in enumerate(parts)))

    @property
    def namespace_id(self) -> UUID:
        """The namespace's id, derived from the whole path."""
        return _derived_id("namespace", self.parts)

    @property
    def ids(self) -> dict[str, UUID]:
        """Both ids, as parameters of a statement."""
        return {"tenant_id": self.tenant_id, "namespace_id": self.namespace_id}

    @property
    def is_replay(self) -> bool:
        """Whether this is the replay of another namespace."""
        return len(self.parts) > 2 and self.parts[-1] == REPLAY

    @property
    def home_id(self) -> UUID:
        """The base of ids derived from the app's names (`mosshead.ids`): the same in both generations of a namespace."""
        return _derived_id("namespace", self.parts[:-1]) if self.is_replay else self.namespace_id

    def replayed(self) -> "NamespacePath":
        """Return the path for this namespace's replay. Raises InvalidNamespace if the path has no room for another part."""
        return NamespacePath.of((*self.parts, REPLAY))

    def __str__(self) -> str:
        return "/".join(self.parts)


def _part(part: object, place: int, values: Mapping[str, object]) -> str:
    field = f"namespace[{place}]"
    if not isinstance(part, str):
        raise InvalidNamespace(f"{field}: must be text, got {type(part).__name__}")

    def resolve(match: re.Match[str]) -> str:
        name = match.group(1).strip()
        if values.get(name) is None:
            raise InvalidNamespace(f"{field}: the template {{{name}}} is not resolved; pass {name or 'its value'}=…")
        return str(values[name])

    text = _TEMPLATE.sub(resolve, part)
    if _TEMPLATE.search(text):  # its events would be refused
        raise InvalidNamespace(f"{field}: the value of a template contains braces; give it without them")
    text = text if text.isascii() else unicodedata.normalize("NFC", text)
    if not text.strip():
        raise InvalidNamespace(f"{field}: is empty")
    if len(text) > _MAX_PART_LENGTH:
        raise InvalidNamespace(f"{field}: {len(text)} characters, at most {_MAX_PART_LENGTH}")
    if fault := _fault(text):
        raise InvalidNamespace(f"{field}: holds {fault}; remove it")
    return text


def _fault(text: str) -> str | None:
    """Return what a path part contains that is forbidden, by code point since it is invisible in an error."""
    if text.isascii() and text.isprintable():
        return None
    for place, character in enumerate(text):
        category = unicodedata.category(character)
        if category == "Cs":
            return "half a surrogate pair"
        if category in _INVISIBLE and not _joins(text, place):
            return f"a {_INVISIBLE[category]}, U+{ord(character):04X}"
    return None


def _joins(text: str, place: int) -> bool:
    """Whether a joiner is between letters, including their marks, or after a virama."""
    if text[place] not in _JOINERS or place == 0:
        return False
    before, after = text[place - 1], text[place + 1 : place + 2]
    if unicodedata.combining(before) == _VIRAMA:
        return True
    return bool(after) and all(unicodedata.category(one)[0] in "LM" for one in (before, after))


@lru_cache(1_000)  # a read needs each about a dozen times
def _derived_id(kind: str, parts: tuple[str, ...]) -> UUID:
    return UUID(bytes=hashlib.sha256("\x1f".join((kind, *parts)).encode()).digest()[:16])
