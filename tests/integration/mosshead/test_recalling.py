"""Recalled messages, and messages in a context: on rows as the service writes them, with the real local model."""

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from functools import partial
from uuid import UUID

import pytest
from sqlalchemy import Engine, text

from db import memories, turns
from db.turns import NewTurn
from mosshead import Memory, Namespace
from mosshead.fencing import fenced
from mosshead.paths import NamespacePath
from tests.given import MINILM, MODEL, Publishing, Remembering
from tests.integration.mosshead.conftest import Shell
from workers.local import Addresses

NINE = datetime(2025, 3, 9, 9, tzinfo=UTC)

BOAT = (
    ("Ines", "The boat shed needs a coat of paint before summer"),
    ("Sam", "I still have the green paint from last year"),
    ("Ines", "Green would suit it well"),
    ("Sam", "Then we start on Saturday at ten"),
    ("Ines", "Bring the long ladder please"),
)
BREAD = (
    ("Ines", "My sourdough will not rise in this cold kitchen"),
    ("Sam", "Put the dough on top of the boiler overnight"),
    ("Ines", "That worked, the loaf is huge"),
)

Talk = Callable[..., list[UUID]]


@pytest.fixture
def ines(memory: Memory, fresh_namespace: NamespacePath) -> Namespace:
    return memory.namespace(*fresh_namespace.parts)


@pytest.fixture
def talk(ingest_engine: Engine, fresh_namespace: NamespacePath, remembering: Remembering) -> Talk:
    """Return a function that adds a conversation, a minute a message, after it took effect; ``ahead``: before it did."""
    publishing = Publishing(ingest_engine, fresh_namespace)

    def say(
        conversation: str | None,
        said: tuple[tuple[str, str], ...],
        *,
        start: datetime = NINE,
        ahead: bool = False,
        role: str = "user",
    ) -> list[UUID]:
        events = [
            publishing.message(
                content,
                role=role,
                speaker=speaker,
                occurred_at=(start + timedelta(minutes=minute)).isoformat(),
                **({"conversation": conversation} if conversation else {}),
            )
            for minute, (speaker, content) in enumerate(said)
        ]
        publishing.send(*events)
        ids = [UUID(event["event_id"]) for event in events]
        if not ahead:
            texts = [content for _, content in said]
            pairs = [" ".join(texts[max(0, place - 1) : place + 1]) for place in range(len(texts))]
            rows = zip(ids, texts, MINILM.embed(texts), MINILM.embed(pairs), strict=True)
            new = [NewTurn(message_id=key, said=text, embedding=own, with_before=pair) for key, text, own, pair in rows]
            with remembering.transaction() as connection:
                turns.add(connection, remembering.lane, MODEL, new)
        return ids

    return say


