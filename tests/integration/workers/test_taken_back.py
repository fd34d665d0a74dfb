"""What the user retracts in the conversation, and what ceases to hold: by the offline rules, through the store and undone."""

from datetime import UTC, datetime, timedelta

import pytest

from mosshead import Namespace
from tests.fake_answers import fact_like
from tests.fake_openai import FakeOpenAI
from tests.forming import Forming


def active(namespace: Namespace) -> set[str]:
    return {one.content for one in namespace.memories()}


def test_memory_the_user_asks_to_forget_is_forgotten_and_an_undo_restores_it(
    forming: Forming, sarah: Namespace
) -> None:
    forming.say("I live in Leeds.", "I like tea.")
    before = "\n".join(sarah.export())
    (leeds,) = [one for one in sarah.memories() if "Leeds" in one.content]

    fast = (datetime.now(UTC) + timedelta(hours=1)).isoformat()  # the app's clock
    forming.say("Please forget that I live in Leeds.", occurred_at=fast)
    assert active(sarah) == {"User likes tea"}
    assert sarah.get(leeds.id).state == "withdrawn"
    assert not [hit for hit in sarah.query("Where does the user live?") if "Leeds" in hit.content]
    assert not sarah.entities.neighbours("User")
    added, forgotten = sarah.decisions.for_memory(leeds.id)
    assert (added.action, forgotten.action, forgotten.decided_by) == ("add", "forget", "rules")

    forming.command(type="undo", decision_id=str(forgotten.id))
    assert "\n".join(sarah.export()) == before


def test_job_that_was_left_is_no_longer_current_however_much_else_is_known(forming: Forming, sarah: Namespace) -> None:
    forming.say("I work at Initech.")
    (job,) = sarah.memories()
    forming.say(*(f"I like {thing}." for thing in ("cats", "dogs", "tea", "rain", "chess", "my work", "new jobs")))
    forming.say("I resigned!")

    left = sarah.get(job.id)
    assert left.state == "superseded"
    assert sarah.get(left.superseded_by or job.id).content == "User resigned"
    assert not sarah.entities.neighbours("User")


def test_names_of_things_and_roles_do_not_become_the_users_name(forming: Forming, sarah: Namespace) -> None:
    forming.say("My name is Sarah.")
    forming.say("My car is called Betty and my wifi is called FRITZBox.", "I'm British.", "Call me Monday.")
    assert active(sarah) >= {"User's name is Sarah", "User's car is called Betty", "User is British"}
    (user,) = [one for one in sarah.entities.list() if one.name == "User"]
    assert set(user.aliases) <= {"User", "Sarah"}


def test_restored_memory_can_be_forgotten_again(forming: Forming, sarah: Namespace) -> None:
    forming.say("I live in Leeds.")
    forming.say("Forget that I live in Leeds.")
    (forgotten,) = [one for one in sarah.decisions.latest() if one.action == "forget"]
    forming.command(type="undo", decision_id=str(forgotten.id))
    assert active(sarah) == {"User lives in Leeds"}
    forming.say("Forget that I live in Leeds.")
    assert active(sarah) == set()


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("My phone number is 555 1234.", "Please forget my phone number."),
        ("I live in Leeds.", "Can you forget where I live?"),
        ("I'm allergic to nuts.", "Delete everything you know about my allergies."),
    ],
)
def test_topic_is_forgotten_and_the_request_is_neither_a_memory_nor_shown(
    forming: Forming, sarah: Namespace, said: str, asked: str
) -> None:
    forming.say("I like tea.")
    forming.say(said)
    (meant,) = active(sarah) - {"User likes tea"}
    forming.say(asked)
    assert active(sarah) == {"User likes tea"}
    assert asked not in sarah.context("Where do I live, what is my phone number, and what am I allergic to?").text
    (forgotten,) = [one for one in sarah.decisions.latest() if one.action == "forget"]
    forming.command(type="undo", decision_id=str(forgotten.id))
    assert active(sarah) == {"User likes tea", meant}


def named(name: str) -> dict[str, object]:
    return {
        "name": name,
        "entity_type": "person",
        "role": "subject",
        "aliases": [],
        "parent": None,
        "description": None,
    }


def retracting(content: str, quote: str, *, about: str = "User") -> dict[str, object]:
    return {"facts": [fact_like(content=content, quote=quote, retracts=True, mentions=[named(about)])]}


def test_memory_a_model_says_is_to_be_forgotten_is_and_an_undo_restores_it(
    fake: FakeOpenAI, forming: Forming, sarah: Namespace
) -> None:
    forming.say("I love tea.")
    forming.say("I live in Leeds.")
    before = "\n".join(sarah.export())
    fake.script("ExtractionAnswer", retracting("User lives in Leeds", "where I live"))
    forming.say("Could you drop where I live, Leeds?")
    assert active(sarah) == {"User loves tea."}
    (forgotten,) = [one for one in sarah.decisions.latest() if one.action == "forget"]
    assert forgotten.extracted_by not in {None, "rules"}
    assert forgotten.in_effect
    forming.command(type="undo", decision_id=str(forgotten.id))
    assert "\n".join(sarah.export()) == before


def test_member_of_a_group_can_forget_their_own_statements_and_those_about_them(
    fake: FakeOpenAI, forming: Forming, sarah: Namespace
) -> None:
    said = "Ann likes sushi"
    for speaker, goes in (("Cleo", False), ("Ann", True)):
        fake.script("ExtractionAnswer", {"facts": [fact_like(content=said, quote=said, mentions=[named("Ann")])]})
        forming.say(said, speaker="Bob")
        fake.script("ExtractionAnswer", retracting(said, said, about="Ann"))
        forming.say(f"Forget that {said}.", speaker=speaker)
        assert active(sarah) == (set() if goes else {said})


@pytest.mark.parametrize(
    ("asked", "left"),
    [
        ("Forget my knee", {"User's left knee hurts", "User's right knee is fine"}),
        ("Forget all about my knee", set()),
    ],
)
def test_nothing_is_forgotten_if_several_memories_may_be_meant_and_the_log_says_so(
    fake: FakeOpenAI, forming: Forming, sarah: Namespace, asked: str, left: set[str]
) -> None:
    for side, state in (("left", "hurts"), ("right", "is fine")):
        content, quote = f"User's {side} knee {state}", f"My {side} knee {state}"
        fake.script("ExtractionAnswer", {"facts": [fact_like(content=content, quote=quote, mentions=[named("User")])]})
        forming.say(quote)
    fake.script("ExtractionAnswer", retracting("User's knee", asked))
    forming.say(asked)
    assert active(sarah) == left
    logged = [one for one in sarah.decisions.latest() if one.action == "forget"]
    assert [one.in_effect for one in logged] == ([False] if left else [True, True])
    assert {len(one.candidates) for one in logged} == {2}
    assert all(one.reason.startswith("2 memories may be meant") is bool(left) for one in logged)
