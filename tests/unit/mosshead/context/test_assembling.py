"""Assembling a context: required items are in it, nothing twice, within the budget, in whatever order they were found."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mosshead.context.assemble import WEIGHTS, assemble, paths
from mosshead.language.requests import content_words
from mosshead.models.context import Context
from mosshead.models.kinds import Granularity, MemoryKind
from mosshead.models.memories import Occurrence
from mosshead.models.messages import StoredMessage
from mosshead.search.memories import Bearing, MemoryFound, rank_memories
from mosshead.search.messages import MessageFound, RankedMessage
from mosshead.search.rerank import Judge
from tests.reading_given import LONG_AGO, NOW, entity, found, message, scanned

VERA = 0


def said(*, message: StoredMessage, score: float) -> RankedMessage:
    """Return a message with its score."""
    raw = MessageFound(message=message, cosine=0.5, with_before=0.4, words=2.0)
    return RankedMessage(found=raw, score=score, _row=0, _parts={"words": np.array([score]), "when": np.array([0.0])})


def count(text: str) -> int:
    """A tokenizer of words and marks, additive over lines like the model's own."""
    return len(text.replace(":", " : ").replace("(", " ( ").replace(")", " ) ").replace("- ", " - ").split())


def context(
    *those: MemoryFound,
    messages: Sequence[RankedMessage] = (),
    budget: int = 1000,
    named: bool = False,
    judge: Judge | None = None,
    now: datetime = NOW,
    related: bool = True,
) -> Context:
    bearings = {entity(one): Bearing(memories=400) for one in range(4)}
    names = {entity(VERA): "Vera"} if named else {}
    ranked = rank_memories(scanned(*those, bearings=bearings), named=list(names))
    return assemble(
        paths(ranked, names),
        messages=messages,
        related=related,
        judge=judge,
        budget=budget,
        count_tokens=count,
        now=now,
        partial=False,
    )


def numbers(one: Context) -> list[int]:
    return [memory.id.int - 1 for memory in one.memories]


def test_context_of_nothing_is_empty() -> None:
    empty = context()
    assert (empty.text, empty.tokens, empty.memories, empty.messages, empty.explain()) == ("", 0, (), (), ())


def test_context_of_memories_has_a_line_each() -> None:
    shown = context(found(0, 2.0, content="Vera plays\nthe cello."), found(1, 1.0, content="It rains."), budget=100)
    assert shown.text == "- Vera plays the cello.\n- It rains."


def test_memories_of_one_subject_are_adjacent() -> None:
    of_vera: dict[str, Any] = {"about": ("Vera",)}
    shown = context(found(0, 3.0, **of_vera), found(1, 2.0, about=("Bruno",)), found(2, 1.0, **of_vera), found(3, 0.5))
    assert numbers(shown) == [0, 2, 1, 3]


def test_messages_are_under_their_day_in_time_order() -> None:
    late = message(3, said_at=LONG_AGO + timedelta(days=1, hours=1), speaker="Vera", content="I sold the boat.")
    there = message(9, conversation="shed", said_at=LONG_AGO + timedelta(days=1), content="Paint is dear.")
    early = message(1, content="We mended the mast.")
    shown = context(
        found(0, content="It rains."), messages=[said(message=one, score=3.0) for one in (late, there, early)]
    )
    assert shown.text == (
        "- It rains.\n"
        "4 May 2016:\nuser: We mended the mast.\n"
        "5 May 2016:\nuser: Paint is dear.\n"
        "5 May 2016:\nVera: I sold the boat."
    )
    assert shown.messages == (early, there, late)
    assert [one.message or one.memory for one in shown.explain()] == [*shown.memories, *shown.messages]


def test_two_conversations_of_one_day_are_not_mixed() -> None:
    there = message(9, conversation="shed", said_at=LONG_AGO + timedelta(hours=1))
    here = [message(number, said_at=LONG_AGO + timedelta(hours=2 * number)) for number in range(2)]
    shown = context(messages=[said(message=one, score=3.0) for one in (there, *here)])
    assert shown.messages == (*here, there)
    assert shown.text.count("4 May 2016:") == 2
    assert shown.tokens == count(shown.text)


