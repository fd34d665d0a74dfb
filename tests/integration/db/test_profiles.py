"""Profiles: a memory marks those of its subjects; when they are due, what is new for them, and what clears the mark."""

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
    """Move a time of all profiles back."""
    with engine.begin() as connection:
        statement = text(
            f"update mosshead.profiles set {column} = now() - cast(:ago as interval) where tenant_id = :id"
        )
        connection.execute(statement, {"ago": ago, "id": remembering.lane.tenant_id})


class TestWhenItIsDue:
    MINUTE = timedelta(minutes=1)

    def test_profile_is_due_when_nothing_touched_it_for_a_while(
        self, remembering: Remembering, admin_engine: Engine
    ) -> None:
        touch(remembering, remembering.entity("Peter"))
        assert names(remembering, least=self.MINUTE) == []
        back(admin_engine, remembering, "touched_at", self.MINUTE)
        assert names(remembering, least=self.MINUTE) == ["Peter"]

    def test_profile_is_due_when_the_first_touch_is_long_ago(
        self, remembering: Remembering, admin_engine: Engine
    ) -> None:
        peter = remembering.entity("Peter")
        touch(remembering, peter)
        back(admin_engine, remembering, "dirty_since", self.MINUTE)
        touch(remembering, peter)
        assert names(remembering, least=LONG, most=LONG) == []
        assert names(remembering, least=LONG, most=self.MINUTE) == ["Peter"]

    def test_profiles_that_wait_longest_come_first(self, remembering: Remembering) -> None:
        for name in ("Zoe", "Abe", "Moe"):
            touch(remembering)
            touch(remembering, remembering.entity(name))
        assert names(remembering) == ["Zoe", "Abe", "Moe"]
        assert names(remembering, limit=2) == ["Zoe", "Abe"]

    def test_refreshed_profile_waits_no_more(self, remembering: Remembering) -> None:
        touch(remembering, remembering.entity("Peter"))
        save(remembering, due(remembering).profiles[0])
        assert names(remembering) == []

    def test_profile_touched_during_its_refresh_stays_dirty(self, remembering: Remembering) -> None:
        peter = remembering.entity("Peter")
        touch(remembering, peter)
        (stale,) = due(remembering).profiles
        remembering.memory("Peter sings", about={peter: SURE})
        save(remembering, stale, summary="knows nothing")

        (again,) = due(remembering).profiles
        assert again.summary == "knows nothing"
        assert [memory.content for memory in news(remembering, again).new] == ["Peter sings"]

    def test_deleted_entity_has_no_profile_and_is_skipped(self, remembering: Remembering) -> None:
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
        """Return a function that sets the lane's timer and returns in how many seconds the lane is due."""
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

    def test_timer_is_set_for_the_first_due_profile(
        self, remembering: Remembering, seconds: Callable[..., float | None], admin_engine: Engine
    ) -> None:
        assert seconds(least=NONE) is None
        touch(remembering, remembering.entity("Peter"))
        back(admin_engine, remembering, "touched_at", timedelta(seconds=100))
        touch(remembering, remembering.entity("Zoe"))
        assert seconds(least=timedelta(seconds=700)) == pytest.approx(600, abs=60)
        assert seconds(least=LONG, most=timedelta(seconds=300)) == pytest.approx(300, abs=60)

    def test_timer_is_never_set_to_a_time_in_the_past(
        self, remembering: Remembering, seconds: Callable[..., float | None], admin_engine: Engine
    ) -> None:
        """Otherwise a backlog of profiles would go before messages of other lanes that have waited longer."""
        touch(remembering, remembering.entity("Peter"))
        back(admin_engine, remembering, "touched_at", LONG)
        assert seconds(least=NONE) == pytest.approx(0, abs=60)

    def test_timer_can_be_postponed(self, remembering: Remembering, seconds: Callable[..., float | None]) -> None:
        touch(remembering, remembering.entity("Peter"))
        seconds(least=NONE)
        with remembering.transaction() as connection:
            entities.put_off_profiles(connection, remembering.lane, pause=LONG)
            statement = text(
                "select profiles_due_at > now() + interval '50 minutes' from mosshead.lanes where namespace_id = :id"
            )
            assert connection.execute(statement, {"id": remembering.lane.namespace_id}).scalar_one()


