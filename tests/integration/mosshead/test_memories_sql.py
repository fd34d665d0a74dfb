"""The scan of a namespace's memories: exact scores; it fetches all that a context may need, from this namespace only."""

import math
from collections.abc import Collection, Sequence
from datetime import timedelta
from uuid import UUID

import numpy as np
import pytest
from sqlalchemy import Engine, text

from db import memories
from mosshead.models.kinds import EntityType
from mosshead.paths import NamespacePath
from mosshead.search import memories as memories_sql
from mosshead.search.memories import ScannedMemories
from mosshead.store.connection import in_one_trip
from tests.given import MODEL, NOON, Remembering, direction

MESSAGE = "Where does the heron of the lock-keeper nest, and where do herons sleep?"
_STEMMED = text("select lexeme, positions from unnest(to_tsvector('english', :one))")
CONTENTS = (
    "A heron nests by the lock",
    "The heron sleeps on the heron's own perch, as herons do",
    "The lock-keeper paints boats",
    "Trams are green",
    "It rained",
)


def scan(
    engine: Engine,
    path: NamespacePath,
    message: str = MESSAGE,
    *,
    named: Collection[UUID] = (),
    contested: Collection[UUID] = (),
) -> ScannedMemories:
    statement = memories_sql.statement_for(
        path, model=MODEL, vector=direction(1), message=message, named=named, contested=contested
    )
    return memories_sql.scanned(in_one_trip(engine, path.tenant_id, [statement])[0])


def contents(scanned: ScannedMemories) -> set[str]:
    return {one.memory.content for one in scanned.memories}


def bm25(remembering: Remembering, message: str, those: Sequence[str]) -> list[float]:
    """Compute the score by the formula, from the words as Postgres stems them."""
    with remembering.transaction() as connection:
        words = [
            {row.lexeme: len(row.positions) for row in connection.execute(_STEMMED, {"one": one})}
            for one in (message, *those)
        ]
    asked, *stored = words
    mean = sum(sum(one.values()) for one in stored) / len(stored)

    def of(one: dict[str, int]) -> float:
        score = 0.0
        for word in asked.keys() & one.keys():
            holding = sum(word in other for other in stored)
            idf = math.log(1 + (len(stored) - holding + 0.5) / (holding + 0.5))
            score += idf * one[word] * 2.2 / (one[word] + 1.2)
        return score * 2.2 / (1 + 1.2 * (0.25 + 0.75 * sum(one.values()) / mean))

    return [of(one) for one in stored]


def test_scores_and_their_spread_are_exact(
    remembering: Remembering, reader_engine: Engine, fresh_namespace: NamespacePath
) -> None:
    cosines = []
    for number, content in enumerate(CONTENTS):
        vector = direction(1, number / 3, number % 2)
        cosines.append(float(vector[0]))
        remembering.memory(content, vector)
    expected = bm25(remembering, MESSAGE, CONTENTS)

    found = scan(reader_engine, fresh_namespace)
    by_content = {one.memory.content: one for one in found.memories}
    assert [by_content[one].words for one in CONTENTS] == pytest.approx(expected, rel=1e-5)
    assert [by_content[one].cosine for one in CONTENTS] == pytest.approx(cosines, abs=1e-3)
    assert [by_content[one].memory.similarity for one in CONTENTS] == pytest.approx(cosines, abs=1e-3)
    assert (found.cosine.mean, found.cosine.deviation) == pytest.approx((np.mean(cosines), np.std(cosines)), abs=1e-3)
    assert (found.words.mean, found.words.deviation) == pytest.approx((np.mean(expected), np.std(expected)), rel=1e-5)


def test_frequency_of_a_word_counts_up_to_the_stored_limit(
    remembering: Remembering, reader_engine: Engine, fresh_namespace: NamespacePath
) -> None:
    those = [f"{'heron ' * times} by the lock-keeper's tram" for times in (1, 2, 3, 5, 9, 30, 100, 255)]
    for content in those:
        remembering.memory(content, direction(1))
    found = {one.memory.content: one.words for one in scan(reader_engine, fresh_namespace).memories}
    assert [found[one] for one in those] == pytest.approx(bm25(remembering, MESSAGE, those), rel=1e-5)


def test_spread_covers_all_scanned_rows_and_not_only_the_fetched(
    remembering: Remembering, reader_engine: Engine, fresh_namespace: NamespacePath
) -> None:
    numbers = range(70)
    remembering.memories([f"Tram {number}" for number in numbers], [direction(1, number) for number in numbers])
    found = scan(reader_engine, fresh_namespace, "Which?")
    assert len(found.memories) == 40
    assert found.cosine.mean == pytest.approx(np.mean([direction(1, number)[0] for number in range(70)]), abs=1e-3)
    assert min(one.cosine for one in found.memories) > found.cosine.mean / 10


