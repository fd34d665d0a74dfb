"""Redo people's manual commands in another generation, with each id replaced by that of its counterpart."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from mosshead.events import Command, commands
from mosshead.events.commands import Clarify, EditDocument, Forget, Merge, Remember, Split, Undo
from mosshead.language.names import normalise
from pipeline.replay.models import GenerationKnowledge, KnownDecision, KnownMemory, KnownPerson, KnownQuestion
from pipeline.replay.similarity import Alike, Likeness, is_part, likeness


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A command that is not replayed. why: a fixed text. done: nothing is missing, because its effect already holds."""

    why: str
    done: bool = False


NOT_REPLAYED: Final = frozenset({"configure", "set_prompt", "roll_back_prompt", "feedback", "erase"})
"""Event types that no generation repeats.

The app's wishes and prompts belong to the namespace, not to a generation; erased data is gone, so nothing is left to erase.
"""

_NOT_SAID: Final = "nothing there says what was forgotten"
_SAYS_MORE: Final = "what says it there says what stays, too"
_TOO_MANY: Final = "more memories there say it than one event may name"
_NOBODY: Final = "nobody there is who was meant"


def translate(command: Command, then: GenerationKnowledge, now: GenerationKnowledge) -> Command | LeftOut:
    """Translate a command of one generation for another, or return why it is left out.

    then: what the old generation knew about the ids in the command when it was carried out, including all memories that share a
    message with those named. now: what the other knows once everything before the command has taken effect. A command without ids
    is returned unchanged.
    """
    translated = _TRANSLATED_BY.get(type(command))
    return command if translated is None else translated(command, then, now)


def left_unsaid(command: Command, then: GenerationKnowledge, now: GenerationKnowledge) -> str | None:
    """Return why a translated command is incomplete: what was forgotten or replaced may remain in other words."""
    if isinstance(command, Remember):
        return _left_standing(command, then, now)
    if not isinstance(command, Forget):
        return None
    unsaid = [key for key in command.memories if not meant_by([key], then.memories, now.memories).memories]
    return None if _says_nothing(now, unsaid, then) else _NOT_SAID


def _forget(command: Forget, then: GenerationKnowledge, now: GenerationKnowledge) -> Command | LeftOut:
    meant = meant_by(command.memories, then.memories, now.memories)
    if not meant.memories:
        return LeftOut(_NOT_SAID, done=_says_nothing(now, command.memories, then))
    if meant.shared:
        return LeftOut(_SAYS_MORE)
    if len(meant.memories) > commands.MAX_FORGOTTEN:
        return LeftOut(_TOO_MANY)
    return command.model_copy(update={"memories": meant.memory_ids})


def _remember(command: Remember, then: GenerationKnowledge, now: GenerationKnowledge) -> Command:
    """Always add the memory. It replaces its counterpart, but nothing that also says what should stay.

    The version read belongs to the old generation and is dropped.
    """
    if command.replaces is None:
        return command
    replaced = next(iter(_replaceable(command.replaces, then, now)), None)
    return command.model_copy(update={"replaces": replaced, "of_version": None})


def _replaceable(memory_id: UUID, then: GenerationKnowledge, now: GenerationKnowledge) -> list[UUID]:
    """Return the memories that correspond only to a replaced one, most similar first."""
    meant = meant_by([memory_id], then.memories, now.memories)
    return [one.memory_id for one in meant.memories if one.active and one.memory_id not in meant.shared]


def _left_standing(command: Remember, then: GenerationKnowledge, now: GenerationKnowledge) -> str | None:
    """Return why the replaced statement may remain known beside the new memory."""
    if command.replaces is None:
        return None
    meant = meant_by([command.replaces], then.memories, now.memories)
    if not meant.memories:
        return None if _says_nothing(now, [command.replaces], then) else "nothing there says what was replaced"
    if meant.shared:
        return _SAYS_MORE
    several = len(_replaceable(command.replaces, then, now)) > 1
    return "more memories there say what was replaced than one" if several else None


def _merge(command: Merge, then: GenerationKnowledge, now: GenerationKnowledge) -> Command | LeftOut:
    entity, into = (_person(key, then, now) for key in (command.entity_id, command.into))
    if entity is None or into is None:
        return LeftOut(_NOBODY)
    if entity == into:
        return LeftOut("they are one already", done=True)
    return command.model_copy(update={"entity_id": entity, "into": into})


