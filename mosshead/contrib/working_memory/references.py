"""Which words of a message refer to what a session has at hand, and to which of it: by type and recency. Pure.

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
"""The type that "he" and "she" look for, and "it" passes over."""

_PRONOUNS = PRONOUNS.keys() | {"it", "its", "this", "that"}
_FORMS = frozenset({ReferenceForm.NAMED, ReferenceForm.NTH, ReferenceForm.PREVIOUS, ReferenceForm.LATEST})


@dataclass(frozen=True, slots=True, kw_only=True)
class TextReference:
    """Words of a message, from ``start`` to ``end``, and what they mean."""

    text: str
    start: int
    end: int
    reference: Reference


def _nouns_for(state: State, declared: Mapping[str, str]) -> dict[str, frozenset[str]]:
    """The words for what is at hand: each type by its name and by the last word of it, and what the app declared."""
    kinds = {one.type for one in state.entities} | set(declared.values())
    words = [(kind.replace("_", " ").replace("-", " "), kind) for kind in kinds]
    words += [(said.rsplit(maxsplit=1)[-1], kind) for said, kind in words] + list(declared.items())
    return {noun: frozenset(kind for word, kind in words if word == noun) for noun, _ in words}


def references_in(text: str, state: State, declared: Mapping[str, str]) -> list[tuple[Phrase, Reference | None]]:
    """The words of a text that refer to something, in their order, with what they mean; None where nothing at hand fits."""
    nouns = _nouns_for(state, declared)
    said = (one for one in phrases(Layout(text), nouns) if one.form in _FORMS or one.text in _PRONOUNS)
    return [(one, _meant_by(one, nouns.get(one.head), state)) for one in said]


def _meant_by(phrase: Phrase, types: frozenset[str] | None, state: State) -> Reference | None:
    """types: those that the words say; None where they do not."""
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
    """What is called so, the most recent of several."""
    called = " ".join(text.casefold().split())
    return next((one for one in reversed(state.entities) if " ".join(one.label.casefold().split()) == called), None)


def _listed(types: frozenset[str] | None, state: State, number: int) -> Reference | None:
    """The one in this place of the latest list of such things; the last of a list only while the list is the latest there is."""
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
"""By type, the names of fields: ``{"page": {"id": "page_id", "label": "title"}}``."""

_KNOWN = ("id", "label", "under")


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultShape:
    """How things of a type look in a result.

    id, label: the fields that hold them; without a label, the id is one. under: the field that holds the thing, or a list of such
    things; anywhere without it.
    """

    type: str
    id: str
    label: str | None = None
    under: str | None = None


def shapes_of(declared: Fields) -> tuple[ResultShape, ...]:
    """The mapping, checked. Raises ValueError, which names the field."""
    for kind, fields in declared.items():
        if not isinstance(fields, Mapping) or not fields.get("id") or set(fields) - {*_KNOWN}:
            raise ValueError(
                f'entities_in: of {kind!r} give the fields "id" and, if there are such, "label" and "under", '
                'as in {"page": {"id": "page_id", "label": "title"}}'
            )
    return tuple(ResultShape(type=kind, **fields) for kind, fields in declared.items())


def things_in(result: str | Mapping[str, Any] | Sequence[Any], shapes: Sequence[ResultShape]) -> tuple[Added, ...]:
    """The things in a result, each once, in its order. Raises ValueError where it is a text, and no JSON."""
    if isinstance(result, str):
        try:
            result = json.loads(result)
        except ValueError:
            raise ValueError("result: is no JSON; give what the tool returned, or name its entities yourself") from None
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
    """A text, a whole number or a UUID as text; None of anything else."""
    if isinstance(value, bool) or not isinstance(value, str | int | UUID):
        return None
    return str(value).strip() or None