def test_most_telling_memories_are_the_entitys_own_and_the_most_important(remembering: Remembering) -> None:
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
    """News of a profile that rests on "Peter sings" and does not include "Peter hums", which is also known of him."""

    @pytest.fixture
    def others(self, remembering: Remembering, request: pytest.FixtureRequest) -> None:
        """Add that many changed memories about nobody, known from a later time, as a test touches profiles when it likes."""
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
        """Return what the profile holds, what is new, and whether something it holds has ended."""
        touch(remembering, peter)
        found = news(remembering, due(remembering).profiles[0], **more)
        return [one.content for one in found.held], [one.content for one in found.new], found.ended

    @pytest.mark.usefixtures("sings")
    def test_unchanged_profile_has_no_news(self, remembering: Remembering, peter: UUID) -> None:
        assert self.now(remembering, peter) == (["Peter sings"], [], False)

    def test_profile_that_was_never_written_has_no_news(self, remembering: Remembering, peter: UUID) -> None:
        remembering.memory("Peter hums", about={peter: SURE})
        with remembering.transaction() as connection:
            assert entities.news_of(connection, remembering.lane, due(remembering).profiles, limit=9) == {}

    @pytest.mark.usefixtures("sings")
    def test_added_memories_are_new_and_the_most_telling_come_first(
        self, remembering: Remembering, peter: UUID
    ) -> None:
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
    def test_memory_that_only_changed_confidence_or_salience_is_no_news(
        self, *, remembering: Remembering, peter: UUID, sings: UUID, changes: dict[str, Any]
    ) -> None:
        self.changed(remembering, peter, sings, **changes)
        assert self.now(remembering, peter) == (["Peter sings"], [], False)

    @pytest.mark.parametrize("changes", [{"state": "superseded"}, {"content": "Peter sang"}, {"salience": 1.0}])
    def test_memory_that_is_no_longer_true_has_ended(
        self, *, remembering: Remembering, peter: UUID, sings: UUID, changes: dict[str, Any]
    ) -> None:
        self.changed(remembering, peter, sings, **changes)
        assert self.now(remembering, peter) == ([], [], True)

    def test_memory_outside_the_profile_with_new_content_is_new(self, remembering: Remembering, peter: UUID) -> None:
        hums = remembering.memory("Peter hums", about={peter: SURE})
        save(remembering, due(remembering).profiles[0])
        assert self.now(remembering, peter) == ([], [], False)
        self.changed(remembering, peter, hums, content="Peter hummed")
        assert self.now(remembering, peter) == ([], ["Peter hummed"], False)

    @pytest.mark.usefixtures("sings")
    def test_older_memory_that_is_linked_now_is_new(self, remembering: Remembering, peter: UUID) -> None:
        whistles = remembering.memory("Peter whistles")
        with remembering.stamped() as (connection, stamp):
            memories.link(connection, remembering.lane, whistles, {peter: SURE}, stamp)
            entities.touch_profiles(connection, remembering.lane, [peter])
        assert self.now(remembering, peter) == (["Peter sings"], ["Peter whistles"], False)

    def test_memory_that_is_now_about_somebody_else_has_ended(
        self, remembering: Remembering, peter: UUID, sings: UUID
    ) -> None:
        with remembering.stamped() as (connection, stamp):
            split = text(
                "update mosshead.memory_entities set known_to = :at, ended_by = :decision_id where memory_id = :id"
            )
            connection.execute(split, {**stamp.columns, "id": sings})
            entities.touch_profiles(connection, remembering.lane, [peter])
        assert self.now(remembering, peter) == ([], [], True)


def test_last_touched_entities_are_known_to_the_next_batch(remembering: Remembering) -> None:
    ids = {name: remembering.entity(name) for name in ("Ann", "Bo", "Cy", "Di")}
    for name in ("Di", "Cy", "Bo", "Di"):
        touch(remembering, ids[name])
    for profile in due(remembering).profiles:
        save(remembering, profile)
    with remembering.transaction() as connection:
        found = entities.known_entities(connection, remembering.lane, ["ann"], 3)
    assert [entity.name for entity in found] == ["Ann", "Di", "Bo"]
