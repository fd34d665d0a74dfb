"""What benchmarks.peers reads, prints and counts; the peers themselves are not needed."""

import json
import os
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.peers import __main__ as command
from benchmarks.peers.conversation import (
    Asked,
    Conversation,
    DataError,
    Fact,
    Turn,
    data_file,
    pairs,
    read_conversation,
)
from benchmarks.peers.conversing import SystemFailed, running
from benchmarks.peers.scoring import recall, rows_of, turns_of
from benchmarks.peers.systems import PEERS, PeersMissing, check_peers, environment
from benchmarks.peers.telling import Cost, CountedEmbedder, Found, Job, Message, Search, search, tell
from benchmarks.replaying_model import Told

SMALL = Path(command.__file__).with_name("small.json")
CHAIR = Told("Ana bought a chair", "Ana", ("I bought a chair.",))
DOG = Told("Ben has a dog named Rex", "Ben", ("My dog is Rex.", "He is a good dog."))


def sample(**changed: Any) -> dict[str, Any]:
    """Return a conversation of two sessions in LoCoMo's format."""
    first = [
        {"speaker": "Ana", "dia_id": "D1:1", "text": "I bought a chair."},
        {"speaker": "Ben", "dia_id": "D1:2", "text": "My dog is Rex."},
        {"speaker": "Ben", "dia_id": "D1:3", "text": "He is a good dog."},
    ]
    second = [{"speaker": "Ana", "dia_id": "D2:1", "text": "The chair broke."}]
    return {
        "sample_id": "one",
        "conversation": {
            "session_1_date_time": "1:56 pm on 8 May, 2023",
            "session_1": first,
            "session_2_date_time": "2:10 pm on 9 May, 2023",
            "session_2": second,
        },
        "observation": {
            "session_1_observation": {"Ana": [[CHAIR.content, "D1:1"]], "Ben": [[DOG.content, ["D1:2", "D1:3"]]]},
            "session_2_observation": {"Ana": [["Ana's chair broke", "D2:1"]]},
        },
        "qa": [
            {"question": "What did Ana buy?", "evidence": ["D1:1"], "category": 4},
            {"question": "What became of it?", "evidence": ["D1:1; D2:1", "D"], "category": 1},
            {"question": "Which boat?", "evidence": ["D1:1"], "category": 5},
            {"question": "What else?", "evidence": [], "category": 3},
        ],
        **changed,
    }


def written(folder: Path, *samples: dict[str, Any]) -> Path:
    path = folder / "locomo.json"
    path.write_text(json.dumps(samples))
    return path


def test_conversation_is_read_with_facts_and_answerable_questions(tmp_path: Path) -> None:
    told = read_conversation(written(tmp_path, sample(), sample(sample_id="two")))

    assert (told.name, told.messages, [len(session) for session in told.sessions]) == ("one", 4, [3, 1])
    assert told.sessions[1][0] == Turn(
        "D2:1", "user", "session-2", "Ana", "The chair broke.", "2023-05-09T14:10:00+00:00"
    )
    assert [turn.role for turn in told.sessions[0]] == ["user", "assistant", "assistant"]
    assert told.facts[:2] == (Fact(CHAIR, ("D1:1",)), Fact(DOG, ("D1:2", "D1:3")))
    assert told.questions == (
        Asked("What did Ana buy?", frozenset({"D1:1"})),
        Asked("What became of it?", frozenset({"D1:1", "D2:1"})),
    )


def test_first_sessions_have_only_their_own_facts_and_questions(tmp_path: Path) -> None:
    told = read_conversation(written(tmp_path, sample()), "one", sessions=1)

    assert (told.messages, told.told) == (3, [CHAIR, DOG])
    assert [one.question for one in told.questions] == ["What did Ana buy?"]


def test_unusable_data_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="none of one"):
        read_conversation(written(tmp_path, sample()), "other")
    with pytest.raises(DataError, match="no question"):
        read_conversation(written(tmp_path, sample(qa=[])))
    with pytest.raises(DataError, match="holds no"):
        data_file(tmp_path / "..")  # the folder above, which holds folders


def test_folder_means_its_first_file(tmp_path: Path) -> None:
    path = written(tmp_path, sample())
    assert data_file(tmp_path) == data_file(path) == path


def test_small_conversation_of_the_project_is_complete() -> None:
    told = read_conversation(SMALL)

    assert len(told.sessions) == 3
    assert {turn for fact in told.facts for turn in fact.turns} >= {t for one in told.questions for t in one.evidence}
    assert all(turn.content for session in told.sessions for turn in session)


@given(st.lists(st.integers(), max_size=9))
def test_pairs_hold_every_turn_once_and_in_order(numbers: list[int]) -> None:
    turns = [Turn(str(number), "user", "c", "Ana", "Hi", "2024-01-01") for number in numbers]
    by_two = pairs(turns)

    assert [turn for pair in by_two for turn in pair] == turns
    assert all(len(pair) == 2 for pair in by_two[:-1])


def test_peers_are_fed_by_pairs_within_a_session_or_by_session() -> None:
    told = read_conversation(SMALL)
    by_two, whole = (PEERS[name].sessions(told) for name in ("mem0_pairs", "mem0_sessions"))

    assert whole == [[session] for session in told.sessions]
    assert by_two == [pairs(session) for session in told.sessions]
    assert set(PEERS) == {"mem0_pairs", "mem0_sessions", "langmem_pairs", "langmem_sessions"}


EVIDENCE = (Asked("?", frozenset({"D1:1", "D1:2"})), Asked("?", frozenset({"D1:3"})))


def conversation(*facts: Fact) -> Conversation:
    return Conversation(
        "one", ((Turn("D1:2", "assistant", "session-1", "Ben", "My dog is Rex.", "2024-01-01"),),), facts, EVIDENCE
    )


