"""`Namespace.resolve`: the words around a name decide who is meant; it asks where several fit, else the answer is unknown."""

import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from select import select
from typing import Any
from urllib.parse import parse_qs, urlsplit
from uuid import UUID

import pytest
from sqlalchemy import Engine, text
from typer.testing import CliRunner

from mosshead import Memory, Namespace
from mosshead.cli.main import cli
from mosshead.cli.output import console
from mosshead.contrib.focus import track_conversation
from mosshead.fencing import fenced
from mosshead.models.kinds import EntityType
from mosshead.paths import NamespacePath
from tests.given import MINILM, Publishing, Remembering
from workers.local import Addresses

TOMATOES = "Did Peter water the tomatoes in his greenhouse?"


class World:
    """Two Peters and a firm, with a memory or two about each."""

    def __init__(self, remembering: Remembering) -> None:
        self.remembering = remembering
        self.firm = remembering.entity("Wolf of Blog Street", entity_type=EntityType.ORG, aliases=("WOBS",))
        self.writer = remembering.entity("Peter Haas", description="writer", parent_id=self.firm)
        self.brother = remembering.entity("Peter", description="User's brother")
        self.knows(self.writer, "Peter writes articles about link building", also=self.firm)
        self.knows(self.brother, "Peter grows tomatoes in a greenhouse")

    def knows(self, entity: UUID, content: str, *, also: UUID | None = None, certainty: str = "sure") -> UUID:
        """Return a function that adds a memory about an entity."""
        about = {entity: ("subject", certainty)} | ({also: ("about", "sure")} if also else {})
        return self.remembering.memory(content, MINILM.embed([content])[0], about=about)


@pytest.fixture
def world(remembering: Remembering) -> World:
    return World(remembering)


@pytest.fixture
def sarah(memory: Memory, fresh_namespace: NamespacePath) -> Namespace:
    return memory.namespace(*fresh_namespace.parts)


def test_words_around_the_name_decide_who_is_meant(world: World, sarah: Namespace) -> None:
    found = sarah.resolve(TOMATOES, mention="Peter")

    assert found.entity is not None
    assert (found.status, found.entity.id, found.entity.memories, found.question) == (
        "resolved",
        world.brother,
        1,
        None,
    )
    assert {one.entity_id: one.description for one in found.candidates} == {
        world.brother: "your brother",
        world.writer: "the writer at Wolf of Blog Street",
    }
    assert found.candidates[0].score > found.candidates[1].score


def test_users_own_name_does_not_mean_the_user(world: World, sarah: Namespace) -> None:
    user = world.remembering.entity("Peter", is_user=True)
    world.knows(user, "Did Peter water the tomatoes in his greenhouse")

    found = sarah.resolve(TOMATOES, mention="Peter")

    assert found.entity is not None
    assert found.entity.id == world.brother
    assert user not in {one.entity_id for one in found.candidates}


def test_earlier_turns_decide_who_is_meant(world: World, sarah: Namespace) -> None:
    history = [
        {"role": "user", "content": "The link building articles for WOBS are late."},
        {"role": "assistant", "content": "Somebody should write them."},
    ]
    found = sarah.resolve("Then ask Peter about the articles", mention="Peter", history=history)
    assert found.entity is not None
    assert found.entity.id == world.writer


def test_words_that_fit_both_become_a_question(world: World, sarah: Namespace) -> None:
    found = sarah.resolve("Is Peter in?", mention="Peter")

    assert found.question is not None
    assert (found.status, found.entity) == ("ambiguous", None)
    assert {one.entity_id for one in found.question.candidates} == {world.writer, world.brother}
    assert (found.question.mention, found.question.message) == ("Peter", "Is Peter in?")


def test_name_shared_by_several_is_resolved_without_a_given_mention(world: World, sarah: Namespace) -> None:
    found = sarah.resolve("Does WOBS know whether Peter's tomatoes in the greenhouse are ripe?")
    assert found.entity is not None
    assert (found.mention, found.entity.id) == ("Peter", world.brother)


