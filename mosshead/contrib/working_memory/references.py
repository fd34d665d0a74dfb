"""Resolve words of a message to a session's references, by type and recency. Pure.

this page, that page, the page      the most recent page
it, this, that, this one            the most recent of all, people apart
he, him, she, her                   the most recent person
the previous page, the other one    the one before the most recent
the second one, the last result     as the latest result of a tool lists them
page 42                             that one
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from mosshead.contrib.working_memory.state import Added, Reference, State
from mosshead.language.references import Layout, Phrase, ReferenceForm, phrases
from mosshead.language.wordlists import PRONOUNS

PERSON = "person"
"""The type that "he" and "she" mean, and that "it" skips."""

_PRONOUNS = PRONOUNS.keys() | {"it", "its", "this", "that"}
_FORMS = frozenset({ReferenceForm.NAMED, ReferenceForm.NTH, ReferenceForm.PREVIOUS, ReferenceForm.LATEST})


@dataclass(frozen=True, slots=True, kw_only=True)
class TextReference:
    """Words of a message, from ``start`` to ``end``, and their meaning."""

    text: str
    start: int
    end: int
    reference: Reference


def _nouns_for(state: State, declared: Mapping[str, str]) -> dict[str, frozenset[str]]:
    """Return the nouns for the session's things: each type's name, its last word, and the app's own nouns."""
    kinds = {one.type for one in state.entities} | set(declared.values())
    words = [(kind.replace("_", " ").replace("-", " "), kind) for kind in kinds]
    words += [(said.rsplit(maxsplit=1)[-1], kind) for said, kind in words] + list(declared.items())
    return {noun: frozenset(kind for word, kind in words if word == noun) for noun, _ in words}


def references_in(text: str, state: State, declared: Mapping[str, str]) -> list[tuple[Phrase, Reference | None]]:
    """Return a text's referring words, in order, with their meanings; None for words that fit nothing."""
    nouns = _nouns_for(state, declared)
    said = (one for one in phrases(Layout(text), nouns) if one.form in _FORMS or one.text in _PRONOUNS)
    return [(one, _meant_by(one, nouns.get(one.head), state)) for one in said]


def _meant_by(phrase: Phrase, types: frozenset[str] | None, state: State) -> Reference | None:
    """types: those named by the words; None if they name none."""
    person = phrase.text in PRONOUNS
    among = [one for one in state.entities if (one.type in types if types else (one.type == PERSON) is person)]
    if phrase.form is ReferenceForm.NAMED:
        return next((one for one in reversed(among) if one.id.lower() == phrase.key), None)
    if phrase.form is ReferenceForm.PREVIOUS:
        alike = [one for one in among if types or one.type == among[-1].type]
        return alike[-2] if len(alike) > 1 else None
    if phrase.form is ReferenceForm.NTH:
        listed = _listed(types, state, phrase.number)
        if listed or phrase.number > 0:
            return listed
    return among[-1] if among else None


def by_label(text: str, state: State) -> Reference | None:
    """Return the most recent reference with this label."""
    called = " ".join(text.casefold().split())
    return next((one for one in reversed(state.entities) if " ".join(one.label.casefold().split()) == called), None)


def _listed(types: frozenset[str] | None, state: State, number: int) -> Reference | None:
    """Return the item at a place of the latest list of such things; "the last" only while that list is the latest result."""
    for result in reversed(state.results):
        listed = [key for key in result.entities if types is None or key[0] in types]
        if len(listed) >= max(number, 2 if number < 0 else 1):
            kind, key = listed[number - 1 if number > 0 else number]
            found = state.find(kind, key)
            return found if number > 0 or _newest(state, listed) in listed else None
    return None


def _newest(state: State, listed: Sequence[tuple[str, str]]) -> tuple[str, str] | None:
    kinds = {kind for kind, _ in listed}
    return next(((one.type, one.id) for one in reversed(state.entities) if one.type in kinds), None)


_DEEPEST = 20

Fields = Mapping[str, Mapping[str, str]]
"""Field names by type: ``{"page": {"id": "page_id", "label": "title"}}``."""

_KNOWN = ("id", "label", "under")


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultShape:
    """The shape of a type's things in a result.

    id, label: their fields; without a label, the id is used. under: the field with the thing or a list of such things; without
    it, anywhere.
    """

    type: str
    id: str
    label: str | None = None
    under: str | None = None


def shapes_of(declared: Fields) -> tuple[ResultShape, ...]:
    """Check the mapping. Raises ValueError, which names the field."""
    for kind, fields in declared.items():
        if not isinstance(fields, Mapping) or not fields.get("id") or set(fields) - {*_KNOWN}:
            raise ValueError(
                f'entities_in: of {kind!r} give the fields "id" and, if there are such, "label" and "under", '
                'as in {"page": {"id": "page_id", "label": "title"}}'
            )
    return tuple(ResultShape(type=kind, **fields) for kind, fields in declared.items())


def things_in(result: str | Mapping[str, Any] | Sequence[Any], shapes: Sequence[ResultShape]) -> tuple[Added, ...]:
    """Return the distinct things in a result, in order. Raises ValueError for a text that is not JSON."""
    if isinstance(result, str):
        try:
            result = json.loads(result)
        except ValueError:
            raise ValueError("result: is not JSON; give the tool's result, or list its entities yourself") from None
    found: dict[tuple[str, str], Added] = {}
    for one in _walk(result, None, shapes, _DEEPEST):
        found.setdefault((one.type, one.id), one)
    return tuple(found.values())


def _walk(value: Any, under: str | None, shapes: Sequence[ResultShape], deeper: int) -> Iterator[Added]:
    if deeper == 0:
        return
    if isinstance(value, Mapping):
        for shape in shapes:
            if shape.under in {None, under} and (found := _thing(value, shape)):
                yield found
        for name, inner in value.items():
            yield from _walk(inner, str(name), shapes, deeper - 1)
    elif isinstance(value, Sequence) and not isinstance(value, str | bytes):
        for inner in value:
            yield from _walk(inner, under, shapes, deeper - 1)


def _thing(value: Mapping[str, Any], shape: ResultShape) -> Added | None:
    key, label = _plain(value.get(shape.id)), _plain(value.get(shape.label)) if shape.label else None
    return Added(type=shape.type, id=key, label=label or key) if key else None


def _plain(value: object) -> str | None:
    """Convert a text, a whole number or a UUID to text; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, str | int | UUID):
        return None
    return str(value).strip() or None