class TestRecall:
    def test_messages_are_recalled_word_for_word(self, ines: Namespace, talk: Talk) -> None:
        talk("boat", BOAT)
        talk("bread", BREAD)
        found = ines.messages.search("Where should the dough rise?", limit=1)

        (message,) = found.messages
        assert (message.content, message.speaker, message.conversation, message.place) == (
            BREAD[1][1],
            "Sam",
            "bread",
            1,
        )
        assert message.said_at == NINE + timedelta(minutes=1)
        assert [one.content for one in found.excerpts[0].messages] == [content for _, content in BREAD]
        assert found.hits[0].similarity > 0.3

    def test_similarity_of_a_text_to_itself_is_one(self, ines: Namespace, talk: Talk) -> None:
        same = "Where should the dough rise?"  # its half-precision vector has an inner product of 1.0001
        talk("bread", (("Sam", same),))

        assert [hit.similarity for hit in ines.messages.search(same).hits] == [1]

    @pytest.mark.parametrize(
        ("around", "places"), [(0, [3]), ((2, 0), [1, 2, 3]), ((0, 1), [3, 4]), (9, [0, 1, 2, 3, 4])], ids=str
    )
    def test_requested_number_of_neighbours_comes_along(
        self, ines: Namespace, talk: Talk, around: int | tuple[int, int], places: list[int]
    ) -> None:
        talk("boat", BOAT)
        found = ines.messages.search("On which day do we start?", limit=1, around=around)

        assert [one.place for one in found.excerpts[0].messages] == places

    def test_excluded_messages_take_nobodys_place(self, ines: Namespace, talk: Talk) -> None:
        asked = "Where should the dough rise?"
        told = tuple(("Sam", f"Where should the dough rise, and bowl {number}?") for number in range(60))
        talk("bowls", told)
        talk("bread", BREAD)
        history = [{"role": "user", "content": content} for _, content in told]

        assert ines.messages.search(asked, limit=1, history=history).messages[0].conversation == "bread"
        assert ines.context(asked, budget=60, history=history).messages[0].conversation == "bread"

    def test_conversation_is_searched_alone(self, ines: Namespace, talk: Talk) -> None:
        talk("boat", BOAT)
        talk("bread", BREAD)

        thread = ines.messages.search("dough", conversation="boat", conversation_only=True, limit=9)
        assert {one.conversation for one in thread.messages} == {"boat"}
        assert {one.conversation for one in ines.messages.search("dough", conversation="boat", limit=9).messages} == {
            "boat",
            "bread",
        }
        with pytest.raises(ValueError, match="conversation_only: "):
            ines.messages.search("dough", conversation_only=True)

    def test_time_and_threshold_narrow_the_search(self, ines: Namespace, talk: Talk) -> None:
        talk("boat", BOAT)
        talk("later", BOAT, start=NINE + timedelta(days=30))
        month = NINE + timedelta(days=15)

        assert {one.conversation for one in ines.messages.search("paint", since=month).messages} == {"later"}
        assert {one.conversation for one in ines.messages.search("paint", until=month).messages} == {"boat"}
        similar = ines.messages.search("Green would suit it well", threshold=0.9, limit=9).messages
        assert {one.content for one in similar} == {"Green would suit it well"}

    @pytest.mark.parametrize("around", [0, 1, 2, (9, 0)], ids=str)
    def test_neighbours_are_of_the_same_time_span(
        self, ines: Namespace, talk: Talk, around: int | tuple[int, int]
    ) -> None:
        talk("boat", BOAT)
        since, until = NINE + timedelta(minutes=2), NINE + timedelta(minutes=4)
        found = ines.messages.search("paint", since=since, until=until, around=around)
        shown = {one.said_at for excerpt in found.excerpts for one in excerpt.messages}
        assert shown
        assert shown <= {NINE + timedelta(minutes=2), NINE + timedelta(minutes=3)}

    def test_messages_of_the_history_are_not_repeated(self, ines: Namespace, talk: Talk) -> None:
        talk("bread", BREAD)
        history = [{"role": "user", "content": content} for _, content in BREAD[1:]]
        found = ines.messages.search("Where should the dough rise?", conversation="bread", history=history, limit=9)

        assert [one.content for one in found.messages] == [BREAD[0][1]]
        assert BREAD[1][1] not in found.text

    def test_messages_of_the_history_in_another_form_are_not_repeated(self, ines: Namespace, talk: Talk) -> None:
        long = "The dough rises. " * 2_000
        said = ("  My dough will not\nrise ", f"{fenced(['It rains'])}\nWhere does the dough rise?", long)
        talk("bread", tuple(("Ines", content) for content in (*said, "The dough is blue")))
        history = [{"role": "user", "content": content} for content in ("My dough will not rise", *said[1:])]

        found = ines.messages.search("dough", history=history, limit=9)
        assert [one.content for one in found.messages] == ["The dough is blue"]
        assert [one.content for excerpt in found.excerpts for one in excerpt.messages] == ["The dough is blue"]
        assert [one.content for one in ines.context("dough", history=history, budget=100_000).messages] == [
            "The dough is blue"
        ]
        assert long not in {one.content for one in ines.context(long, budget=100_000).messages}

    def test_message_found_as_a_neighbour_has_its_own_neighbours_too(self, ines: Namespace, talk: Talk) -> None:
        """The answer is not among the best by its own scores: it follows the question, and is by the person named."""
        asked = "What did Ines say of the dough?"
        for number in range(30):
            talk(f"bowl {number}", (("Sam", f"What did Ines say of the dough, and of dough {number}?"),))
        _, answer, last = talk("bread", (("Sam", asked), ("Ines", "Upstairs on the boiler"), ("Sam", "Bring a towel")))
        arounds: tuple[int | tuple[int, int], ...] = (1, (0, 1))
        for around in arounds:
            found = ines.messages.search(asked, limit=4, around=around)
            assert answer in {one.id for one in found.messages}
            assert last in {one.id for excerpt in found.excerpts for one in excerpt.messages}

    def test_memory_lends_its_score_to_its_source_message(
        self, ines: Namespace, talk: Talk, remembering: Remembering
    ) -> None:
        said = (("Sam", "Number four, then"),)
        talk("first", said, start=NINE + timedelta(days=1))
        (second,) = talk("second", said)
        question = "Which train does Sam take?"
        assert ines.messages.search(question, limit=1).messages[0].id != second
        memory_id = remembering.memory(
            "Sam takes the train at eight", MINILM.embed(["Sam takes the train at eight"])[0]
        )
        remembering.memory("It rains", MINILM.embed(["It rains"])[0])
        with remembering.stamped() as (connection, stamp):
            memories.add_sources(connection, remembering.lane, memory_id, {second: "Number four"}, stamp)

        assert ines.messages.search(question, limit=1).messages[0].id == second

    def test_messages_without_a_conversation_are_found_too(self, ines: Namespace, talk: Talk) -> None:
        talk(None, BREAD)
        (message,) = ines.messages.search("Where should the dough rise?", limit=1).messages

        assert message.conversation is None

    def test_empty_namespace_recalls_nothing(self, ines: Namespace) -> None:
        found = ines.messages.search("Where should the dough rise?")

        assert (found.hits, found.text, found.as_messages(), found.partial) == ((), "", [], False)

    def test_another_namespace_of_the_tenant_is_never_seen(self, ines: Namespace, talk: Talk, memory: Memory) -> None:
        talk("bread", BREAD)
        other = memory.namespace(ines.path.parts[0], "somebody else")

        assert other.messages.search("dough").hits == ()
        assert other.context("dough").messages == ()


