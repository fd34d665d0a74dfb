"""A table of chat sentences: the facts each gives, or that it gives none.

The table is sentence_table.txt: after "> " the user's words, then one line per fact, "kind: content", with "[attribute=value]" if
it has one; no line if nothing is kept. All were said on Wednesday 10 May 2023.
"""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from pipeline.models import Background, Fact
from pipeline.rules_en import extract_offline
from tests.factories import messages

SAID_AT = datetime(2023, 5, 10, 14, 30, tzinfo=UTC)


def table() -> list[tuple[str, list[str]]]:
    text = Path(__file__).with_name("sentence_table.txt").read_text(encoding="utf-8")
    rows: list[tuple[str, list[str]]] = []
    for line in text.splitlines():
        if line.startswith(">"):
            rows.append((line[2:], []))
        elif line and not line.startswith("#"):
            rows[-1][1].append(line)
    return rows


def heard(text: str) -> list[str]:
    said = messages(text, occurred_at=SAID_AT)
    return [written(fact) for fact in extract_offline(said, Background())]


def written(fact: Fact) -> str:
    slot = f" [{fact.attribute}={fact.value}]" if fact.attribute else ""
    return f"{fact.kind.value}: {fact.content}{slot}"


@pytest.mark.parametrize(("text", "facts"), table())
def test_sentence_gives_these_facts_and_no_others(text: str, facts: list[str]) -> None:
    assert heard(text) == facts
