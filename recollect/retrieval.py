"""What a message calls for: whom it names, who of several is meant, and what each path finds. The reading half of a context."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import Connection

from recollect import views
from recollect.context import Candidate, Path, Question
from recollect.embedders import Embedder, Vectors
from recollect.fence import one_line
from recollect.kinds import MemoryKind
from recollect.names import possible_names, without
from recollect.namespaces import NamespacePath
from recollect.resolution import Resolution, resolve
from recollect.results import Entity, Hit

_PER_ENTITY = 8
_SEMANTIC = 20
_TURNS = 2
_OFFERED = 4
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
    around = " ".join([*history[-_TURNS:], message])
    resolved: dict[UUID, str] = {}
    namesakes: set[UUID] = set()
    questions = []
    for name, bearers in _named(connection, path, message).items():
        telling = [without(around, name), *_processes_called_for(semantic)]
        resolution = _resolve(connection, path, embedder, telling, bearers)
        if resolution.entity_id is not None:
            resolved[resolution.entity_id] = name
            namesakes.update(bearer for bearer in bearers if bearer != resolution.entity_id)
        else:
            questions.append(_question(connection, path, name, resolution))
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


def _named(connection: Connection, path: NamespacePath, message: str) -> Mapping[str, list[UUID]]:
    found = views.entities_named(connection, path, possible_names(message))
    names: dict[str, list[UUID]] = {}
    for entity_id, name in found.items():
        names.setdefault(name, []).append(entity_id)
    # "Peter Haas" was named, not also every other Peter.
    longer = [name.split() for name in names if " " in name]
    return {name: bearers for name, bearers in names.items() if not any(name in words for words in longer)}


def _processes_called_for(hits: Sequence[Hit]) -> list[str]:
    """The taught processes that a message clearly calls for: whom they speak of ("back to the writer") tells who is meant."""
    return [hit.content for hit in hits if hit.kind is MemoryKind.PROCESS and hit.similarity >= _CALLED_FOR]


def _resolve(
    connection: Connection, path: NamespacePath, embedder: Embedder, telling: Sequence[str], bearers: Sequence[UUID]
) -> Resolution:
    if len(bearers) == 1:
        return Resolution("resolved", bearers[0], ((bearers[0], 1.0),))
    known = views.vectors_of_entities(connection, path, embedder.name, bearers)
    return resolve(embedder.embed(telling), known)


def _question(connection: Connection, path: NamespacePath, name: str, resolution: Resolution) -> Question:
    scores = dict(resolution.scores[:_OFFERED])
    entities = {profile.entity.id: profile.entity for profile in views.profiles(connection, path, entity_ids=scores)}
    candidates = tuple(
        Candidate(entity_id=key, name=entities[key].name, description=told_apart(entities[key]), score=round(score, 4))
        for key, score in scores.items()
        if key in entities
    )
    mention = candidates[0].name if candidates else name
    choices = ", or ".join(_to_the_user(candidate.description) for candidate in candidates)
    return Question(text=one_line(f"Which {mention} do you mean: {choices}?"), mention=mention, candidates=candidates)


def _to_the_user(description: str) -> str:
    # Memories speak of the user in the third person; a question speaks to the user.
    return description.replace("User's ", "your ")
