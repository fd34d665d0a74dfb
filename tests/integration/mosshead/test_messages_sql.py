"""The scan of a namespace's messages: exact scores; it finds the best messages with their neighbours, and nothing else."""

import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import Engine, text

from db import turns
from db.turns import NewTurn
from mosshead.paths import NamespacePath
from mosshead.search import messages
from mosshead.search.messages import ScannedMessages
from mosshead.store.connection import in_one_trip
from tests.given import MODEL, Publishing, Remembering, direction

NINE = datetime(2025, 3, 9, 9, tzinfo=UTC)
HERE = direction(1)


@dataclass(frozen=True, slots=True)
class Said:
    """cosine, with_before: with the vector `HERE`."""

    content: str = "It rained."
    cosine: float = 0.0
    with_before: float = 0.0
    speaker: str | None = None


def leaning(cosine: float) -> Any:
    return direction(cosine, math.sqrt(1 - cosine * cosine))


Talk = Callable[..., list[UUID]]
Scan = Callable[..., ScannedMessages]


@pytest.fixture
def talk(ingest_engine: Engine, fresh_namespace: NamespacePath, remembering: Remembering) -> Talk:
    """Return a function that adds a conversation to the namespace, a minute a message, as it is after taking effect."""
    publishing = Publishing(ingest_engine, fresh_namespace)

    def say(conversation: str, *said: Said, start: datetime = NINE) -> list[UUID]:
        events = [
            publishing.message(
                one.content,
                conversation=conversation,
                occurred_at=(start + timedelta(minutes=minute)).isoformat(),
                **({"speaker": one.speaker} if one.speaker else {}),
            )
            for minute, one in enumerate(said)
        ]
        publishing.send(*events)
        ids = [UUID(event["event_id"]) for event in events]
        new = [
            NewTurn(
                message_id=key, said=one.content, embedding=leaning(one.cosine), with_before=leaning(one.with_before)
            )
            for key, one in zip(ids, said, strict=True)
        ]
        with remembering.transaction() as connection:
            turns.add(connection, remembering.lane, MODEL, new)
        return ids

    return say


@pytest.fixture
def scan(reader_engine: Engine, fresh_namespace: NamespacePath) -> Scan:
    def ask(message: str = "Where is the heron?", told: Collection[str] = (), **given: Any) -> ScannedMessages:
        statement = messages.statement_for(
            fresh_namespace, model=MODEL, vector=HERE, message=message, **{"each": 100, **given}
        )
        rows = in_one_trip(reader_engine, fresh_namespace.tenant_id, [statement])[0]
        return messages.scanned(rows, told)

    return ask


def ids(found: ScannedMessages) -> list[UUID]:
    return [one.message.id for one in found.found]


_STEMMED = text("select lexeme, positions from unnest(to_tsvector('english', :one))")
_STORED = text(
    "select message_id, (select jsonb_object_agg(lexeme, cardinality(positions)) from unnest(words)) as words, length "
    "from mosshead.turns where namespace_id = :namespace_id"
)


def bm25(remembering: Remembering, message: str) -> dict[UUID, float]:
    """Compute each message's score by the formula, from its stored words."""
    with remembering.transaction() as connection:
        asked = {row.lexeme for row in connection.execute(_STEMMED, {"one": message})}
        stored = {
            row.message_id: (row.words or {}, row.length)
            for row in connection.execute(_STORED, {"namespace_id": remembering.lane.namespace_id})
        }
    mean = sum(length for _, length in stored.values()) / len(stored)

    def of(words: dict[str, int], length: int) -> float:
        score = 0.0
        for word in asked & words.keys():
            holding = sum(word in other for other, _ in stored.values())
            idf = math.log(1 + (len(stored) - holding + 0.5) / (holding + 0.5))
            score += idf * words[word] * 2.2 / (words[word] + 1.2)
        return float(score * 2.2 / (1 + 1.2 * (0.25 + 0.75 * length / mean)))

    return {key: of(words, length) for key, (words, length) in stored.items()}


