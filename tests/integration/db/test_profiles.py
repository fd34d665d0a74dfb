"""A memory marks the profiles of whom it is about; when they are due, what is new of them, and what clears the mark."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import Engine, text

from db import entities, memories
from db.entities import DueProfile, News, ProfilesDue
from tests.given import LONG, NONE, Publishing, Remembering

SURE = ("subject", "sure")


def due(remembering: Remembering, *, least: timedelta = NONE, most: timedelta = LONG, limit: int = 10) -> ProfilesDue:
    with remembering.transaction() as connection:
        return entities.due_profiles(connection, remembering.lane, least=least, most=most, limit=limit)


def names(remembering: Remembering, **waits: Any) -> list[str]:
    return [profile.entity.name for profile in due(remembering, **waits).profiles]


def touch(remembering: Remembering, *entity_ids: UUID) -> None:
    with remembering.transaction() as connection:
        entities.touch_profiles(connection, remembering.lane, entity_ids)


def save(remembering: Remembering, profile: DueProfile, *holds: UUID, summary: str = "knows") -> None:
    with remembering.transaction() as connection:
        entities.save_profile(connection, remembering.lane, profile, summary=summary, holds=holds)


def telling(remembering: Remembering, entity_id: UUID, limit: int = 10) -> list[str]:
    with remembering.transaction() as connection:
        found = entities.most_telling(connection, remembering.lane, [entity_id], limit=limit)
    return [memory.content for memory in found[entity_id]]


def back(engine: Engine, remembering: Remembering, column: str, ago: timedelta) -> None:
    """Put a time of all profiles back."""
    with engine.begin() as connection:
        statement = text(
            f"update mosshead.profiles set {column} = now() - cast(:ago as interval) where tenant_id = :id"
        )
        connection.execute(statement, {"ago": ago, "id": remembering.lane.tenant_id})


class TestWhenItIsDue:
    MINUTE = timedelta(minutes=1)

    def test_when_nothing_touched_it_for_a_while(self, remembering: Remembering, admin_engine: Engine) -> None:
        touch(remembering, remembering.entity("Peter"))
        assert names(remembering, least=self.MINUTE) == []
        back(admin_engine, remembering, "touched_at", self.MINUTE)
        assert names(remembering, least=self.MINUTE) == ["Peter"]

    def test_or_when_the_first_touch_is_long_ago(self, remembering: Remembering, admin_engine: Engine) -> None:
        peter = remembering.entity("Peter")
        touch(remembering, peter)
        back(admin_engine, remembering, "dirty_since", self.MINUTE)
        touch(remembering, peter)
        assert names(remembering, least=LONG, most=LONG) == []
        assert names(remembering, least=LONG, most=self.MINUTE) == ["Peter"]

    def test_those_that_wait_longest_come_first(self, remembering: Remembering) -> None:
        for name in ("Zoe", "Abe", "Moe"):
            touch(remembering)
            touch(remembering, remembering.entity(name))
        assert names(remembering) == ["Zoe", "Abe", "Moe"]
        assert names(remembering, limit=2) == ["Zoe", "Abe"]

    def test_a_refreshed_one_waits_no_more(self, remembering: Remembering) -> None:
        touch(remembering, remembering.entity("Peter"))
        save(remembering, due(remembering).profiles[0])
        assert names(remembering) == []

    def test_one_that_is_touched_while_it_is_refreshed_stays_dirty(self, remembering: Remembering) -> None:
        peter = remembering.entity("Peter")
        touch(remembering, peter)
        (stale,) = due(remembering).profiles
        remembering.memory("Peter sings", about={peter: SURE})
        save(remembering, stale, summary="knows nothing")

        (again,) = due(remembering).profiles
        assert again.summary == "knows nothing"
        assert [memory.content for memory in news(remembering, again).new] == ["Peter sings"]

    def test_an_entity_that_is_no_more_has_none_and_is_let_alone(self, remembering: Remembering) -> None:
        peter = remembering.entity("Peter")
        touch(remembering, peter)
        save(remembering, due(remembering).profiles[0])
        touch(remembering, peter)
        with remembering.stamped() as (connection, stamp):
            merged = text("update mosshead.entities set known_to = :at, ended_by = :decision_id where entity_id = :id")
            connection.execute(merged, {**stamp.columns, "id": peter})
        found = due(remembering)
        assert found == ProfilesDue((), (peter,))
        with remembering.transaction() as connection:
            assert connection.execute(text("select count(*) from mosshead_read_v1.profiles")).scalar_one() == 0
            entities.forget_profiles(connection, remembering.lane, found.gone)
        assert due(remembering) == ProfilesDue((), ())

        with remembering.stamped() as (connection, stamp):
            back_again = text("update mosshead.entities set known_to = null, ended_by = null where entity_id = :id")
            connection.execute(back_again, {"id": peter})
        touch(remembering, peter)
        assert due(remembering).profiles[0].holds is None, "put together anew"


class TestTheTimerOfTheLane:
    @pytest.fixture
    def seconds(self, remembering: Remembering, publishing: Publishing) -> Callable[..., float | None]:
        """For a while that nothing touched it, sets the lane's timer and tells in how many seconds it is due."""
        publishing.say("hi")

        def seconds(*, least: timedelta, most: timedelta = LONG) -> float | None:
            with remembering.transaction() as connection:
                entities.set_profiles_timer(connection, remembering.lane, least=least, most=most)
            with remembering.transaction() as connection:
                statement = text(
                    "select extract(epoch from profiles_due_at - now()) from mosshead.lanes where namespace_id = :id"
                )
                found = connection.execute(statement, {"id": remembering.lane.namespace_id}).scalar_one()
                return None if found is None else float(found)

        return seconds

    def test_says_when_the_first_is_due(
        self, remembering: Remembering, seconds: Callable[..., float | None], admin_engine: Engine
    ) -> None:
        assert seconds(least=NONE) is None
        touch(remembering, remembering.entity("Peter"))
        back(admin_engine, remembering, "touched_at", timedelta(seconds=100))
        touch(remembering, remembering.entity("Zoe"))
        assert seconds(least=timedelta(seconds=700)) == pytest.approx(600, abs=60)
        assert seconds(least=LONG, most=timedelta(seconds=300)) == pytest.approx(300, abs=60)

    def test_and_never_before_what_waits_since_now(
        self, remembering: Remembering, seconds: Callable[..., float | None], admin_engine: Engine
    ) -> None:
        """Else a backlog of profiles would go before messages of other lanes that wait longer."""
        touch(remembering, remembering.entity("Peter"))
        back(admin_engine, remembering, "touched_at", LONG)
        assert seconds(least=NONE) == pytest.approx(0, abs=60)

    def test_it_can_be_put_off(self, remembering: Remembering, seconds: Callable[..., float | None]) -> None:
        touch(remembering, remembering.entity("Peter"))
        seconds(least=NONE)
        with remembering.transaction() as connection:
            entities.put_off_profiles(connection, remembering.lane, pause=LONG)
            statement = text(
                "select profiles_due_at > now() + interval '50 minutes' from mosshead.lanes where namespace_id = :id"
            )
            assert connection.execute(statement, {"id": remembering.lane.namespace_id}).scalar_one()