def test_events_show_their_time_in_any_budget() -> None:
    day = datetime(2026, 2, 16, tzinfo=UTC)
    month, year = (
        Occurrence(start=datetime(*start, 1, tzinfo=UTC), end=datetime(*end, 1, tzinfo=UTC), granularity=granularity)
        for start, end, granularity in (
            ((2025, 11), (2025, 12), Granularity.MONTH),
            ((2024, 1), (2025, 1), Granularity.YEAR),
        )
    )
    events = [
        found(0, 5.0, content="He fell.", kind=MemoryKind.EVENT, said_at=day),
        found(1, 4.0, content="She won.", kind=MemoryKind.EVENT, occurred=month),
        found(2, 3.0, content="They met.", kind=MemoryKind.EVENT, occurred=year),
        found(3, 2.0, content="It closed in May 2021.", kind=MemoryKind.EVENT, said_at=day),
        found(4, 1.0, content="He sings.", said_at=day),
    ]
    assert context(*events, budget=399).text.splitlines() == [
        "- He fell. (16 February 2026)",
        "- She won. (November 2025)",
        "- They met. (2024)",
        "- It closed in May 2021.",
        "- He sings.",
    ]


def test_day_in_tokyo_is_shown_as_that_day() -> None:
    midnight = datetime(2023, 5, 9, tzinfo=timezone(timedelta(hours=9)))
    day = Occurrence(start=midnight, end=midnight + timedelta(days=1), granularity=Granularity.DAY)
    year = Occurrence(start=midnight.replace(month=1, day=1), end=midnight, granularity=Granularity.YEAR)
    events = [
        found(number, 3.0 - number, content=f"It was {number}.", kind=MemoryKind.EVENT, occurred=one)
        for number, one in enumerate((day, year))
    ]
    assert context(*events, budget=400).text.splitlines() == ["- It was 0. (9 May 2023)", "- It was 1. (2023)"]


def test_required_items_of_a_path_are_there_whatever_the_others_find() -> None:
    """The oldest memory of Vera, and the process: neither fits best among a hundred that do."""
    crowd = [found(number, 3.5, 0.0, VERA, said_at=NOW) for number in range(10, 110)]
    first = found(0, -1.0, 0.0, VERA, content="Vera is one of our welders")
    process = found(1, 3.1, content="To weld is to wait", kind=MemoryKind.PROCESS)
    shown = context(*crowd, first, process, named=True, budget=60)
    assert {0, 1} <= set(numbers(shown))
    assert {one.memory.id.int - 1 for one in shown.explain() if one.guaranteed and one.memory} >= {0, 1}


@pytest.mark.parametrize("memory_first", [True, False])
def test_fact_and_its_source_message_count_once(memory_first: bool) -> None:
    source = message(1)
    told = f"Vera said this: {source.content}"
    fact = found(0, 3.0 if memory_first else -3.0, sources=(source.id,), content=told)
    shown = context(found(5, 9.0), fact, messages=[said(message=source, score=0.0)])
    assert (0 in numbers(shown), source in shown.messages) == (memory_first, not memory_first)


def test_message_that_says_more_than_its_memory_is_shown_if_there_is_room() -> None:
    source = replace(message(1), content="This is my dog Pepper, she's a beagle.")
    fact = found(0, 3.0, sources=(source.id,), content="Pepper is User's dog")
    room, none = (context(fact, messages=[said(message=source, score=0.0)], budget=budget) for budget in (100, 8))
    assert (numbers(room), room.messages) == ([0], (source,))
    assert (numbers(none), none.messages) == ([0], ())


def test_fact_from_two_messages_is_there_next_to_one_of_them() -> None:
    one, other = message(1), message(2)
    fact = found(0, 0.0, sources=(one.id, other.id))
    shown = context(found(5, 9.0), fact, messages=[said(message=one, score=5.0)])
    assert (0 in numbers(shown), one in shown.messages) == (True, True)


def test_same_words_are_there_once() -> None:
    those = [
        found(number, float(number), content=content) for number, content in enumerate(["It  Rains.", "it rains."])
    ]
    assert numbers(context(*those, messages=[said(message=message(1, content="IT RAINS."), score=9.0)])) == [1]


def test_item_that_does_not_fit_is_skipped_for_one_that_does() -> None:
    long, short = found(0, 2.0, content="word " * 50), found(1, 1.0, content="short")
    assert numbers(context(long, short, budget=20)) == [1]


def test_share_is_a_ceiling_only_against_equally_good_items() -> None:
    """With many recent items, some give way to nearly as good ones; none give way to worse ones."""
    lately = NOW - timedelta(days=20)
    recent = [found(number, 3.0 - number / 100, content=f"one two {number}", said_at=lately) for number in range(8)]
    near, far = found(20, 2.95, content="one two three"), found(21, 2.0, content="one three two")
    assert sorted(numbers(context(*recent, near, far, budget=20))) == [0, 1, 2, 3, 20]
    assert sorted(numbers(context(*recent, far, budget=20))) == [0, 1, 2, 3, 4]


