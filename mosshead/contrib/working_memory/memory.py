"""`WorkingMemory`: the working memory of one session."""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar
from uuid import UUID

from redis import Redis

from mosshead.api.namespace import Namespace
from mosshead.arguments import aware, checked_limit, id_or_name
from mosshead.contrib.working_memory.references import (
    Fields,
    TextReference,
    by_label,
    references_in,
    shapes_of,
    things_in,
)
from mosshead.contrib.working_memory.state import (
    RECENT,
    Added,
    Policy,
    Reference,
    Rules,
    State,
    ToolResult,
    add,
    add_result,
    alive,
    take_turn,
    use,
)
from mosshead.contrib.working_memory.stores import Metrics, Store, store_for
from mosshead.errors import AmbiguousName, NotFound, StoreUnavailable
from mosshead.fencing import fenced, one_line
from mosshead.language.references import ReferenceForm
from mosshead.patterns import lazy_pattern
from mosshead.redaction import redact
from mosshead.text import readable

T = TypeVar("T")


class WorkingMemory:
    """The working memory of one session: references to the latest things, short-lived and without their contents.

    It is cheap, since the store holds the session: a web app can create one per request. It is safe to share between threads.
    Every method raises StoreUnavailable if the store is a Redis that does not answer.
    """

    def __init__(
        self,
        session: str,
        *,
        capacity: int = 20,
        ttl: timedelta = timedelta(minutes=5),
        policy: Policy = "fifo",
        store: Store | Redis | str | None = None,
        namespace: Namespace | None = None,
        nouns: Mapping[str, str] | None = None,
        entities_in: Fields | None = None,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        """session: its name; the conversation's for the policy "summary".

        capacity: number of references, from 10 to 50. ttl: how long a reference is kept after its last use, from 5 to 10 minutes.
        policy: what is evicted. "fifo": the oldest; "relevance": the one with the lowest 0.6·recency + 0.4·frequency; "summary":
            as "fifo", and every 10 turns the service is asked to summarize the conversation, and only the 5 most recent
            references stay.
        store: the URL of a Redis, or a client, if several processes serve a session; this process by default.
        namespace: where to look up other things; sessions of different namespaces are separate.
        nouns: your users' words for your types, such as ``{"ticket": "issue"}``. entities_in: for `from_tool_result`.
        clock: returns the time, with a time zone.
        Raises ValueError, which names the argument and its range.
        """
        rules = Rules(capacity=capacity, ttl=ttl, policy=policy)
        if policy == "summary" and namespace is None:
            raise ValueError('namespace: missing; the policy "summary" summarizes the conversation there')
        self.session = checked_id(session, "session")
        scope = f"{namespace.path.tenant_id}:{namespace.path.namespace_id}" if namespace else "-"
        self._namespace = namespace
        self._store, self._key, self._rules, self._clock = store_for(store), f"{scope}:{self.session}", rules, clock
        self._nouns = {noun.lower(): checked_type(kind) for noun, kind in (nouns or {}).items()}
        self._shapes = shapes_of({checked_type(kind): fields for kind, fields in (entities_in or {}).items()})

    def add(self, type: str, id: str | int | UUID, label: str, at: datetime | None = None) -> None:  # noqa: A002
        """Add a reference. An existing one is refreshed: it becomes the most recent, and its accesses increase by one.

        label: what to call it, at most 200 characters; secrets in it are replaced. at: when, with a time zone; now by default.
        Raises ValueError, which names the argument.
        """
        moment = aware(at, "at")
        # In UTC: Python compares times of the same zone by wall clock, which repeats an hour in autumn.
        when = moment and moment.astimezone(UTC)
        self._add(Added(type=checked_type(type), id=checked_id(id), label=checked_label(label), at=when))

    def add_tool_result(
        self,
        tool: str,
        reference: str | int | UUID,
        label: str,
        entities: Iterable[tuple[str, str | int | UUID, str]] = (),
    ) -> None:
        """Add a tool's result; the last 5 are kept, by reference.

        reference: identifies the result, such as the id of the call. entities: type, id and label of each thing in it; they are
        added, too, the first one as the most recent. Raises ValueError, which names the argument.
        """
        named, key, title = checked_id(tool, "tool"), checked_id(reference, "reference"), checked_label(label)
        things = [
            Added(type=checked_type(kind), id=checked_id(one), label=checked_label(called))
            for kind, one, called in entities
        ]

        def change(state: State, now: datetime) -> State:
            result = ToolResult(tool=named, reference=key, label=title, at=now)
            return add_result(state, result, things, self._rules)

        self._change(change)

    def from_tool_result(
        self,
        tool: str,
        reference: str | int | UUID,
        result: str | Mapping[str, Any] | Sequence[Any],
        label: str | None = None,
    ) -> None:
        """Do the same as `add_tool_result` with the things that ``entities_in`` finds in the result, which is JSON.

        ``{"page": {"id": "page_id", "label": "title"}}``: an object with a ``page_id`` is a page, labelled by its ``title``. With
        ``"under": "pages"`` it is one only in a field of that name. label: by default the counts by type. The result itself is
        not kept. Raises ValueError.
        """
        if not self._shapes:
            raise ValueError("entities_in: not given to this WorkingMemory, so nothing can be found in a result")
        found = [one for one in things_in(result, self._shapes) if len(one.id) <= MAX_ID]
        entities = [(one.type, one.id, cut_label(one.label)) for one in found]
        counts = Counter(one.type for one in found)
        counted = ", ".join(f"{number} × {kind}" for kind, number in counts.items()) or "nothing that is kept"
        self.add_tool_result(tool, reference, label or counted, entities)

    def turn(self) -> UUID | None:
        """Count a user turn. Under the policy "summary" every tenth turn reduces the session to its 5 most recent references.

        It then asks the service to summarize the conversation, and returns the id of that event. Raises as
        `namespace.messages.summarise`; the tenth turn after that asks again.
        """
        after = self._change(lambda state, _: take_turn(state, self._rules))
        if self._rules.policy != "summary" or self._namespace is None or after.turns:
            return None
        return self._namespace.messages.summarise(self.session)

    @property
    def task(self) -> str | None:
        """The user's current task, in a few words; set it to a text or None."""
        return self._state().task

    @task.setter
    def task(self, task: str | None) -> None:
        text = None if task is None else checked_label(task, "task")
        self._change(lambda state, _: replace(state, task=text))

    @property
    def user_name(self) -> str | None:
        """The user's name; set it to a text or None."""
        return self._state().user_name

    @user_name.setter
    def user_name(self, name: str | None) -> None:
        text = None if name is None else checked_label(name, "user_name")
        self._change(lambda state, _: replace(state, user_name=text))

    def clear(self) -> None:
        """Delete the session."""
        self._store.forget(self._key)

    def get(self, type: str, id: str | int | UUID) -> Reference | None:  # noqa: A002
        """Return a reference by type and id; counts as a use.

        With a namespace, an entity with this id is also found, and added. Raises StoreUnavailable if Postgres is unavailable.
        """
        kind, key = checked_type(type), checked_id(id)
        found = self._step(lambda state, now: use(state, state.find(kind, key), now))
        return self._from_memories(key, kind) if found is None and isinstance(id_or_name(key), UUID) else found

    def get_recent(self, type: str | None = None, n: int = RECENT) -> tuple[Reference, ...]:  # noqa: A002
        """Return the most recent references, of one type or of all, latest first."""
        kind, limit = None if type is None else checked_type(type), checked_limit(n, "n")
        among = [one for one in self._state().entities if kind is None or one.type == kind]
        return tuple(reversed(among[-limit:]))

    def tool_results(self) -> tuple[ToolResult, ...]:
        """Return the latest tool results, latest first."""
        return tuple(reversed(self._state().results))

    def resolve(self, text: str) -> Reference | None:
        """Resolve a text: "this page", "it", "the previous one", a message with such words, or a name.

        It goes by type and recency (docs/how-to/working-memory.md), and counts as a use. A name is searched for among the labels;
        with a namespace then among the entities' names, where it must be unique, and the entity is added. Returns None if nothing
        fits. Raises StoreUnavailable if Postgres is unavailable.
        """
        said = readable("text", text)

        def decide(state: State, now: datetime) -> tuple[State, tuple[bool, Reference | None]]:
            spoken = references_in(said, state, self._nouns)
            meant = (found for _, found in spoken if found)
            after, found = use(state, next(meant, None) or by_label(said, state), now)
            return after, (bool(spoken), found)

        spoken, found = self._step(decide)
        if found is None and not spoken:
            found = self._from_memories(said)
        self._store.meter.looked_for(found=int(found is not None), missed=int(found is None))
        return found

    def resolve_all(self, message: str) -> tuple[TextReference, ...]:
        """Return all words of a message that refer to something in the session, in order, with their meanings; each counts as a
        use.
        """
        said = readable("message", message)

        def decide(state: State, now: datetime) -> tuple[State, tuple[tuple[TextReference, ...], int]]:
            spoken = references_in(said, state, self._nouns)
            referred = []
            for phrase, meant in spoken:
                state, found = use(state, meant, now)
                if found is not None:
                    start, end = phrase.place.start, phrase.place.end
                    referred.append(TextReference(text=said[start:end], start=start, end=end, reference=found))
            # A thing named by its id need not be in the session.
            missed = sum(meant is None and phrase.form is not ReferenceForm.NAMED for phrase, meant in spoken)
            return state, (tuple(referred), missed)

        found, missed = self._step(decide)
        self._store.meter.looked_for(found=len(found), missed=missed)
        return found

    def prompt_block(self) -> str:
        """Return a block for the system prompt: the user's name, the task, the 5 most recent references, the last tool results.

        The data is fenced, with the rule that "this page" is the first page; "" if there is none. Under the policy "summary" it
        includes the summary of the conversation, unless Postgres does not answer.
        """
        summary = None
        if self._namespace is not None and self._rules.policy == "summary":
            with suppress(StoreUnavailable):
                summary = self._namespace.messages.summary(self.session)
        lines = list(_lines(self._state(), summary.text if summary else None))
        return fenced(lines, tag="working_memory") if lines else ""

    def metrics(self) -> Metrics:
        """Return how full this session is, and the metrics of this process over all sessions of its store."""
        taken = len(self._state().entities) / self._rules.capacity
        return replace(self._store.meter.read(), fill=taken)

    def _from_memories(self, name: str, kind: str | None = None) -> Reference | None:
        """Find the one entity with this id, name or alias, optionally of a type, and add it."""
        wanted = name.strip()
        if self._namespace is None or not wanted or len(wanted) > MAX_ID:
            return None
        try:
            entity = self._namespace.entities.get(wanted)
        except (NotFound, AmbiguousName):
            return None
        if kind not in {None, entity.entity_type}:
            return None
        one = Added(type=entity.entity_type, id=str(entity.id), label=cut_label(entity.name))
        return self._add(one).find(one.type, one.id)

    def _state(self) -> State:
        return self._change(lambda state, _: state)

    def _add(self, one: Added) -> State:
        return self._change(lambda state, now: add(state, one, now, self._rules))

    def _change(self, change: Callable[[State, datetime], State]) -> State:
        """Return the state after a change."""

        def decide(state: State, now: datetime) -> tuple[State, State]:
            after = change(state, now)
            return after, after

        return self._step(decide)

    def _step(self, decide: Callable[[State, datetime], tuple[State, T]]) -> T:
        """Do one access. decide: from the live state, returns the next state and an answer; pure."""
        started = time.perf_counter()

        def changing(stored: State) -> tuple[State, tuple[State, State, T]]:
            now = self._clock()
            if now.tzinfo is None:
                raise ValueError("clock: returns a time without a zone; return an aware one, such as datetime.now(UTC)")
            now = now.astimezone(UTC)
            before = alive(stored, now, self._rules.ttl)
            after, answer = decide(before, now)
            return stored if after is before else replace(after, touched=now), (before, after, answer)

        before, after, answer = self._store.change(self._key, changing, self._rules.ttl)
        self._store.meter.accessed(
            time.perf_counter() - started,
            fill=len(after.entities) / self._rules.capacity,
            added=after.added - before.added,
            evicted=after.evicted - before.evicted,
        )
        return answer


MAX_LABEL = 200
MAX_ID = 200

_TYPE = lazy_pattern(r"[^\W\d_][\w -]{0,49}")


def checked_type(given: object) -> str:
    """Check a type of things; return it in lower case. Raises ValueError."""
    if not isinstance(given, str) or not _TYPE.fullmatch(given):
        raise ValueError('type: a short name, such as "page" or "email_thread"')
    return given.lower()


def checked_id(given: object, name: str = "id") -> str:
    """Check an id or another reference of the app. Raises ValueError."""
    text = str(given) if isinstance(given, int | UUID) and not isinstance(given, bool) else given
    if not isinstance(text, str) or not text.strip():
        raise ValueError(f"{name}: give a text or a whole number that is not empty")
    if len(text) > MAX_ID:
        raise ValueError(f"{name}: {len(text):,} characters, at most {MAX_ID}; give what identifies the thing")
    return one_line(readable(name, text))


def checked_label(given: object, name: str = "label") -> str:
    """Check a label: one short line; secrets are redacted. Raises ValueError: working memory keeps no contents."""
    if not isinstance(given, str) or not given.strip():
        raise ValueError(f"{name}: give a text that is not empty")
    if len(given) > MAX_LABEL:
        raise ValueError(
            f"{name}: {len(given):,} characters, at most {MAX_LABEL}; working memory keeps references, not contents: "
            "give a title"
        )
    return one_line(redact(readable(name, given)))


def cut_label(found: str) -> str:
    """Return a label from a tool's result, truncated if necessary."""
    flat = one_line(found)
    return flat if len(flat) <= MAX_LABEL else f"{flat[: MAX_LABEL - 1]}…"


def _lines(state: State, summary: str | None) -> Iterator[str]:
    if state.user_name:
        yield f"user: {state.user_name}"
    if state.task:
        yield f"task: {state.task}"
    if summary:
        yield f"so far: {summary}"
    yield from (f"{one.type} {one.id}: {one.label}" for one in reversed(state.entities[-RECENT:]))
    yield from (f"result of {one.tool} ({one.reference}): {one.label}" for one in reversed(state.results))
