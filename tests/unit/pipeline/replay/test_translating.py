"""Manual changes repeated in another generation."""

from typing import Any, get_args
from uuid import UUID

import pytest

from mosshead.events import AnyEvent, Command, parse_event
from mosshead.events.commands import Clarify, EditDocument, Forget, Merge, Reflect, Remember, Split, Summarise, Undo
from pipeline.replay.models import GenerationKnowledge
from pipeline.replay.translate import NOT_REPLAYED, TRANSLATED, LeftOut, left_unsaid, translate
from tests.unit.pipeline.replay.generations import (
    BERLIN,
    CAT,
    NOTHING,
    WHOLE,
    decision,
    ids,
    known,
    lives_in,
    made,
    memory,
    person,
    question,
)


def test_replacement_replaces_the_most_similar_counterpart() -> None:
    remember = made(Remember, content="User lives in Rome", replaces=UUID(int=1), of_version=2)
    closed = memory(10, BERLIN.content, active=False)
    close = memory(11, "User has her home in Berlin", cosine=0.9)
    closest = memory(12, "User lives in Berlin")

    replacing = remember.model_copy(update={"replaces": UUID(int=12), "of_version": None})
    assert translate(remember, known(BERLIN), known(closed, close, closest)) == replacing
    assert translate(remember, known(BERLIN), known(close)) == replacing.model_copy(update={"replaces": UUID(int=11)})


def test_replacement_of_nothing_or_of_too_much_is_still_added() -> None:
    remember = made(Remember, content="User lives in Rome", replaces=UUID(int=1), of_version=2)
    alone = remember.model_copy(update={"replaces": None, "of_version": None})

    assert translate(remember, known(BERLIN), NOTHING) == alone
    assert translate(remember, known(BERLIN), known(memory(10, BERLIN.content, active=False))) == alone
    assert translate(remember, known(BERLIN, CAT), known(memory(14, WHOLE.content, **lives_in("Berlin")))) == alone
    assert translate(made(Remember, content="x", event_id=alone.event_id), NOTHING, NOTHING) == made(
        Remember, content="x", event_id=alone.event_id
    )


def test_replaced_memory_that_may_stay_is_reported() -> None:
    remember = made(Remember, content="User lives in Rome", replaces=UUID(int=1))
    then, again = known(BERLIN), memory(12, "User has her home in Berlin", cosine=0.9)

    assert left_unsaid(remember, then, known(memory(13, CAT.content))) == "nothing there says what was replaced"
    twice = known(memory(11, BERLIN.content), again)
    assert left_unsaid(remember, then, twice) == "more memories there say what was replaced than one"
    whole = known(memory(14, WHOLE.content, **lives_in("Berlin")))
    assert left_unsaid(remember, known(BERLIN, CAT), whole) == "what says it there says what stays, too"
    assert left_unsaid(remember, then, known(memory(11, BERLIN.content))) is None
    assert left_unsaid(remember, then, known(memory(11, BERLIN.content, active=False))) is None
    assert left_unsaid(remember, then, NOTHING) is None
    assert left_unsaid(made(Remember, content="x"), then, NOTHING) is None


def test_merge_names_both_as_they_are_there() -> None:
    merge = made(Merge, entity_id=UUID(int=1), into=UUID(int=2))
    then = GenerationKnowledge(people=[person(1, "pete"), person(2, "peter")])

    now = GenerationKnowledge(people=[person(12, "peter"), person(11, "pete")])
    assert translate(merge, then, now) == merge.model_copy(update={"entity_id": UUID(int=11), "into": UUID(int=12)})
    assert translate(merge, then, GenerationKnowledge(people=[person(11, "pete")])) == LeftOut(
        "nobody there is who was meant"
    )
    assert translate(merge, then, GenerationKnowledge(people=[person(11, "pete", "peter")])) == LeftOut(
        "they are one already", done=True
    )


def test_split_names_the_entity_and_all_memories_of_the_other() -> None:
    split = made(Split, entity_id=UUID(int=7), memories=ids(1, 3))
    then = GenerationKnowledge(memories=[BERLIN, CAT], people=[person(7, "peter")])
    now = GenerationKnowledge(memories=[memory(11, BERLIN.content)], people=[person(17, "peter")])

    assert translate(split, then, now) == split.model_copy(update={"entity_id": UUID(int=17), "memories": ids(11)})
    assert translate(split, then, GenerationKnowledge(memories=now.memories)) == LeftOut(
        "nobody there is who was meant"
    )
    assert translate(split, then, GenerationKnowledge(people=now.people)) == LeftOut(
        "nothing there says what was known of the other"
    )


@pytest.mark.parametrize("entity", [None, UUID(int=7)])
def test_answer_names_the_question_and_who_is_meant(entity: UUID | None) -> None:
    clarify = made(Clarify, question_id=UUID(int=5), entity_id=entity)
    then = GenerationKnowledge(people=[person(7, "peter")], questions=[question(5, "Peter")])
    now = GenerationKnowledge(people=[person(17, "peter")], questions=[question(15, "peter")])

    meant = entity and UUID(int=17)
    assert translate(clarify, then, now) == clarify.model_copy(update={"question_id": UUID(int=15), "entity_id": meant})
    assert translate(clarify, then, GenerationKnowledge(people=now.people)) == LeftOut("nobody asks there")
    assert translate(clarify, GenerationKnowledge(people=then.people), now) == LeftOut("nobody asks there")


