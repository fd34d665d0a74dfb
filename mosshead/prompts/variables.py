"""The variables of a template: which there are, and whether a new text still takes the same. Pure.

format      "{name}", "{user.name!r:>10}", "{}"; "{{" and "}}" are braces of the text, as `str.format` has it
mustache    "{{name}}", "{{{name}}}", "{{&name}}", "{{#items}}…{{/items}}", "{{^items}}…{{/items}}", "{{>part}}"
none        the text has no variables, and its braces are braces
"""

from collections.abc import Iterator
from dataclasses import dataclass
from string import Formatter
from typing import Literal, assert_never

from mosshead.patterns import lazy_pattern

Syntax = Literal["format", "mustache", "none"]

_TAG = lazy_pattern(r"\{\{\{(?P<plain>[^{}]+)\}\}\}|\{\{\s*+(?P<sign>[#^/>&!=]?)(?P<name>[^{}]+)\}\}")
_DOUBLED = lazy_pattern(r"\{\{|\}\}")
_MOST_NAMED = 5


class NotATemplate(ValueError):
    """A text is no template of its syntax; the message says why, and shows nothing of the text."""


@dataclass(frozen=True, slots=True)
class Variables:
    """What a template takes.

    taken: each variable as it is written, with its conversion and format; those without a name are numbered.
    frame: the marks that open and close sections and bring in parts, in their order, which carries their meaning.
    """

    taken: frozenset[str]
    frame: tuple[str, ...] = ()


def variables_of(text: str, syntax: Syntax) -> Variables:
    """The variables of a template. Raises NotATemplate."""
    match syntax:
        case "format":
            return Variables(frozenset(_fields(text)))
        case "mustache":
            return _tags(text)
        case "none":
            return Variables(frozenset())
    assert_never(syntax)


def fault_in(text: str, wanted: Variables, syntax: Syntax) -> str | None:
    """Why a new text cannot stand for a template with these variables; None where it can.

    Whatever values the old template could be filled with, the new one can be then, and needs no others.
    """
    try:
        found = variables_of(text, syntax)
    except NotATemplate as error:
        return str(error)
    lost, invented = wanted.taken - found.taken, found.taken - wanted.taken
    if lost:
        return f"it lost variables of the template: {_named(lost, syntax)}"
    if invented:
        return f"it has variables that the template had not: {_named(invented, syntax)}"
    if found.frame != wanted.frame:
        return "its sections are not those of the template, in their order"
    return None


def shown(variables: Variables, syntax: Syntax) -> list[str]:
    """The variables as they are written in a text, in a fixed order."""
    return [_written(one, syntax) for one in sorted(variables.taken)] + list(variables.frame)


def _fields(text: str) -> Iterator[str]:
    # By the parser of str.format itself: what it takes apart, str.format fills in.
    try:
        parsed = list(Formatter().parse(text))
    except ValueError:
        raise NotATemplate("it has a brace that opens or closes no variable; a brace of the text is doubled") from None
    unnamed = 0
    for _, name, layout, conversion in parsed:
        if name is None:
            continue
        unnamed += not name
        yield f"{name or f'#{unnamed}'}{f'!{conversion}' if conversion else ''}{f':{layout}' if layout else ''}"


def _tags(text: str) -> Variables:
    rest = _TAG.sub("", text)
    if _DOUBLED.search(rest):
        raise NotATemplate("it has double braces that make no tag")
    taken, frame = set(), []
    for tag in _TAG.finditer(text):
        sign, name = tag["sign"] or "", (tag["plain"] or tag["name"]).strip()
        if not name:
            raise NotATemplate("it has double braces that make no tag")
        if sign == "=":
            raise NotATemplate("it changes the marks of its tags, which is not supported")
        if sign and sign in "#^/>":
            frame.append(f"{{{{{sign}{name}}}}}")
        elif sign != "!":
            taken.add(f"&{name}" if sign or tag["plain"] else name)
    return Variables(frozenset(taken), tuple(frame))


def _named(variables: frozenset[str], syntax: Syntax) -> str:
    names = [_written(one, syntax) for one in sorted(variables)]
    return ", ".join(names[:_MOST_NAMED]) + (", …" if len(names) > _MOST_NAMED else "")


def _written(variable: str, syntax: Syntax) -> str:
    if syntax == "mustache":
        return f"{{{{{variable}}}}}"
    return "{}" if variable.startswith("#") else f"{{{variable}}}"
