"""The REST interface of a namespace. Each route calls the `AsyncNamespace` method of the same name."""

from collections.abc import AsyncIterator, Callable, Coroutine
from http import HTTPStatus
from typing import Annotated, Any, Literal
from uuid import UUID

from fastapi import APIRouter, Depends, Query, Request, Response
from fastapi.responses import JSONResponse, StreamingResponse
from fastapi.routing import APIRoute
from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, JsonValue

from mosshead.api.async_memory import AsyncMemory, across
from mosshead.api.async_namespace import AsyncNamespace
from mosshead.api.erasures import Receipt
from mosshead.api.memory import Memory
from mosshead.contrib.server.door import ACCESS
from mosshead.contrib.server.problems import refusal_of
from mosshead.contrib.server.tokens import Access, Scope
from mosshead.deadline import ends_within
from mosshead.errors import NotFound
from mosshead.models.context import Excerpt
from mosshead.models.documents import StoredDocument
from mosshead.models.kinds import MemoryKind, Role
from mosshead.models.memories import Decision, Entity, Hit, Profile, Progress, State, StoredMemory
from mosshead.models.messages import StoredMessage
from mosshead.models.questions import Question
from mosshead.serialization import to_json

_EXPORT_SECONDS = 600.0
_HEALTH_SECONDS = 2.0
_MOST_AT_ONCE = 1_000


class ProblemRoute(APIRoute):
    """A route that answers every error with a problem document."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Wrap FastAPI's handler, which would raise unexpected errors."""
        handle = super().get_route_handler()

        async def handled(request: Request) -> Response:
            try:
                return await handle(request)
            except Exception as error:  # noqa: BLE001 - the edge of the process: a raised error would show its text
                return refusal_of(error).response()

        return handled


api = APIRouter(prefix="/v1", route_class=ProblemRoute)
public = APIRouter(route_class=ProblemRoute)


def _allowed(scope: Scope) -> Any:
    """Return a dependency that gives a route its namespace, if the request's token has a scope."""

    async def namespace_of(
        request: Request,
        namespace: Annotated[
            str | None,
            Query(
                max_length=2_000,
                description="Tenant first, such as acme/sarah_123; by default the token's namespace.",
            ),
        ] = None,
    ) -> AsyncNamespace:
        access: Access = request.scope[ACCESS]
        access.require(scope)
        memory: AsyncMemory = request.app.state.memory
        return memory.namespace(*access.path(namespace).parts)

    return Depends(namespace_of)


Reading = Annotated[AsyncNamespace, _allowed("read")]
Writing = Annotated[AsyncNamespace, _allowed("write")]
Erasing = Annotated[AsyncNamespace, _allowed("erase")]


