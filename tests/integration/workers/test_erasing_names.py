"""Erasing entities: their names are removed wherever they occur, also where the app itself wrote them."""

from typing import Any

import pytest

from mosshead import Entity, Namespace
from mosshead.ids import remembered_id
from tests.fake_answers import fact_like
from tests.fake_openai import FakeOpenAI
from tests.forming import Forming
from tests.integration.workers.conftest import Find


def named(sarah: Namespace, name: str) -> Entity:
    """Return the entities that have a name, or have it as part of theirs."""
    (found,) = [one for one in sarah.entities.list() if name in one.name]
    return found


def test_imported_entity_is_erased_with_its_line(forming: Forming, sarah: Namespace, find: Find) -> None:
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
    assert sarah.entities.profile("Anna").summary == "Anna (person). Anna likes figs."
    assert set(find("anna")) >= {"events", "entities"}


def test_split_off_entity_is_erased_with_what_the_app_said_of_it(
    forming: Forming, sarah: Namespace, find: Find
) -> None:
    forming.say("Peter is a dentist at Brightleaf.", "Peter has a dog.")
    (dog,) = [one for one in sarah.memories() if "dog" in one.content]
    told = {"name": "Peter Quux", "aliases": ["Quuxie"], "description": "quuxologist"}
    forming.command(type="split", entity_id=str(named(sarah, "Peter").id), memories=[str(dog.id)], **told)

    forming.erase(entity=str(named(sarah, "Quux").id))

    assert find("quux", "dog") == {}
    assert "Peter" in {one.name for one in sarah.entities.list()}


def test_entity_is_erased_with_the_answers_that_decided_who_was_meant(
    forming: Forming, sarah: Namespace, find: Find
) -> None:
    forming.say("Peter is a dentist at Brightleaf.")
    peter = str(named(sarah, "Peter").id)
    forming.command(type="clarify", mention="Peter", text="Peter the quuxologist came", entity_id=peter)

    forming.erase(entity=peter)

    assert find("quux", "peter") == {}


@pytest.mark.parametrize("undone", [False, True], ids=["still", "for a while"])
def test_name_is_erased_from_the_entity_its_bearer_was_merged_into(
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
        sarah.entities.profile("Peter Haas").summary
        == "Peter Haas (dentist at Brightleaf). Peter Haas is a dentist at Brightleaf."
    )


def test_entity_first_named_in_an_erased_message_takes_the_name_others_use(
    forming: Forming, sarah: Namespace, find: Find
) -> None:
    forming.say("Peter Haas is a dentist at Brightleaf.", conversation="kept")
    forming.say("Bob Quux has a dog.", conversation="gone")
    peter, bob = named(sarah, "Peter"), named(sarah, "Bob")
    forming.command(type="merge", entity_id=str(peter.id), into=str(bob.id))

    forming.erase(conversation="gone")

    assert find("quux") == {}
    assert (named(sarah, "Peter").id, named(sarah, "Peter").name) == (bob.id, "Peter Haas")
    assert sarah.entities.profile("Peter Haas").entity.id == bob.id


def test_name_keeps_what_others_said_and_the_question_asks_no_more(
    forming: Forming, sarah: Namespace, find: Find
) -> None:
    forming.say("Peter Quux is a dentist at Brightleaf.", conversation="gone")
    forming.say("Peter has a dog.", conversation="kept")
    assert "questions" in find("peter")

    forming.erase(conversation="gone")

    assert find("quux", "dentist") == {}
    assert named(sarah, "Peter").name == "Peter"
    (question,) = sarah.entities.questions()
    assert question.text == "Which Peter do you mean: the person, or somebody else?"


def told(content: str, quote: str, **of_peter: Any) -> dict[str, Any]:
    """Return what a model finds in a message about Peter Haas."""
    unknown: dict[str, Any] = {"aliases": [], "parent": None, "description": None}
    peter = {"name": "Peter Haas", "entity_type": "person", "role": "subject", **unknown, **of_peter}
    return {"facts": [fact_like(content=content, quote=quote, mentions=[peter])]}


def test_knowledge_learned_and_undone_is_erased_from_the_history(
    fake: FakeOpenAI, forming: Forming, sarah: Namespace, find: Find
) -> None:
    bees, quux = "Peter Haas keeps bees", "Peter Haas, called Quuxie, is a quuxologist"
    fake.script("ExtractionAnswer", told(bees, bees), told(quux, quux, aliases=["Quuxie"], description="quuxologist"))
    forming.say(bees, conversation="kept")
    forming.say(quux, conversation="gone")
    (learned,) = [one for one in sarah.decisions.latest() if one.fact and "quux" in str(one.fact)]
    forming.command(type="undo", decision_id=str(learned.id))
    assert {"entities", "entity_aliases"} <= set(find("quux"))

    forming.erase(conversation="gone")

    assert find("quux") == {}
    assert named(sarah, "Haas").name == "Peter Haas"


