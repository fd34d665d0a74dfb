"""The sample is a history that `make demo` can rely on, and the example app stays as small as it says."""

import ast
import io
import itertools
import json
import re
import tokenize
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from mosshead.models.kinds import Role

EXAMPLES = Path(__file__).parents[3] / "examples"
STORY = "The company is Wolf of Blog Street, also known as WOBS. We do link building. Peter is one of our writers."
LESSON = "You need to learn this: to check that content passes as human"
QUESTION = "Check if Peter's content is passing as human"
FIELDS = {"conversation", "role", "speaker", "content", "occurred_at"}
CHAT_LINES = 45
LAYOUT = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}


@pytest.fixture(scope="module")
def sample() -> list[dict[str, Any]]:
    lines = (EXAMPLES / "sample.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


@pytest.fixture(scope="module")
def said(sample: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return what the user said, without the assistant's turns."""
    return [message for message in sample if message["role"] == Role.USER]


def test_every_message_has_the_documented_shape(sample: list[dict[str, Any]]) -> None:
    for message in sample:
        assert message.keys() == FIELDS
        assert message["role"] in {Role.USER, Role.ASSISTANT}
        assert message["speaker"] is None or message["speaker"].strip()
        assert message["conversation"].startswith("c-")
        assert message["content"] == message["content"].strip() != ""
        assert datetime.fromisoformat(message["occurred_at"]).tzinfo is not None


def test_times_increase_over_at_least_two_and_a_half_years(sample: list[dict[str, Any]]) -> None:
    times = [datetime.fromisoformat(message["occurred_at"]) for message in sample]

    assert all(earlier < later for earlier, later in itertools.pairwise(times))
    assert times[-1] - times[0] >= timedelta(days=913)


def test_zone_follows_the_user_from_bristol_to_valencia(sample: list[dict[str, Any]]) -> None:
    offsets = [datetime.fromisoformat(message["occurred_at"]).utcoffset() for message in sample]
    moved = next(place for place, message in enumerate(sample) if message["conversation"] == "c-2025-01-valencia")

    assert set(offsets[:moved]) == {timedelta(0), timedelta(hours=1)}
    assert set(offsets[moved:]) == {timedelta(hours=1), timedelta(hours=2)}


def test_sample_is_long_enough(sample: list[dict[str, Any]]) -> None:
    assert len(sample) >= 80
    assert len({message["conversation"] for message in sample}) >= 6


def test_story_is_told_in_january_2023(said: list[dict[str, Any]]) -> None:
    told = [message for message in said if message["content"] == STORY]

    assert [message["occurred_at"][:7] for message in told] == ["2023-01"]


def test_human_check_is_taught_on_another_day(said: list[dict[str, Any]]) -> None:
    story = next(message for message in said if message["content"] == STORY)
    taught = [message for message in said if LESSON in message["content"]]

    assert len(taught) == 1
    assert taught[0]["occurred_at"][:10] > story["occurred_at"][:10]
    assert len(re.findall(r"\b(?:first|Then|Otherwise)\b", taught[0]["content"])) >= 4


def test_question_is_left_to_the_demo(sample: list[dict[str, Any]]) -> None:
    assert not any(QUESTION.lower() in message["content"].lower() for message in sample)


@pytest.mark.parametrize(
    "peter",
    [
        pytest.param(("Peter is one of our writers", "first drafts by hand", "mosshead", "novel"), id="the writer"),
        pytest.param(
            ("He's a plumber", "keeps bees", "allergic to shellfish", "half marathon"), id="the brother-in-law"
        ),
    ],
)
def test_each_peter_is_known_from_several_conversations(said: list[dict[str, Any]], peter: tuple[str, ...]) -> None:
    told = {clue: {message["conversation"] for message in said if clue in message["content"]} for clue in peter}

    assert all(told.values()), told
    assert len(set.union(*told.values())) >= 2


@pytest.mark.parametrize(
    "words",
    ["Actually, I meant Thursday", "Remember this: ", "Yes, that's right", "last Friday", "yesterday", "next month"],
)
def test_sample_contains_what_an_extractor_must_handle(said: list[dict[str, Any]], words: str) -> None:
    assert any(words in message["content"] for message in said)


def test_transcript_is_turns_of_two_speakers() -> None:
    turns = (EXAMPLES / "transcript.txt").read_text(encoding="utf-8").splitlines()

    assert 10 <= len(turns) <= 14
    assert all(re.fullmatch(r"(User|Assistant): \S.*", turn) for turn in turns)


def test_chat_app_stays_below_forty_lines() -> None:
    assert 20 <= count_code_lines((EXAMPLES / "by_hand.py").read_text(encoding="utf-8")) <= CHAT_LINES


def test_docstrings_comments_and_blank_lines_do_not_count_as_code() -> None:
    source = '"""Doc\nstring."""\n\n# why\nx = (\n    1\n)\n\n\ndef f() -> str:\n    """Doc."""\n    return "a"\n'

    assert count_code_lines(source) == 5


def count_code_lines(source: str) -> int:
    """Return the number of lines with code: neither blank nor part of a comment or a docstring."""
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    lines = {line for token in tokens if token.type not in LAYOUT for line in range(token.start[0], token.end[0] + 1)}
    return len(lines - docstring_lines(ast.parse(source)))


def docstring_lines(tree: ast.Module) -> set[int]:
    owners = [node for node in ast.walk(tree) if isinstance(node, ast.Module | ast.FunctionDef | ast.ClassDef)]
    docstrings = [owner.body[0] for owner in owners if ast.get_docstring(owner) is not None]
    return {line for node in docstrings for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)}
