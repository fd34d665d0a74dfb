"""Events about documents: one JSON object in a schema of the app's own, such as a profile of the user."""

import json
from typing import Literal

from pydantic import Field, JsonValue, field_validator

from mosshead.events.envelope import MAX_METADATA_BYTES, Envelope

MAX_PATCH_BYTES = MAX_METADATA_BYTES


class EditDocument(Envelope):
    """Change a document by hand. Refused where it has moved on, or would not fit its schema; the decision log says so then.

    document: the name of its schema. patch: a JSON Merge Patch (RFC 7396): a null removes a field, an object is merged.
    document_version: the version that the edit is meant for, 0 where there is to be none yet; None for whatever is there.
    """

    type: Literal["edit_document"] = "edit_document"
    document: str = Field(pattern=r"^[A-Za-z][A-Za-z0-9_]{0,63}$")
    patch: dict[str, JsonValue] = Field(min_length=1)
    document_version: int | None = Field(None, ge=0, lt=2**31)

    @field_validator("patch")
    @classmethod
    def _check_patch(cls, patch: dict[str, JsonValue]) -> dict[str, JsonValue]:
        if len(json.dumps(patch, ensure_ascii=False).encode()) > MAX_PATCH_BYTES:
            raise ValueError(f"more than {MAX_PATCH_BYTES:,} bytes; a document is for what is short")
        return patch