def test_empty_namespace_finds_nothing(reader_engine: Engine, fresh_namespace: NamespacePath) -> None:
    assert scan(reader_engine, fresh_namespace).memories == ()


@pytest.mark.parametrize("message", ["", "the of and", "'; drop -- \\ ' | & !", "\u00e9t\u00e9 \u6c49"])
def test_message_without_search_words_is_no_error(
    remembering: Remembering, reader_engine: Engine, fresh_namespace: NamespacePath, message: str
) -> None:
    remembering.memory("Trams are green", direction(1))
    (found,) = scan(reader_engine, fresh_namespace, message).memories
    assert (found.words, round(found.cosine, 3)) == (0, 1)


def test_memory_comes_with_its_certain_subjects(
    remembering: Remembering, reader_engine: Engine, fresh_namespace: NamespacePath
) -> None:
    yard = remembering.entity("Boatyard", entity_type=EntityType.ORG)
    ada, ben = remembering.entity("Ada", parent_id=yard), remembering.entity("Ben")
    about = {ada: ("subject", "sure"), ben: ("object", "unsure")}
    remembering.memory("Ada varnishes", direction(1), about=about)
    remembering.memory("Ada sings", direction(0, 1), about={ada: ("subject", "sure")})

    found = scan(reader_engine, fresh_namespace)
    varnishes = next(one for one in found.memories if one.memory.content == "Ada varnishes")
    assert (varnishes.memory.about, varnishes.entities) == (("Ada", "Ben"), frozenset({ada}))
    assert {key: (one.memories, one.parent) for key, one in found.bearings.items()} == {ada: (2, yard)}


def crowd(remembering: Remembering, many: int = 60) -> None:
    """Add memories nearer than any others."""
    remembering.memories([f"Tram {number}" for number in range(many)], [direction(1, 0.1)] * many)


def test_memories_of_named_entities_come_at_any_distance_with_the_oldest_of_each(
    remembering: Remembering, reader_engine: Engine, fresh_namespace: NamespacePath
) -> None:
    crowd(remembering)
    ada = remembering.entity("Ada")
    for number in range(40):
        said = {"valid_from": NOON + timedelta(days=number)}
        remembering.memory(f"Ada {number}", direction(0, 1, number), about={ada: ("subject", "sure")}, **said)
    remembering.memory(
        "Ada first", direction(-1), about={ada: ("subject", "sure")}, valid_from=NOON - timedelta(days=9)
    )

    assert not any(one.startswith("Ada") for one in contents(scan(reader_engine, fresh_namespace)))
    named = contents(scan(reader_engine, fresh_namespace, named=[ada]))
    assert "Ada first" in named
    assert 24 <= sum(one.startswith("Ada") for one in named) <= 30


def test_of_many_with_the_same_name_those_with_fitting_memories_come(
    remembering: Remembering, reader_engine: Engine, fresh_namespace: NamespacePath
) -> None:
    crowd(remembering)
    bearers = []
    for number in range(20):
        bearer = remembering.entity("Ada")
        remembering.memory(f"Ada {number}", direction(1, number + 1), about={bearer: ("subject", "sure")})
        bearers.append(bearer)
    found = contents(scan(reader_engine, fresh_namespace, contested=bearers))
    assert {f"Ada {number}" for number in range(12)} <= found
    assert "Ada 19" not in found


def test_processes_come_at_any_distance(
    remembering: Remembering, reader_engine: Engine, fresh_namespace: NamespacePath
) -> None:
    crowd(remembering)
    for number in range(14):
        remembering.memory(f"First oil, then wait {number}", direction(0, 1, number), kind="process")
    found = contents(scan(reader_engine, fresh_namespace))
    assert sum(one.startswith("First oil") for one in found) == 12


def test_other_memories_of_the_best_hits_subjects_come_too(
    remembering: Remembering, reader_engine: Engine, fresh_namespace: NamespacePath
) -> None:
    crowd(remembering)
    vera = remembering.entity("Vera")
    remembering.memory("Vera plays the heron in the play", direction(1), about={vera: ("subject", "sure")})
    remembering.memory("By day she drives a bus", direction(-1), about={vera: ("subject", "sure")})
    remembering.memory("Nobody drives a bus", direction(-1))
    unembedded = remembering.memory("By night she sleeps", direction(1), about={vera: ("subject", "sure")})
    with remembering.transaction() as connection:
        memories.retire_vector(connection, remembering.lane, unembedded)
    found = contents(scan(reader_engine, fresh_namespace))
    assert "By day she drives a bus" in found
    assert not {"Nobody drives a bus", "By night she sleeps"} & found


def test_memories_of_another_namespace_never_come(
    remembering: Remembering, reader_engine: Engine, fresh_namespace: NamespacePath
) -> None:
    remembering.memory("Trams are green", direction(1))
    other = NamespacePath.of((*fresh_namespace.parts, "other"))
    assert scan(reader_engine, other).memories == ()
