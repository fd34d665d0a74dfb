"""What is made up leaves nothing, and what only speaks of games and stories silences nobody."""

from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from mosshead.models.kinds import Role
from pipeline.models import Background, Message
from pipeline.rules_en import extract_offline
from pipeline.rules_en.fiction import ends_fiction, opens_fiction

SAID_AT = datetime(2023, 5, 10, 14, 30, tzinfo=UTC)
FACT = "I live in Leeds."


def heard(*said: str, apart: timedelta = timedelta(minutes=1)) -> list[str]:
    messages = [
        Message(number, UUID(int=number), "c", Role.USER, None, text, SAID_AT + number * apart)
        for number, text in enumerate(said, 1)
    ]
    return [fact.content for fact in extract_offline(messages, Background())]


@pytest.mark.parametrize(
    "text",
    [
        "I love playing D&D with my friends on Fridays.",
        "We played a text adventure last night.",
        "What are the lyrics of Yesterday?",
        "Write me a haiku about rain.",
        "Write a story about a boy named Tim.",
        "My hero is my dad.",
        "My kids pretend to be dragons.",
        "My wizard is level five.",
        "Role-play is my favourite part of the drama class.",
        "You're a star!",
        "You're an inspiration to us all!",
        "You'll be an awesome mum!",
        "You are a great listener.",
        "You are a travel agent who knows Portugal well.",
        "I'm reading a fan fiction about Sherlock.",
        "Let's play chess on Sunday.",
        "We're writing a play at school.",
        "My RPG group meets on Tuesdays.",
        "You were a big help.",
        "I am a nurse and you are the first I tell.",
        "You're the best and I'm a happy man.",
        "Talk like a pirate.",
        "I have to go.",
    ],
)
def test_a_mention_of_games_and_stories_silences_nobody(text: str) -> None:
    assert "User lives in Leeds" in heard(text, FACT)
    assert "User lives in Leeds" in heard(f"{text} {FACT}")


@pytest.mark.parametrize(
    "text",
    [
        "Let's role-play.",
        "lets roleplay!!",
        "Can we do a role play?",
        "I want to role-play with you.",
        "You are a pirate.",
        "From now on you are a dragon.",
        "You're the shopkeeper and I'm the customer.",
        "You are a doctor and I am your patient.",
        "I'm a knight and you are the dragon.",
        "Pretend you're my butler.",
        "Can you pretend to be a vampire?",
        "Pretend I'm a queen.",
        "Write a story in which I am a pirate.",
        "Let's write a story together.",
        "Let's play a text adventure.",
        "Be my dungeon master.",
        "Act as a medieval king.",
        "Please stay in character.",
        "Let's play D&D.",
        "Let's play a game where you are my captain.",
    ],
)
def test_an_invitation_to_play_opens_a_game(text: str) -> None:
    assert heard(text, FACT) == []


@pytest.mark.parametrize(
    "text",
    [
        "Okay, stop the role play.",
        "Let's end the role-play here.",
        "Enough of the role play.",
        "No more pretending please.",
        "Game over.",
        "Out of character for a second.",
        "Let's stop pretending.",
        "Quit the game.",
        "Back to real life.",
        "Let's finish the story.",
    ],
)
def test_what_ends_a_game_opens_none(text: str) -> None:
    assert ends_fiction(text)
    assert not opens_fiction(text)
    assert heard("Let's role-play.", "I live on a ship.", text, FACT) == ["User lives in Leeds"]


def test_a_game_lapses_some_hours_after_its_last_message() -> None:
    assert heard("Let's role-play.", FACT, FACT, FACT, apart=timedelta(hours=2)) == []
    assert heard("Let's role-play.", FACT, apart=timedelta(days=3)) == ["User lives in Leeds"]


@pytest.mark.parametrize(
    "text",
    [
        "Once upon a time I was a frog. I live in a pond.",
        "Chapter one: I woke up. I live in Rome.",
        "My character is called Thorin.",
        "Lyrics: I live in a yellow submarine. I love the sea.",
    ],
)
def test_the_text_of_a_story_is_left_out_and_what_follows_it_heard(text: str) -> None:
    assert heard(text) == []
    assert heard(text, FACT) == ["User lives in Leeds"]
