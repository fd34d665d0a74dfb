"""Read an answer from a model's output: find the JSON, repair it if unambiguous, and coerce it to the schema.

Without an enforced schema, models wrap JSON in prose, Markdown, reasoning or another object, and write a single item without its
list, numbers in quotes, or names in capitals. None of that changes the meaning.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final, TypeVar

import json_repair
from pydantic import BaseModel, ValidationError

from mosshead.llm.modes import schema_of
from mosshead.llm.protocol import AnswerTruncated, AnswerUnusable
from mosshead.patterns import lazy_pattern
from mosshead.text import encodable

A = TypeVar("A", bound=BaseModel)

_THOUGHT: Final = lazy_pattern(
    r"<(think|thinking|thought|thoughts|reasoning|reflection|analysis|scratchpad)\b[^>]*>.*?</\1\s*>"
    r"|\[THINK\].*?\[/THINK\]|◁think▷.*?◁/think▷|<\|begin_of_thought\|>.*?<\|end_of_thought\|>|<seed:think>.*?</seed:think>",
    re.IGNORECASE | re.DOTALL,
)
_THOUGHT_END: Final = lazy_pattern(
    r".*(?:</(?:think|thinking|thought|thoughts|reasoning|reflection|seed:think)\s*>|\[/THINK\]|◁/think▷)",
    re.IGNORECASE | re.DOTALL,
)
_CHANNEL: Final = lazy_pattern(r".*<\|channel\|>\s*(?:final|commentary)\b.*?<\|message\|>", re.IGNORECASE | re.DOTALL)
_SPECIAL: Final = lazy_pattern(
    r"<\|[\w ]{1,40}\|>|</?(?:answer|json|output|response|result|tool_call|final)>", re.IGNORECASE
)
_FENCED: Final = lazy_pattern(r"(?:```|~~~)[ \t]*[\w.+-]*[ \t]*\r?\n?(.*?)(?:```|~~~|\Z)", re.DOTALL)
_OPENING: Final = lazy_pattern(r"\{(?=\s*(?:[\"'}“”]|\w+\s*:|//|/\*))|\[(?=\s*(?:[\[{\]\"'“]|//|/\*))")
_GOES_ON: Final = lazy_pattern(r"\s*(?:[,:\"'\[{]|//)")
_SIGNS: Final = lazy_pattern(r"[\W_]+")
_FIGURES: Final = lazy_pattern(r"\d+")
_YES: Final = frozenset({"true", "yes", "y", "1"})
_NOTHING: Final = frozenset({"null", "none", "n/a", "nil", "undefined"})


def read_answer(texts: Iterable[str], answer: type[A]) -> A:
    """Return the answer in the first text that contains one.

    Raises AnswerTruncated if one breaks off, AnswerUnusable if there is none.
    """
    problem = "the answer is not JSON"
    broken_off = []
    for said in map(encodable, map(_spoken, texts)):
        for values in (_written(said), _mended(said)):
            read = _last_read(values, answer)
            if read is not None:
                return read
            if values:
                problem = f"the answer does not fit {answer.__name__}"
        broken_off += [said] if _breaks_off(said) else []
    if broken_off:
        raise _cut_off("the answer breaks off in the middle", broken_off, answer)
    raise AnswerUnusable(problem)


def read_cut_answer(texts: Iterable[str], answer: type[A]) -> A:
    """Return an answer stopped at the token limit, if it was complete and the model merely continued after it.

    Raises AnswerTruncated if it was not.
    """
    said = [encodable(_spoken(text)) for text in texts]
    for one in said:
        # Within prose, it may be a draft of the final answer.
        read = _last_read(_written(one), answer) if one.startswith(("{", "[", "```")) else None
        if read is not None:
            return read
    raise _cut_off("the answer was cut off at the model's limit of tokens", said, answer)


def _last_read(values: list[Any], answer: type[A]) -> A | None:
    """Return the last non-empty value that fits the answer: a draft may precede it."""
    found = [(value, read) for value in values if (read := _read(value, answer)) is not None]
    return next((read for value, read in reversed(found) if _holds(value)), found[-1][1]) if found else None


def _cut_off(why: str, texts: Iterable[str], answer: type[BaseModel]) -> AnswerTruncated:
    error = AnswerTruncated(why)
    if getattr(answer, "item_by_item", False):
        error.before_cut = next((read for said in texts if (read := _before_cut(said, answer)) is not None), None)
    return error


_WRAPPED_AT_MOST: Final = 8


def _before_cut(said: str, answer: type[A]) -> A | None:
    """Return the complete items of the answer's only list, up to the point of truncation."""
    fields = schema_of(answer).get("properties", {})
    only, items = _only_list(fields)
    found: list[Any] = []
    at, opened, decoder = 0, 0, json.JSONDecoder(strict=False)
    while opened < _WRAPPED_AT_MOST and (opening := _OPENING.search(said, at)):
        try:
            value, at = decoder.raw_decode(said, opening.start())
        except (ValueError, RecursionError):
            if found:
                break
            at, opened = opening.start() + 1, opened + 1
            continue
        listed = _named(value, only) if isinstance(value, Mapping) else None  # the whole answer, repeated
        found += [value] if _is_item(value, items) else _as_list(listed)
    return _read({only: found}, answer) if found else None


