"""Which words of a message refer to what a session has at hand, and to which of it: by type and recency. Pure.

this page, that page, the page      the most recent page
it, this, that, this one            the most recent of all, people apart
he, him, she, her                   the most recent person
the previous page, the other one    the one before the most recent
the second one, the last result     as the latest result of a tool lists them
page 42                             that one
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal
from uuid import UUID

from mosshead.contrib.working_memory.state import Added, Reference, State
from mosshead.patterns import lazy_pattern

PERSON = "person"
"""The type that "he" and "she" look for, and "it" passes over."""

Nouns = Mapping[str, frozenset[str]]
"""By the word for them, in lower case, the types of things."""

_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_COUNTED = lazy_pattern(r"\d+")
_ENDS = r"(?=\s*(?:[.,;:!?)\"”]|$|(?:please|now|too|again|instead|and|or|to|into|for|with|from|there|here)\b))"
_QUALIFIED = r"(?!\s+(?:about|of|for|with|called|named|titled|from|where|which|who|that|on|in|at)\b)"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferringPhrase:
    """Words of a text that refer to something.

    types: of what, None where the words do not say. how: the most recent, the one before it, the last of a list; or the place in
    a list, from 0. key: its id, where that was said.
    """

    text: str
    start: int
    end: int
    how: Literal["latest", "previous", "last", "person", "exact"] | int
    types: frozenset[str] | None = None
    key: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TextReference:
    """Words of a message, from ``start`` to ``end``, and what they mean."""

    text: str
    start: int
    end: int
    reference: Reference


def nouns_for(state: State, declared: Mapping[str, str]) -> dict[str, frozenset[str]]:
    """The words for what is at hand: each type by its name and by the last word of it, and what the app declared."""
    found: dict[str, set[str]] = {}
    for kind in {one.type for one in state.entities} | set(declared.values()):
        words = kind.replace("_", " ").replace("-", " ")
        for noun in (words, words.rsplit(maxsplit=1)[-1]):
            found.setdefault(noun, set()).add(kind)
    for noun, kind in declared.items():
        found.setdefault(noun, set()).add(kind)
    return {noun: frozenset(kinds) for noun, kinds in found.items()}


def phrases(text: str, nouns: Nouns) -> Iterator[ReferringPhrase]:
    """The words of a text that refer to something, in their order."""
    for found in _pattern(tuple(sorted(nouns, key=lambda noun: (-len(noun), noun)))).finditer(text):
        said = {name: value.lower() for name, value in found.groupdict().items() if value}
        noun = next((value for name, value in said.items() if name.endswith("_noun")), None)
        types = nouns.get(" ".join(re.split(r"[\s_-]+", noun))) if noun else None
        yield ReferringPhrase(
            text=found.group(), start=found.start(), end=found.end(), how=_how(said), types=types, key=said.get("key")
        )


def meant_by(phrase: ReferringPhrase, state: State) -> Reference | None:
    """What a phrase means; None where nothing at hand fits."""
    among = [one for one in state.entities if _fits(one, phrase)]
    if phrase.how == "exact":
        return next((one for one in reversed(among) if one.id.lower() == phrase.key), None)
    if phrase.how == "previous":
        alike = [one for one in among if phrase.types or one.type == among[-1].type]
        return alike[-2] if len(alike) > 1 else None
    if isinstance(phrase.how, int):
        return _listed(phrase, state, phrase.how)
    if phrase.how == "last" and (last := _listed(phrase, state, -1)):
        return last
    return among[-1] if among else None


def by_label(text: str, state: State) -> Reference | None:
    """What is called so, the most recent of several."""
    called = " ".join(text.casefold().split())
    return next((one for one in reversed(state.entities) if " ".join(one.label.casefold().split()) == called), None)


def _fits(one: Reference, phrase: ReferringPhrase) -> bool:
    if phrase.types is not None:
        return one.type in phrase.types
    return (one.type == PERSON) is (phrase.how == "person")


def _listed(phrase: ReferringPhrase, state: State, place: int) -> Reference | None:
    """The one in this place of the latest list of such things; the last of a list only while the list is the latest there is."""
    for result in reversed(state.results):
        listed = [key for key in result.entities if phrase.types is None or key[0] in phrase.types]
        if len(listed) > max(place, 1 if place < 0 else 0):
            kind, key = listed[place]
            found = state.find(kind, key)
            return found if place >= 0 or _newest(state, listed) in listed else None
    return None


def _newest(state: State, listed: Sequence[tuple[str, str]]) -> tuple[str, str] | None:
    kinds = {kind for kind, _ in listed}
    return next(((one.type, one.id) for one in reversed(state.entities) if one.type in kinds), None)


def _how(said: Mapping[str, str]) -> Literal["latest", "previous", "last", "person", "exact"] | int:
    if "key" in said:
        return "exact"
    if "place" in said:
        return _place(said["place"])
    if "person" in said:
        return "person"
    return "previous" if "before" in said or "after" in said else "latest"


def _place(said: str) -> Literal["last"] | int:
    if said == "last":
        return "last"
    counted = _COUNTED.match(said)
    return int(counted.group()) - 1 if counted else _ORDINALS.index(said)


@lru_cache(maxsize=256)
def _pattern(nouns: tuple[str, ...]) -> re.Pattern[str]:
    """All that may refer, tried at each word in this order. nouns: in lower case, the longest first."""
    noun = "|".join(r"[\s_-]+".join(map(re.escape, one.split())) for one in nouns) or "(?!)"
    places = "|".join((*_ORDINALS, "last", r"[1-9]\d?(?:st|nd|rd|th)"))
    return re.compile(
        rf"""\b(?:
            (?:(?:the|this|that)\s+)? (?P<exact_noun>{noun}) \s+ (?:\#|no\.?\s*|number\s+|id\s+)? (?P<key>[\w-]*\d[\w-]*)
          | the\s+ (?P<place>{places}) \s+ (?:(?P<place_noun>{noun})|one|result|item)
          | the\s+ (?P<before>previous|prior|earlier|other) \s+ (?:(?P<before_noun>{noun})|one)
          | the\s+ (?:(?P<after_noun>{noun})|one) \s+ (?P<after>before)
          | (?:this|that|the\s+(?:same|current|latest|newest|most\s+recent)) \s+ (?:same\s+)? (?:(?P<latest_noun>{noun})|one)
          | the\s+ (?P<the_noun>{noun}) \b {_QUALIFIED}
          | (?P<person>he|him|his|she|her|hers)
          | its?
          | (?:this|that) {_ENDS}
        )\b""",
        re.IGNORECASE | re.VERBOSE,
    )


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