@pytest.mark.parametrize(
    "said", ["Are Peter's tomatoes in the greenhouse ripe?", "WOBS asks whether peter's tomatoes are in the greenhouse"]
)
def test_guessed_name_is_resolved_like_a_given_one(world: World, sarah: Namespace, said: str) -> None:
    mention = "Peter" if "Peter" in said else "peter"
    assert sarah.resolve(said) == sarah.resolve(said, mention=mention)


@pytest.mark.parametrize(
    ("said", "mention"),
    [
        ("Anna asks whether Peter grows tomatoes", "Peter"),  # nobody has the guessed name
        ("Does the Wolf of Blog Street write articles?", "Wolf of Blog Street"),  # the guess is part of it
        ("Tom asks Peter for articles", "Peter"),  # one has the guessed name, two have another
        ("Peter Lindqvist writes articles", "Peter"),  # the guess is longer than anybody's name
    ],
)
def test_wrong_guess_is_queried_again(world: World, sarah: Namespace, said: str, mention: str) -> None:
    world.remembering.entity("Tom")
    assert sarah.resolve(said) == sarah.resolve(said, mention=mention)


@pytest.mark.parametrize("said", ["Is Tom in?", "is anybody in?"])
def test_unknown_name_is_unknown(world: World, sarah: Namespace, said: str) -> None:
    found = sarah.resolve(said, mention="Tom" if "Tom" in said else None)
    assert (found.status, found.entity, found.candidates, found.question) == ("unknown", None, (), None)


@pytest.mark.usefixtures("world")
def test_part_of_a_name_finds_its_entity(sarah: Namespace) -> None:
    found = sarah.resolve("Has Haas written the articles about link building?", mention="haas")
    assert found.entity is not None
    assert found.entity.name == "Peter Haas"


@pytest.mark.parametrize(
    ("said", "mention", "named"),
    [
        ("", None, "text"),
        (" \n", None, "text"),
        ("Ask Peter", "", "mention"),
        ("Ask Peter", "Tom", "mention"),
        (5, None, "text"),
    ],
)
def test_bad_input_is_named(sarah: Namespace, said: str, mention: str | None, named: str) -> None:
    with pytest.raises(ValueError, match=f"^{named}: "):
        sarah.resolve(said, mention=mention)


@pytest.mark.usefixtures("world")
def test_another_namespace_knows_nobody(memory: Memory, fresh_namespace: NamespacePath) -> None:
    tom = memory.namespace(fresh_namespace.parts[0], "tom")
    assert tom.resolve(TOMATOES, mention="Peter").status == "unknown"


def test_entity_named_in_earlier_turns_decides_who_is_meant_in_a_context(world: World, sarah: Namespace) -> None:
    mina = world.remembering.entity("Mina")
    world.knows(world.brother, "They went to school together", also=mina)

    def after(said: str) -> bool:
        return bool(sarah.context("Ask Peter", history=[{"role": "user", "content": said}]).questions)

    assert after("Tilda asked about the letter")
    assert not after("Mina asked about the letter")


