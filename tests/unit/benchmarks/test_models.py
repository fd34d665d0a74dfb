"""The data that a model is tried on, and the cost."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from benchmarks.entities.world import World
from benchmarks.extraction.cases import Case
from benchmarks.locomo.conversations import Conversation, DataError
from benchmarks.models.data import Transcript, messages_of, read_data
from benchmarks.models.outcome import Outcome, Price

DATA = Path(__file__).parents[2] / "data"


def test_data_formats_are_recognised_by_their_content() -> None:
    assert isinstance(read_data(DATA / "entities" / "nurse_and_choir", None), World)
    for conversations in (DATA / "locomo", DATA / "locomo" / "locomo-small.json"):
        (one,) = several(conversations)
        assert isinstance(one, Conversation)
    assert all(isinstance(one, Case) for one in several(DATA / "extraction"))
    assert all(isinstance(one, Case) for one in several(next((DATA / "extraction").glob("*.jsonl"))))
    sample = read_data(Path(__file__).parents[3] / "examples" / "sample.jsonl", 60)
    assert isinstance(sample, Transcript)
    assert messages_of(sample) == len(sample.messages) == 60


def several(path: Path, most: int | None = None) -> Sequence[Case | Conversation]:
    """Return the cases or conversations of a file or folder."""
    found = read_data(path, most)
    assert not isinstance(found, World | Transcript)
    return found


def test_data_of_an_unknown_format_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"holds no file"):
        read_data(tmp_path, None)


@pytest.mark.parametrize("most", [1, 9, 20, 60])
def test_cases_are_taken_whole_up_to_a_number_of_messages(most: int) -> None:
    everything, taken = (read_data(DATA / "extraction", limit) for limit in (None, most))

    assert taken == everything[: len(taken)]  # type: ignore[index,arg-type]
    assert len(taken) == 1 or messages_of(taken) <= most  # type: ignore[arg-type]
    assert messages_of(everything[: len(taken) + 1]) > most  # type: ignore[index,arg-type]


def test_conversation_is_cut_off_and_keeps_the_questions_answered_before() -> None:
    (whole,), (cut,) = (several(DATA / "locomo", most) for most in (None, 12))
    assert isinstance(whole, Conversation)
    assert isinstance(cut, Conversation)

    assert cut.turns == whole.turns[:12]
    assert 0 < len(cut.questions) < len(whole.questions)
    assert {turn for one in cut.questions for turn in one.evidence} <= {turn.id for turn in cut.turns}


def test_cost_counts_what_all_stages_sent_and_received() -> None:
    spent = {
        "extract": {"calls": 2, "prompt_tokens": 1_000_000, "completion_tokens": 300_000},
        "consolidate": {"calls": 1, "prompt_tokens": 1_000_000, "completion_tokens": 200_000},
    }
    outcome = Outcome(spent, {}, solid=1, hypotheses=0, quarantined=0, undone=0, dead_letters=0)

    counted = outcome.as_json(Price(prompt=0.15, completion=0.6))

    assert (counted["calls"], counted["prompt_tokens"], counted["completion_tokens"]) == (3, 2_000_000, 500_000)
    assert counted["money"] == 0.6