class TestContext:
    def test_unrelated_question_gets_next_to_no_messages(self, ines: Namespace, talk: Talk) -> None:
        talk("shed", tuple(("Sam", f"Plank number {place} of the shed is loose") for place in range(60)))
        assert ines.context("Which planks of the shed are loose?", budget=400, fill=True).tokens > 300
        assert 0 < ines.context("Which planks of the shed are loose?", budget=400).tokens < 300
        for aside in ("ok, thanks!", "Who composed the opera Aida?"):
            assert ines.context(aside, budget=400, fill=True).tokens < 60
            assert ines.context(aside, budget=400).tokens == 0
        assert ines.context("Who composed the opera Aida in 2025?", budget=400, fill=True).tokens > 300

    def test_context_shows_messages_under_their_day(self, ines: Namespace, talk: Talk) -> None:
        talk("boat", BOAT)
        talk("bread", BREAD)
        context = ines.context("Where should the dough rise?", budget=40, fill=True)

        assert BREAD[1][1] in {one.content for one in context.messages}
        assert context.text.startswith("9 March 2025:\n")
        assert context.tokens == MINILM.count_tokens(context.text) <= 40
        assert all(one.message and not one.memory for one in context.explain())

    def test_memory_and_its_source_message_count_once(
        self, ines: Namespace, talk: Talk, remembering: Remembering
    ) -> None:
        ids = talk("bread", BREAD)
        content = "Sam puts the dough on top of the boiler overnight"
        memory_id = remembering.memory(content, MINILM.embed([content])[0])
        with remembering.stamped() as (connection, stamp):
            memories.add_sources(connection, remembering.lane, memory_id, {ids[1]: "on top of the boiler"}, stamp)
        context = ines.context("Where should the dough rise?", fill=True)

        assert [one.id for one in context.memories] == [memory_id]
        assert ids[1] not in {one.id for one in context.messages}
        assert ids[0] in {one.id for one in context.messages}

    def test_shown_memory_does_not_bring_up_its_source_message(
        self, ines: Namespace, talk: Talk, remembering: Remembering
    ) -> None:
        said = (("Sam", "Number four, then"),)
        talk("first", said, start=NINE + timedelta(days=1))
        (second,) = talk("second", said)
        content = "Sam takes the train at eight, and changes to the one at a quarter past nine where he gets off"
        memory_id = remembering.memory(content, MINILM.embed([content])[0])
        remembering.memory("It rains", MINILM.embed(["It rains"])[0])
        with remembering.stamped() as (connection, stamp):
            memories.add_sources(connection, remembering.lane, memory_id, {second: "Number four"}, stamp)
        question, too_little_for_it = "Which train does Sam take?", 18

        assert [one.id for one in ines.messages.search(question, limit=1).messages] == [second]
        (shown,) = (one for one in ines.context(question, budget=too_little_for_it).explain() if one.message)
        assert "lent" not in shown.parts

    def test_message_that_says_more_than_its_memory_is_shown(
        self, ines: Namespace, talk: Talk, remembering: Remembering
    ) -> None:
        (said,) = talk("dog", (("Ines", "This is my dog Pepper, she's a beagle."),))
        memory_id = remembering.memory("Pepper is User's dog", MINILM.embed(["Pepper is User's dog"])[0])
        with remembering.stamped() as (connection, stamp):
            memories.add_sources(connection, remembering.lane, memory_id, {said: "my dog Pepper"}, stamp)

        context = ines.context("What breed is my dog?", fill=False)
        assert "beagle" in context.text
        assert [one.id for one in context.memories] == [memory_id], (
            "whose words are in the prompt, so that its echo is none"
        )

    def test_words_of_the_asking_speaker_come_first_in_a_group(self, ines: Namespace, talk: Talk) -> None:
        talk("pets", (("Ana", "My dog is called Bolt."), ("Cleo", "My dog is called Fig.")))
        for speaker, name in (("Ana", "Bolt"), ("Cleo", "Fig")):
            assert name in ines.context("What's my dog's name?", speaker=speaker, fill=False).text.splitlines()[0]
            history = [{"role": "user", "name": speaker, "content": "Hello"}]
            assert name in ines.context("What's my dog's name?", history=history, fill=False).text.splitlines()[0]

    def test_unrelated_question_gets_nothing_of_three_messages(self, ines: Namespace, talk: Talk) -> None:
        talk("boat", BOAT)
        for aside in ("What's the capital of Peru?", "Can you convert 5 miles to km?", "lol"):
            assert ines.context(aside, fill=False).text == ""

    def test_question_about_a_name_that_no_message_mentions_shows_nothing(self, ines: Namespace, talk: Talk) -> None:
        talk("hills", (*BOAT, ("Sam", "We climbed hill 3 near the mountains")))
        assert "hill 3" in ines.context("How high are the mountains?").text
        assert ines.context("How high is Kilimanjaro?").text == ""
        talk("africa", (("Sam", "Kilimanjaro is 5,895 metres high"),))
        assert "5,895" in ines.context("How high is Kilimanjaro?").text

    def test_lone_surrogate_in_the_history_does_no_harm(self, ines: Namespace, talk: Talk) -> None:
        talk("bread", BREAD)
        history = [{"role": "user", "content": "\ud83d dough"}]

        assert ines.context("Where should the dough rise?", history=history).messages
        assert ines.messages.search("Where should the dough rise?", history=history).messages

    def test_message_itself_and_the_history_are_not_repeated(self, ines: Namespace, talk: Talk) -> None:
        talk("bread", (*BREAD, ("Ines", "Where should the dough rise?")))
        history = [{"role": "user", "content": BREAD[0][1]}]
        context = ines.context("Where should the dough rise?", conversation="bread", history=history, fill=True)
        chosen = ines.context("Where should the dough rise?", conversation="bread", history=history)

        assert [one.content for one in context.messages] == [content for _, content in BREAD[1:]]
        assert {one.content for one in chosen.messages} <= {content for _, content in BREAD[1:]}
        assert BREAD[1][1] in {one.content for one in chosen.messages}

    def test_pending_messages_are_included_on_request(self, ines: Namespace, talk: Talk) -> None:
        talk("boat", BOAT)
        talk("bread", BREAD, start=NINE + timedelta(days=1), ahead=True)
        question = "What is new?"

        assert ines.context(question).partial
        assert not {one.conversation for one in ines.context(question).messages} & {"bread"}
        shown = ines.context(question, include_pending=2, fill=True)
        assert [one.content for one in shown.messages if one.conversation == "bread"] == [BREAD[1][1], BREAD[2][1]]
        assert [one.place for one in shown.messages if one.conversation == "bread"] == [1, 2]
        assert [one.paths for one in shown.explain()].count(("pending",)) == 2
        history = [{"role": "user", "content": BREAD[2][1]}]
        assert [one.content for one in ines.context(question, include_pending=1, history=history, fill=True).messages][
            -1
        ] != BREAD[2][1]
        with pytest.raises(ValueError, match="include_pending: must be at least 1"):
            ines.context(question, include_pending=-1)

    def test_empty_pending_message_is_not_included(self, ines: Namespace, talk: Talk) -> None:
        talk("boat", BOAT)
        talk("bread", (("Ines", " \n"), ("Sam", "The oven is hot.")), start=NINE + timedelta(days=1), ahead=True)

        shown = ines.context("What is new?", include_pending=2, fill=True).messages
        assert [one.content for one in shown if one.conversation == "bread"] == ["The oven is hot."]