class RequestBody(BaseModel):
    """The body of a request. Errors hide its input, which is conversation text."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)


class EventAccepted(BaseModel):
    """A stored event; the service applies it in order."""

    event_id: UUID


def _json(answer: Any, status: int = HTTPStatus.OK) -> JSONResponse:
    return JSONResponse(to_json(answer), status)


def _accepted(event_id: UUID) -> JSONResponse:
    return _json({"event_id": event_id}, HTTPStatus.ACCEPTED)


# Publish --------------------------------------------------------------------------------------------------------------


class NewMessage(RequestBody):
    """One message. event_id: An idempotency key; repeated requests with the same id store one message."""

    role: Role
    content: str | list[dict[str, JsonValue]] | None = None
    conversation: str | None = None
    speaker: str | None = None
    occurred_at: AwareDatetime | None = None
    sequence: int | None = None
    metadata: dict[str, JsonValue] | None = None
    tool_calls: list[dict[str, JsonValue]] | None = None
    tool_call_id: str | None = None
    injected: list[UUID] | None = None
    event_id: UUID | None = None


class NewMessages(RequestBody):
    """Messages in order. conversation: Of messages without one. ended: End the conversation, to consolidate it at once."""

    messages: Annotated[list[NewMessage], Field(min_length=1, max_length=_MOST_AT_ONCE)]
    conversation: str | None = None
    ended: bool = False


class EventsAccepted(BaseModel):
    """Stored events, in the order sent."""

    event_ids: list[UUID]


@api.post("/messages", status_code=HTTPStatus.ACCEPTED, response_model=EventsAccepted)
async def publish(namespace: Writing, body: NewMessages) -> Response:
    """Publish messages; all are stored or none. Memories form in the background."""
    messages = [one.model_dump(exclude_none=True) for one in body.messages]
    published = await namespace.publish_conversation(messages, conversation=body.conversation, ended=body.ended)
    return _json({"event_ids": published}, HTTPStatus.ACCEPTED)


# Read -----------------------------------------------------------------------------------------------------------------


class Turn(RequestBody):
    """A turn of the current conversation."""

    role: Role
    content: str | list[dict[str, JsonValue]] | None = None
    speaker: str | None = None


class ContextRequested(RequestBody):
    """A message to answer. history: The latest turns. budget: Maximum number of tokens."""

    message: str
    conversation: str | None = None
    history: list[Turn] = []
    budget: int = Field(800, ge=1, le=100_000)
    fill: bool = False
    speaker: str | None = None
    include_pending: int = Field(0, ge=0, le=1_000)
    explain: bool = False


class ContextAnswer(BaseModel):
    """What a model should know. system_message: Fenced notes, to place before the turns. explanations: With ``explain`` only."""

    system_message: str
    memories: tuple[Hit, ...]
    messages: tuple[StoredMessage, ...]
    questions: tuple[Question, ...]
    tokens: int
    partial: bool
    reason: str | None
    behind_seconds: float | None
    explanations: JsonValue = None


@api.post("/context", response_model=ContextAnswer)
async def context(namespace: Reading, body: ContextRequested) -> Response:
    """Gather what a model should know to answer a message. This calls no LLM."""
    asked = body.model_dump(exclude={"message", "explain"})
    history = [one.model_dump(exclude_none=True) for one in body.history]
    found = await namespace.context(body.message, **{**asked, "history": history})
    answer = ContextAnswer(
        system_message=found.as_system_message()["content"],
        memories=found.memories,
        messages=found.messages,
        questions=found.questions,
        tokens=found.tokens,
        partial=found.partial,
        reason=found.reason,
        behind_seconds=found.behind_seconds,
        explanations=to_json(found.explanations) if body.explain else None,
    )
    return _json(answer)


class QueryRequested(RequestBody):
    """A text to search memories for. threshold: Minimum cosine, exclusive. metadata: Of the messages they came from."""

    text: str
    limit: int = Field(10, ge=1, le=1_000)
    threshold: float | None = Field(None, ge=-1, le=1)
    kind: MemoryKind | None = None
    metadata: dict[str, JsonValue] | None = None
    as_of: AwareDatetime | None = None
    speaker: str | None = None


class QueryAnswer(BaseModel):
    """Memories, most similar first."""

    memories: tuple[Hit, ...]
    system_message: str
    partial: bool
    reason: str | None
    behind_seconds: float | None


@api.post("/query", response_model=QueryAnswer)
async def query(namespace: Reading, body: QueryRequested) -> Response:
    """Find the memories most similar to a text."""
    found = await namespace.query(**dict(body))
    answer = QueryAnswer(
        memories=found.hits,
        system_message=found.as_system_message()["content"],
        partial=found.partial,
        reason=found.reason,
        behind_seconds=found.progress.behind_seconds,
    )
    return _json(answer)


class MessagesRequested(RequestBody):
    """A text to search messages for. around: How many neighbours before and after each hit to return."""

    text: str
    conversation: str | None = None
    conversation_only: bool = False
    limit: int = Field(4, ge=1, le=200)
    around: int = Field(1, ge=0, le=50)
    threshold: float | None = Field(None, ge=-1, le=1)
    since: AwareDatetime | None = None
    until: AwareDatetime | None = None
    speaker: str | None = None


class MessagesAnswer(BaseModel):
    """Messages, best first, and excerpts with their neighbours."""

    messages: tuple[StoredMessage, ...]
    excerpts: tuple[Excerpt, ...]
    system_message: str
    partial: bool
    reason: str | None
    behind_seconds: float | None


@api.post("/recall", response_model=MessagesAnswer)
async def search_messages(namespace: Reading, body: MessagesRequested) -> Response:
    """Find stored messages relevant to a text."""
    found = await namespace.messages.search(**dict(body))
    answer = MessagesAnswer(
        messages=found.messages,
        excerpts=found.excerpts,
        system_message=found.as_system_message()["content"],
        partial=found.partial,
        reason=found.reason,
        behind_seconds=found.progress.behind_seconds,
    )
    return _json(answer)


@api.get("/messages/{message_id}", response_model=Excerpt)
async def get_message(namespace: Reading, message_id: UUID, around: Annotated[int, Query(ge=0, le=50)] = 1) -> Response:
    """Read a consolidated message with its neighbours."""
    return _json(await namespace.messages.get(message_id, around=around))


class MemoryList(BaseModel):
    """Memories."""

    memories: list[StoredMemory]


@api.get("/memories", response_model=MemoryList)
async def list_memories(
    namespace: Reading,
    limit: Annotated[int, Query(ge=1, le=10_000)] = 100,
    kind: MemoryKind | None = None,
    state: State = "active",
    about: Annotated[UUID | None, Query(description="The id of an entity.")] = None,
) -> Response:
    """List memories, most salient first."""
    return _json({"memories": await namespace.memories(limit=limit, kind=kind, state=state, about=about)})


@api.get("/memories/{memory_id}", response_model=StoredMemory)
async def get_memory(namespace: Reading, memory_id: UUID, as_of: AwareDatetime | None = None) -> Response:
    """Read one memory with its sources, even if it is superseded or withdrawn."""
    return _json(await namespace.get(memory_id, as_of=as_of))


class DecisionList(BaseModel):
    """Decisions, oldest first."""

    decisions: list[Decision]


@api.get("/memories/{memory_id}/decisions", response_model=DecisionList)
async def list_decisions(namespace: Reading, memory_id: UUID) -> Response:
    """List the decisions about a memory. Each can be undone by its id."""
    return _json({"decisions": await namespace.decisions.for_memory(memory_id)})


@api.get("/decisions/{decision_id}", response_model=Decision)
async def get_decision(namespace: Reading, decision_id: UUID) -> Response:
    """Read one decision. The decision of a forget or an undo has its event's id."""
    return _json(await namespace.decisions.get(decision_id))