def test_name_that_others_said_stays(fake: FakeOpenAI, forming: Forming, sarah: Namespace, find: Find) -> None:
    """Although what came of it names nobody."""
    fake.script("ExtractionAnswer", told("Peter Haas has quuxitis", "Peter Haas has quuxitis"))
    forming.say("Peter Haas has quuxitis", conversation="gone")
    fake.script("ExtractionAnswer", told("He keeps bees", "Peter Haas keeps bees"))
    forming.say("Peter Haas keeps bees", conversation="kept")

    forming.erase(conversation="gone")

    assert find("quux") == {}
    assert named(sarah, "Haas").name == "Peter Haas"


@pytest.mark.parametrize(
    ("content", "since"),
    [
        ("Peter Haas keeps bees", "nothing"),
        ("Peter Haas sails", "taken back"),
        ("Peter Haas keeps bees", "merged"),
        ("Peter Haas sails", "merged for a while"),
    ],
)
def test_knowledge_learned_there_is_erased_wherever_it_moved(
    fake: FakeOpenAI, forming: Forming, sarah: Namespace, find: Find, *, content: str, since: str
) -> None:
    """Also from a memory that stays because others said it, and from history rows."""
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
        (learned,) = [one for one in sarah.decisions.latest() if "quux" in str(one.fact)]
        forming.command(type="undo", decision_id=str(learned.id))
    if since.startswith("merged"):
        peter, bob = named(sarah, "Haas"), named(sarah, "Bob")
        merge = forming.command(type="merge", entity_id=str(peter.id), into=str(bob.id))
        if since == "merged for a while":
            forming.command(type="undo", decision_id=str(merge))

    forming.erase(conversation="gone")

    assert find("quux") == {}
    assert {one.content for one in sarah.memories()} == {bees, dog}


