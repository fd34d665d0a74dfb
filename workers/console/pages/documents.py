"""The pages of documents, each with a form. An edit that comes too late is shown next to the current values."""

from collections.abc import Sequence
from http import HTTPStatus
from typing import Any, cast

from mosshead import DocumentConflict, Namespace, NotFound, StoredDocument
from workers.console.formatting import FieldChange, Kind, fields_of, guessed, patch_of, plain
from workers.console.handlers import OfNamespace, Page, Published


def documents(request: OfNamespace) -> Page:
    """List the documents with their fields."""
    return Page("documents.html", documents=[(one, fields_of(one.body)) for one in request.namespace.documents.list()])


def document(request: OfNamespace, name: str) -> Page:
    """Show a document: its form and its decisions. Raises NotFound."""
    found = _find(request.namespace, name)
    decisions = request.namespace.documents.decisions(found.name, limit=20)
    return _page(found, decisions=decisions)


def edit_document(request: OfNamespace, name: str) -> Published:
    """Change fields of the version that the form showed.

    If the document has changed since, show the form with both values of each field.
    """
    changes = [
        FieldChange(
            pointer=pointer,
            kind=cast("Kind", _as_sent(request, f"kind:{pointer}")),
            was=_as_sent(request, f"was:{pointer}"),
            said=_as_sent(request, f"say:{pointer}"),
        )
        for pointer in request.get_arguments("field")
    ]
    patch = patch_of(changes)
    if new := request.given("new-name").strip():
        patch[new] = guessed(request.given("new-value"))
    if not patch:
        raise ValueError("patch: no field was changed")
    version = request.number("version", 1, most=2**31 - 1)
    try:
        return request.namespace.documents.edit(name, patch, version=version), f"documents/{name}"
    except DocumentConflict:
        return _conflict(request, name, changes)


def _conflict(request: OfNamespace, name: str, changes: Sequence[FieldChange]) -> Page:
    found = _find(request.namespace, name)
    now = {one.pointer: one.value for one in fields_of(found.body)}
    yours = {one.pointer: one.said for one in changes if patch_of([one])}
    # The fields that somebody else or the form changed, with their current values.
    clashes = [
        (one, now.get(one.pointer))
        for one in changes
        if one.pointer in yours or plain(one.was) != now.get(one.pointer, "")
    ]
    new = {"name": request.given("new-name"), "value": _as_sent(request, "new-value")}
    return _page(found, status=HTTPStatus.CONFLICT, clashes=clashes, conflict=True, yours=yours, new=new)


def _page(document: StoredDocument, **shown: Any) -> Page:
    nothing = {"decisions": (), "clashes": (), "conflict": False, "yours": {}, "new": {"name": "", "value": ""}}
    return Page("document.html", document=document, fields=fields_of(document.body), **{**nothing, **shown})


def _as_sent(request: OfNamespace, name: str) -> str:
    return request.get_argument(name, "", strip=False)


def _find(namespace: Namespace, name: str) -> StoredDocument:
    for one in namespace.documents.list():
        if one.name == name:
            return one
    raise NotFound(f"document: there is no {name} in {namespace.path}")
