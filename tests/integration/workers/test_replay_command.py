"""The command `replay`: what it lists, compares and prints."""

from collections.abc import Callable
from datetime import datetime, timedelta, tzinfo
from pathlib import Path
from typing import Self

import pytest
from sqlalchemy import Engine, text

from config.settings import settings
from mosshead import Namespace
from mosshead.errors import NotFound
from tests.fake_answers import fact_like
from tests.fake_openai import FakeOpenAI
from tests.forming import Forming
from tests.integration.workers.conftest import Said
from tests.replaying_given import Replaying, contents
from workers.replay import replays
from workers.replay.follow import follow
from workers.replay.replays import ReplayRefused, difference


def test_replay_command_lists_and_compares_replays(
    run: Callable[..., Said], replayed: Replaying, forming: Forming, sarah: Namespace
) -> None:
    forming.say("I live in Berlin.", "I play the cello.")
    name = sarah.path.parts
    with pytest.raises(NotFound, match="has no replay"):
        run("replay", "diff", *name)
    run("replay", "start", *name)
    replayed.follow()

    assert "/".join(name) in run("replay")
    [listed] = [one for one in run("replay", "--json").json["replays"] if one["namespace"] == list(name)]
    assert (listed["replayed"], listed["behind"], listed["left_out"]) == (2, 0, [])
    assert "2 memories say the same, 0 are worded otherwise" in run("replay", "diff", *name)
    assert run("replay", "diff", *name, "--json").json["same"] == 2
    assert listed["switched_at"] is None
    assert "apps now read the replay" in run("replay", "switch", *name)
    assert run("replay", "--json").json["replays"][-1]["switched_at"]
    assert "has no replay any more" in run("replay", "drop", *name)
    assert contents(sarah) == {"User lives in Berlin", "User plays the cello"}


@pytest.mark.parametrize(
    ("told", "why"),
    [
        (b"\xff\xfe", "is not UTF-8 text"),
        (b"cities\0", "is not UTF-8 text"),
        (b"x" * 4_001, "more than 4,000 characters"),
    ],
)
def test_instructions_that_no_app_could_give_are_refused(
    run: Callable[..., Said], forming: Forming, tmp_path: Path, told: bytes, why: str
) -> None:
    forming.say("I live in Berlin.")
    file = tmp_path / "instructions"
    file.write_bytes(told)

    said = run("replay", "start", *forming.publishing.path.parts, "--instructions", file)

    assert said.status == 2
    assert why in " ".join(said.replace("│", " ").split())
    assert list(forming.publishing.path.parts) not in [
        one["namespace"] for one in run("replay", "--json").json["replays"]
    ]


def test_difference_tells_how_far_the_replay_is_behind_and_its_cost(
    fake: FakeOpenAI, replayed: Replaying, forming: Forming
) -> None:
    forming.say("I live in Berlin.", "I play the cello.")
    replays.start(replayed.engine, settings(), replayed.path, llm_model="another", instructions=None)
    follow(replayed.engine, replayed.lane)
    forming.say("I like tea.")

    assert difference(replayed.engine, replayed.path)[0].behind == replayed.listed.behind == 3
    replayed.follow()
    replay, _, costs = difference(replayed.engine, replayed.path)
    assert (replay.behind, [one.of for one in costs]) == (0, ["another"])


class _AnHourBehind(datetime):
    @classmethod
    def now(cls, tz: tzinfo | None = None) -> Self:
        return super().now(tz) - timedelta(hours=1)


def test_cost_of_a_replay_is_shown_whatever_the_operators_clock_says(
    fake: FakeOpenAI, replayed: Replaying, forming: Forming, monkeypatch: pytest.MonkeyPatch
) -> None:
    forming.say("I live in Berlin.")
    replayed.start()

    monkeypatch.setattr(replays, "datetime", _AnHourBehind, raising=False)

    assert any(one.calls for one in difference(replayed.engine, replayed.path)[2])


def test_dead_events_of_a_replay_are_shown_and_prevent_a_switch(
    run: Callable[..., Said], replayed: Replaying, forming: Forming, sarah: Namespace, admin_engine: Engine
) -> None:
    forming.say("I live in Berlin.")
    replayed.start()
    with admin_engine.begin() as connection:
        connection.execute(_DIED, {**replayed.lane.scope, "namespace_id": replayed.there.path.namespace_id})

    assert difference(replayed.engine, replayed.path)[0].dead == replayed.listed.dead == 1
    assert "1 dead letters" in run("replay")
    assert "! 1 events died in the replay" in run("replay", "diff", *sarah.path.parts)
    with pytest.raises(ReplayRefused, match="1 events died in the replay"):
        replayed.switch()
    replayed.switch(despite=True)


_DIED = text("""
    insert into mosshead.dead_letters (tenant_id, namespace_id, letter_id, origin, reason)
    values (:tenant_id, :namespace_id, gen_random_uuid(), 'stage', 'a test')
""")


def test_difference_is_printed_by_side_up_to_the_requested_length(
    fake: FakeOpenAI, run: Callable[..., Said], replayed: Replaying, forming: Forming, sarah: Namespace
) -> None:
    said = "I live in Berlin."
    forming.say(said)
    [known] = sarah.memories()
    fake.script("ExtractionAnswer", {"facts": [fact_like(content="Berlin was rainy when User came by", quote=said)]})
    replayed.start()

    printed = run("replay", "diff", *sarah.path.parts).splitlines()
    assert {f"- {known.content}", "+ Berlin was rainy when User came by"} <= {*printed}
    printed = run("replay", "diff", *sarah.path.parts, "--most", 0).splitlines()
    assert {"- … 1 more (--most, or --json)", "+ … 1 more (--most, or --json)"} <= {*printed}
    assert f"- {known.content}" not in printed