def _split(command: Split, then: GenerationKnowledge, now: GenerationKnowledge) -> Command | LeftOut:
    entity = _person(command.entity_id, then, now)
    memories = meant_by(command.memories, then.memories, now.memories).memory_ids
    if entity is None:
        return LeftOut(_NOBODY)
    if not memories:
        return LeftOut("nothing there says what was known of the other")
    if len(memories) > commands.MAX_SPLIT_OFF:
        return LeftOut(_TOO_MANY)
    return command.model_copy(update={"entity_id": entity, "memories": memories})


def _clarify(command: Clarify, then: GenerationKnowledge, now: GenerationKnowledge) -> Command | LeftOut:
    asked = next((one for one in then.questions if one.question_id == command.question_id), None)
    question = question_of(asked, now.questions) if asked else None
    if command.question_id is not None and question is None:
        return LeftOut("nobody asks there")
    entity = None if command.entity_id is None else _person(command.entity_id, then, now)
    if command.entity_id is not None and entity is None:
        return LeftOut(_NOBODY)
    return command.model_copy(update={"question_id": question, "entity_id": entity})


def _undo(command: Undo, then: GenerationKnowledge, now: GenerationKnowledge) -> Command | LeftOut:
    taken_back = next((one for one in then.decisions if one.decision_id == command.decision_id), None)
    if taken_back is None:
        return LeftOut("no such decision was made")
    found = _decisions_of(taken_back, then, now)
    if not found:
        return LeftOut("what was taken back was not done there", done=_nothing_to_take_back(taken_back, then, now))
    if len(found) > 1:
        return LeftOut("several decisions there may be the one that was taken back")
    return command.model_copy(update={"decision_id": found[0]})


_Translator = Callable[[Any, GenerationKnowledge, GenerationKnowledge], Command | LeftOut]
_TRANSLATED_BY: Final[Mapping[type[Command], _Translator]] = {
    Undo: _undo,
    Remember: _remember,
    Forget: _forget,
    Clarify: _clarify,
    Merge: _merge,
    Split: _split,
    # The version read belongs to the other generation.
    EditDocument: lambda command, *_: command.model_copy(update={"document_version": None}),
}
"""How to translate each command that names things of one generation; other commands apply to all."""

TRANSLATED: Final = frozenset(str(one.model_fields["type"].default) for one in _TRANSLATED_BY)
"""Event types that name things of one generation: ids and versions."""


def _says_nothing(now: GenerationKnowledge, memory_ids: Collection[UUID], then: GenerationKnowledge) -> bool:
    """Whether nothing was extracted there from the source messages of these memories."""
    sources = {message for one in then.memories if one.memory_id in memory_ids for message in one.sources}
    return all(one.sources.isdisjoint(sources) for one in now.memories)


def _nothing_to_take_back(decision: KnownDecision, then: GenerationKnowledge, now: GenerationKnowledge) -> bool:
    """Whether a decision left no trace there: its command was left out, or its fact was not found."""
    if decision.event_id is not None:
        return all(one.event_id != decision.event_id for one in now.decisions)
    return decision.memory_id is not None and _says_nothing(now, [decision.memory_id], then)


def _person(entity_id: UUID, then: GenerationKnowledge, now: GenerationKnowledge) -> UUID | None:
    person = next((one for one in then.people if one.entity_id == entity_id), None)
    return person_of(person, now.people) if person else None


def _decisions_of(taken_back: KnownDecision, then: GenerationKnowledge, now: GenerationKnowledge) -> list[UUID]:
    """Return the other generation's decisions that did the same: by the same command, or to a corresponding memory.

    An import is one command with a decision for each of its memories.
    """
    of_event = [one for one in now.decisions if one.event_id == taken_back.event_id]
    if taken_back.event_id is not None and len(of_event) < 2:
        return [one.decision_id for one in of_event]
    alike = [one for one in of_event if one.action == taken_back.action]
    if taken_back.memory_id is None:
        # Decisions without a memory cannot be told apart.
        return [one.decision_id for one in alike if taken_back.event_id is not None and one.memory_id is None]
    memories = meant_by([taken_back.memory_id], then.memories, now.memories).memory_ids
    by_memory = ([one.decision_id for one in alike if one.memory_id == key] for key in memories)
    return next(filter(None, by_memory), [])


@dataclass(frozen=True, slots=True)
class Counterparts:
    """The counterparts of some memories, most similar first.

    shared: counterparts that also stand for another memory, which any change to them would affect.
    """

    memories: tuple[KnownMemory, ...]
    shared: frozenset[UUID]

    @property
    def memory_ids(self) -> list[UUID]:
        return [one.memory_id for one in self.memories]


