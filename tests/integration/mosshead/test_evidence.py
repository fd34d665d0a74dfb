"""Evidence: what is known of a candidate for a mention, and nothing else, whatever changed since."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID, uuid4

import pytest

from db import memories, questions
from db.questions import Example
from mosshead.entities import evidence
from mosshead.entities.disambiguation import Evidence, Telling
from mosshead.entities.evidence import Weighed
from mosshead.models.kinds import EntityType
from mosshead.paths import NamespacePath
from mosshead.store.connection import Sql
from tests.given import MODEL, NOON, Remembering, direction

ASKED = Telling(text="one", words=("Tomatoes", "growing", "the"), scene_words=("article",))


@pytest.fixture
def peter(remembering: Remembering) -> UUID:
    return remembering.entity("Peter", description="gardener")


def rows(remembering: Remembering, statement: Sql) -> list[Any]:
    with remembering.transaction() as connection:
        return statement.rows(connection)


def look(
    remembering: Remembering,
    path: NamespacePath,
    *candidates: UUID,
    named: Sequence[UUID] = (),
    scene: Sequence[UUID] = (),
) -> dict[UUID, Weighed]:
    statement = evidence.statement_for(
        path, model=MODEL, asked=ASKED, vector=direction(1), candidates=candidates, named=[*named, *scene]
    )
    return evidence.weighed(rows(remembering, statement), ASKED, named=named, scene_named=scene)


def weigh(
    remembering: Remembering,
    path: NamespacePath,
    *candidates: UUID,
    named: Sequence[UUID] = (),
    scene: Sequence[UUID] = (),
) -> dict[UUID, Evidence]:
    found = look(remembering, path, *candidates, named=named, scene=scene)
    return {key: one.evidence for key, one in found.items()}


def nearest(remembering: Remembering, path: NamespacePath, candidate: UUID) -> float:
    return round(weigh(remembering, path, candidate)[candidate].nearest, 3)


def test_nearest_memory_that_is_surely_about_a_candidate_counts(
    remembering: Remembering, fresh_namespace: NamespacePath, peter: UUID
) -> None:
    for vector in (direction(1, 1), direction(1, 0, 1), direction(0, 1, 0.5), direction(-1)):
        remembering.memory("He rests", vector, about={peter: ("subject", "sure")})
    remembering.memory("He rests", direction(1), about={peter: ("subject", "unsure")})
    remembering.memory("Nobody rests", direction(1), about={})

    assert nearest(remembering, fresh_namespace, peter) == pytest.approx(0.707, abs=0.002)


def test_memory_too_large_for_the_index_counts_as_far_as_it_fits(
    remembering: Remembering, fresh_namespace: NamespacePath, peter: UUID
) -> None:
    at_length = " ".join(f"tomato{number}" for number in range(80))
    remembering.memory(f"An article: {at_length}", direction(1), about={peter: ("subject", "sure")})
    remembering.memory("He is growing", direction(0, 1), about={peter: ("subject", "sure")})
    with remembering.transaction() as connection:
        sizes = connection.exec_driver_sql("select compact from mosshead_read_v1.traits where entity_id = %s", (peter,))
        assert set(sizes.scalars()) == {True, False}

    found = weigh(remembering, fresh_namespace, peter)[peter]
    assert round(found.nearest, 3) == 1
    assert found.words == {"article", "growing"}


def test_profile_counts_for_candidates_without_memories(
    remembering: Remembering, fresh_namespace: NamespacePath, peter: UUID
) -> None:
    assert nearest(remembering, fresh_namespace, peter) == 0
    with remembering.transaction() as connection:
        memories.set_vectors(connection, remembering.lane, MODEL, "profile", {peter: direction(3, 4)})
    assert nearest(remembering, fresh_namespace, peter) == 0.6
    ann = remembering.entity("Ann")
    knows = remembering.memory("Ann knows Peter", about={ann: ("subject", "sure")})
    with remembering.stamped() as (connection, stamp):
        edges = [(uuid4(), ann, "knows", peter)]
        memories.relate(connection, remembering.lane, knows, edges, stamp, valid_from=NOON)
    related = weigh(remembering, fresh_namespace, peter, named=[ann])[peter]
    assert (round(related.nearest, 3), set(related.named)) == (0.6, {ann})
    remembering.memory("He rests", direction(0, 0, 1), about={peter: ("subject", "sure")})
    assert nearest(remembering, fresh_namespace, peter) == 0


def test_words_come_from_the_memories_the_description_and_the_parent(
    remembering: Remembering, fresh_namespace: NamespacePath, peter: UUID
) -> None:
    firm = remembering.entity("Article House", entity_type=EntityType.ORG)
    grower = remembering.entity("Peter", description="grows things", parent_id=firm)
    remembering.memory("The tomato is his", direction(1), about={peter: ("subject", "sure")})

    found = weigh(remembering, fresh_namespace, peter, grower)
    assert found[peter].words == {"Tomatoes"}
    assert found[grower].words == {"growing", "article"}


def test_other_names_count_where_they_share_a_memory_a_relation_or_are_the_parent(
    remembering: Remembering, fresh_namespace: NamespacePath, peter: UUID
) -> None:
    firm, tom, ann, stranger = (remembering.entity(name) for name in ("WOBS", "Tom", "Ann", "Eve"))
    child = remembering.entity("Peter", parent_id=firm)
    shared = remembering.memory("Both fish", direction(1), about={peter: ("subject", "sure"), tom: ("about", "sure")})
    with remembering.stamped() as (connection, stamp):
        edges = [(uuid4(), ann, "knows", peter)]
        memories.relate(connection, remembering.lane, shared, edges, stamp, valid_from=NOON)

    looked = look(remembering, fresh_namespace, peter, child, named=[firm, tom, stranger], scene=[ann, tom])
    assert (looked[peter].as_read.memories, looked[child].as_read.memories) == (1, 0)
    found = {key: one.evidence for key, one in looked.items()}
    assert [set(found[peter].named), set(found[peter].scene_named)] == [{tom}, {ann, tom}]
    assert (set(found[child].named), len(found[child].scene_named)) == ({firm}, 0)


def test_superseded_undone_or_relinked_memories_count_no_more(
    remembering: Remembering, fresh_namespace: NamespacePath, peter: UUID
) -> None:
    memory = remembering.memory("He rests", direction(0, 0, 1), about={peter: ("subject", "sure")})
    with remembering.stamped() as (connection, stamp):
        memories.change(connection, remembering.lane, memory, 1, stamp, content="He hurries", salience=9.0)
        memories.retire_vector(connection, remembering.lane, memory)
        memories.set_vectors(connection, remembering.lane, MODEL, "memory", {memory: direction(1)}, version=2)
    assert nearest(remembering, fresh_namespace, peter) == 1
    with remembering.stamped() as (connection, stamp):
        memories.change(connection, remembering.lane, memory, 2, stamp, state="superseded")
    assert nearest(remembering, fresh_namespace, peter) == 0
    with remembering.stamped() as (connection, stamp):
        memories.change(connection, remembering.lane, memory, 3, stamp, state="active")
    assert nearest(remembering, fresh_namespace, peter) == 1


def test_order_of_vector_and_link_makes_no_difference(
    remembering: Remembering, fresh_namespace: NamespacePath, peter: UUID
) -> None:
    memory = remembering.memory("He rests", about={peter: ("subject", "sure")})
    assert nearest(remembering, fresh_namespace, peter) == 0
    with remembering.transaction() as connection:
        memories.set_vectors(connection, remembering.lane, MODEL, "memory", {memory: direction(1)})
    assert nearest(remembering, fresh_namespace, peter) == 1


def test_memory_that_lost_its_vector_its_link_or_itself_counts_no_more(
    remembering: Remembering, fresh_namespace: NamespacePath, peter: UUID
) -> None:
    for statement in (
        "delete from mosshead.embeddings where owner_id = %(memory)s",
        "update mosshead.memory_entities set certainty = 'unsure' where memory_id = %(memory)s",
        "update mosshead.memory_entities set known_to = clock_timestamp() where memory_id = %(memory)s",
        "delete from mosshead.memory_entities where memory_id = %(memory)s",
        "update mosshead.memories set known_to = clock_timestamp() where memory_id = %(memory)s",
        "delete from mosshead.memories where memory_id = %(memory)s",
    ):
        memory = remembering.memory("He rests", direction(1), about={peter: ("subject", "sure")})
        assert nearest(remembering, fresh_namespace, peter) == 1, statement
        with remembering.transaction() as connection:
            connection.exec_driver_sql(statement, {"memory": memory})
        assert nearest(remembering, fresh_namespace, peter) == 0, statement


def test_change_that_affects_no_comparison_rewrites_nothing(remembering: Remembering, peter: UUID) -> None:
    memory = remembering.memory("He rests", direction(1), about={peter: ("subject", "sure")})
    written = "select xmin from mosshead.traits where owner_id = %(memory)s"

    def after(*columns: str) -> object:
        with remembering.transaction() as connection:
            for column in columns:
                connection.exec_driver_sql(
                    f"update mosshead.memories set {column} where memory_id = %(memory)s", {"memory": memory}
                )
            return connection.exec_driver_sql(written, {"memory": memory}).scalar_one()

    assert after() == after("salience = 9", "reinforced = 3")
    assert after() != after("content = 'He hurries'")


def test_best_candidate_comes_with_all_that_a_question_says(
    remembering: Remembering, fresh_namespace: NamespacePath
) -> None:
    for _ in range(10):
        remembering.memory("He rests", direction(1, 0.1), about={remembering.entity("Peter"): ("subject", "sure")})
    fits = remembering.entity("Peter", aliases=("Pete",))
    remembering.memory("He grows tomatoes", direction(1, 0.3), about={fits: ("subject", "sure")})
    asked = Telling(text="one", words=("tomatoes",))
    with remembering.transaction() as connection:
        statement = evidence.statement_for(
            fresh_namespace, model=MODEL, asked=asked, vector=direction(1), mention_keys=["peter"]
        )
        found = evidence.weighed(statement.rows(connection), asked)
    assert (len(found), sum(one.complete for one in found.values())) == (11, 8)
    assert (found[fits].entity.aliases, found[fits].facts) == (("Pete",), ("He grows tomatoes",))
    assert found[fits].as_read.memories == 1


def test_question_lists_the_most_salient_of_the_oldest_memories(
    remembering: Remembering, fresh_namespace: NamespacePath
) -> None:
    peter = remembering.entity("Peter")
    for number in reversed(range(26)):
        content, given = f"He has {number} bees", {"memory_id": UUID(int=number + 1), "salience": number / 10}
        remembering.memory(content, direction(1), about={peter: ("subject", "sure")}, **given)
    asked = Telling(text="one", words=())
    statement = evidence.statement_for(
        fresh_namespace, model=MODEL, asked=asked, vector=direction(1), candidates=[peter]
    )
    found = evidence.weighed(rows(remembering, statement), asked)

    assert found[peter].facts == ("He has 23 bees", "He has 22 bees", "He has 21 bees")
    assert found[peter].as_read.memories == 26


def test_candidate_comes_with_the_matched_names_unless_its_own_name_matches(
    remembering: Remembering, fresh_namespace: NamespacePath
) -> None:
    haas = remembering.entity("Peter Haas", aliases=("Haas of Peter",))
    peter = remembering.entity("Peter", aliases=("Peter Lind",))
    asked = Telling(text="one", words=())
    with remembering.transaction() as connection:
        statement = evidence.statement_for(
            fresh_namespace, model=MODEL, asked=asked, vector=direction(1), mention="peter", mention_keys=["peter"]
        )
        found = evidence.weighed(statement.rows(connection), asked)
    assert {key: one.found_by and sorted(one.found_by) for key, one in found.items()} == {
        haas: ["haas of peter", "peter haas"],
        peter: None,
    }


def test_answer_to_a_question_counts_as_knowledge(
    remembering: Remembering, fresh_namespace: NamespacePath, peter: UUID
) -> None:
    example = Example(
        example_id=uuid4(),
        mention="Peter",
        text="Ask Peter about tomatoes",
        entity_id=peter,
        vector=direction(1),
        model=MODEL,
    )
    with remembering.stamped() as (connection, stamp):
        questions.keep(connection, remembering.lane, example, stamp)

    found = look(remembering, fresh_namespace, peter)[peter]
    assert (round(found.evidence.nearest, 3), set(found.evidence.words)) == (1.0, {"Tomatoes"})
    assert found.as_read.memories == 0


def test_deleted_candidate_takes_nobodys_place(
    remembering: Remembering, fresh_namespace: NamespacePath, peter: UUID
) -> None:
    remembering.memory("He rests", direction(-1, -1), about={peter: ("subject", "sure")})
    found = look(remembering, fresh_namespace, peter, *(uuid4() for _ in range(8)))
    assert found.keys() == {peter}
    assert found[peter].complete


def test_words_beyond_the_search_limit_are_left_out(
    remembering: Remembering, fresh_namespace: NamespacePath, peter: UUID
) -> None:
    said = tuple(f"word{number}" for number in range(evidence.MOST_WORDS + 5))
    remembering.memory(" ".join(said), direction(1), about={peter: ("subject", "sure")})
    asked = Telling(text="one", words=said, scene_words=("late",))
    statement = evidence.statement_for(
        fresh_namespace, model=MODEL, asked=asked, vector=direction(1), candidates=[peter]
    )
    found = evidence.weighed(rows(remembering, statement), asked)
    assert found[peter].evidence.words == set(said[: evidence.MOST_WORDS])


def test_nothing_is_weighed_without_candidates(remembering: Remembering, fresh_namespace: NamespacePath) -> None:
    assert weigh(remembering, fresh_namespace) == {}
    assert weigh(remembering, fresh_namespace, uuid4()) == {}
