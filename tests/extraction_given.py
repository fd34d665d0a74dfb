"""Cases, gold facts and proposals of the extraction benchmark, with defaults for whatever a test does not specify."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

from benchmarks.extraction.cases import Case
from benchmarks.extraction.matching import Proposal

NINE = datetime(2024, 3, 7, 9, tzinfo=UTC)
HOUR = timedelta(hours=1)


def said(content: str, **given: Any) -> dict[str, Any]:
    """Return a message of the user, at nine."""
    return {"role": "user", "content": content, "at": NINE.isoformat(), **given}


def gold(**given: Any) -> dict[str, Any]:
    """Return a gold fact in file format: f1, from the first message."""
    plain: dict[str, Any] = {
        "id": "f1",
        "content": "User lives in Seattle",
        "kind": "fact",
        "from": [1],
        "quote": "I live in Seattle",
        "mentions": [["User", "person", "subject"], ["Seattle", "place", "object"]],
        "match": ["seattle", "live"],
    }
    return {**plain, **given}


def session(*facts: dict[str, Any], messages: list[dict[str, Any]] | None = None) -> dict[str, Any]:
    """Return a session with these facts. By default, its messages are the facts' quotes."""
    quotes = [said(str(fact["quote"])) for fact in facts] or [said("hello")]
    numbered = [{**fact, "from": [place]} for place, fact in enumerate(facts, 1)] if messages is None else list(facts)
    return {"conversation": "c1", "messages": messages or quotes, "facts": numbered}


def as_json(*sessions: dict[str, Any], **given: Any) -> dict[str, Any]:
    """Return a case in file format; without sessions, with the fact that the user lives in Seattle."""
    plain: dict[str, Any] = {
        "id": "a-case",
        "tags": ["change"],
        "sessions": list(sessions or [session(gold())]),
        "store": ["User lives in Seattle"],
    }
    return {**plain, **given}


def case(*sessions: dict[str, Any], **given: Any) -> Case:
    """Return a parsed case."""
    return Case.model_validate(as_json(*sessions, **given))


def proposal(content: str = "User lives in Seattle", **given: Any) -> Proposal:
    """Return a proposed fact from the first message, added as a memory."""
    plain: dict[str, Any] = {
        "content": content,
        "kind": "fact",
        "sources": frozenset({1}),
        "occurred": None,
        "action": "add",
        "memory_id": uuid4(),
        "target_id": None,
        "decided_by": "rules",
        "reason": "nothing near",
    }
    return Proposal(**{**plain, **given})


def onto(memory_id: UUID, content: str, action: str, **given: Any) -> Proposal:
    """Return a fact decided to be about a memory, which an update or repetition keeps in place."""
    stays = {"memory_id": memory_id} if action in ("none", "update") else {}
    return proposal(content, action=action, target_id=memory_id, **{**stays, **given})