def test_answer_to_a_read_names_who_is_meant() -> None:
    clarify = made(Clarify, mention="Peter", text="Where is Peter?", entity_id=UUID(int=7))
    then = GenerationKnowledge(people=[person(7, "peter")])

    translated = translate(clarify, then, GenerationKnowledge(people=[person(17, "peter")]))
    assert translated == clarify.model_copy(update={"entity_id": UUID(int=17)})
    assert translate(clarify, then, NOTHING) == LeftOut("nobody there is who was meant")


UNDO = made(Undo, decision_id=UUID(int=50))


def undone(then: GenerationKnowledge, now: GenerationKnowledge) -> UUID | LeftOut:
    translated = translate(UNDO, then, now)
    assert isinstance(translated, Undo | LeftOut)
    return translated if isinstance(translated, LeftOut) else translated.decision_id


def test_effect_of_a_command_is_undone_by_its_effect_there() -> None:
    then = GenerationKnowledge(decisions=[decision(50, "forget", 1, event=60)])

    now = GenerationKnowledge(decisions=[decision(52, "forget", 11, event=61), decision(51, "forget", None, event=60)])
    assert undone(then, now) == UUID(int=51)
    assert undone(then, GenerationKnowledge(decisions=now.decisions[:1])) == LeftOut(
        "what was taken back was not done there", done=True
    )
    assert undone(NOTHING, now) == LeftOut("no such decision was made")


def test_undo_of_an_import_applies_to_the_same_memory() -> None:
    brought = [
        decision(51, "add", None, event=60),
        decision(52, "add", 12, event=60),
        decision(53, "add", 13, event=60),
    ]
    now = GenerationKnowledge(memories=[memory(12, BERLIN.content), memory(13, CAT.content)], decisions=brought)

    of_memory = GenerationKnowledge(memories=[BERLIN, CAT], decisions=[decision(50, "add", 3, event=60)])
    assert undone(of_memory, now) == UUID(int=53)
    assert undone(GenerationKnowledge(decisions=[decision(50, "add", None, event=60)]), now) == UUID(int=51)


def test_undo_of_a_decision_applies_to_that_of_its_counterpart() -> None:
    then = GenerationKnowledge(memories=[BERLIN], decisions=[decision(50, "update", 1)])
    memories = [memory(11, BERLIN.content), memory(13, CAT.content)]
    others = [decision(51, "add", 11), decision(52, "update", 13), decision(53, "update", 11, event=60)]
    not_done = LeftOut("what was taken back was not done there")

    assert undone(
        then, GenerationKnowledge(memories=memories, decisions=[*others, decision(54, "update", 11)])
    ) == UUID(int=54)
    assert undone(then, GenerationKnowledge(memories=memories, decisions=others)) == not_done
    assert undone(then, GenerationKnowledge(decisions=others)) == LeftOut(not_done.why, done=True)
    twice = [decision(54, "update", 11), decision(55, "update", 11)]
    assert undone(then, GenerationKnowledge(memories=memories, decisions=twice)) == LeftOut(
        "several decisions there may be the one that was taken back"
    )
    of_none = GenerationKnowledge(decisions=[decision(50, "none", None)])
    assert undone(of_none, GenerationKnowledge(decisions=[decision(54, "none", None)])) == not_done


def test_edit_applies_to_whatever_version_is_there() -> None:
    edit = made(EditDocument, document="Profile", patch={"city": "Rome"}, document_version=4)

    assert translate(edit, NOTHING, NOTHING) == edit.model_copy(update={"document_version": None})


@pytest.mark.parametrize("command", [made(Reflect), made(Summarise, conversation="c")])
def test_command_without_ids_stays_unchanged(command: Command) -> None:
    assert translate(command, NOTHING, NOTHING) is command


def test_every_event_with_an_id_is_translated_or_not_replayed() -> None:
    """A new command with an id must not be forgotten here."""
    naming = {
        str(event.model_fields["type"].default)
        for event in get_args(AnyEvent)
        for name, field in event.model_fields.items()
        if "UUID" in str(field.annotation) and name not in {"event_id", "publisher", "injected"}
    }

    assert naming <= TRANSLATED | NOT_REPLAYED
    assert naming - NOT_REPLAYED | {"edit_document"} == TRANSLATED
    assert {str(event.model_fields["type"].default) for event in get_args(AnyEvent)} >= NOT_REPLAYED


def test_translated_command_is_an_event_an_app_could_publish() -> None:
    then, now = (
        known(BERLIN),
        known(memory(11, BERLIN.content), memory(12, "User has moved to Berlin", **lives_in("Berlin"))),
    )
    commands: list[Any] = [
        made(Forget, memories=ids(1), reason="by hand"),
        made(Remember, content="User lives in Rome", replaces=UUID(int=1), of_version=2),
    ]

    for command in commands:
        translated = translate(command, then, now)
        assert not isinstance(translated, LeftOut)
        assert parse_event(translated.model_dump(mode="json")) == translated
        assert translated.event_id == command.event_id
