"""`WorkingMemory`: what one session has at hand."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from redis import Redis

from mosshead.checks import checked_limit, readable
from mosshead.namespace import Namespace
from mosshead.results import Entity
from mosshead.working.changes import Added, Reported, Told, TurnTaken
from mosshead.working.checking import (
    MAX_ID,
    checked_id,
    checked_label,
    checked_rules,
    checked_time,
    checked_type,
    cut_label,
)
from mosshead.working.metrics import Metrics
from mosshead.working.policies import Policy
from mosshead.working.prompting import prompt_block
from mosshead.working.referring import Referred
from mosshead.working.resolving import all_resolved, resolved, used
from mosshead.working.sessions import Session
from mosshead.working.state import RECENT, Reference, ToolResult
from mosshead.working.stored import entity_called, entity_with_id, summary_of
from mosshead.working.stores import Store, store_for
from mosshead.working.tool_results import Fields, shapes_of, things_in


class WorkingMemory:
    """What one session has at hand: the last things that came up, by reference; short-lived, and never their contents.

    Cheap to make: the store holds the session, under its name, so that each request of a web app may make one of its own. Safe
    to share between threads. Every method raises StoreUnavailable where the store is a Redis that does not answer.
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
        """session: names it; the conversation, for the policy "summary".

        capacity: references, from 10 to 50. ttl: for how long a reference is kept after its last use, from 5 to 10 minutes.
        policy: what makes room. "fifo": what was added first; "relevance": what has the least of 0.6·recency + 0.4·frequency;
            "summary": as "fifo", and every 10 turns the service is asked to sum the conversation up, and only the 5 most recent
            references stay.
        store: the URL of a Redis, or a client, where several processes serve a session; this process by default.
        namespace: where to look up what is not at hand; sessions of different namespaces never meet.
        nouns: your users' words for your types, such as ``{"ticket": "issue"}``. entities_in: for `from_tool_result`.
        clock: what time it is, with a time zone.
        Raises ValueError, which names the argument and its range.
        """
        rules = checked_rules(capacity, ttl, policy)
        if policy == "summary" and namespace is None:
            raise ValueError('namespace: missing; under the policy "summary" the conversation is summed up there')
        self.session = checked_id(session, "session")
        scope = f"{namespace.path.tenant_id}:{namespace.path.namespace_id}" if namespace else "-"
        self._namespace = namespace
        self._session = Session(store=store_for(store), key=f"{scope}:{self.session}", rules=rules, clock=clock)
        self._nouns = {noun.lower(): checked_type(kind) for noun, kind in (nouns or {}).items()}
        self._shapes = shapes_of({checked_type(kind): fields for kind, fields in (entities_in or {}).items()})

    # What comes up ----------------------------------------------------------------------------------------------------

    def add(self, type: str, id: str | int | UUID, label: str, at: datetime | None = None) -> None:  # noqa: A002
        """Something came up. What is there already is refreshed: it is the most recent again, and was accessed once more.

        label: what to call it, at most 200 characters; secrets in it are replaced. at: when, with a time zone; now by default.
        Raises ValueError, which names the argument.
        """
        one = Added(type=checked_type(type), id=checked_id(id), label=checked_label(label), at=checked_time(at, "at"))
        self._session.change(one)

    def add_tool_result(
        self,
        tool: str,
        reference: str | int | UUID,
        label: str,
        entities: Iterable[tuple[str, str | int | UUID, str]] = (),
    ) -> None:
        """A tool gave a result; the last 5 are kept, by reference.

        reference: what finds the result again, such as the id of the call. entities: type, id and label of each thing in it; they
        come up with it, the first of them as the most recent. Raises ValueError, which names the argument.
        """
        result = Reported(
            tool=checked_id(tool, "tool"),
            reference=checked_id(reference, "reference"),
            label=checked_label(label),
            entities=tuple(
                Added(type=checked_type(kind), id=checked_id(key), label=checked_label(called))
                for kind, key, called in entities
            ),
        )
        self._session.change(result)

    def from_tool_result(
        self,
        tool: str,
        reference: str | int | UUID,
        result: str | Mapping[str, Any] | Sequence[Any],
        label: str | None = None,
    ) -> None:
        """As `add_tool_result`, with the things that ``entities_in`` finds in the result, which is JSON.

        ``{"page": {"id": "page_id", "label": "title"}}``: an object that has a ``page_id`` is a page, called by its ``title``.
        With ``"under": "pages"`` it is one only in a field of that name. label: by default how many of what there are. The
        result itself is not kept. Raises ValueError.
        """
        if not self._shapes:
            raise ValueError("entities_in: not given to this WorkingMemory, so that nothing can be found in a result")
        found = [one for one in things_in(result, self._shapes) if len(one.id) <= MAX_ID]
        entities = [(one.type, one.id, cut_label(one.label)) for one in found]
        self.add_tool_result(tool, reference, label or _counted(one.type for one in found), entities)

    def turn(self) -> UUID | None:
        """The user had another turn. Under the policy "summary" the tenth cuts the session down to its 5 most recent references.

        The service is then asked to sum the conversation up, and the id of that event is returned. Raises as
        `Namespace.summarise`; the next ten turns ask again.
        """
        after = self._session.change(TurnTaken())
        if self._session.rules.policy != "summary" or self._namespace is None or after.turns:
            return None
        return self._namespace.summarise(self.session)

    @property
    def task(self) -> str | None:
        """What the user is at, in a few words; set it, or set it to None."""
        return self._session.state().task

    @task.setter
    def task(self, task: str | None) -> None:
        self._session.change(Told(what="task", text=None if task is None else checked_label(task, "task")))

    @property
    def user_name(self) -> str | None:
        """What to call the user; set it, or set it to None."""
        return self._session.state().user_name

    @user_name.setter
    def user_name(self, name: str | None) -> None:
        self._session.change(Told(what="user_name", text=None if name is None else checked_label(name, "user_name")))

    def clear(self) -> None:
        """Forget the session."""
        self._session.store.forget(self._session.key)

    # What is at hand --------------------------------------------------------------------------------------------------

    def get(self, type: str, id: str | int | UUID) -> Reference | None:  # noqa: A002
        """A reference by type and id; counts as a use.

        With a namespace, an entity that the memories know by this id is found too, and is at hand from here on. Raises
        StoreUnavailable where Postgres cannot be asked.
        """
        kind, key = checked_type(type), checked_id(id)
        found = self._session.step(lambda state, now: used(state, state.find(kind, key), now, self._session.rules))
        if found is None and self._namespace is not None:
            return self._at_hand(entity_with_id(self._namespace, kind, key))
        return found

    def get_recent(self, type: str | None = None, n: int = RECENT) -> tuple[Reference, ...]:  # noqa: A002
        """The most recent references, of one type or of all, latest first."""
        kind, limit = None if type is None else checked_type(type), checked_limit(n, "n")
        among = [one for one in self._session.state().entities if kind is None or one.type == kind]
        return tuple(reversed(among[-limit:]))

    def tool_results(self) -> tuple[ToolResult, ...]:
        """The latest results of tools, latest first."""
        return tuple(reversed(self._session.state().results))

    def resolve(self, text: str) -> Reference | None:
        """What a text refers to: "this page", "it", "the previous one", a message with such words in it, or a name.

        By type and recency (docs/working-memory.md); counts as a use. A name is looked for among the labels; with a namespace
        then among the names of the entities that the memories know, where it has to be one's alone, and what is found there is
        at hand from here on. None where nothing fits. Raises StoreUnavailable where Postgres cannot be asked.
        """
        said = readable("text", text)
        spoken, found = self._session.step(
            lambda state, now: resolved(state, said, self._nouns, now, self._session.rules)
        )
        if found is None and not spoken and self._namespace is not None:
            found = self._at_hand(entity_called(self._namespace, said))
        self._session.store.meter.looked_for(found=int(found is not None), missed=int(found is None))
        return found

    def resolve_all(self, message: str) -> tuple[Referred, ...]:
        """All words of a message that refer to what is at hand, in their order, with what they mean; each counts as a use."""
        said = readable("message", message)
        found, missed = self._session.step(
            lambda state, now: all_resolved(state, said, self._nouns, now, self._session.rules)
        )
        self._session.store.meter.looked_for(found=len(found), missed=missed)
        return found

    def prompt_block(self) -> str:
        """What to put into the system prompt: the user's name, the task, the 5 most recent references, the last tool results.

        Data inside a fence, under the rule that "this page" is the page that comes first; "" where nothing is at hand. Under the
        policy "summary" with the summary of the conversation, unless Postgres does not answer.
        """
        summary = None
        if self._namespace is not None and self._session.rules.policy == "summary":
            summary = summary_of(self._namespace, self.session)
        return prompt_block(self._session.state(), summary)

    def metrics(self) -> Metrics:
        """How full this session is, and how well working memory does in this process, over all sessions of its store."""
        taken = len(self._session.state().entities) / self._session.rules.capacity
        return replace(self._session.store.meter.read(), fill=taken)

    def _at_hand(self, entity: Entity | None) -> Reference | None:
        if entity is None:
            return None
        one = Added(type=entity.entity_type, id=str(entity.id), label=cut_label(entity.name))
        return self._session.change(one).find(one.type, one.id)


def _counted(kinds: Iterable[str]) -> str:
    """How many of what: "3 × page, 1 × person"."""
    counted = Counter(kinds)
    return ", ".join(f"{number} × {kind}" for kind, number in counted.items()) or "nothing that is kept"
