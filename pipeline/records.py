"""Facts in a shape of the app's own: what a model wrote, held against the schema and against what was said."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from mosshead.language_model.objects import leaves, read_object
from pipeline.facts import Record, RecordSchema
from pipeline.prompts.vocabulary import Vocabulary
from pipeline.schemas import closed, fits

_MOMENT: Final = re.compile(
    r"(?:\d{4}-\d\d-(?P<day>\d\d))?(?:(?:^|[T ])(?P<clock>\d\d:\d\d)(?::00(?:\.0+)?)?(?:Z|[+-]\d\d:?\d\d)?)?"
)
_DURATION: Final = re.compile(r"-?P(?=T?\d)(?:\d+[YMWD])*(?:T(?:\d+(?:\.\d+)?[HMS])+)?")
_FIGURES: Final = re.compile(r"\d+(?:\.\d+)?")
_MIDNIGHT: Final = "00:00"


def read_record(name: str, data: str, schemas: Sequence[RecordSchema], grounds: Vocabulary) -> Record | None:
    """The record that a model proposes, or None: its schema is unknown, it does not fit, or it says what nobody said.

    data: JSON text of an object. grounds: what was said. A value that the schema gives as a choice need not have been said.
    """
    schema = next((one.schema for one in schemas if one.name == name), None)
    try:
        read = read_object(data)
    except ValueError:
        return None
    if schema is None or not fits(read, closed(schema)):
        return None
    return Record(name=name, data=read) if is_said(read, schema, grounds) else None


def is_said(data: Any, schema: Mapping[str, Any], grounds: Vocabulary) -> bool:
    """Whether every name and number in some data occurs in what was said, or is a choice that the schema gives."""
    chosen = grounds | Vocabulary.of(_choices(schema))
    return all(_occurs(part, chosen) for text in _texts(data) for part in _spoken(text))


def _texts(value: Any) -> Iterator[str]:
    yield from (
        str(leaf) for leaf in leaves(value) if isinstance(leaf, str | int | float) and not isinstance(leaf, bool)
    )


def _spoken(text: str) -> list[str]:
    """What has to have been said of a text: of a date or a time, which schemas want in figures, the day and what the clock shows.

    The month may have been said by name, the year be that of the message; midnight stands where no time of the day was said.
    """
    if moment := _MOMENT.fullmatch(text):
        day, clock = moment["day"], moment["clock"]
        return [part for part in (day, None if day and clock == _MIDNIGHT else clock) if part] or [text]
    if _DURATION.fullmatch(text):
        return [figures for figures in _FIGURES.findall(text) if float(figures)]
    return [text]


def _occurs(text: str, grounds: Vocabulary) -> bool:
    return not (grounds.lacks_name_or_number_of(text) or grounds.doubts_an_opening_of(text))


def _choices(schema: Any) -> Iterator[str]:
    """The values that a schema gives to choose from, at any depth."""
    if isinstance(schema, list | tuple):
        for one in schema:
            yield from _choices(one)
    elif isinstance(schema, Mapping):
        for key, inner in schema.items():
            if key in {"enum", "const"}:
                yield from _texts(inner)
            else:
                yield from _choices(inner)
