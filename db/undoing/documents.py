"""How the document that a decision changed becomes again what it was. See `db.undoing.rows`."""

from typing import Final

from sqlalchemy import text

from db.undoing.rows import of_lane

_DOCUMENTS = "any(cast(:documents as uuid[]))"
_MADE = f"{of_lane('made')} and made.document_id = {_DOCUMENTS} and made.made_by = :undone"
_ENDED = f"{of_lane('ended')} and ended.document_id = {_DOCUMENTS} and ended.ended_by = :undone"


def _same(one: str, other: str) -> str:
    return f"{of_lane(one)} and {one}.document_id = {other}.document_id"


MOVED_ON: Final = f"""
    (select 1 from mosshead.documents as made where {_MADE} and not exists (
        select from mosshead.documents as now
        where {_same("now", "made")} and now.known_to is null and now.body = made.body and now.fields = made.fields))
    union all
    (select 1 from mosshead.documents as ended where {_ENDED}
       and not exists (select from mosshead.documents as made where {_same("made", "ended")} and made.made_by = :undone)
       and exists (select from mosshead.documents as now where {_same("now", "ended")} and now.known_to is null))
"""
"""Finds a document that is not as the decision left it."""

# The version before the decision says again what it said, under the next number; a document that the decision made is gone.
REVERSE: Final = text(f"""
    with over as (
        update mosshead.documents as now set known_to = :at, ended_by = :decision_id from mosshead.documents as made
        where {_MADE} and {_same("now", "made")} and now.known_to is null
        returning 1
    )
    insert into mosshead.documents
        (tenant_id, namespace_id, document_id, schema_name, body, fields, version, known_from, made_by)
    select tenant_id, namespace_id, document_id, schema_name, body, fields,
           (select max(version) + 1 from mosshead.documents as one where {_same("one", "ended")}), :at, :decision_id
    from mosshead.documents as ended where {_ENDED} and (select count(*) from over) >= 0
""")