def test_the_most_telling_memories_are_its_own_and_matter_most(remembering: Remembering) -> None:
    peter = remembering.entity("Peter", description="writer", aliases=("Pete",))
    for content, salience, role, certainty in (
        ("low", 1, "subject", "sure"),
        ("high", 9, "subject", "sure"),
        ("mentioned", 10, "about", "sure"),
        ("unsure", 10, "subject", "unsure"),
        ("least", 0, "about", "sure"),
    ):
        remembering.memory(content, salience=salience, about={peter: (role, certainty)})

    (profile,) = due(remembering).profiles
    assert (profile.entity.entity_id, profile.entity.description, profile.summary) == (peter, "writer", "")
    assert telling(remembering, peter) == ["high", "low", "mentioned", "least"]
    assert telling(remembering, peter, 3) == ["high", "low", "mentioned"]


_OTHERS = text("""
    insert into mosshead.memories
        (tenant_id, namespace_id, memory_id, version, kind, content, salience, confidence, tier, state, valid_from, known_from)
    select :tenant_id, :namespace_id, gen_random_uuid(), 2, 'fact', 'It is dry', 0.5, 1, 'solid', 'active', now(),
           now() + interval '1 hour'
    from generate_series(1, :count)
""")


def news(remembering: Remembering, profile: DueProfile, limit: int = 10) -> News:
    with remembering.transaction() as connection:
        return entities.news_of(connection, remembering.lane, [profile], limit=limit)[profile.entity.entity_id]