def _spoken(text: str) -> str:
    """Strip a byte order mark, reasoning and template tokens; return the whole text if nothing would remain."""
    said = text.lstrip("\ufeff\u200b \t\r\n")
    if _CHANNEL.match(said):
        said = _CHANNEL.sub("", said, count=1)
    thoughtless = _THOUGHT.sub(" ", said)
    end = None if thoughtless.lstrip().startswith(("{", "[{", "```")) else _THOUGHT_END.match(thoughtless)
    spoken = thoughtless[end.end() :] if end else thoughtless
    return _SPECIAL.sub(" ", spoken if _OPENING.search(spoken) else said).strip()


def _written(said: str) -> list[Any]:
    """Return the JSON values in a text: the whole, in Markdown blocks, or within prose."""
    whole = _loaded(f'"{said}"' if said.startswith('{\\"') else said)
    if isinstance(whole, str):
        return _written(_spoken(whole)) if whole != said else []
    if whole is not None:
        return [whole]
    values = [value for block in _FENCED.findall(said) if (value := _loaded(block.strip())) is not None]
    if values and all(isinstance(value, str) for value in values):
        return [one for value in values for one in _written(value)]
    return _together(values or _among_prose(said))


def _among_prose(said: str) -> list[Any]:
    """Return consecutive values; none if one is broken, because values inside it are no answers."""
    found: list[Any] = []
    at, decoder = 0, json.JSONDecoder(strict=False)
    while opening := _OPENING.search(said, at):
        try:
            value, at = decoder.raw_decode(said, opening.start())
        except (ValueError, RecursionError):
            return []
        found.append(value)
    return found


def _together(found: list[Any]) -> list[Any]:
    """Return values, and all of them as one, since a model may write items one by one. A tuple distinguishes them from a list."""
    return [*found, tuple(found)] if len(found) > 1 else found


def _mended(said: str) -> list[Any]:
    """Return repaired values. Nothing if the text is truncated: missing parts must not be guessed."""
    if _breaks_off(said):
        return []
    values = []
    starts = [opening.start() for opening in _OPENING.finditer(said)][:3]
    for start in starts:
        end = max(said.rfind("}"), said.rfind("]")) + 1
        try:
            values.append(json_repair.loads(said[start:end]))
        except (ValueError, RecursionError):
            continue
        if isinstance(values[-1], dict | list) and values[-1]:
            break
    return values


def _breaks_off(said: str) -> bool:
    opening = _OPENING.search(said)
    if opening is None:
        return False
    end = max(said.rfind("}"), said.rfind("]")) + 1
    return (end <= opening.start() + 1 and not said.endswith(("}", "]"))) or bool(
        _GOES_ON.match(said[end:].replace("```", ""))
    )


def _loaded(text: str) -> Any:
    try:
        return json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return None


def _holds(value: Any) -> bool:
    return any(map(_holds, value.values())) if isinstance(value, Mapping) else bool(value)


def _read(value: Any, answer: type[A]) -> A | None:
    """Return a value as the answer, unwrapped if necessary; None if it does not fit."""
    schema = schema_of(answer)
    fields = schema.get("properties", {})
    for one in _unwrapped(value, fields):
        try:
            return answer.model_validate(coerced(one, schema))
        except (ValidationError, RecursionError):
            continue
    return None


def _unwrapped(value: Any, fields: Mapping[str, Any]) -> Iterator[Any]:
    """Yield a value as it is, as an item of the answer's only list, or unwrapped."""
    only, items = _only_list(fields)
    if isinstance(value, list | tuple):
        yield from _listed(value, only, items, fields)
    elif isinstance(value, Mapping):
        if any(_plain(str(key)) in set(map(_plain, fields)) for key in value):
            yield value
        elif _is_item(value, items):
            yield {only: [value]}
        else:
            for inner in value.values():
                read = _loaded(inner) if isinstance(inner, str) else inner
                if isinstance(read, Mapping | list) and read:
                    yield from _unwrapped(read, fields)


def _only_list(fields: Mapping[str, Any]) -> tuple[str | None, Mapping[str, Any]]:
    """Return the name and items of an answer's only field, if that is a list; otherwise nothing."""
    lists = [(name, field.get("items", {})) for name, field in fields.items() if field.get("type") == "array"]
    return lists[0] if len(fields) == 1 and lists else (None, {})


def _listed(
    value: list[Any] | tuple[Any, ...], only: str | None, items: Mapping[str, Any], fields: Mapping[str, Any]
) -> Iterator[Any]:
    """Yield a list as the content of the answer's only list, or as several answers. A tuple is several values of a text."""
    wrapped = [one for one in value if isinstance(one, Mapping) and _named(one, only) is not None]
    if isinstance(value, tuple):
        if all(_is_item(one, items) for one in value):
            yield {only: list(value)}
    elif wrapped:
        yield {only: [item for one in wrapped for item in _as_list(_named(one, only))]}
    elif only is not None and (not value or any(_is_item(one, items) for one in value)):
        yield {only: value}
    elif len(value) == 1:
        yield from _unwrapped(value[0], fields)