def test_knowledge_from_others_stays_with_the_repeated_memory(
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


def test_entity_split_off_twice_without_a_name_takes_the_name_others_use(
    forming: Forming, sarah: Namespace, find: Find
) -> None:
    """The app gave no name: it has that of the entity it was split off from."""
    forming.say("Peter Quux is a dentist at Brightleaf.", conversation="gone")
    forming.say("Peter has a dog.", conversation="kept")
    (dog,) = [one for one in sarah.memories() if "dog" in one.content]
    of = named(sarah, "Quux").id
    for _ in range(2):
        of = forming.command(type="split", entity_id=str(of), memories=[str(dog.id)])
    (split_off,) = [one for one in sarah.entities.list() if one.id == of]
    assert split_off.name == "Peter Quux"

    forming.erase(conversation="gone")

    assert find("quux") == {}
    assert [(one.id, one.name) for one in sarah.entities.list() if one.id == of] == [(of, "Peter")]
    forming.send()
    assert sarah.entities.profile(of).summary.startswith("Peter (person)")
    assert find("quux") == {}


@pytest.mark.parametrize("introduced", ["kept", "gone"])
def test_split_off_entity_keeps_a_name_others_use_for_the_first(
    forming: Forming, sarah: Namespace, introduced: str
) -> None:
    forming.say("Peter Haas is a dentist at Brightleaf.", conversation=introduced)
    forming.say("Peter Haas has a dog.", conversation="gone")
    forming.say("Peter Haas has a horse.", conversation="kept")
    forming.say("Peter has a cat.", conversation="kept")
    moving = [str(one.id) for one in sarah.memories() if "dog" in one.content or "cat" in one.content]
    split_off = forming.command(type="split", entity_id=str(named(sarah, "Haas").id), memories=moving)

    forming.erase(conversation="gone")

    assert [one.name for one in sarah.entities.list() if one.id == split_off] == ["Peter Haas"]


@pytest.mark.parametrize("first", ["gone", "older"])
def test_name_an_app_gave_a_split_off_entity_stays(
    forming: Forming, sarah: Namespace, find: Find, *, first: str
) -> None:
    """Although what it was given with is erased, and the entity it was split off from was erased before."""
    forming.say("Peter Quux is a dentist at Brightleaf.", conversation="older")
    forming.say("Peter has a dog.", conversation="gone")
    forming.say("Peter has a cat.", conversation="kept")
    moving = [str(one.id) for one in sarah.memories() if "dog" in one.content or "cat" in one.content]
    of = str(named(sarah, "Quux").id)
    split_off = forming.command(type="split", entity_id=of, memories=moving, name="Pete Winter")

    for conversation in (first, "older" if first == "gone" else "gone"):
        forming.erase(conversation=conversation)

    assert find("quux", "dog") == {}
    assert [one.name for one in sarah.entities.list() if one.id == split_off] == ["Pete Winter"]


@pytest.mark.parametrize(
    ("given", "before", "after"),
    [({}, "Peter Quux", "Ace Winter"), ({"name": "Pete Winter"}, "Pete Winter", "Pete Winter")],
    ids=["taken over", "given"],
)
def test_inherited_name_is_erased_with_the_last_message_that_says_it(
    forming: Forming, sarah: Namespace, find: Find, *, given: dict[str, str], before: str, after: str
) -> None:
    """Its first bearer is gone by then; a name that an app gave stays."""
    forming.say("Peter Quux is a dentist at Brightleaf.", "Peter has a dog.")
    (dog,) = [one for one in sarah.memories() if "dog" in one.content]
    peter = str(named(sarah, "Quux").id)
    ace = {"aliases": ["Ace Winter"], "memories": [str(dog.id)], **given}
    split_off = forming.command(type="split", entity_id=peter, **ace)
    sings, _ = (
        forming.command(type="remember", content=content, about=["Ace Winter"])
        for content in ("Ace Winter, once Peter Quux, sings", "Ace Winter has a cat")
    )

    forming.erase(entity=peter)
    assert [(one.id, one.name) for one in sarah.entities.list()] == [(split_off, before)]
    forming.erase(memories=[str(remembered_id(sarah.path.namespace_id, sings))])

    assert find("quux") == {}
    assert [(one.id, one.name) for one in sarah.entities.list()] == [(split_off, after)]


def test_entity_named_by_an_answer_takes_the_name_others_use(forming: Forming, sarah: Namespace) -> None:
    """An answer that it is somebody new names the entity as in the message that was asked about."""
    forming.say("Peter Haas is a dentist at Brightleaf.", conversation="kept")
    forming.say("Bob Winter has a cat.", conversation="kept")
    forming.say("Peter has a dog.", conversation="gone")
    (question,) = sarah.entities.questions()
    somebody = forming.command(type="clarify", question_id=str(question.id))
    forming.command(type="merge", entity_id=str(named(sarah, "Winter").id), into=str(somebody))
    assert [one.name for one in sarah.entities.list() if one.id == somebody] == ["Peter"]

    forming.erase(conversation="gone")

    assert [(one.name, one.aliases) for one in sarah.entities.list() if one.id == somebody] == [("Bob Winter", ())]


def test_names_are_erased_from_entities_of_memories_that_others_said_without_them(
    fake: FakeOpenAI, forming: Forming, sarah: Namespace, find: Find
) -> None:
    """Also the first name: it is what the erased message was about."""
    bees = "Peter keeps bees"
    fake.script(
        "ExtractionAnswer", told(bees, "Peter Quux keeps bees", name="Peter Quux"), told(bees, bees, name="Peter")
    )
    forming.say("Peter Quux keeps bees", conversation="gone")
    forming.say(bees, conversation="kept")

    forming.erase(conversation="gone")

    assert find("quux") == {}
    assert [one.name for one in sarah.entities.list()] == ["Peter"]
    assert [one.content for one in sarah.memories()] == [bees]


def test_knowledge_from_several_conversations_is_erased_with_the_last_of_them(
    fake: FakeOpenAI, forming: Forming, sarah: Namespace, find: Find
) -> None:
    """One after the other; the knowledge stays while one of them is left."""
    taught = {"name": "Peter Quux", "aliases": ["Quuxie"], "description": "quuxologist"}
    said = [f"Peter Quux, called Quuxie, a quuxologist, {does}" for does in ("sails", "paints")]
    dog = "Peter has a dog"
    fake.script("ExtractionAnswer", *(told(one, one, **taught) for one in said), told(dog, dog, name="Peter"))
    for one, conversation in zip(said, ("gone", "gone later"), strict=True):
        forming.say(one, conversation=conversation)
    peter = named(sarah, "Quux")
    forming.say(dog, conversation="kept")
    (question,) = sarah.entities.questions()
    forming.command(type="clarify", question_id=str(question.id), entity_id=str(peter.id))

    forming.erase(conversation="gone")
    (peter,) = sarah.entities.list()
    assert (peter.name, peter.aliases, peter.description) == ("Peter Quux", ("Quuxie",), "quuxologist")
    forming.erase(conversation="gone later")

    assert find("quux") == {}
    (peter,) = sarah.entities.list()
    assert (peter.name, peter.aliases, peter.description) == ("Peter", (), None)


@pytest.mark.parametrize("what", ["conversation", "entity"])
def test_parent_known_only_from_an_erased_part_is_erased_with_it(
    forming: Forming, sarah: Namespace, find: Find, what: str
) -> None:
    """All that was known of the parent was that this entity belongs to it."""
    forming.say("Peter Quux is a dentist at Brightleaf.", conversation="gone")
    gone = {"conversation": "gone", "entity": str(named(sarah, "Quux").id)}
    assert {one.name: one.parent for one in sarah.entities.list()} == {"Peter Quux": "Brightleaf", "Brightleaf": None}

    forming.erase(**{what: gone[what]})

    assert sarah.entities.list() == []


def test_merged_entities_are_erased_together(forming: Forming, sarah: Namespace, find: Find) -> None:
    forming.say("Peter Quux is a dentist.", "Bob Quux has a dog.", conversation="gone")
    two = {"entity_id": str(named(sarah, "Bob").id), "into": str(named(sarah, "Peter").id)}
    merge = forming.command(type="merge", **two)

    forming.erase(conversation="gone")
    assert sarah.entities.list() == []
    forming.command(type="undo", decision_id=str(merge))

    assert sarah.entities.list() == []
    assert find("quux") == {}
