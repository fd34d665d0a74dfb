"""A small world for the console: a harbour pilot, two Annas, and what was said about them."""

from pydantic import BaseModel

from mosshead import Namespace

LINES = (
    {"type": "entity", "key": "pilots", "name": "Sund Pilots", "entity_type": "org", "aliases": ["the pilots"]},
    {"type": "entity", "key": "yard", "name": "Tern Boatyard", "entity_type": "org"},
    {"type": "entity", "key": "lodestar", "name": "Lodestar", "entity_type": "project", "parent": "pilots"},
    {
        "type": "entity",
        "key": "anna-b",
        "name": "Anna Brandt",
        "entity_type": "person",
        "aliases": ["Anna"],
        "parent": "yard",
        "description": "the boatbuilder",
    },
    {
        "type": "entity",
        "key": "anna-l",
        "name": "Anna Lind",
        "entity_type": "person",
        "aliases": ["Anna"],
        "parent": "pilots",
        "description": "the dispatcher",
    },
    {"type": "memory", "id": "m1", "content": "Anna Brandt builds wooden dinghies by hand.", "about": ["anna-b"]},
    {"type": "memory", "id": "m2", "content": "Anna Brandt has a workshop by the slipway.", "about": ["anna-b"]},
    {
        "type": "memory",
        "id": "m3",
        "content": "Anna Lind plans the night shifts of the pilots.",
        "about": ["anna-l", "pilots"],
    },
    {"type": "memory", "id": "m4", "content": "Anna Lind keeps bees on the roof of the office.", "about": ["anna-l"]},
    {
        "type": "memory",
        "id": "m5",
        "content": "Before a ship is brought in: read the tide gauge, call the tug, then agree the channel with the master.",
        "kind": "process",
        "about": ["pilots"],
    },
    {"type": "memory", "id": "m6", "content": "Lodestar replaces the paper log of the pilots.", "about": ["lodestar"]},
)
SAID = (
    ("user", "I'm Maren. I work at Sund Pilots and I live in Aalborg."),
    ("assistant", "Good to meet you, Maren. What do you do there?"),
    ("user", "I bring ships into the harbour. My brother Jonas lives in Malmö."),
    ("user", "I'm allergic to shellfish, which is awkward in a harbour."),
    ("user", "I prefer the early shift."),
)
CORRECTION = "Actually, I live in Skagen."
OPEN = "Anna is learning Portuguese."


class PilotProfile(BaseModel):
    """What the harbour records about a pilot."""

    name: str | None = None
    licence: str | None = None
    night_shifts: bool | None = None
    years: int | None = None
    languages: list[str] = []


PROFILE = PilotProfile(name="Maren", licence="blue", night_shifts=False, years=11, languages=["Danish", "German"])


def tell(maren: Namespace, *, seconds: float = 60) -> None:
    """Import the world; then publish something that replaces a memory and something that leaves a question open."""
    maren.configure(profiles=[PilotProfile])
    maren.documents.edit(PilotProfile, PROFILE)
    maren.import_records(LINES)
    for role, content in SAID:
        maren.publish(content, role=role, conversation="quay")
    maren.wait(timeout=seconds)
    maren.publish(CORRECTION, conversation="a move")
    maren.publish(OPEN, conversation="a course")
    maren.wait(timeout=seconds)
