"""The loader of LoCoMo's format, on a file of the test."""

import json
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.ingest import Result, read_conversations

FILE = [
    {
        "sample_id": "one",
        "conversation": {
            "speaker_a": "Ann",
            "speaker_b": "Bo",
            "session_10_date_time": "9:05 am on 2 March, 2024",
            "session_10": [{"speaker": "Bo", "dia_id": "D10:1", "text": "Last"}],
            "session_2_date_time": "1:56 pm on 8 May, 2023",
            "session_2": [
                {"speaker": "Ann", "dia_id": "D2:1", "text": "First"},
                {"speaker": "Bo", "dia_id": "D2:2", "text": "Second"},
            ],
        },
        "qa": [],
    }
]


def test_sessions_come_in_numerical_order_with_times(tmp_path: Path) -> None:
    data = tmp_path / "data.json"
    data.write_text(json.dumps(FILE))

    ((name, messages),) = read_conversations(data)

    assert name == "one"
    assert [(message["speaker"], message["content"]) for message in messages] == [
        ("Ann", "First"),
        ("Bo", "Second"),
        ("Bo", "Last"),
    ]
    assert messages[0]["occurred_at"] == datetime(2023, 5, 8, 13, 56, tzinfo=UTC)
    assert messages[0]["occurred_at"] < messages[1]["occurred_at"]
    assert messages[2]["occurred_at"] == datetime(2024, 3, 2, 9, 5, tzinfo=UTC)
    assert {message["conversation"] for message in messages} == {"session-2", "session-10"}


def test_run_is_sound_only_if_nothing_is_missing_doubled_disordered_or_undone() -> None:
    sound = dict.fromkeys(Result.__dataclass_fields__, 0)
    assert Result(**sound).sound
    for fault in ("missing", "doubled", "out_of_order", "undone"):
        assert not Result(**{**sound, fault: 1}).sound
