"""The API an app may rely on. A change here affects every app and belongs in the changelog."""

import inspect
import pickle
import subprocess
import sys
from importlib import import_module

import pytest

import mosshead
from mosshead import AsyncMemory, AsyncNamespace, Memory, MossheadError, Namespace, NamespaceGroup
from mosshead.api.async_namespace import (
    AsyncDecisions,
    AsyncDocuments,
    AsyncEntities,
    AsyncErasures,
    AsyncMessages,
    AsyncNamespaceGroup,
)
from mosshead.api.decisions import NamespaceDecisions
from mosshead.api.documents import NamespaceDocuments
from mosshead.api.entities import NamespaceEntities
from mosshead.api.erasures import NamespaceErasures
from mosshead.api.messages import NamespaceMessages
from mosshead.contrib.prompts import Prompts

NAMES = """
    AmbiguousName AsyncMemory AsyncNamespace Candidate ConfigurationError Context Decision DecisionCandidate
    Document DocumentConflict EmbedderMismatch EmbedderUnavailable Entity EntityType Excerpt Granularity Hit Hits InvalidEvent
    InvalidNamespace Memory MemoryChanged MemoryKind MessageHits ModelMissing MossheadError Namespace
    NamespaceGroup NamespacedHit Neighbour NotFound Occurrence Profile Progress PromptConflict Question
    ReadTimeout Receipt Record Reranker Resolution Role SchemaMismatch SchemaOutdated Source SpoolFull
    SpoolUnavailable StoreUnavailable StoredDocument StoredMemory StoredMessage UndoRefused WaitTimeout
    to_json values
""".split()

MEMORY = {
    "connect": [
        *("database_url", "broker_url", "embedder"),
        *("spool_dir", "spool_bytes", "signing_key", "read_timeout", "check"),
    ],
    "embedded": ["path"],
    "namespace": ["parts", "values"],
    "group": ["parts", "values"],
    "warm_up": [],
    "publish": ["event", "session"],
    "close": [],
}

NAMESPACE = {
    "publish": ["content", "role", "conversation", "speaker", "occurred_at", "injected", "session", "more"],
    "publish_conversation": ["messages", "conversation", "occurred_at", "speakers", "ended", "on_sent", "session"],
    "end_conversation": ["conversation", "session"],
    "import_records": ["lines", "on_sent", "session"],
    "configure": ["instructions", "schemas", "profiles", "episodes", "session"],
    "remember": ["content", "kind", "about", "replaces", "version", "occurred_at", "event_id", "by", "session"],
    "forget": ["memories", "reason", "session"],
    "reflect": ["kind", "subject", "conversation", "session"],
    "undo": ["decision_id", "session"],
    "erase": ["memories", "conversation", "entity", "everything", "session"],
    "query": [
        "text",
        "limit",
        "threshold",
        "kind",
        "metadata",
        "as_of",
        "speaker",
        "reranker",
        "timeout",
        "on_timeout",
    ],
    "context": [
        "message",
        "conversation",
        "history",
        "budget",
        "fill",
        "speaker",
        "include_pending",
        "now",
        "reranker",
        "timeout",
        "on_timeout",
    ],
    "resolve": ["text", "mention", "history", "conversation"],
    "get": ["memory_id", "key", "as_of"],
    "memories": ["limit", "kind", "state", "about"],
    "export": ["as_of"],
    "progress": [],
    "wait": ["timeout"],
}

ENTITIES = {
    "list": [],
    "get": ["entity"],
    "profile": ["entity"],
    "neighbours": ["entity", "depth", "fan_out", "as_of"],
    "mentions": ["message", "parser", "timeout"],
    "questions": [],
    "clarify": ["question", "entity", "session"],
    "merge": ["entity", "into", "session"],
    "split": ["entity", "memories", "name", "aliases", "description", "session"],
}

DECISIONS = {
    "for_memory": ["memory_id"],
    "get": ["decision_id"],
    "latest": ["action", "limit"],
    "related": ["memory_id", "limit"],
}

DOCUMENTS = {
    "get": ["schema"],
    "list": [],
    "versions": ["schema", "limit"],
    "decisions": ["schema", "limit"],
    "edit": ["schema", "patch", "version", "session"],
    "records": ["schema", "text", "limit"],
    "episodes": ["text", "limit"],
}

MESSAGES = {
    "search": [
        *("text", "conversation", "conversation_only", "history", "limit", "around", "threshold", "since", "until"),
        *("now", "speaker", "reranker", "timeout", "on_timeout"),
    ],
    "get": ["message_id", "around"],
    "latest": ["conversation", "limit"],
    "memories": ["message_id"],
    "erase": ["message_id", "session"],
    "replace": ["message_id", "content", "session"],
    "summarise": ["conversation", "session"],
    "summary": ["conversation"],
}

ERASURES: dict[str, list[str]] = {"get": ["erasure_id"], "list": []}

PROMPTS = {
    "all": [],
    "get": ["name", "version"],
    "versions": ["name"],
    "decisions": ["name"],
    "diff": ["name", "old", "new"],
    "set": ["name", "text", "syntax", "optimizer", "instructions", "when_to_update", "reason", "version", "session"],
    "roll_back": ["name", "to", "session"],
    "feedback": ["prompt", "messages", "feedback", "score", "conversation", "session"],
}


GROUP = {"namespaces": [], "query": ["text", "limit", "threshold"]}