def test_results_count_for_the_turns_they_came_from() -> None:
    turns = turns_of(conversation(Fact(CHAIR, ("D1:1",)), Fact(DOG, ("D1:2", "D1:3")), Fact(CHAIR, ("D2:1",))))

    assert turns == {
        CHAIR.content: frozenset({"D1:1", "D2:1"}),
        DOG.content: frozenset({"D1:2", "D1:3"}),
        "My dog is Rex.": frozenset({"D1:2"}),
    }
    assert recall(EVIDENCE, [[CHAIR.content], [CHAIR.content]], turns) == 0.25
    assert recall(EVIDENCE, [[CHAIR.content, DOG.content], ["Ben  has a dog named Rex"]], turns) == 1.0
    assert recall(EVIDENCE, [["What nobody told"], []], turns) == 0.0


@given(st.permutations([CHAIR.content, DOG.content, "else"]), st.integers(0, 3))
def test_more_results_never_find_less(texts: list[str], shown: int) -> None:
    turns = turns_of(conversation(Fact(CHAIR, ("D1:1",)), Fact(DOG, ("D1:2", "D1:3"))))
    fewer = recall(EVIDENCE, [texts[:shown]] * 2, turns)

    assert 0.0 <= fewer <= recall(EVIDENCE, [texts] * 2, turns) == 1.0


def test_system_with_two_kinds_of_search_has_figures_of_both() -> None:
    found = [
        {"own": Found(5.0, [CHAIR.content]), "other": Found(1.0, ["My  dog is Rex."])},
        {"own": Found(7.0, [DOG.content]), "other": Found(2.0, [])},
    ]
    told = conversation(Fact(CHAIR, ("D1:1",)), Fact(DOG, ("D1:3",)))
    rows = rows_of("it", Cost([3.0, 2.0], 3), found, told, prompts=[100, 50], embedding_calls=4)

    assert list(rows) == ["it", "it_other"]
    assert [row.blocking_ms_per_message for row in rows.values()] == [5.0, 5.0]
    assert [(row.llm_calls, row.prompt_tokens, row.embedding_calls) for row in rows.values()] == [(2, 150, 7)] * 2
    assert [(row.search_p50_ms, row.recall_at_10) for row in rows.values()] == [(5.0, 0.75), (1.0, 0.25)]


class Shelf:
    """A memory system that stores lines, and finds the first or the last."""

    def __init__(self, embedder: CountedEmbedder) -> None:
        self.lines: list[str] = []
        self.ended: list[str] = []
        self.settled: list[int] = []
        self._embedder = embedder

    def tell(self, messages: Sequence[Message]) -> None:
        self._embedder.embed([message.line for message in messages])
        self.lines += [message.line for message in messages]

    def end(self, conversation: str) -> None:
        self.ended.append(conversation)

    def settle(self) -> None:
        self.settled.append(len(self.lines))

    @property
    def ways(self) -> dict[str, Search]:
        return {"first": self._first, "last": lambda question, top: self.lines[-top:]}

    def _first(self, question: str, top: int) -> list[str]:
        self._embedder.embed([question])
        return self.lines[:top]


def test_job_is_fed_call_by_call_settles_after_each_session_and_is_then_asked() -> None:
    said = (("D1:1", "c1", "Hi"), ("D1:2", "c1", "Well?"), ("D2:1", "c2", "Bye"))
    hi, well, bye = (
        Message(place, "user", conversation, "Ana", text, "2024-01-01") for place, conversation, text in said
    )
    job = Job("", "", "", [[[hi], [well]], [[bye]]], 1)
    assert Job.of(json.dumps(asdict(job))) == job
    embedder = CountedEmbedder()
    shelf = Shelf(embedder)
    cost, found = tell(job, shelf, embedder), search("What?", shelf, job.top)

    assert (shelf.lines, shelf.ended, shelf.settled) == (["Ana: Hi", "Ana: Well?", "Ana: Bye"], ["c1", "c2"], [2, 3])
    assert (len(cost.blocking_ms), cost.embedding_calls) == (
        5,
        3,
    )  # three calls and two ends; there were more searches
    assert embedder.calls == 5
    assert {way: one.texts for way, one in found.items()} == {"first": ["Ana: Hi"], "last": ["Ana: Bye"]}


ECHO = """
import json, sys
for line in sys.stdin:
    if json.loads(line) == "leave":
        break
    print(json.dumps([json.loads(line)]), flush=True)
"""


def test_process_answers_line_by_line_until_it_ends(tmp_path: Path) -> None:
    (tmp_path / "echo.py").write_text(ECHO)
    with running(Path(sys.executable), "echo", {**os.environ, "PYTHONPATH": str(tmp_path)}) as process:
        assert [process.ask(one) for one in ({"a": "ä\n"}, "b")] == [[{"a": "ä\n"}], ["b"]]
        with pytest.raises(SystemFailed, match="echo ended"):
            process.ask("leave")


def test_missing_peers_are_named_with_what_to_install(tmp_path: Path) -> None:
    with pytest.raises(PeersMissing, match="make peers"):
        check_peers(tmp_path / "python")


def test_peers_get_no_keys_of_the_machine_and_no_telemetry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENROUTER_API_KEY", "LANGSMITH_API_KEY", "LANGCHAIN_TRACING_V2", "MEM0_TELEMETRY"):
        monkeypatch.setenv(name, "true")
    given = environment(tmp_path)

    assert {name for name in given if name.endswith("_API_KEY")} == set()
    assert (given["LANGCHAIN_TRACING_V2"], given["MEM0_TELEMETRY"], given["MEM0_DIR"]) == (
        "false",
        "False",
        str(tmp_path),
    )
