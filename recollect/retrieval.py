"""What a message calls for: whom it names, who of several is meant, and what each path finds. The reading half of a context."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import Connection

from recollect import evidence, lookup, views
from recollect.asking import question
from recollect.context import Path, Question
from recollect.disambiguation import Resolution, disambiguate, telling
from recollect.embedders import Embedder, Vectors
from recollect.evidence import Weighed
from recollect.kinds import MemoryKind
from recollect.namespaces import NamespacePath
from recollect.resolving import TURNS, offered
from recollect.results import Entity, Hit

_PER_ENTITY = 8
_SEMANTIC = 20
_CALLED_FOR = 0.4  # cosine (MiniLM) from which a message is taken to call for a process


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrieved:
    """What the paths found, and what must be asked back."""

    paths: tuple[Path, ...]
    questions: tuple[Question, ...]


def retrieve(
    connection: Connection,
    path: NamespacePath,
    embedder: Embedder,
    *,
    message: str,
    vector: Vectors,
    history: Sequence[str] = (),
) -> Retrieved:
    """Find whom a message names, and fetch what is known of them (entity path) and what resembles it (semantic path).

    vector: the message's. history: what was said just before, oldest first; it helps to tell who is meant, not what to find.
    """
    model = embedder.name
    semantic = views.similar_memories(connection, path, model=model, vector=vector, limit=_SEMANTIC, threshold=None)
    asker = _Asker(connection, path, embedder, message, [*_processes_called_for(semantic), *history[-TURNS:]])
    resolved: dict[UUID, str] = {}
    namesakes: set[UUID] = set()
    questions = []
    for name, bearers in asker.named.items():
        decision, weighed = asker.resolve(name, bearers)
        if decision.entity_id is not None:
            resolved[decision.entity_id] = name
            namesakes.update(bearer for bearer in bearers if bearer != decision.entity_id)
        elif decision.status == "ambiguous":
            questions.append(question(name, offered(decision, weighed), message))
    about = views.memories_of_entities(
        connection, path, model=model, vector=vector, entity_ids=list(resolved), limit=_PER_ENTITY
    )
    paths = [Path(name="entity", hits=tuple(hits), subject=resolved[entity_id]) for entity_id, hits in about.items()]
    not_meant = views.memories_about_only(connection, path, namesakes, but_not=resolved)
    semantic = [hit for hit in semantic if hit.id not in not_meant]
    return Retrieved(paths=(*paths, Path(name="semantic", hits=tuple(semantic))), questions=tuple(questions))


def told_apart(entity: Entity) -> str:
    """What tells an entity from its namesakes, in a few words."""
    return " at ".join(detail for detail in (entity.description, entity.parent) if detail) or entity.entity_type


def _processes_called_for(hits: Sequence[Hit]) -> list[str]:
    """The taught processes that a message clearly calls for: whom they speak of ("back to the writer") tells who is meant."""
    return [hit.content for hit in hits if hit.kind is MemoryKind.PROCESS and hit.similarity >= _CALLED_FOR]


class _Asker:
    """Tells whom the names of one message mean."""

    def __init__(
        self, connection: Connection, path: NamespacePath, embedder: Embedder, message: str, before: Sequence[str]
    ) -> None:
        self._connection, self._path, self._embedder = connection, path, embedder
        self._message, self._before = message, before
        self._found = lookup.named(connection, path, [message, *before])

    @property
    def named(self) -> Mapping[str, set[UUID]]:
        """The names in the message, each with whom it may mean."""
        names: dict[str, set[UUID]] = {}
        for match in self._found:
            if match.text == 0 and not match.entity.is_user:
                names.setdefault(match.name, set()).add(match.entity.entity_id)
        return names

    def resolve(self, name: str, bearers: Collection[UUID]) -> tuple[Resolution, Mapping[UUID, Weighed]]:
        """Who of its bearers a name means; nothing is weighed where there is but one."""
        if len(bearers) == 1:
            return Resolution(status="resolved", entity_id=next(iter(bearers))), {}
        asked = telling(self._message, name, self._before)
        weighed = evidence.weigh(
            self._connection,
            self._path,
            model=self._embedder.name,
            asked=asked,
            vectors=self._embedder.embed(asked.texts),
            candidates=bearers,
            named={one.entity.entity_id for one in self._found if one.text == 0} - set(bearers),
            scene_named={one.entity.entity_id for one in self._found if one.text > 0} - set(bearers),
        )
        return disambiguate(asked, {key: one.evidence for key, one in weighed.items()}), weighed
