"""What an app may rely on. A change here is a change for every app: it belongs into the changelog."""

import inspect
import subprocess
import sys

import pytest

import recollect
from recollect import Memory, Namespace, RecollectError

NAMES = """
    AmbiguousName Candidate ConfigurationError Considered Context Decision EmbedderMismatch EmbedderUnavailable Entity
    EntityType Excerpt Explanation Granularity Hit HitIn Hits Imported InFocus InvalidEvent InvalidNamespace Memory
    MemoryKind Mention MentionKind ModelMissing Namespace Neighbour NotFound Occurrence Profile Progress Question
    QueueUnavailable ReadTimeout Recalled RecalledMessage RecollectError Referring Related Resolved Role Source
    SpoolFull SpoolUnavailable StoreUnavailable StoredMemory StoredMessage Tracked TrackedTurn Under UndoRefused
    WaitTimeout with_memory
""".split()

MEMORY = {
    "connect": [
        *("database_url", "broker_url", "embedder"),
        *("publish", "spool_dir", "spool_bytes", "signing_key", "read_seconds"),
    ],
    "namespace": ["parts", "values"],
    "under": ["parts", "values"],
    "warm_up": [],
    "publish": ["event", "session"],
    "close": [],
}

NAMESPACE = {
    "publish": ["content", "role", "conversation", "speaker", "occurred_at", "injected", "session", "more"],
    "publish_conversation": ["messages", "conversation", "occurred_at", "speakers", "ended", "on_sent", "session"],
    "end_conversation": ["conversation", "session"],
    "undo": ["decision_id", "session"],
    "configure": ["instructions", "schemas", "session"],
    "questions": [],
    "clarify": ["question", "entity", "session"],
    "merge": ["entity", "into", "session"],
    "split": ["entity", "memories", "name", "aliases", "description", "session"],
    "import_records": ["lines", "on_sent", "session"],
    "wait": ["timeout"],
    "query": ["text", "limit", "threshold", "kind", "metadata", "as_of", "seconds", "strict"],
    "warm_up": [],
    "context": ["message", "conversation", "history", "budget", "overlay", "now", "seconds", "strict"],
    "recall_messages": [
        *(
            "text",
            "conversation",
            "history",
            "top_k",
            "message_range",
            "scope",
            "threshold",
            "since",
            "until",
        ),
        *("now", "seconds", "strict"),
    ],
    "track": ["history", "conversation", "state", "tracker", "pairs"],
    "resolve": ["text", "mention", "history", "conversation"],
    "mentions": ["message", "parser", "seconds"],
    "memories": ["limit"],
    "entities": [],
    "profile": ["entity"],
    "neighbours": ["entity", "depth", "fan_out", "as_of"],
    "progress": [],
    "get": ["memory_id", "as_of"],
    "by_key": ["key", "as_of"],
    "memories_from": ["message_id"],
    "decisions": ["memory_id"],
    "quarantined": ["limit"],
    "related": ["memory_id", "limit"],
    "export": ["as_of"],
}


def methods(of: type) -> dict[str, list[str]]:
    """The public methods of a class, each with its parameters."""
    return {
        name: [parameter for parameter in inspect.signature(getattr(of, name)).parameters if parameter != "self"]
        for name in dict.fromkeys(name for one in of.__mro__ if one is not object for name in vars(one))
        if not name.startswith("_") and callable(getattr(of, name))
    }


def test_the_public_names() -> None:
    assert recollect.__all__ == NAMES
    assert all(hasattr(recollect, name) for name in NAMES)


@pytest.mark.parametrize(("of", "expected"), [(Memory, MEMORY), (Namespace, NAMESPACE)])
def test_the_public_methods_and_their_parameters(of: type, expected: dict[str, list[str]]) -> None:
    assert methods(of) == expected


def test_every_error_is_one_of_ours_and_says_when_it_is_raised() -> None:
    errors = [getattr(recollect, name) for name in NAMES if inspect.isclass(getattr(recollect, name))]
    errors = [error for error in errors if issubclass(error, Exception)]
    assert len(errors) == 16
    assert all(issubclass(error, RecollectError) and error.__doc__ for error in errors)


@pytest.mark.parametrize(
    ("error", "builtin"),
    [
        ("InvalidEvent", ValueError),
        ("InvalidNamespace", ValueError),
        ("NotFound", LookupError),
        ("UndoRefused", ValueError),
        ("WaitTimeout", TimeoutError),
    ],
)
def test_errors_are_also_what_python_calls_them(error: str, builtin: type[Exception]) -> None:
    assert issubclass(getattr(recollect, error), builtin)


def test_the_library_brings_nothing_of_the_service() -> None:
    check = (
        "import sys, recollect; "
        "print(*sorted({name.split('.')[0] for name in sys.modules} & "
        "{'celery', 'flower', 'alembic', 'structlog', 'pydantic_settings', 'torch', 'openai', "
        "'db', 'config', 'workers', 'pipeline'}))"
    )
    found = subprocess.run([sys.executable, "-c", check], check=True, capture_output=True, text=True)
    assert found.stdout.strip() == ""
