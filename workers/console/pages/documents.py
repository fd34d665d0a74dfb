"""The documents that the service keeps, each with a form; an edit that comes too late is shown beside what is there now."""

from collections.abc import Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import cast
from uuid import UUID

from mosshead import DocumentConflict, Namespace, NotFound, StoredDocument
from workers.console.formatting import Field, FieldChange, Kind, fields_of, guessed, patch_of, plain
from workers.console.handlers import Editing, Page, Reading

_DECISIONS = 20


@dataclass(frozen=True, slots=True)
class Clash:
    """A field that somebody else changed meanwhile, or that the form changes. now: None where it is gone."""

    label: str
    was: str
    yours: str
    now: str | None


class Documents(Reading):
    """The list."""

    section = "documents"

    def show(self, *_ids: str) -> Page:
        """Each with its fields."""
        return Page("documents.html", documents=[(one, fields_of(one.body)) for one in self.namespace.documents.list()])


class OneDocument(Reading):
    """A document: its form, and what was decided about it."""

    section = "documents"

    def show(self, *ids: str) -> Page:
        """Raises NotFound."""
        document = find(self.namespace, ids[0])
        decisions = self.namespace.documents.decisions(document.name, limit=_DECISIONS)
        return Page(
            "document.html",
            document=document,
            fields=fields_of(document.body),
            decisions=decisions,
            clashes=(),
            conflict=False,
            yours={},
            new={"name": "", "value": ""},
        )


class EditDocumentHandler(Editing):
    """Changes some fields of the version that the form showed."""

    section = "documents"
    then = "documents/{0}"

    def publish(self, *ids: str) -> UUID | Page:
        """The event's id; or, where the document has moved on, the form again, with both values of each field."""
        changes = self._changes()
        patch = patch_of(changes)
        if new := self.given("new-name").strip():
            patch[new] = guessed(self.given("new-value"))
        if not patch:
            raise ValueError("patch: nothing was changed; change a field first")
        version = self.number("version", 1, most=2**31 - 1)
        try:
            return self.namespace.documents.edit(ids[0], patch, version=version)
        except DocumentConflict:
            return self._conflict(ids[0], changes)

    def _changes(self) -> list[FieldChange]:
        return [
            FieldChange(
                pointer=pointer,
                kind=cast("Kind", self._as_sent(f"kind:{pointer}")),
                was=self._as_sent(f"was:{pointer}"),
                said=self._as_sent(f"say:{pointer}"),
            )
            for pointer in self.get_arguments("field")
        ]

    def _as_sent(self, name: str) -> str:
        return self.get_argument(name, "", strip=False)

    def _conflict(self, name: str, changes: Sequence[FieldChange]) -> Page:
        document = find(self.namespace, name)
        now = {one.pointer: one.value for one in fields_of(document.body)}
        yours = {one.pointer: one.said for one in changes if patch_of([one])}
        clashes = [
            Clash(Field(one.pointer, one.kind, "").label, one.was, one.said, now.get(one.pointer))
            for one in changes
            if one.pointer in yours or plain(one.was) != now.get(one.pointer, "")
        ]
        return Page(
            "document.html",
            status=HTTPStatus.CONFLICT,
            document=document,
            fields=fields_of(document.body),
            decisions=(),
            clashes=clashes,
            conflict=True,
            yours=yours,
            new={"name": self.given("new-name"), "value": self._as_sent("new-value")},
        )


def find(namespace: Namespace, name: str) -> StoredDocument:
    """A document by the name of its schema. Raises NotFound."""
    for one in namespace.documents.list():
        if one.name == name:
            return one
    raise NotFound(f"document: there is no {name} in {namespace.path}")