class EntityList(BaseModel):
    """Entities, ordered by number of memories."""

    entities: list[Entity]


@api.get("/entities", response_model=EntityList)
async def list_entities(namespace: Reading) -> Response:
    """List the namespace's entities, ordered by number of memories."""
    return _json({"entities": await namespace.entities.list()})


@api.get("/entities/{entity}", response_model=Profile)
async def get_profile(namespace: Reading, entity: str) -> Response:
    """Read an entity's profile by its id, name or alias."""
    return _json(await namespace.entities.profile(entity))


class DocumentList(BaseModel):
    """Documents, in the order of their names."""

    documents: list[StoredDocument]


@api.get("/documents", response_model=DocumentList)
async def list_documents(namespace: Reading) -> Response:
    """List the current documents, both formed and edited ones."""
    return _json({"documents": await namespace.documents.list()})


@api.get("/documents/{name}/decisions", response_model=DecisionList)
async def list_document_decisions(namespace: Reading, name: str) -> Response:
    """List the decisions about a document, newest first, including refused ones."""
    return _json({"decisions": await namespace.documents.decisions(name)})


class QuestionList(BaseModel):
    """Questions, oldest first."""

    questions: list[Question]


@api.get("/questions", response_model=QuestionList)
async def list_questions(namespace: Reading) -> Response:
    """List the open questions about ambiguous mentions."""
    return _json({"questions": await namespace.entities.questions()})


@api.get("/progress", response_model=Progress)
async def progress(namespace: Reading) -> Response:
    """Read how many of the namespace's events have been received and consolidated."""
    return _json(await namespace.progress())


@api.get(
    "/export",
    response_class=StreamingResponse,
    responses={HTTPStatus.OK: {"content": {"application/x-ndjson": {"schema": {"type": "string"}}}}},
)
async def export(request: Request, namespace: Reading, as_of: AwareDatetime | None = None) -> Response:
    """Export everything known as JSON Lines."""
    memory: AsyncMemory = request.app.state.memory

    def lines_of(straight: Memory) -> list[str]:
        with ends_within(straight.engine, _EXPORT_SECONDS):
            return list(straight.namespace(*namespace.path.parts).export(as_of=as_of))

    lines = await across(memory, lines_of)

    async def body() -> AsyncIterator[str]:
        for start in range(0, len(lines), _MOST_AT_ONCE):
            yield "".join(f"{line}\n" for line in lines[start : start + _MOST_AT_ONCE])

    return StreamingResponse(body(), media_type="application/x-ndjson")


# Correct --------------------------------------------------------------------------------------------------------------


class MemoryToRemember(RequestBody):
    """A memory to store. about: Entity names, the subject first. event_id: An idempotency key."""

    content: str
    kind: MemoryKind = MemoryKind.FACT
    about: list[str] | None = None
    replaces: UUID | None = None
    version: int | None = Field(None, ge=1, lt=2**31)
    occurred_at: AwareDatetime | None = None
    event_id: UUID | None = None
    by: Literal["tool"] | None = None


class MemoryAccepted(BaseModel):
    """A stored memory; the service applies it in order."""

    memory_id: UUID


@api.post("/memories", status_code=HTTPStatus.ACCEPTED, response_model=MemoryAccepted)
async def remember(namespace: Writing, body: MemoryToRemember) -> Response:
    """Store a memory verbatim. "replaces" supersedes another memory."""
    return _json({"memory_id": await namespace.remember(**dict(body))}, HTTPStatus.ACCEPTED)