def test_days_are_in_utc_whatever_the_zone_of_the_session(
    ines: Namespace, talk: Talk, remembering: Remembering, addresses: Addresses, monkeypatch: pytest.MonkeyPatch
) -> None:
    talk("boat", BOAT)
    remembering.memory("User painted the boat", MINILM.embed(["User painted the boat"])[0])
    read = set()
    for zone in ("UTC", "Pacific/Pago_Pago"):  # the day before, there
        monkeypatch.setenv("PGTZ", zone)
        with Memory.connect(database_url=addresses.database_url) as connected:
            own = connected.namespace(*ines.path.parts)
            read.add((own.context("paint").text, own.messages.search("paint").text, tuple(own.export())))
    assert len(read) == 1


def test_context_command_shows_messages_too(ines: Namespace, talk: Talk, addresses: Addresses, shell: Shell) -> None:
    talk("bread", BREAD)

    def answer(*more: str) -> str:
        asked = ("recall", "Where should the dough rise?", "--limit", "1", "--namespace", str(ines.path), *more)
        return shell(*asked, MOSSHEAD_DATABASE_URL=addresses.database_url).out

    assert f"Sam: {BREAD[1][1]}" in answer("--around", "0")
    found = json.loads(answer("--json", "-c", "bread", "--conversation-only"))
    assert [hit["message"]["content"] for hit in found["hits"]] == [BREAD[1][1]]
    assert [len(excerpt["messages"]) for excerpt in found["excerpts"]] == [3]


