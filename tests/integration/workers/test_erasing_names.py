"""Erasing whom memories tell of: their names go wherever they stand, also where an app wrote them by its own hand."""

from typing import Any

import pytest

from recollect import Entity, Namespace
from tests.fake_answers import fact_like
from tests.fake_openai import FakeOpenAI
from tests.forming import Forming
from tests.integration.workers.conftest import Find


def named(sarah: Namespace, name: str) -> Entity:
    """Who bears a name, or has it as a part of theirs."""
    (found,) = [one for one in sarah.entities() if name in one.name]
    return found


def test_of_an_import_the_entity_goes_with_its_line(forming: Forming, sarah: Namespace, find: Find) -> None:
    peter = {"key": "quux-1", "name": "Peter Quux", "aliases": ["Quuxie"], "description": "quuxologist"}
    anna = {"key": "2", "name": "Anna", "parent": "quux-1"}
    forming.command(
        type="import",
        entities=[{**one, "entity_type": "person"} for one in (peter, anna)],
        memories=[
            {"id": "1", "content": "Peter Quux likes tea.", "about": ["quux-1"]},
            {"id": "2", "content": "Anna likes figs.", "about": ["2"]},
        ],
    )

    forming.erase(entity=str(named(sarah, "Quux").id))

    assert find("quux") == {}
    assert sarah.profile("Anna").summary == "Anna (person). Anna likes figs."
    assert set(find("anna")) >= {"events", "entities"}


def test_somebody_split_off_goes_with_what_the_app_said_of_them(forming: Forming, sarah: Namespace, find: Find) -> None:
    forming.say("Peter is a dentist at Brightleaf.", "Peter has a dog.")
    (dog,) = [one for one in sarah.memories() if "dog" in one.content]
    told = {"name": "Peter Quux", "aliases": ["Quuxie"], "description": "quuxologist"}
    forming.command(type="split", entity_id=str(named(sarah, "Peter").id), memories=[str(dog.id)], **told)

    forming.erase(entity=str(named(sarah, "Quux").id))

    assert find("quux", "dog") == {}
    assert "Peter" in {one.name for one in sarah.entities()}


def test_somebody_goes_with_the_answers_that_told_who_was_meant(forming: Forming, sarah: Namespace, find: Find) -> None:
    forming.say("Peter is a dentist at Brightleaf.")
    peter = str(named(sarah, "Peter").id)
    forming.command(type="clarify", mention="Peter", text="Peter the quuxologist came", entity_id=peter)

    forming.erase(entity=peter)

    assert find("quux", "peter") == {}


@pytest.mark.parametrize("undone", [False, True], ids=["still", "for a while"])
def test_a_name_goes_from_whom_its_bearer_was_merged_into(
    forming: Forming, sarah: Namespace, find: Find, undone: bool
) -> None:
    forming.say("Peter Haas is a dentist at Brightleaf.", conversation="kept")
    forming.say("Bob Quux has a dog.", conversation="gone")
    peter, bob = named(sarah, "Peter"), named(sarah, "Bob")
    merge = forming.command(type="merge", entity_id=str(bob.id), into=str(peter.id))
    if undone:
        forming.command(type="undo", decision_id=str(merge))

    forming.erase(conversation="gone")

    assert find("quux") == {}
    assert (
        sarah.profile("Peter Haas").summary
        == "Peter Haas (dentist at Brightleaf). Peter Haas is a dentist at Brightleaf."
    )


def test_whom_it_introduced_is_called_as_the_others_call_them(forming: Forming, sarah: Namespace, find: Find) -> None:
    forming.say("Peter Haas is a dentist at Brightleaf.", conversation="kept")
    forming.say("Bob Quux has a dog.", conversation="gone")
    peter, bob = named(sarah, "Peter"), named(sarah, "Bob")
    forming.command(type="merge", entity_id=str(peter.id), into=str(bob.id))

    forming.erase(conversation="gone")

    assert find("quux") == {}
    assert (named(sarah, "Peter").id, named(sarah, "Peter").name) == (bob.id, "Peter Haas")
    assert sarah.profile("Peter Haas").entity.id == bob.id


def test_of_a_name_stays_what_the_others_say_and_the_question_asks_no_more(
    forming: Forming, sarah: Namespace, find: Find
) -> None:
    forming.say("Peter Quux is a dentist at Brightleaf.", conversation="gone")
    forming.say("Peter has a dog.", conversation="kept")
    assert "questions" in find("peter")

    forming.erase(conversation="gone")

    assert find("quux", "dentist") == {}
    assert named(sarah, "Peter").name == "Peter"
    (question,) = sarah.questions()
    assert question.text == "Which Peter do you mean: the person, or somebody else?"


def told(content: str, quote: str, **of_peter: Any) -> dict[str, Any]:
    """What a model finds in a message about Peter Haas."""
    unknown: dict[str, Any] = {"aliases": [], "parent": None, "description": None}
    peter = {"name": "Peter Haas", "entity_type": "person", "role": "subject", **unknown, **of_peter}
    return {"facts": [fact_like(content=content, quote=quote, mentions=[peter])]}


