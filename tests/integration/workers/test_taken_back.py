"""What the user takes back in the conversation itself, and what holds no more: by the offline rules, to the store and back."""

from datetime import UTC, datetime, timedelta

from mosshead import Namespace
from tests.forming import Forming


def active(namespace: Namespace) -> set[str]:
    return {one.content for one in namespace.memories()}


def test_what_the_user_asks_to_forget_is_known_no_longer_and_an_undo_brings_it_back(
    forming: Forming, sarah: Namespace
) -> None:
    forming.say("I live in Leeds.", "I like tea.")
    before = "\n".join(sarah.export())
    (leeds,) = [one for one in sarah.memories() if "Leeds" in one.content]

    fast = (datetime.now(UTC) + timedelta(hours=1)).isoformat()  # the clock of the app
    forming.say("Please forget that I live in Leeds.", occurred_at=fast)
    assert active(sarah) == {"User likes tea"}
    assert sarah.get(leeds.id).state == "withdrawn"
    assert not [hit for hit in sarah.query("Where does the user live?") if "Leeds" in hit.content]
    assert not sarah.entities.neighbours("User")
    added, forgotten = sarah.decisions.for_memory(leeds.id)
    assert (added.action, forgotten.action, forgotten.decided_by) == ("add", "forget", "rules")

    forming.command(type="undo", decision_id=str(forgotten.id))
    assert "\n".join(sarah.export()) == before


def test_what_was_said_in_the_message_before_is_forgotten(forming: Forming, sarah: Namespace) -> None:
    forming.say("I like tea.", conversation="c1")
    forming.say("My car is called Betty.", conversation="c1")
    forming.say("forget that", conversation="c1")
    assert active(sarah) == {"User likes tea"}
    forming.say("forget that", conversation="c2")
    assert active(sarah) == {"User likes tea"}


def test_what_nobody_knows_is_not_learned_by_being_forgotten(forming: Forming, sarah: Namespace) -> None:
    forming.say("Forget that my sister Anna lives in Rome.")
    assert (active(sarah), [one.name for one in sarah.entities.list()]) == (set(), [])


def test_what_is_said_again_once_it_is_forgotten_is_a_memory(forming: Forming, sarah: Namespace) -> None:
    forming.say("I live in Leeds.")
    forming.say("Forget that I live in Leeds. I live in Leeds and I like tea.")
    assert active(sarah) == {"User likes tea", "User lives in Leeds"}


def test_a_job_that_was_left_is_a_job_no_longer_however_much_else_is_known(forming: Forming, sarah: Namespace) -> None:
    forming.say("I work at Initech.")
    (job,) = sarah.memories()
    forming.say(*(f"I like {thing}." for thing in ("cats", "dogs", "tea", "rain", "chess", "my work", "new jobs")))
    forming.say("I resigned!")

    left = sarah.get(job.id)
    assert left.state == "superseded"
    assert sarah.get(left.superseded_by or job.id).content == "User resigned"
    assert not sarah.entities.neighbours("User")


def test_a_job_at_a_firm_by_the_beginning_of_its_name_and_a_plan_of_which_nothing_more_is_said(
    forming: Forming, sarah: Namespace
) -> None:
    forming.say("I work at Brightleaf Tea.", "I'm training for a half marathon on 12 December 2026.")
    forming.say("I got laid off from Brightleaf.", "The half marathon is off.")
    assert active(sarah) == {"User got laid off from Brightleaf", "The half marathon is off"}


def test_the_name_of_a_thing_and_what_one_is_leave_the_users_name(forming: Forming, sarah: Namespace) -> None:
    forming.say("My name is Sarah.")
    forming.say("My car is called Betty and my wifi is called FRITZBox.", "I'm British.", "Call me Monday.")
    assert active(sarah) >= {"User's name is Sarah", "User's car is called Betty", "User is British"}
    (user,) = [one for one in sarah.entities.list() if one.name == "User"]
    assert set(user.aliases) <= {"User", "Sarah"}


def test_what_ended_elsewhere_or_long_ago_leaves_what_is_known(forming: Forming, sarah: Namespace) -> None:
    forming.say("I work at Acme.", "I live in Leeds.", "My partner is Tom.")
    known = active(sarah)
    forming.say(
        "I lost my job in 2008.", "I quit Spanish class.", "I left the Army.", "I got fired from my paper round."
    )
    forming.say("I moved out of Leeds in 2005.", "I got divorced in 2009.", "Tom and I broke up in 2015.")
    assert active(sarah) > known

    forming.say("I got fired.")
    assert known - active(sarah) == {"User works at Acme"}


def test_what_is_switched_off_or_spoilt_calls_nothing_off(forming: Forming, sarah: Namespace) -> None:
    forming.say("I will buy milk tomorrow.", "I will repair the light tomorrow.", "We are having a barbecue tomorrow.")
    known = active(sarah)
    forming.say("The milk is off.", "The light is off.")
    assert active(sarah) > known

    forming.say("The barbecue is off.")
    assert known - active(sarah) == {"User is having a barbecue tomorrow"}


def test_what_is_brought_back_can_be_forgotten_again(forming: Forming, sarah: Namespace) -> None:
    forming.say("I live in Leeds.")
    forming.say("Forget that I live in Leeds.")
    (forgotten,) = [one for one in sarah.decisions.latest() if one.action == "forget"]
    forming.command(type="undo", decision_id=str(forgotten.id))
    assert active(sarah) == {"User lives in Leeds"}
    forming.say("Forget that I live in Leeds.")
    assert active(sarah) == set()
