"""What was forgotten by hand, forgotten again in another generation."""

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
    """What is forgotten there when the first memory, or those given, are forgotten here."""
    translated = translate(made(Forget, memories=ids(*(numbers or (1,)))), then, now)
    assert isinstance(translated, Forget | LeftOut)
    return translated if isinstance(translated, LeftOut) else translated.memories


def test_all_that_says_what_was_forgotten_is_forgotten() -> None:
    now = known(memory(11, "User lives in Berlin"), memory(12, "User has moved to Berlin", **lives_in("Berlin")))

    assert forgotten(known(BERLIN), now) == ids(11, 12)
    assert forgotten(known(WHOLE), known(memory(11, "User lives in Berlin"), memory(13, CAT.content)), 4) == ids(11, 13)


def test_what_has_no_counterpart_is_passed_over_unless_nothing_has_one() -> None:
    assert forgotten(known(BERLIN, CAT), known(memory(13, CAT.content)), 1, 3) == ids(13)
    assert forgotten(known(BERLIN), known(memory(13, CAT.content))) == LeftOut("nothing there says what was forgotten")
    assert forgotten(NOTHING, known(memory(1, BERLIN.content))) == LeftOut(
        "nothing there says what was forgotten", done=True
    )


def test_where_nothing_at_all_was_taken_from_its_messages_nothing_is_missing() -> None:
    elsewhere = memory(13, CAT.content, UUID(int=99))

    assert forgotten(known(BERLIN), NOTHING) == LeftOut("nothing there says what was forgotten", done=True)
    assert forgotten(known(BERLIN), known(elsewhere)) == LeftOut("nothing there says what was forgotten", done=True)


def test_what_is_left_of_several_that_were_forgotten_is_told() -> None:
    both = made(Forget, memories=ids(1, 3))
    then = known(BERLIN, CAT)

    assert left_unsaid(both, then, known(memory(13, CAT.content))) == "nothing there says what was forgotten"
    assert left_unsaid(both, then, known(memory(13, CAT.content), memory(11, BERLIN.content))) is None
    assert left_unsaid(both, then, NOTHING) is None
    assert left_unsaid(made(Undo, decision_id=UUID(int=1)), then, NOTHING) is None


def test_what_says_what_stays_as_well_is_not_forgotten() -> None:
    left_out = LeftOut("what says it there says what stays, too")
    again = memory(5, "User has settled in Berlin", **lives_in("Berlin"))

    assert forgotten(known(BERLIN, again), known(memory(11, BERLIN.content, **lives_in("Berlin")))) == left_out
    assert forgotten(known(BERLIN, CAT), known(memory(14, WHOLE.content, **lives_in("Berlin")))) == left_out
    assert forgotten(known(BERLIN, WHOLE), known(memory(11, BERLIN.content))) == left_out
    closed = memory(15, again.content, active=False, **lives_in("Berlin"))
    assert forgotten(known(BERLIN, again), known(memory(11, BERLIN.content, **lives_in("Berlin")), closed)) == left_out


def test_what_is_known_no_longer_holds_nothing_back() -> None:
    closed = memory(5, "User has settled in Berlin", active=False, **lives_in("Berlin"))
    shadow = memory(11, "User lives in Berlin", **lives_in("Berlin"))

    assert forgotten(known(BERLIN, closed), known(shadow)) == ids(11)
    again = memory(5, "User has settled in Berlin", **lives_in("Berlin"))
    shadow_closed = memory(11, BERLIN.content, active=False, **lives_in("Berlin"))
    assert forgotten(known(BERLIN, again), known(shadow_closed)) == ids(11)
    assert forgotten(known(BERLIN, again), known(shadow), 1, 5) == ids(11)


def test_what_another_has_a_better_counterpart_for_is_forgotten() -> None:
    again = memory(5, "User has settled in Berlin", **lives_in("Berlin"))
    now = known(memory(11, BERLIN.content, **lives_in("Berlin")), memory(15, again.content, **lives_in("Berlin")))

    assert forgotten(known(BERLIN, again), now) == ids(11)
    assert forgotten(
        known(BERLIN, CAT), known(memory(14, WHOLE.content, **lives_in("Berlin")), memory(13, CAT.content))
    ) == ids(14)


def test_what_is_more_like_something_that_stays_is_not_forgotten() -> None:
    near = memory(12, "User's sister lives in Berlin", cosine=0.84)

    assert forgotten(known(BERLIN, SISTER), known(memory(11, BERLIN.content), near)) == ids(11)
    assert forgotten(known(BERLIN, SISTER), known(near)) == LeftOut("nothing there says what was forgotten")
    assert forgotten(known(WHOLE, CAT), known(memory(11, BERLIN.content), memory(13, CAT.content)), 4) == ids(11)


def test_what_is_merely_near_to_something_that_stays_is_forgotten() -> None:
    assert forgotten(known(BERLIN, SISTER), known(memory(11, BERLIN.content, cosine=1.0))) == ids(11)


def test_what_was_said_in_the_very_words_is_forgotten_with_all_its_parts() -> None:
    assert forgotten(known(WHOLE, CAT), known(memory(14, WHOLE.content)), 4) == ids(14)


def test_a_part_that_something_that_stays_tells_too_is_not_forgotten() -> None:
    fed = memory(5, "User feeds her cat Tom fish")

    assert forgotten(known(WHOLE, fed), known(memory(11, BERLIN.content), memory(13, CAT.content)), 4) == ids(11)


def test_what_an_app_put_down_by_its_own_hand_is_forgotten_whatever_else_says_it() -> None:
    said = memory(5, BERLIN.content)

    assert forgotten(known(BERLIN, said), known(BERLIN)) == ids(1)


def test_more_than_an_event_may_name_is_left_out() -> None:
    now = known(*(memory(number, BERLIN.content) for number in range(1_000, 1_201)))

    too_many = LeftOut("more memories there say it than one event may name")
    assert forgotten(known(BERLIN), now) == too_many

    split = made(Split, entity_id=UUID(int=7), memories=ids(1))
    then = GenerationKnowledge(memories=[BERLIN], people=[person(7, "peter")])
    more = [memory(number, BERLIN.content) for number in range(1_000, 2_001)]
    assert translate(split, then, GenerationKnowledge(memories=more, people=then.people)) == too_many