def test_scores_and_their_spread_are_exact(talk: Talk, scan: Scan, remembering: Remembering) -> None:
    many = " ".join(["heron"] * 200)
    talk("lake", Said("A heron, herons, the heron's nest", 0.3, 0.1), Said("Where is it?", -0.4, 0.5), Said(many, 0.9))
    talk("town", Said("The tram is green", 0.2, 0.2, speaker="Heron Smith"), Said("Yes", 0.0, 1.0))
    expected = bm25(remembering, "Where is the heron's green nest?")

    found = scan("Where is the heron's green nest?")
    cosines, before = [0.3, -0.4, 0.9, 0.2, 0.0], [0.1, 0.5, 0.0, 0.2, 1.0]
    assert {one.message.id: one.words for one in found.found} == pytest.approx(expected, rel=1e-5)
    assert [one.cosine for one in found.found] == pytest.approx(cosines, abs=1e-3)
    assert [one.with_before for one in found.found] == pytest.approx(before, abs=1e-3)
    for spread, raw in ((found.with_before, before), (found.words, [*expected.values()])):
        assert (spread.mean, spread.deviation) == pytest.approx((np.mean(raw), np.std(raw)), abs=1e-3)


WORDS = st.sampled_from(
    ["heron", "herons", "lake-side", "tram", "it's", "a/b", "C:\\x", "'", "\\", "&", "x@y.org", "3.5"]
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(WORDS, max_size=90).map(" ".join))
def test_any_question_is_scored_by_the_words_postgres_finds_in_it(
    talk: Talk, scan: Scan, remembering: Remembering, question: str
) -> None:
    if not ids(scan()):
        talk(
            "lake", Said("A heron by the lake-side at C:\\x"), Said("It's a/b, and x@y.org at 3.5"), Said("\\ tram & '")
        )
    expected = bm25(remembering, question)
    assert {one.message.id: one.words for one in scan(question).found} == pytest.approx(expected, rel=1e-5)


def test_hyphenated_words_are_searched_whole_and_in_parts(talk: Talk, scan: Scan, remembering: Remembering) -> None:
    question = "lock-keeper tram-stop boat-house reed-bed"
    talk("lake", Said("The reed-bed"), Said("A bed in the boat-house"), Said("Rain"))
    found = {one.message.id: one.words for one in scan(question).found}
    assert found == pytest.approx(bm25(remembering, question), rel=1e-5)


def test_all_words_of_a_long_question_are_searched(talk: Talk, scan: Scan) -> None:
    talk("lake", Said("first"), Said("last"))
    others = " ".join(f"word{number}" for number in range(2_000))
    assert all(one.words > 0 for one in scan(f"first {others} last").found)


def test_message_too_long_for_the_index_is_still_scanned(talk: Talk, scan: Scan, remembering: Remembering) -> None:
    long = " ".join(f"reed{number}" for number in range(9_000))
    talk("lake", Said(f"A heron and {long}", 0.3), Said("No heron", 0.1))
    talk("x" * 200, Said("Heron", 0.2))
    found = scan("Where is the heron?")
    assert sorted(one.cosine for one in found.found) == pytest.approx([0.1, 0.2, 0.3], abs=1e-3)
    expected = bm25(remembering, "Where is the heron?")
    assert {one.message.id: one.words for one in found.found} == pytest.approx(expected, rel=1e-5)


def test_question_without_words_is_scored_by_its_vector_alone(talk: Talk, scan: Scan) -> None:
    talk("lake", Said("A heron", 0.5))
    found = scan("The?")
    assert [one.words for one in found.found] == [0]
    assert [one.cosine for one in found.found] == pytest.approx([0.5], abs=1e-3)
    assert found.words.deviation == 0