def test_explanation_of_a_memory_has_all_parts_of_its_score() -> None:
    fact = found(0, 2.0, 3.0, VERA, said_at=NOW - timedelta(days=8), salience=6.0, sources=(message(1).id,))
    (why,) = context(fact, named=True).explain()
    assert why.memory is not None
    assert (why.memory.similarity, why.cosine, why.words, why.sources) == (2.0, 2.0, 3.0, fact.sources)
    assert (why.paths, why.guaranteed, why.content) == (("entity: Vera", "semantic"), True, "fact 0")
    assert {"dense": 2.0, "foundation": 1.0}.items() <= why.parts.items()
    assert "when" not in why.parts
    assert why.base == pytest.approx(sum(why.parts.values()) * 0.2 + 6.0 * 0.02 + 0.8 * 0.05)
    assert (why.boost, why.score) == (0.08, why.base + 0.08)


def test_explanation_of_a_message_has_all_parts_of_its_score() -> None:
    (why,) = context(messages=[said(message=message(1), score=3.0)]).explain()
    assert (why.memory, why.message, why.paths, why.guaranteed) == (None, message(1), ("conversation",), False)
    assert (why.cosine, why.words, why.parts, why.sources) == (0.5, 2.0, {"words": 3.0}, ())
    assert why.score == why.base == pytest.approx(3.0 * 0.2)


@given(cosine=st.floats(-3, 6), salience=st.floats(0, 10), days=st.integers(0, 6), years=st.integers(0, 30))
def test_time_changes_only_the_boost(cosine: float, salience: float, days: int, years: int) -> None:
    """The base score of a message from 2016 never changes."""

    def why(said_at: datetime, now: datetime) -> Any:
        return context(found(0, cosine, salience=salience, said_at=said_at), now=now).explain()[0]

    for age, boost in ((days, 0.15), (days + 7, 0.08), (days + 30, 0.03), (days + 90, 0.0)):
        old, new = why(LONG_AGO, NOW + timedelta(days=365 * years)), why(NOW - timedelta(days=age), NOW)
        assert (old.boost, new.boost, new.base) == (0.0, boost, old.base)
        assert new.score - old.score == pytest.approx(boost, abs=1e-12)


@given(
    memories=st.lists(
        st.tuples(st.floats(-2, 6), st.text("ab \n:-(", min_size=1, max_size=30), st.integers(0, 40), st.booleans()),
        max_size=25,
    ),
    messages=st.lists(st.tuples(st.floats(-2, 6), st.text("ab \n:-(", min_size=1, max_size=30)), max_size=15),
    budget=st.integers(0, 120),
    shuffled=st.randoms(use_true_random=False),
)
def test_context_is_within_the_budget_and_deterministic(
    memories: list[tuple[float, str, int, bool]],
    messages: list[tuple[float, str]],
    budget: int,
    shuffled: Any,
) -> None:
    those = [
        found(
            number,
            cosine,
            0.0,
            *((VERA,) if hers else ()),
            content=content,
            said_at=NOW - timedelta(days=days),
            sources=(message(number).id,) if hers else (),
        )
        for number, (cosine, content, days, hers) in enumerate(memories)
    ]
    told = [said(message=message(number, content=text), score=score) for number, (score, text) in enumerate(messages)]
    first = context(*those, messages=told, budget=budget, named=True)
    shuffled.shuffle(those)
    shuffled.shuffle(told)
    again = context(*those, messages=told, budget=budget, named=True)

    assert again == first
    assert first.tokens == count(first.text) <= budget
    assert len(first.text.splitlines()) >= len(first.memories) + len(first.messages)
    shown = [" ".join(one.content.casefold().split()) for one in first.explain()]
    assert len(shown) == len(set(shown))
    told_by = {source: one.content for one in first.explain() for source in one.sources}
    assert all(content_words(one.content) for one in first.messages if one.id in told_by), (
        "it says more than its memory"
    )


