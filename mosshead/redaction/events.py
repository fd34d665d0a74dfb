"""Redact all texts of an event; ids, times and numbers stay as they are."""

import json
import re
from collections.abc import Collection, Mapping
from contextlib import suppress
from typing import Any

from mosshead.events import AnyEvent, parse_event
from mosshead.events.commands import Import
from mosshead.patterns import lazy_pattern
from mosshead.redaction.redact import redact
from mosshead.redaction.text import MARK, fold, is_no_value, is_placeholder, mark

_NO_TEXTS = frozenset(
    "version type event_id namespace publisher publisher_sequence conversation occurred_at role sequence "
    "tool_call_id injected decision_id question_id entity_id into kind subject replaces of_version document "
    "document_version template".split()
)
"""Fields that identify or order an event, and a prompt's template: "Your PIN is {pin}" contains no secret."""

_IDS = frozenset({"id", "type", "tool_call_id", "tool_use_id"})
"""The same inside tool calls and content parts."""

_KEYS = frozenset({"key", "id", "parent", "about", "roles"})
"""The same in imports: the app's own keys of entities and memories. Redaction could make two of them equal."""

_SAYS_WHAT_IT_IS = lazy_pattern(
    r"[\w.\-]*((?:passcode|secret|key|credential|pin|pin[_\-]?(?:code|number)|puk|geheimzahl|cvv2?|cvc2?|otp|ssn|"
    r"token|authorization|(?:security|verification|log[_\-]?in)[_\-]?code)s?)",
    re.IGNORECASE,
)
_SAYS_PASSWORD = lazy_pattern(
    r"(?:(?:db|smtp|ftp|ssh|user|admin|root|mail|wifi|wlan|login|auth|proxy|mysql|redis)[_.\-])?pass|"
    r"(?:[\w.\-]*[_.\-])?(?:pw|psw|mdp|senha|haslo)\d?|[\w.\-]*(?:passw(?:or)?[dt]|passwd|pwd|pass[_\-]?phrase|"
    r"kenn?wort|contrasena|mot_?de_?passe|wachtwoord|losenord|пароль|密码|密碼|ハスワート|비밀번호)s?\d?",
    re.IGNORECASE,
)
"""Folded field names whose value is always a password."""

_LONGEST_NAME = 128
"""Characters of a field name that are read: a list under it may have a hundred thousand items."""

_MOST_LABELLED = 500
"""Values of one JSON that are read with their names. Later ones are redacted if an earlier one under such a name was."""

_SHORTEST_SECRET, _SHORTEST_OF_LETTERS = 4, 12
_LISTS_OF_IDS = frozenset({"memories", "injected"})
_UUID = lazy_pattern(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_QUOTES_NOT = lazy_pattern(r"[\"'`\n]")


def redact_event(event: AnyEvent) -> AnyEvent:
    """Redact the texts of a checked event: content, speaker, tool calls, metadata, instructions.

    Raises InvalidEvent if it becomes too long: a mark can be longer than its secret.
    """
    fields = event.model_dump()
    keys = _KEYS if isinstance(event, Import) else ()
    texts = {name: fields[name] for name in fields.keys() - _NO_TEXTS}
    changed = {name: redacted for name, value in texts.items() if (redacted := redact_json(value, keys=keys)) != value}
    return parse_event({**fields, **changed}) if changed else event


def redact_fields(event: Mapping[str, Any]) -> dict[str, Any]:
    """The same for a JSON object from outside with any fields."""
    names = _Names()
    return {name: value if name in _NO_TEXTS else _redact_all(value, name, names) for name, value in event.items()}


def redact_json(value: Any, *, keys: Collection[str] = ()) -> Any:
    """Redact every text in JSON, at any depth. keys: of fields that stay as they are."""
    return _redact_all(value, "", _Names(), keys)


def _redact_all(value: Any, name: str, names: "_Names", keys: Collection[str] = ()) -> Any:
    # With a work list instead of recursion: JSON from outside may be nested deeper than the stack.
    whole = [value]
    left: list[tuple[Any, Any, str]] = [(whole, 0, name)]
    while left:
        holder, key, name = left.pop()
        value = holder[key]
        if isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool)):
            text = str(value)
            redacted = _redact_named(text, name, names)
            if redacted != text:
                holder[key] = redacted
        elif isinstance(value, list | tuple):
            holder[key] = items = list(value)
            left += [(items, place, name) for place in range(len(items))]
        elif isinstance(value, Mapping):
            holder[key] = inner = dict(value)
            texts = (one for one in inner if one not in keys and not (one in _IDS and isinstance(inner[one], str)))
            left += [(inner, one, str(one)) for one in texts]
    return whole[0]


class _Names:
    """What field names reveal about their values. Each name is read once; of a long one, only its end."""

    def __init__(self) -> None:
        self._passwords: dict[str, bool] = {}
        self._secrets: dict[str, str] = {}
        self._left = _MOST_LABELLED
        self._marks: dict[str, str] = {}

    def says_password(self, name: str) -> bool:
        if name not in self._passwords:
            self._passwords[name] = bool(_SAYS_PASSWORD.fullmatch(fold(name[-_LONGEST_NAME:]).text))
        return self._passwords[name]

    def redact_labelled(self, text: str, redacted: str, name: str) -> str:
        """Redact an already redacted value together with its name, if the name says what it is."""
        if name not in self._secrets:
            says = _SAYS_WHAT_IT_IS.fullmatch(name[-_LONGEST_NAME:])
            self._secrets[name] = says[1].casefold() if says else ""
        word = self._secrets[name]
        if not word:
            return redacted
        self._left -= 1
        if self._left < 0:
            # Long enough for a secret, with a digit or many letters.
            shortest = _SHORTEST_SECRET if any(map(str.isdigit, redacted)) else _SHORTEST_OF_LETTERS
            secret = len(redacted) >= shortest and not is_placeholder(redacted)
            return self._marks.get(word, redacted) if secret else redacted
        labelled = _labelled(text, redacted, name[-_LONGEST_NAME:])
        if labelled != redacted and (found := MARK.search(labelled)):
            self._marks[word] = found[0]
        return labelled


def _redact_named(text: str, name: str, names: _Names) -> str:
    # The digits of an id sometimes look like a card number.
    if name in _LISTS_OF_IDS and _UUID.fullmatch(text):
        return text
    inner = None
    if text.startswith(("{", "[")):  # such as the arguments of a tool call
        with suppress(ValueError, RecursionError):
            inner = json.loads(text)
    if inner is not None:
        redacted = _redact_all(inner, name, names)
        return text if redacted == inner else json.dumps(redacted, ensure_ascii=False)
    # As in a setting, because neither a password nor a PIN has a form of its own.
    if names.says_password(name):
        # {"pass": 12, "fail": 1} counts tests
        counts = name.casefold() == "pass" and (text.isdigit() or is_no_value(text, said=False))
        stays = counts or not text.strip() or MARK.fullmatch(text) or is_placeholder(text)
        return redact(text) if stays else mark("password")
    return names.redact_labelled(text, redact(text), name)


def _labelled(text: str, redacted: str, name: str) -> str:
    quote = "" if _QUOTES_NOT.search(text) else '"'
    for label in dict.fromkeys((name, name.replace("_", " "))):
        before = f"{label}: {quote}"
        redacted = redact(f"{before}{redacted}{quote}").removeprefix(before).removesuffix(quote)
    return redacted