@pytest.mark.parametrize("others", [0, 1001], indirect=True, ids=["few changed", "many changed"])
@pytest.mark.usefixtures("others")
class TestNews:
    """Of a profile that rests on "Peter sings", and that does not hold "Peter hums", which is known of him, too."""

    @pytest.fixture
    def others(self, remembering: Remembering, request: pytest.FixtureRequest) -> None:
        """So many memories that changed since, about nobody: known from a later time, as a test touches when it likes."""
        with remembering.transaction() as connection:
            connection.execute(_OTHERS, {**remembering.lane.scope, "count": request.param})

    @pytest.fixture
    def peter(self, remembering: Remembering) -> UUID:
        return remembering.entity("Peter")

    @pytest.fixture
    def sings(self, remembering: Remembering, peter: UUID) -> UUID:
        remembering.memory("Peter hums", about={peter: SURE}, salience=1)
        sings = remembering.memory("Peter sings", about={peter: SURE}, salience=5)
        save(remembering, due(remembering).profiles[0], sings)
        return sings

    def now(self, remembering: Remembering, peter: UUID, **more: Any) -> tuple[list[str], list[str], bool]:
        """What is held, what is new, and whether something held has ended."""
        touch(remembering, peter)
        found = news(remembering, due(remembering).profiles[0], **more)
        return [one.content for one in found.held], [one.content for one in found.new], found.ended

    @pytest.mark.usefixtures("sings")
    def test_nothing_is_no_news(self, remembering: Remembering, peter: UUID) -> None:
        assert self.now(remembering, peter) == (["Peter sings"], [], False)

    def test_of_one_that_was_never_put_together_there_is_none(self, remembering: Remembering, peter: UUID) -> None:
        remembering.memory("Peter hums", about={peter: SURE})
        with remembering.transaction() as connection:
            assert entities.news_of(connection, remembering.lane, due(remembering).profiles, limit=9) == {}

    @pytest.mark.usefixtures("sings")
    def test_what_came_is_new_and_the_most_telling_come_first(self, remembering: Remembering, peter: UUID) -> None:
        for number in range(3):
            remembering.memory(f"Peter runs {number}", about={peter: SURE}, salience=number)
        remembering.memory("Peter may run", about={peter: ("subject", "unsure")})
        remembering.memory("Bo runs", about={remembering.entity("Bo"): SURE})
        (profile, _) = due(remembering).profiles
        assert [one.content for one in news(remembering, profile, limit=2).new] == ["Peter runs 2", "Peter runs 1"]
        assert self.now(remembering, peter) == (
            ["Peter sings"],
            ["Peter runs 2", "Peter runs 1", "Peter runs 0"],
            False,
        )

    def changed(self, remembering: Remembering, peter: UUID, memory_id: UUID, **changes: Any) -> None:
        with remembering.stamped() as (connection, stamp):
            memories.change(connection, remembering.lane, memory_id, 1, stamp, **changes)
            entities.touch_profiles(connection, remembering.lane, [peter])

    @pytest.mark.parametrize("changes", [{"reinforced": 2}, {"salience": 8.0}])
    def test_one_that_is_only_surer_or_more_telling_is_no_news(
        self, *, remembering: Remembering, peter: UUID, sings: UUID, changes: dict[str, Any]
    ) -> None:
        self.changed(remembering, peter, sings, **changes)
        assert self.now(remembering, peter) == (["Peter sings"], [], False)

    @pytest.mark.parametrize("changes", [{"state": "superseded"}, {"content": "Peter sang"}, {"salience": 1.0}])
    def test_one_that_is_so_no_more_has_ended(
        self, *, remembering: Remembering, peter: UUID, sings: UUID, changes: dict[str, Any]
    ) -> None:
        self.changed(remembering, peter, sings, **changes)
        assert self.now(remembering, peter) == ([], [], True)

    def test_one_that_is_not_held_and_says_something_else_now_is_new(
        self, remembering: Remembering, peter: UUID
    ) -> None:
        hums = remembering.memory("Peter hums", about={peter: SURE})
        save(remembering, due(remembering).profiles[0])
        assert self.now(remembering, peter) == ([], [], False)
        self.changed(remembering, peter, hums, content="Peter hummed")
        assert self.now(remembering, peter) == ([], ["Peter hummed"], False)

    @pytest.mark.usefixtures("sings")
    def test_one_that_was_known_before_and_is_linked_now_is_new(self, remembering: Remembering, peter: UUID) -> None:
        whistles = remembering.memory("Peter whistles")
        with remembering.stamped() as (connection, stamp):
            memories.link(connection, remembering.lane, whistles, {peter: SURE}, stamp)
            entities.touch_profiles(connection, remembering.lane, [peter])
        assert self.now(remembering, peter) == (["Peter sings"], ["Peter whistles"], False)

    def test_one_that_is_about_somebody_else_now_has_ended(
        self, remembering: Remembering, peter: UUID, sings: UUID
    ) -> None:
        with remembering.stamped() as (connection, stamp):
            split = text(
                "update mosshead.memory_entities set known_to = :at, ended_by = :decision_id where memory_id = :id"
            )
            connection.execute(split, {**stamp.columns, "id": sings})
            entities.touch_profiles(connection, remembering.lane, [peter])
        assert self.now(remembering, peter) == ([], [], True)


def test_the_entities_last_touched_are_known_to_the_next_batch(remembering: Remembering) -> None:
    ids = {name: remembering.entity(name) for name in ("Ann", "Bo", "Cy", "Di")}
    for name in ("Di", "Cy", "Bo", "Di"):
        touch(remembering, ids[name])
    for profile in due(remembering).profiles:
        save(remembering, profile)
    with remembering.transaction() as connection:
        found = entities.known_entities(connection, remembering.lane, ["ann"], 3)
    assert [entity.name for entity in found] == ["Ann", "Di", "Bo"]
