"""Memories forgotten by hand, forgotten again in another generation."""

from uuid import UUID

from mosshead.events.commands import Forget, Split, Undo
from pipeline.replay.models import GenerationKnowledge
from pipeline.replay.translate import LeftOut, left_unsaid, translate
from tests.unit.pipeline.replay.generations import (
    BERLIN,
    CAT,
    NOTHING,
    SISTER,
    WHOLE,
    ids,
    known,
    lives_in,
    made,
    memory,
    person,
)


def forgotten(then: GenerationKnowledge, now: GenerationKnowledge, *numbers: int) -> list[UUID] | LeftOut:
    """Return what is forgotten there when the first memory, or those given, are forgotten here."""
    translated = translate(made(Forget, memories=ids(*(numbers or (1,)))), then, now)
    assert isinstance(translated, Forget | LeftOut)
    return translated if isinstance(translated, LeftOut) else translated.memories


def test_every_memory_with_the_forgotten_content_is_forgotten() -> None:
    now = known(memory(11, "User lives in Berlin"), memory(12, "User has moved to Berlin", **lives_in("Berlin")))

    assert forgotten(known(BERLIN), now) == ids(11, 12)
    assert forgotten(known(WHOLE), known(memory(11, "User lives in Berlin"), memory(13, CAT.content)), 4) == ids(11, 13)


def test_memory_without_a_counterpart_is_skipped_unless_none_has_one() -> None:
    assert forgotten(known(BERLIN, CAT), known(memory(13, CAT.content)), 1, 3) == ids(13)
    assert forgotten(known(BERLIN), known(memory(13, CAT.content))) == LeftOut("nothing there says what was forgotten")
    assert forgotten(NOTHING, known(memory(1, BERLIN.content))) == LeftOut(
        "nothing there says what was forgotten", done=True
    )


def test_nothing_is_missing_where_its_messages_gave_no_memory() -> None:
    elsewhere = memory(13, CAT.content, UUID(int=99))

    assert forgotten(known(BERLIN), NOTHING) == LeftOut("nothing there says what was forgotten", done=True)
    assert forgotten(known(BERLIN), known(elsewhere)) == LeftOut("nothing there says what was forgotten", done=True)


def test_rest_of_several_forgotten_memories_is_reported() -> None:
    both = made(Forget, memories=ids(1, 3))
    then = known(BERLIN, CAT)

    assert left_unsaid(both, then, known(memory(13, CAT.content))) == "nothing there says what was forgotten"
    assert left_unsaid(both, then, known(memory(13, CAT.content), memory(11, BERLIN.content))) is None
    assert left_unsaid(both, then, NOTHING) is None
    assert left_unsaid(made(Undo, decision_id=UUID(int=1)), then, NOTHING) is None


def test_memory_that_also_says_what_stays_is_not_forgotten() -> None:
    left_out = LeftOut("what says it there says what stays, too")
    again = memory(5, "User has settled in Berlin", **lives_in("Berlin"))

    assert forgotten(known(BERLIN, again), known(memory(11, BERLIN.content, **lives_in("Berlin")))) == left_out
    assert forgotten(known(BERLIN, CAT), known(memory(14, WHOLE.content, **lives_in("Berlin")))) == left_out
    assert forgotten(known(BERLIN, WHOLE), known(memory(11, BERLIN.content))) == left_out
    closed = memory(15, again.content, active=False, **lives_in("Berlin"))
    assert forgotten(known(BERLIN, again), known(memory(11, BERLIN.content, **lives_in("Berlin")), closed)) == left_out


def test_inactive_memory_protects_nothing() -> None:
    closed = memory(5, "User has settled in Berlin", active=False, **lives_in("Berlin"))
    shadow = memory(11, "User lives in Berlin", **lives_in("Berlin"))

    assert forgotten(known(BERLIN, closed), known(shadow)) == ids(11)
    again = memory(5, "User has settled in Berlin", **lives_in("Berlin"))
    shadow_closed = memory(11, BERLIN.content, active=False, **lives_in("Berlin"))
    assert forgotten(known(BERLIN, again), known(shadow_closed)) == ids(11)
    assert forgotten(known(BERLIN, again), known(shadow), 1, 5) == ids(11)


def test_memory_is_forgotten_if_the_one_that_stays_has_a_better_counterpart() -> None:
    again = memory(5, "User has settled in Berlin", **lives_in("Berlin"))
    now = known(memory(11, BERLIN.content, **lives_in("Berlin")), memory(15, again.content, **lives_in("Berlin")))

    assert forgotten(known(BERLIN, again), now) == ids(11)
    assert forgotten(
        known(BERLIN, CAT), known(memory(14, WHOLE.content, **lives_in("Berlin")), memory(13, CAT.content))
    ) == ids(14)


def test_memory_more_similar_to_one_that_stays_is_not_forgotten() -> None:
    near = memory(12, "User's sister lives in Berlin", cosine=0.84)

    assert forgotten(known(BERLIN, SISTER), known(memory(11, BERLIN.content), near)) == ids(11)
    assert forgotten(known(BERLIN, SISTER), known(near)) == LeftOut("nothing there says what was forgotten")
    assert forgotten(known(WHOLE, CAT), known(memory(11, BERLIN.content), memory(13, CAT.content)), 4) == ids(11)


def test_memory_merely_near_one_that_stays_is_forgotten() -> None:
    assert forgotten(known(BERLIN, SISTER), known(memory(11, BERLIN.content, cosine=1.0))) == ids(11)


def test_memory_in_the_same_words_is_forgotten_with_all_its_parts() -> None:
    assert forgotten(known(WHOLE, CAT), known(memory(14, WHOLE.content)), 4) == ids(14)


def test_part_that_also_belongs_to_one_that_stays_is_not_forgotten() -> None:
    fed = memory(5, "User feeds her cat Tom fish")

    assert forgotten(known(WHOLE, fed), known(memory(11, BERLIN.content), memory(13, CAT.content)), 4) == ids(11)


def test_memory_an_app_wrote_itself_is_forgotten_whatever_else_says_it() -> None:
    said = memory(5, BERLIN.content)

    assert forgotten(known(BERLIN, said), known(BERLIN)) == ids(1)


def test_memories_beyond_the_limit_of_an_event_are_left_out() -> None:
    now = known(*(memory(number, BERLIN.content) for number in range(1_000, 1_201)))

    too_many = LeftOut("more memories there say it than one event may name")
    assert forgotten(known(BERLIN), now) == too_many

    split = made(Split, entity_id=UUID(int=7), memories=ids(1))
    then = GenerationKnowledge(memories=[BERLIN], people=[person(7, "peter")])
    more = [memory(number, BERLIN.content) for number in range(1_000, 2_001)]
    assert translate(split, then, GenerationKnowledge(memories=more, people=then.people)) == too_many
