"""A memory marks the profiles of whom it is about; a refresh clears the mark, unless more came in between."""

from db import profiles
from tests.given import Remembering


def dirty(remembering: Remembering) -> list[profiles.DirtyProfile]:
    with remembering.transaction() as connection:
        return profiles.dirty_profiles(connection, remembering.lane, limit=10, memories=3)


def test_a_profile_awaits_its_refresh_with_what_matters_most_first(remembering: Remembering) -> None:
    peter = remembering.entity("Peter", description="writer", aliases=("Pete",))
    for content, salience, role, certainty in (
        ("low", 1, "subject", "sure"),
        ("high", 9, "subject", "sure"),
        ("mentioned", 10, "about", "sure"),
        ("unsure", 10, "subject", "unsure"),
        ("least", 0, "about", "sure"),
    ):
        remembering.memory(content, salience=salience, about={peter: (role, certainty)})

    (profile,) = dirty(remembering)
    assert (profile.entity.entity_id, profile.entity.description, profile.summary) == (peter, "writer", "")
    assert profile.memories == ("high", "low", "mentioned")


def test_a_refreshed_profile_waits_no_more_unless_something_came_in_between(remembering: Remembering) -> None:
    peter = remembering.entity("Peter")
    remembering.memory("one", about={peter: ("subject", "sure")})
    (stale,) = dirty(remembering)
    remembering.memory("two", about={peter: ("subject", "sure")})
    with remembering.transaction() as connection:
        profiles.save_profile(connection, remembering.lane, stale, "knows one")

    (again,) = dirty(remembering)
    assert (again.summary, sorted(again.memories)) == ("knows one", ["one", "two"])
    with remembering.transaction() as connection:
        profiles.save_profile(connection, remembering.lane, again, "knows both")
    assert dirty(remembering) == []


def test_profiles_that_wait_longest_come_first(remembering: Remembering) -> None:
    names = ["Zoe", "Abe", "Moe"]
    for name in names:
        with remembering.transaction() as connection:
            profiles.touch(connection, remembering.lane, [])
        remembering.memory(name, about={remembering.entity(name): ("subject", "sure")})

    assert [profile.entity.name for profile in dirty(remembering)] == names