FACE: dict[type, dict[str, list[str]]] = {
    Memory: MEMORY,
    Namespace: NAMESPACE,
    NamespaceEntities: ENTITIES,
    NamespaceDecisions: DECISIONS,
    NamespaceDocuments: DOCUMENTS,
    NamespaceMessages: MESSAGES,
    NamespaceErasures: ERASURES,
    NamespaceGroup: GROUP,
    Prompts: PROMPTS,
}


TWINS: dict[type, type] = {
    AsyncMemory: Memory,
    AsyncNamespace: Namespace,
    AsyncEntities: NamespaceEntities,
    AsyncDecisions: NamespaceDecisions,
    AsyncDocuments: NamespaceDocuments,
    AsyncMessages: NamespaceMessages,
    AsyncErasures: NamespaceErasures,
    AsyncNamespaceGroup: NamespaceGroup,
}


def methods(of: type) -> dict[str, list[str]]:
    """Return the public methods of a class, each with its parameters. It inherits none."""
    assert not [name for base in of.__mro__[1:] for name in vars(base) if not name.startswith("_")]
    return {
        name: [parameter for parameter in inspect.signature(getattr(of, name)).parameters if parameter != "self"]
        for name in vars(of)
        if not name.startswith("_") and callable(getattr(of, name))
    }


def test_public_names() -> None:
    assert mosshead.__all__ == NAMES
    assert all(hasattr(mosshead, name) for name in NAMES)


@pytest.mark.parametrize(("of", "expected"), FACE.items())
def test_public_methods_and_their_parameters(of: type, expected: dict[str, list[str]]) -> None:
    assert methods(of) == expected


@pytest.mark.parametrize(("awaited", "straight"), TWINS.items())
def test_async_api_has_the_same_methods_signatures_and_docs(awaited: type, straight: type) -> None:
    assert methods(awaited) == methods(straight)
    for name in methods(awaited):
        one, other = getattr(awaited, name), getattr(straight, name)
        waits = inspect.iscoroutinefunction(one)
        assert waits != (awaited is AsyncMemory and name in {"namespace", "group"})
        assert one.__doc__
        ours, theirs = (inspect.signature(of).parameters.values() for of in (one, other))
        assert [(each.name, each.kind, each.default) for each in ours] == [
            (each.name, each.kind, each.default) for each in theirs
        ]


def test_memory_loads_nothing_of_asyncio_and_its_import_no_greenlet() -> None:
    check = (
        "import sys\nfrom mosshead import Memory, Namespace\n"
        "print(*{'greenlet', 'mosshead.api.async_memory'} & set(sys.modules))\n"
        "from mosshead import AsyncMemory\nprint(*{'greenlet', 'sqlalchemy.ext.asyncio'} & set(sys.modules))"
    )
    found = subprocess.run([sys.executable, "-c", check], check=True, capture_output=True, text=True)
    assert found.stdout.split() == []


def test_every_error_is_ours_and_says_when_it_is_raised() -> None:
    errors = [getattr(mosshead, name) for name in NAMES if inspect.isclass(getattr(mosshead, name))]
    errors = [error for error in errors if issubclass(error, Exception)]
    assert len(errors) == 20
    assert all(issubclass(error, MossheadError) and error.__doc__ for error in errors)


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
def test_errors_also_have_the_matching_python_class(error: str, builtin: type[Exception]) -> None:
    assert issubclass(getattr(mosshead, error), builtin)


def test_library_includes_nothing_of_the_service_and_loads_nothing_an_app_does_not_use() -> None:
    """Neither on import nor for an event checked before publishing: deferred imports are not needed at once."""
    check = (
        "import sys, mosshead\n"
        "from mosshead import Memory, Namespace\n"
        "from mosshead.paths import NamespacePath\n"
        "from mosshead.publishing.publishers import check_events\n"
        "check_events(NamespacePath.of(('acme', 'sarah')), [{'type': 'message', 'role': 'user', 'content': 'tea'}])\n"
        "assert 'Excerpt' in dir(mosshead) and not hasattr(mosshead, 'with_mind')\n"
        "print(*sorted(name for name in sys.modules if name.startswith("
        "('mosshead.contrib', 'mosshead.context', 'mosshead.publishing.imports', 'mosshead.entities.mentions', 'mosshead.cli', "
        "'kombu', 'redis', 'numpy', 'tokenizers', 'safetensors', 'sqlalchemy.orm', 'typer', 'rich'))))\n"
        "from mosshead import *\n"
        "print(*sorted({name.split('.')[0] for name in sys.modules} & "
        "{'celery', 'flower', 'alembic', 'structlog', 'pydantic_settings', 'torch', 'openai', "
        "'db', 'config', 'workers', 'pipeline'}))"
    )
    found = subprocess.run([sys.executable, "-c", check], check=True, capture_output=True, text=True)
    assert found.stdout.strip() == ""


def test_package_alone_loads_only_its_errors() -> None:
    """Each module of the package is loaded through it, and a process of the service may need only an error."""
    check = "import sys, mosshead; print(*sorted(name for name in sys.modules if name.startswith('mosshead')))"
    found = subprocess.run([sys.executable, "-c", check], check=True, capture_output=True, text=True)
    assert found.stdout.split() == ["mosshead", "mosshead.errors"]


def test_lazy_names_are_the_classes_themselves() -> None:
    assert mosshead.Context is import_module("mosshead.models.context").Context
    assert pickle.loads(pickle.dumps(mosshead.Receipt)) is mosshead.Receipt
    with pytest.raises(AttributeError, match=r"^module 'mosshead' has no attribute 'WorkingMind'$"):
        mosshead.__getattr__("WorkingMind")