def meant_by(named: Sequence[UUID], then: Sequence[KnownMemory], now: Sequence[KnownMemory]) -> Counterparts:
    """Return counterparts of memories, except those that rather belong to memories that stay.

    named: ids of memories of one generation; then: those memories, and all that share a message with them. now: the memories of
    the other generation. A counterpart more similar to an unnamed memory belongs to that one: "User's sister lives in Berlin" is
    near "User lives in Berlin". So does a part of what an unnamed memory says.
    """
    by_id = {one.memory_id: one for one in then}
    staying = [one for one in then if one.active and one.memory_id not in set(named)]
    standing = [one for one in now if one.active]
    found: dict[UUID, KnownMemory] = {}
    shared: set[UUID] = set()
    for memory in (by_id[key] for key in named if key in by_id):
        for one, alike in _alike(memory, now):
            claims = {other.memory_id: _claim(other, one) for other in staying}
            if any(claim and (claim > alike or alike[0] is Alike.PART) for claim in claims.values()):
                continue  # it belongs to another memory
            found[one.memory_id] = one
            if one.active and any(_says_too(by_id[key], one, claim, alike, standing) for key, claim in claims.items()):
                shared.add(one.memory_id)
    return Counterparts(tuple(found.values()), frozenset(shared))


def person_of(person: KnownPerson, others: Iterable[KnownPerson]) -> UUID | None:
    """Return a person's counterpart in the other generation; None if there is none, or two are possible.

    Names are not unique: among namesakes, the one with most source messages in common counts.
    """
    known = list(others)
    if any(one.entity_id == person.entity_id for one in known):
        return person.entity_id
    if person.is_user:
        return next((one.entity_id for one in known if one.is_user), None)
    namesakes = [one for one in known if not one.is_user and one.names & person.names]
    if not person.sources:
        of_its_sort = [one.entity_id for one in namesakes if one.entity_type == person.entity_type]
        return of_its_sort[0] if len(of_its_sort) == 1 else None
    in_common = {one.entity_id: len(one.sources & person.sources) for one in namesakes}
    most = max(in_common.values(), default=0)
    likeliest = [key for key, number in in_common.items() if number == most > 0]
    return likeliest[0] if len(likeliest) == 1 else None


def question_of(question: KnownQuestion, others: Iterable[KnownQuestion]) -> UUID | None:
    """Return the other generation's question about the same mention in the same message; None if there is none."""
    mention = normalise(question.mention)
    known = list(others)
    if any(one.question_id == question.question_id for one in known):
        return question.question_id
    # A mention outside any message is unique, whatever its name.
    if question.message_id is None:
        return None
    of_the_message = (one for one in known if one.message_id == question.message_id)
    return next((one.question_id for one in of_the_message if normalise(one.mention) == mention), None)


def _alike(memory: KnownMemory, others: Iterable[KnownMemory]) -> list[tuple[KnownMemory, Likeness]]:
    """Return the memories of the other generation with the same or part of the same content, most similar first.

    Of two with the same words, the one in the same state comes first. A memory with the same id is the only result: what an app
    wrote itself keeps its id.
    """
    weighed = [(one, likeness(memory, one) or _as_part(one, memory)) for one in others]
    found = [(one, alike) for one, alike in weighed if alike is not None]
    itself = [(one, alike) for one, alike in found if alike[0] is Alike.ITSELF]
    found.sort(key=lambda pair: (-pair[1][0], -pair[1][1], pair[0].active != memory.active, pair[0].memory_id))
    return itself or found


def _as_part(part: KnownMemory, whole: KnownMemory) -> Likeness | None:
    return (Alike.PART, 1.0) if is_part(part, whole) else None


def _claim(other: KnownMemory, one: KnownMemory) -> Likeness | None:
    """Return how two memories correspond, also if either is part of the other."""
    return likeness(other, one) or _as_part(one, other) or _as_part(other, one)


def _says_too(
    other: KnownMemory, one: KnownMemory, claim: Likeness | None, alike: Likeness, standing: Sequence[KnownMemory]
) -> bool:
    """Whether a memory also says what a staying one says, and nothing else says it better.

    Mere similarity does not count if the memory surely says something else; nor does a part, if the whole has the words of the
    named memory.
    """
    if claim is None or alike[0] is Alike.ITSELF:
        return False
    if claim[0] is Alike.NEAR and alike[0] > Alike.NEAR:
        return False
    if claim[0] is Alike.PART and alike[0] is Alike.WORDS and not is_part(one, other):
        return False
    return not any((_claim(other, better) or claim) > claim for better in standing)