def _is_item(value: Any, items: Mapping[str, Any]) -> bool:
    """Whether a value is an item: it has the first field and another one, and few unknown ones. A text may contain any JSON."""
    if not isinstance(value, Mapping) or not _named(value, _lead(items)):
        return False
    own = set(map(_plain, items.get("properties", {})))
    known = sum(_plain(str(key)) in own for key in value)
    return known > 1 and 2 * known >= len(value)


def coerced(value: Any, schema: Mapping[str, Any], *, within: bool = False) -> Any:
    """Coerce a value to a JSON Schema if the meaning stays the same; leave anything unclear unchanged."""
    kinds, either = schema.get("type"), schema.get("anyOf", ())
    nullable = "null" in kinds if isinstance(kinds, list) else {"type": "null"} in either
    if nullable and (value is None or _says_nothing(value)):
        return None
    if either:
        inner: Mapping[str, Any] = next((one for one in either if one.get("type") != "null"), {})
        return coerced(value, inner, within=within)
    if "enum" in schema:
        return next((one for one in schema["enum"] if _plain(str(one)) == _plain(str(value))), value)
    kind = kinds[0] if isinstance(kinds, list) else kinds
    if isinstance(kind, str) and kind in _OF_LEAVES:
        return _OF_LEAVES[kind](value)
    if kind == "array":
        return _array(value, schema.get("items", {}), within=within)
    return _object(value, schema, within=within) if kind == "object" else value


def _object(value: Any, schema: Mapping[str, Any], *, within: bool) -> Any:
    fields = schema.get("properties", {})
    if isinstance(value, str):
        loaded = _loaded(value)
        value = loaded if isinstance(loaded, Mapping) else {_lead(schema): value}
    if not isinstance(value, Mapping) or not fields:
        return value
    names = {_plain(name): name for name in fields}
    given = {names[plain]: one for key, one in value.items() if (plain := _plain(str(key))) in names}
    read = {name: coerced(one, fields[name], within=within) for name, one in given.items()}
    return {**{name: _MISSING[kind] for name, kind in _optional(fields) if name not in read}, **read}


def _optional(fields: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield fields that mean the same if missing."""
    for name, field in fields.items():
        kinds = field.get("type")
        if (isinstance(kinds, list) and "null" in kinds) or {"type": "null"} in field.get("anyOf", ()):
            yield name, "null"
        elif "enum" in field:
            yield name, "enum"
        elif kinds in _MISSING:
            yield name, str(kinds)


_MISSING: Final[Mapping[str, Any]] = {"null": None, "array": (), "boolean": False, "enum": ""}


def _array(value: Any, items: Mapping[str, Any], *, within: bool) -> Any:
    if items.get("type") == "integer":
        return _numbers(value)
    read = [coerced(one, items, within=True) for one in _as_list(value)]
    if not within or items.get("type") != "object":
        return read
    needed = set(items.get("required", []))
    return [one for one in read if isinstance(one, Mapping) and one.keys() >= needed]


def _as_list(value: Any) -> list[Any]:
    if isinstance(value, str) and isinstance(loaded := _loaded(value), list):
        return loaded
    if value is None or value == "" or _says_nothing(value):
        return []
    if isinstance(value, Mapping) and value and all(isinstance(one, Mapping) for one in value.values()):
        return list(value.values())  # numbered instead of listed
    return list(value) if isinstance(value, list | tuple) else [value]


def _numbers(value: Any) -> list[int]:
    if isinstance(value, list | tuple):
        return [number for one in value for number in _numbers(one)[:1]]
    if isinstance(value, Mapping):
        return [number for one in value.values() for number in _numbers(one)][:1]
    if isinstance(value, int):
        return [] if isinstance(value, bool) else [value]
    return list(map(int, _FIGURES.findall(re.sub(r"\.0\b", "", str(value)))))


def _text(value: Any) -> Any:
    if value is None:
        return ""
    if isinstance(value, list) and all(isinstance(one, str | int | float) for one in value):
        return ", ".join(map(str, value))
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else value


def _truth(value: Any) -> bool:
    return value if isinstance(value, bool) else str(value).strip().casefold() in _YES


_OF_LEAVES: Final[Mapping[str, Callable[[Any], Any]]] = {
    "string": _text,
    "integer": lambda value: next(iter(_numbers(value)), value),
    "boolean": _truth,
}


def _says_nothing(value: Any) -> bool:
    return isinstance(value, str) and value.strip().casefold() in _NOTHING


def _lead(schema: Mapping[str, Any]) -> str | None:
    """Return an object's essential field: its first."""
    return next(iter(schema.get("properties", {})), None)


def _named(value: Mapping[str, Any], name: str | None) -> Any:
    """Return a field by name, ignoring case and punctuation."""
    return next((one for key, one in value.items() if name and _plain(str(key)) == _plain(name)), None)


def _plain(name: str) -> str:
    return _SIGNS.sub("", name.casefold())
