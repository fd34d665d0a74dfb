"""`AsyncNamespace`: one user's memories for asyncio apps, on top of `Namespace`.

Each method awaits the `Namespace` method of the same name. `awaited_as` keeps its signature for type checkers.
"""

from collections.abc import Callable, Coroutine
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from mosshead.api.decisions import NamespaceDecisions
from mosshead.api.documents import NamespaceDocuments
from mosshead.api.entities import NamespaceEntities
from mosshead.api.erasures import NamespaceErasures
from mosshead.api.groups import NamespaceGroup
from mosshead.api.messages import NamespaceMessages
from mosshead.api.namespace import Namespace
from mosshead.bridge import Awaited, Bridge
from mosshead.paths import NamespacePath, NamespacePrefix

_P = ParamSpec("_P")
_T = TypeVar("_T")


def awaited_as(
    method: Callable[Concatenate[Any, _P], _T],
) -> Callable[Concatenate[Any, _P], Coroutine[Any, Any, _T]]:
    """Wrap a synchronous method as a coroutine that runs it across the bridge, on the wrapped object."""

    @wraps(method)
    async def call(self: Any, /, *args: _P.args, **kwargs: _P.kwargs) -> _T:
        bridge: Bridge = self._bridge
        return await bridge.run(lambda: method(self._straight, *args, **kwargs))

    return call


class AsyncEntities(Awaited[NamespaceEntities]):
    """`Namespace.entities`, awaited."""

    list = awaited_as(NamespaceEntities.list)
    get = awaited_as(NamespaceEntities.get)
    profile = awaited_as(NamespaceEntities.profile)
    neighbours = awaited_as(NamespaceEntities.neighbours)
    mentions = awaited_as(NamespaceEntities.mentions)
    questions = awaited_as(NamespaceEntities.questions)
    clarify = awaited_as(NamespaceEntities.clarify)
    merge = awaited_as(NamespaceEntities.merge)
    split = awaited_as(NamespaceEntities.split)


class AsyncDecisions(Awaited[NamespaceDecisions]):
    """`Namespace.decisions`, awaited."""

    for_memory = awaited_as(NamespaceDecisions.for_memory)
    get = awaited_as(NamespaceDecisions.get)
    latest = awaited_as(NamespaceDecisions.latest)
    related = awaited_as(NamespaceDecisions.related)


class AsyncDocuments(Awaited[NamespaceDocuments]):
    """`Namespace.documents`, awaited."""

    get = awaited_as(NamespaceDocuments.get)
    list = awaited_as(NamespaceDocuments.list)
    versions = awaited_as(NamespaceDocuments.versions)
    decisions = awaited_as(NamespaceDocuments.decisions)
    edit = awaited_as(NamespaceDocuments.edit)
    records = awaited_as(NamespaceDocuments.records)
    episodes = awaited_as(NamespaceDocuments.episodes)


class AsyncMessages(Awaited[NamespaceMessages]):
    """`Namespace.messages`, awaited."""

    search = awaited_as(NamespaceMessages.search)
    get = awaited_as(NamespaceMessages.get)
    latest = awaited_as(NamespaceMessages.latest)
    memories = awaited_as(NamespaceMessages.memories)
    erase = awaited_as(NamespaceMessages.erase)
    replace = awaited_as(NamespaceMessages.replace)
    summarise = awaited_as(NamespaceMessages.summarise)
    summary = awaited_as(NamespaceMessages.summary)


class AsyncErasures(Awaited[NamespaceErasures]):
    """`Namespace.erasures`, awaited."""

    get = awaited_as(NamespaceErasures.get)
    list = awaited_as(NamespaceErasures.list)


class AsyncNamespace(Awaited[Namespace]):
    """One namespace's memories for asyncio. Get it from `AsyncMemory.namespace`; it is cheap.

    It has the methods and the five attributes of `Namespace`. ``session=`` takes SQLAlchemy's async sessions and connections.
    A write that is cancelled while awaited may still have been stored.
    """

    def __init__(self, straight: Namespace, bridge: Bridge) -> None:
        """Use `AsyncMemory.namespace`."""
        super().__init__(straight, bridge)
        self.entities = AsyncEntities(straight.entities, bridge)
        self.decisions = AsyncDecisions(straight.decisions, bridge)
        self.documents = AsyncDocuments(straight.documents, bridge)
        self.messages = AsyncMessages(straight.messages, bridge)
        self.erasures = AsyncErasures(straight.erasures, bridge)

    @property
    def path(self) -> NamespacePath:
        """The path of this namespace, the tenant first."""
        return self._straight.path

    publish = awaited_as(Namespace.publish)  # type: ignore[arg-type]  # its **more would take a `self` as well
    publish_conversation = awaited_as(Namespace.publish_conversation)
    end_conversation = awaited_as(Namespace.end_conversation)
    import_records = awaited_as(Namespace.import_records)
    configure = awaited_as(Namespace.configure)
    remember = awaited_as(Namespace.remember)
    forget = awaited_as(Namespace.forget)
    reflect = awaited_as(Namespace.reflect)
    undo = awaited_as(Namespace.undo)
    erase = awaited_as(Namespace.erase)
    query = awaited_as(Namespace.query)
    context = awaited_as(Namespace.context)
    resolve = awaited_as(Namespace.resolve)
    get = awaited_as(Namespace.get)
    memories = awaited_as(Namespace.memories)
    export = awaited_as(Namespace.export)
    progress = awaited_as(Namespace.progress)
    wait = awaited_as(Namespace.wait)


class AsyncNamespaceGroup(Awaited[NamespaceGroup]):
    """`NamespaceGroup`, awaited; made by `AsyncMemory.group`."""

    @property
    def prefix(self) -> NamespacePrefix:
        """The common beginning of the paths, the tenant first."""
        return self._straight.prefix

    namespaces = awaited_as(NamespaceGroup.namespaces)
    query = awaited_as(NamespaceGroup.query)