def test_what_was_learned_and_taken_back_goes_from_what_was(
    fake: FakeOpenAI, forming: Forming, sarah: Namespace, find: Find
) -> None:
    bees, quux = "Peter Haas keeps bees", "Peter Haas, called Quuxie, is a quuxologist"
    fake.script("ExtractionAnswer", told(bees, bees), told(quux, quux, aliases=["Quuxie"], description="quuxologist"))
    forming.say(bees, conversation="kept")
    forming.say(quux, conversation="gone")
    (learned,) = [one for one in sarah.latest_decisions() if one.fact and "quux" in str(one.fact)]
    forming.command(type="undo", decision_id=str(learned.id))
    assert {"entities", "entity_aliases"} <= set(find("quux"))

    forming.erase(conversation="gone")

    assert find("quux") == {}
    assert named(sarah, "Haas").name == "Peter Haas"


def test_a_name_that_others_said_stays(fake: FakeOpenAI, forming: Forming, sarah: Namespace, find: Find) -> None:
    """Though what came of it names nobody."""
    fake.script("ExtractionAnswer", told("Peter Haas has quuxitis", "Peter Haas has quuxitis"))
    forming.say("Peter Haas has quuxitis", conversation="gone")
    fake.script("ExtractionAnswer", told("He keeps bees", "Peter Haas keeps bees"))
    forming.say("Peter Haas keeps bees", conversation="kept")

    forming.erase(conversation="gone")

    assert find("quux") == {}
    assert named(sarah, "Haas").name == "Peter Haas"


@pytest.mark.parametrize("content", ["Peter Haas keeps bees", "Peter Haas sails"], ids=["said again", "said there"])
@pytest.mark.parametrize("since", ["nothing", "taken back", "merged", "merged for a while"])
def test_what_was_learned_there_goes_whoever_it_went_over_to(
    fake: FakeOpenAI, forming: Forming, sarah: Namespace, find: Find, *, content: str, since: str
) -> None:
    """Also with a memory that stays, for others said it, and from rows of what was."""
    bees, dog = "Peter Haas keeps bees", "Bob Winter has a dog"
    quux = f"{content}, called Quuxie, a quuxologist"
    fake.script(
        "ExtractionAnswer", told(bees, bees), told(content, quux, aliases=["Quuxie"], description="quuxologist")
    )
    fake.script("ExtractionAnswer", told(dog, dog, name="Bob Winter"))
    for said, conversation in ((bees, "kept"), (quux, "gone"), (dog, "kept")):
        forming.say(said, conversation=conversation)
    assert {"entities", "entity_aliases"} <= set(find("quux"))
    if since == "taken back":
        (learned,) = [one for one in sarah.latest_decisions() if "quux" in str(one.fact)]
        forming.command(type="undo", decision_id=str(learned.id))
    if since.startswith("merged"):
        peter, bob = named(sarah, "Haas"), named(sarah, "Bob")
        merge = forming.command(type="merge", entity_id=str(peter.id), into=str(bob.id))
        if since == "merged for a while":
            forming.command(type="undo", decision_id=str(merge))

    forming.erase(conversation="gone")

    assert find("quux") == {}
    assert {one.content for one in sarah.memories()} == {bees, dog}


def test_what_others_taught_of_somebody_stays_with_the_memory_that_was_repeated(
    fake: FakeOpenAI, forming: Forming, sarah: Namespace
) -> None:
    bees = "Peter Haas keeps bees"
    taught = told(bees, f"{bees}, called Beeman, a beekeeper", aliases=["Beeman"], description="beekeeper")
    fake.script("ExtractionAnswer", taught, told(bees, bees))
    forming.say(f"{bees}, called Beeman, a beekeeper", conversation="kept")
    forming.say(bees, conversation="gone")
    before = named(sarah, "Haas")
    assert (before.aliases, before.description) == (("Beeman",), "beekeeper")

    forming.erase(conversation="gone")

    assert named(sarah, "Haas") == before


@pytest.mark.parametrize("what", ["conversation", "entity"])
def test_where_somebody_belongs_who_goes_goes_with_them(
    forming: Forming, sarah: Namespace, find: Find, what: str
) -> None:
    """Where nothing else is known of it: that they are a part of it was all."""
    forming.say("Peter Quux is a dentist at Brightleaf.", conversation="gone")
    gone = {"conversation": "gone", "entity": str(named(sarah, "Quux").id)}
    assert {one.name: one.parent for one in sarah.entities()} == {"Peter Quux": "Brightleaf", "Brightleaf": None}

    forming.erase(**{what: gone[what]})

    assert sarah.entities() == []


def test_two_that_were_merged_go_together(forming: Forming, sarah: Namespace, find: Find) -> None:
    forming.say("Peter Quux is a dentist.", "Bob Quux has a dog.", conversation="gone")
    two = {"entity_id": str(named(sarah, "Bob").id), "into": str(named(sarah, "Peter").id)}
    merge = forming.command(type="merge", **two)

    forming.erase(conversation="gone")
    assert sarah.entities() == []
    forming.command(type="undo", decision_id=str(merge))

    assert sarah.entities() == []
    assert find("quux") == {}