def test_context_command_reports_a_hanging_memory_instead_of_an_empty_one(
    ines: Namespace, addresses: Addresses, admin_engine: Engine, shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Memory, "connect", partial(Memory.connect, read_timeout=0.5))
    with admin_engine.connect() as connection:
        connection.execute(text("lock table mosshead.memories, mosshead.embeddings, mosshead.turns"))
        for command in ("query", "context", "recall"):
            asked = (command, "dough", "--json", "--namespace", str(ines.path))
            said = shell(*asked, MOSSHEAD_DATABASE_URL=addresses.database_url)
            assert (said.status, said.out) == (1, "")
            assert "did not end in time" in said.err


def test_yesterday_follows_the_zone_of_now_or_else_that_of_the_message(
    ines: Namespace, remembering: Remembering
) -> None:
    content = "User repaired the pump"
    seattle = timezone(-timedelta(hours=8))
    sunday = datetime(2025, 3, 9, 20, tzinfo=seattle)
    remembering.memory(content, MINILM.embed([content])[0], kind="event", valid_from=sunday)
    monday = datetime(2025, 3, 10, 20, tzinfo=seattle)

    def is_of_yesterday(now: datetime) -> bool:
        context = ines.context("What did I do yesterday?", now=now)
        return any("when" in one.parts for one in context.explanations if one.memory)

    assert is_of_yesterday(monday)
    assert is_of_yesterday(monday.astimezone(UTC)), "Tuesday there, which tells nothing of where it is asked"
    assert not is_of_yesterday(monday.astimezone(timezone(timedelta(hours=1)))), "there, yesterday was Monday"