class MemoriesToForget(RequestBody):
    """Memories to close. reason: A note for the decision log."""

    memories: Annotated[list[UUID], Field(min_length=1, max_length=200)]
    reason: str | None = Field(None, min_length=1, max_length=500)


@api.post("/forget", status_code=HTTPStatus.ACCEPTED, response_model=EventAccepted)
async def forget(namespace: Writing, body: MemoriesToForget) -> Response:
    """Close memories without deleting them. The decision has the event's id and can be undone."""
    return _accepted(await namespace.forget(body.memories, reason=body.reason))


@api.post("/decisions/{decision_id}/undo", status_code=HTTPStatus.ACCEPTED, response_model=EventAccepted)
async def undo(namespace: Writing, decision_id: UUID) -> Response:
    """Undo a decision."""
    return _accepted(await namespace.undo(decision_id))


class ClarifyingAnswer(RequestBody):
    """The id of the entity meant; null for a new entity."""

    entity: UUID | None


@api.post("/questions/{question_id}/answer", status_code=HTTPStatus.ACCEPTED, response_model=EventAccepted)
async def clarify(namespace: Writing, question_id: UUID, body: ClarifyingAnswer) -> Response:
    """Answer a question. The answer can be undone."""
    return _accepted(await namespace.entities.clarify(question_id, body.entity))


class EntityToMerge(RequestBody):
    """The entity to merge into."""

    into: UUID


@api.post("/entities/{entity}/merge", status_code=HTTPStatus.ACCEPTED, response_model=EventAccepted)
async def merge(namespace: Writing, entity: UUID, body: EntityToMerge) -> Response:
    """Merge an entity into another. The merge can be undone."""
    return _accepted(await namespace.entities.merge(entity, body.into))


class MemoriesToSplit(RequestBody):
    """The memories to move to a new entity, and its name, by default the same."""

    memories: Annotated[list[UUID], Field(min_length=1, max_length=200)]
    name: str | None = None
    aliases: list[str] = []
    description: str | None = None


@api.post("/entities/{entity}/split", status_code=HTTPStatus.ACCEPTED, response_model=EventAccepted)
async def split(namespace: Writing, entity: UUID, body: MemoriesToSplit) -> Response:
    """Split an entity in two. The event's id is the new entity's; the split can be undone."""
    return _accepted(await namespace.entities.split(entity, **dict(body)))


class DocumentEdit(RequestBody):
    """A JSON Merge Patch. version: the version that was read; if it is no longer current, the edit is a conflict."""

    patch: dict[str, JsonValue]
    version: int | None = Field(None, ge=0, lt=2**31)


@api.patch("/documents/{name}", status_code=HTTPStatus.ACCEPTED, response_model=EventAccepted)
async def edit_document(namespace: Writing, name: str, body: DocumentEdit) -> Response:
    """Edit a document. The edit can be undone."""
    return _accepted(await namespace.documents.edit(name, body.patch, version=body.version))


# Erase ----------------------------------------------------------------------------------------------------------------


class ErasureRequested(RequestBody):
    """What to delete permanently: exactly one of these."""

    memories: Annotated[list[UUID], Field(max_length=200)] = []
    conversation: str | None = None
    entity: UUID | None = None
    everything: bool = False


@api.post("/erasures", status_code=HTTPStatus.ACCEPTED, response_model=EventAccepted)
async def erase(namespace: Erasing, body: ErasureRequested) -> Response:
    """Delete data permanently, with everything derived from it alone. This cannot be undone. The event's id is the receipt's."""
    return _accepted(await namespace.erase(**dict(body)))


@api.get("/erasures/{erasure_id}", response_model=Receipt)
async def get_receipt(namespace: Erasing, erasure_id: UUID) -> Response:
    """Read the receipt of an erasure."""
    receipt = await namespace.erasures.get(erasure_id)
    if receipt is None:
        raise NotFound(f"erasure_id: no erasure {erasure_id} has been carried out here yet")
    return _json(receipt)


# Health ---------------------------------------------------------------------------------------------------------------


class Health(BaseModel):
    """The state of the server."""

    status: Literal["ok"]


@public.get("/healthz", response_model=Health)
async def health(_request: Request) -> Response:
    """Check that the server answers. No token is needed."""
    return _json({"status": "ok"})


@public.get("/readyz", response_model=Health)
async def readiness(request: Request) -> Response:
    """Check that the server can read the memory; 503 if not. Needs no token. Writes wait in the spool while Redis is away."""
    memory: AsyncMemory = request.app.state.memory

    def ask(straight: Memory) -> None:
        with ends_within(straight.engine, _HEALTH_SECONDS), straight.engine.connect() as connection:
            connection.exec_driver_sql("select 1")

    await across(memory, ask)
    return _json({"status": "ok"})