def test_resolve_command_names_the_entity_or_asks(
    world: World, addresses: Addresses, fresh_namespace: NamespacePath, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in addresses.environment().items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(console, "width", 200)
    turns = tmp_path / "turns.jsonl"
    turns.write_text(json.dumps({"role": "user", "content": "The tomatoes in the greenhouse are dry"}) + "\n\n")
    into = ["--namespace", "/".join(fresh_namespace.parts)]

    asked = CliRunner().invoke(cli, ["resolve", *into, "Is Peter in?", "--mention", "Peter"])
    told = CliRunner().invoke(
        cli, ["resolve", *into, "Should Peter water the tomatoes in the greenhouse?", "--history", str(turns), "--json"]
    )
    assert "Which Peter do you mean" in asked.output
    assert json.loads(told.output)["resolved"]["entity"]["id"] == str(world.brother)


FLUSH = b"H\0\0\0\4"
"""Messages a client sends without waiting for an answer."""


QUIET_SECONDS = 0.03
"""After this much silence, a client is waiting for an answer."""


class Counting:
    """A proxy between a client and Postgres that counts how often the client waited for an answer.

    Requests over two connections at once count as one wait. The first statements of a pipeline may be answered while its last are
    on the way, or one connection before the other sends, so passive counting would find too many round trips. The proxy therefore
    holds each answer back until the client has nothing more to send without it.
    """

    def __init__(self, folder: Path, target: str) -> None:
        self.trips = 0
        self._asking: set[socket.socket] = set()
        self._one_at_a_time = threading.Lock()
        self._target = target
        self._server = socket.socket(socket.AF_UNIX)
        self._server.bind(str(folder / ".s.PGSQL.5432"))
        self._server.listen()
        threading.Thread(target=self._accept, daemon=True).start()

    def trips_of(self, read: Callable[[], object]) -> int:
        """Return a read's round trips: the least of several, as a client that waits for a processor is silent, too."""
        counts = []
        for _ in range(5):
            before = self.trips
            read()
            counts.append(self.trips - before)
        return min(counts)

    def close(self) -> None:
        """Accept no more connections."""
        self._server.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._server.accept()
            except OSError:
                return
            server = socket.socket(socket.AF_UNIX)
            server.connect(self._target)
            threading.Thread(target=self._carry, args=(client, server), daemon=True).start()

    def _carry(self, client: socket.socket, server: socket.socket) -> None:
        with client, server, suppress(OSError):
            held = b""
            while True:
                ready, _, _ = select([client, server], [], [], QUIET_SECONDS if held else None)
                if client in ready:
                    said = client.recv(1 << 16)
                    if not said:
                        return
                    if said.replace(FLUSH, b""):
                        self._asks(client)
                    server.sendall(said)
                elif server in ready:
                    answer = server.recv(1 << 16)
                    if not answer:
                        return
                    held += answer
                else:
                    self._asking.discard(client)
                    client.sendall(held)
                    held = b""

    def _asks(self, client: socket.socket) -> None:
        with self._one_at_a_time:
            self.trips += not self._asking
            self._asking.add(client)


@pytest.fixture
def counted(addresses: Addresses, tmp_path: Path) -> Iterator[tuple[Counting, Memory]]:
    """Yield the library connected through the counting proxy."""
    folder = Path(parse_qs(urlsplit(addresses.database_url).query)["host"][0])
    counting = Counting(tmp_path, str(folder / ".s.PGSQL.5432"))
    url = addresses.database_url.replace(str(folder), str(tmp_path))
    with Memory.connect(database_url=url, broker_url=addresses.broker_url, spool_dir=tmp_path / "spool") as connected:
        yield counting, connected
    counting.close()


HELLO = [{"role": "user", "content": "hello"}]


@pytest.mark.usefixtures("world")
def test_resolve_takes_one_round_trip(counted: tuple[Counting, Memory], fresh_namespace: NamespacePath) -> None:
    counting, connected = counted
    sarah = connected.namespace(*fresh_namespace.parts)
    sarah.resolve(TOMATOES, mention="Peter")  # connects, and prepares the statements
    for said in (TOMATOES, "Is Peter in?"):
        assert counting.trips_of(partial(sarah.resolve, said, mention="Peter", history=HELLO)) == 1


@pytest.mark.usefixtures("world")
def test_resolve_without_a_mention_takes_one_round_trip_if_the_guess_is_right(
    counted: tuple[Counting, Memory], fresh_namespace: NamespacePath
) -> None:
    counting, connected = counted
    sarah = connected.namespace(*fresh_namespace.parts)
    sarah.resolve(TOMATOES)  # connects, and prepares the statements
    guessed, not_guessed = "Ask peter about the tomatoes in the greenhouse", "Has haas tomatoes in a greenhouse?"
    for said, mention, trips in ((TOMATOES, "Peter", 1), (guessed, "peter", 1), (not_guessed, "haas", 2)):
        assert sarah.resolve(said, history=HELLO).mention == mention
        assert counting.trips_of(partial(sarah.resolve, said, history=HELLO)) == trips


@pytest.mark.usefixtures("world")
def test_other_reads_take_one_or_two_round_trips(
    counted: tuple[Counting, Memory], fresh_namespace: NamespacePath
) -> None:
    counting, connected = counted
    sarah = connected.namespace(*fresh_namespace.parts)

    assert counting.trips_of(lambda: sarah.query(TOMATOES)) == 1
    assert counting.trips_of(lambda: sarah.context(TOMATOES, history=HELLO)) == 2
    assert counting.trips_of(lambda: sarah.context(TOMATOES, conversation="c")) == 2
    assert counting.trips_of(lambda: sarah.messages.search(TOMATOES)) == 2


@pytest.mark.usefixtures("world")
def test_dead_connections_are_replaced(
    addresses: Addresses, fresh_namespace: NamespacePath, admin_engine: Engine
) -> None:
    kill = text("select count(pg_terminate_backend(pid, 5000)) from pg_stat_activity where application_name = 'mortal'")
    mortal = f"{addresses.database_url}&application_name=mortal"
    with Memory.connect(database_url=mortal, read_timeout=60) as memory:
        sarah = memory.namespace(*fresh_namespace.parts)
        for read in (lambda: sarah.resolve(TOMATOES, mention="Peter").status, lambda: len(sarah.entities.list())):
            expected = read()
            with admin_engine.connect() as connection:
                assert connection.execute(kill).scalar_one() > 0
            assert read() == expected


SAID = {"role": "user", "content": "The link building articles for WOBS are late."}


@pytest.mark.parametrize(
    "one",
    [
        {"role": "system", "content": "You write clean articles about link building. Ask when something is unclear."},
        {"role": "tool", "content": '{"page": "How tomatoes grow in a greenhouse, and when to water them"}'},
    ],
)
@pytest.mark.usefixtures("world")
def test_prompts_and_tool_results_do_not_decide_who_is_meant(sarah: Namespace, one: dict[str, str]) -> None:
    assert sarah.resolve("Is Peter in?", mention="Peter", history=[one]).status == "ambiguous"
    assert len(sarah.context("Is Peter in?", history=[one]).questions) == 1


@pytest.mark.usefixtures("world")
def test_tool_calls_do_not_crowd_out_earlier_messages(sarah: Namespace, publishing: Publishing) -> None:
    turns = [SAID, *[{"role": "tool", "content": '{"status": "done"}'}] * 4]
    for second, one in enumerate(turns):
        at = f"2026-03-02T12:00:{second:02}+00:00"
        publishing.send(publishing.message(one["content"], role=one["role"], conversation="c1", occurred_at=at))

    for before in ({"history": turns}, {"conversation": "c1"}):
        assert sarah.resolve("Is Peter in?", mention="Peter", **before).status == "resolved"
        assert sarah.context("Is Peter in?", **before).questions == ()


@pytest.mark.parametrize("stored", [False, True])
def test_history_that_ends_with_the_message_decides_like_one_without_it(
    world: World, sarah: Namespace, publishing: Publishing, stored: bool
) -> None:
    """A model gets the message after its history, and an app may publish it before it asks."""
    said = ["The greenhouse is full of tomatoes", "Lovely", "Yes", "Ask Peter"]
    history = [{"role": "user", "content": one} for one in said]
    at = "2026-03-02T12:00:0{}+00:00"
    publishing.send(
        *(publishing.message(one, conversation="c1", occurred_at=at.format(n)) for n, one in enumerate(said))
    )
    asked: dict[str, Any] = {"conversation": "c1"} if stored else {"history": history}

    before = sarah.resolve("Ask Peter", mention="Peter", history=history[:-1])
    assert before.status == "resolved"
    assert sarah.resolve("Ask Peter", mention="Peter", **asked) == before
    assert sarah.context("Ask Peter", **asked).memories == sarah.context("Ask Peter", history=history[:-1]).memories
    assert not sarah.context("Ask Peter", **asked).questions


def test_stored_turns_decide_whom_a_pronoun_means_like_given_ones(
    world: World, sarah: Namespace, publishing: Publishing
) -> None:
    world.knows(world.remembering.entity("Mara Lind"), "Mara Lind cooks peppers on a stove")
    publishing.send(publishing.message("Mara Lind comes tomorrow", conversation="c1"))
    history = [{"role": "user", "content": "Mara Lind comes tomorrow"}]

    given = sarah.context("What does she grow?", history=history).explain()
    stored = [one for one in sarah.context("What does she grow?", conversation="c1").explain() if one.memory]
    assert stored == [one for one in given if one.memory]
    assert any("entity" in one.paths for one in stored)


@pytest.mark.usefixtures("world")
def test_notes_an_app_put_into_a_turn_do_not_decide_who_is_meant(sarah: Namespace, publishing: Publishing) -> None:
    notes = {"role": "user", "content": f"{fenced(['Peter grows tomatoes in a greenhouse'])}\nI am tired"}
    publishing.send(publishing.message(notes["content"], conversation="c1"))

    for before in ({"history": [notes]}, {"conversation": "c1"}):
        assert sarah.resolve("Is Peter in?", mention="Peter", **before).status == "ambiguous"
        assert len(sarah.context("Is Peter in?", **before).questions) == 1
        assert track_conversation(sarah, **before).topic == ()


@pytest.mark.usefixtures("world")
def test_turns_in_parts_decide_like_turns_of_text(sarah: Namespace, publishing: Publishing) -> None:
    parts = {**SAID, "content": [{"type": "text", "text": SAID["content"]}, {"type": "image_url", "image_url": {}}]}
    publishing.send(publishing.message(parts["content"], conversation="c1"))

    assert sarah.resolve("Is Peter in?", mention="Peter", history=[parts]).status == "resolved"
    assert sarah.context("Is Peter in?", history=[parts], include_pending=6).messages == ()  # not repeated
    assert len(track_conversation(sarah, [parts]).turns) == 1


@pytest.mark.usefixtures("world")
def test_name_is_asked_about_once_in_all_its_spellings(sarah: Namespace) -> None:
    (question,) = sarah.context("Is Peter in? Where is PETER? Is that PETER's?").questions
    assert question.mention == "Peter"


def test_name_after_a_long_history_is_resolved_through_a_process(world: World, sarah: Namespace) -> None:
    bought = [f"User bought {number} pots of paint" for number in range(40)]
    world.remembering.memories(bought, [*MINILM.embed(bought)])
    process = "To give something back after the check, hand it to the writer of articles"
    world.remembering.memory(process, MINILM.embed([process])[0], kind="process")

    for turns in (0, 3, 8):
        history = [
            {"role": "user", "content": one} for one in ("hello", "hi", "okay", "fine", "yes", "well", "so", "now")
        ]
        assert sarah.context("Give it back to Peter", history=history[:turns]).questions == ()


def test_process_memory_about_nobody_makes_no_candidate_more_likely(remembering: Remembering, sarah: Namespace) -> None:
    """It is longer than the message; with more words one Peter is always a little nearer, here the one with the bees."""
    process = "The process for checking that content passes as human: run it through two detectors; then rewrite what they flag"
    remembering.memory(process, MINILM.embed([process])[0], kind="process")
    bought = [f"User bought {number} pots of paint" for number in range(20)]
    remembering.memories(bought, [*MINILM.embed(bought)])
    for known in ("Peter is a writer at Wolf of Blog Street", "User's brother Peter keeps bees in Leeds"):
        about = {remembering.entity("Peter"): ("subject", "sure")}
        remembering.memory(known, MINILM.embed([known])[0], about=about)
    message = "Check if Peter's content is passing as human"

    assert sarah.resolve(message, mention="Peter").status == "ambiguous"
    assert [one.mention for one in sarah.context(message).questions] == ["Peter"]