class TestASecondOpinion:
    GIVEN = (found(0, 3.0, content="It rains."), found(1, 2.0, content="It snows."), found(2, 1.0, content="It hails."))

    def test_reranker_puts_last_first_where_there_is_room_for_two(self) -> None:
        def last_first(texts: Sequence[str]) -> list[float]:
            return [float("hails" in text) for text in texts]

        kept = context(*self.GIVEN, budget=2 * count("- It rains."), judge=last_first)
        assert {memory.content for memory in kept.memories} == {"It rains.", "It hails."}

    def test_scores_are_reassigned_in_the_new_order(self) -> None:
        before = context(*self.GIVEN)
        after = context(
            *self.GIVEN, judge=lambda texts: [float(len(texts) - place) for place in range(len(texts))][::-1]
        )
        assert sorted(one.score for one in before.explain()) == sorted(one.score for one in after.explain())
        assert {one.content: one.base for one in before.explain()} == {one.content: one.base for one in after.explain()}

    def test_item_the_reranker_omits_is_gone_even_if_required(self) -> None:
        judged = context(*self.GIVEN, judge=lambda texts: [None if "rains" in text else 0.0 for text in texts])
        assert {memory.content for memory in judged.memories} == {"It snows.", "It hails."}

    def test_messages_are_reranked_too(self) -> None:
        one = said(message=message(1, content="The boat is called Ada."), score=1.0)
        judged = context(
            *self.GIVEN, messages=[one], judge=lambda texts: [float("boat" in text) or None for text in texts]
        )
        assert (judged.memories, [shown.content for shown in judged.messages]) == ((), ["The boat is called Ada."])

    @pytest.mark.parametrize("answer", [None, 0.0], ids=["none", "all alike"])
    def test_all_items_stay_without_an_answer_even_if_required_ones_score_lowest(self, answer: float | None) -> None:
        oldest = found(3, -2.0, 0.0, VERA, content="Vera was born in Oslo.")
        later = found(4, 2.0, 0.0, VERA, content="Vera sings.", said_at=NOW)
        given = (oldest, later, *self.GIVEN)
        judged = context(*given, named=True, judge=lambda texts: None if answer is None else [answer] * len(texts))
        assert judged == context(*given, named=True)


SEATTLE = timezone(-timedelta(hours=8))
MONDAY = datetime(2026, 3, 2, 20, tzinfo=SEATTLE)
"""In the evening: Tuesday, 04:00 in UTC."""


def test_no_heading_separates_a_speaker_in_another_zone_from_the_answer_in_the_servers() -> None:
    talk = [MONDAY + timedelta(minutes=minute) for minute in range(4)]
    turns = [at.astimezone(UTC) if number % 2 else at for number, at in enumerate(talk)]
    for shift, day in ((0, "2 March 2026"), (1, "3 March 2026")):  # the first speaker decides the day
        there = [said(message=message(number, said_at=at), score=1.0) for number, at in enumerate(turns[shift:])]
        lines = context(messages=there).text.splitlines()
        assert lines == [f"{day}:", *(f"user: said {number}" for number in range(len(there)))]


def test_next_day_has_its_own_heading_in_any_zone() -> None:
    days = [MONDAY, MONDAY + timedelta(hours=12), (MONDAY + timedelta(days=1, hours=12)).astimezone(UTC)]
    there = [said(message=message(number, said_at=at), score=1.0) for number, at in enumerate(days)]
    headings = [line for line in context(messages=there).text.splitlines() if line.endswith(":")]
    assert headings == ["2 March 2026:", "3 March 2026:", "4 March 2026:"]


@given(
    st.lists(st.tuples(st.integers(0, 80), st.integers(-14, 14), st.sampled_from("ab")), min_size=1, max_size=12),
    st.integers(1, 60),
)
def test_context_is_within_the_budget_in_any_zones(said_at: list[tuple[int, int, str]], budget: int) -> None:
    there = [
        said(
            message=message(
                number,
                conversation=conversation,
                said_at=(MONDAY + timedelta(hours=hours)).astimezone(timezone(timedelta(hours=zone))),
            ),
            score=1.0,
        )
        for number, (hours, zone, conversation) in enumerate(said_at)
    ]
    made = context(messages=there, budget=budget)
    assert made.tokens <= budget
    assert sorted(line for line in made.text.splitlines() if line.startswith("user:")) == sorted(
        f"user: {one.content}" for one in made.messages
    )


def spread(many: int, best: float) -> list[RankedMessage]:
    """Return that many messages, whose scores in a context fall from the best by a twentieth of it each."""
    return [
        said(message=message(place, content=f"line {place}"), score=(best - best * place / 20) / WEIGHTS.message)
        for place in range(many)
    ]


def test_unrelated_message_gets_only_outstanding_items() -> None:
    many = spread(60, best=1.6)
    shown = context(messages=many, related=False)
    assert [one.place for one in shown.messages] == list(range(8))
    assert len(context(messages=many).messages) == 60
    assert len(context(found(0, 9.0), messages=many, related=False, named=True).memories) == 1


def test_path_delivers_even_for_an_unrelated_message() -> None:
    shown = context(found(0, -1.0), messages=spread(60, best=0.5), related=False)
    assert (numbers(shown), shown.messages) == ([0], ())