@pytest.mark.parametrize(
    ("best", "elsewhere"),
    [
        (Said(with_before=0.5), Said("heron", 0.9, -0.1)),
        (Said("heron"), Said(cosine=0.9, with_before=0.9)),
    ],
    ids=["vector", "words"],
)
def test_best_messages_by_each_score_come_with_their_neighbours(
    talk: Talk, scan: Scan, best: Said, elsewhere: Said
) -> None:
    rest = [Said(cosine=-0.1, with_before=-0.1)] * 4
    talk("town", elsewhere)
    told = talk("lake", *rest, best, *rest)
    assert [one.message.place for one in scan(each=1).found if one.message.id in told] == [3, 4, 5]


def test_equal_scores_do_not_exceed_the_limit_and_no_shared_word_means_no_word_hit(talk: Talk, scan: Scan) -> None:
    told = [talk(f"room-{number}", Said(cosine=0.5, with_before=0.5))[0] for number in range(5)]
    assert ids(scan(each=1)) == [max(told)]
    for number in range(5):
        talk(f"hall-{number}", Said(cosine=-0.1, with_before=-0.1))
    assert sorted(ids(scan(each=5))) == sorted(told)


def test_message_of_another_time_takes_nobodys_place(talk: Talk, scan: Scan) -> None:
    low = Said(cosine=-0.1, with_before=-0.1)
    talk("lake", Said("heron", 0.9, 0.9), low, low, low, Said(cosine=0.5, with_before=0.5))
    found = scan(each=1, among=messages.Among(since=NINE + timedelta(minutes=1)))
    assert [one.message.place for one in found.found] == [3, 4]


def test_message_knows_its_position_and_all_that_was_published_with_it(talk: Talk, scan: Scan) -> None:
    talk("town", Said("Tram"), start=NINE)
    _, second = talk("lake", Said("A heron", speaker="Ines"), Said("Two herons", speaker="Sam"))
    message = next(one.message for one in scan().found if one.message.id == second)
    assert (message.conversation, message.place, message.speaker) == ("lake", 1, "Sam")
    assert (message.content, message.said_at, message.role) == ("Two herons", NINE + timedelta(minutes=1), "user")


def test_neighbours_are_of_the_same_conversation(talk: Talk, scan: Scan) -> None:
    talk("a", Said(), Said("heron", 0.9, 0.9))
    stranger, *_ = talk("b", Said(cosine=-0.5, with_before=-0.5), Said(cosine=-0.6, with_before=-0.6))
    assert stranger not in ids(scan(each=1))


def test_excluded_messages_are_left_out(talk: Talk, scan: Scan) -> None:
    first, second, third = talk("lake", Said("A heron"), Said("Another heron"), Said("No heron"))
    (other,) = talk("town", Said("A heron"), start=NINE + timedelta(hours=1))

    assert ids(scan(told=["a heron"])) == [second, third]
    assert ids(scan(told=[])) == [first, second, third, other]


def test_one_conversation_can_be_searched_alone(talk: Talk, scan: Scan) -> None:
    here = talk("lake", Said("A heron"), Said("Rain"))
    talk("town", Said("A heron", 0.9, 0.9))
    found = scan(among=messages.Among(conversation="lake"))
    assert ids(found) == here
    assert found.with_before.mean == pytest.approx(0.0, abs=1e-3)


@pytest.mark.parametrize(
    ("since", "until", "places"), [(1, None, [1, 2]), (None, 2, [0, 1]), (1, 2, [1]), (5, None, [])]
)
def test_only_messages_of_a_time_span_are_found_and_keep_their_position(
    talk: Talk, scan: Scan, since: int | None, until: int | None, places: Sequence[int]
) -> None:
    talk("lake", Said("A heron"), Said("Two herons"), Said("Three herons"))
    times = [None if one is None else NINE + timedelta(minutes=one) for one in (since, until)]
    found = scan(among=messages.Among(since=times[0], until=times[1]))
    assert [one.message.place for one in found.found] == places


def test_messages_of_another_namespace_are_not_found(talk: Talk, scan: Scan, ingest_engine: Engine) -> None:
    assert ids(scan()) == []
    assert scan().words.normalised(3.0) == 0.0
    told = talk("lake", Said("A heron"))
    assert ids(scan()) == told
