"""Tables, diffs, code, logs and values are not heard as speech; what stands around them is."""

from datetime import UTC, datetime
from uuid import UUID

import pytest

from mosshead.models.kinds import Role
from pipeline.models import Background, Message
from pipeline.rules_en import extract_offline

SAID_AT = datetime(2023, 5, 10, 14, 30, tzinfo=UTC)


def heard(text: str) -> list[str]:
    message = Message(1, UUID(int=1), "c", Role.USER, None, text, SAID_AT)
    return [fact.content for fact in extract_offline([message], Background())]


PASTED = {
    "a table": "| Name | City |\n|------|------|\n| Bob | Lyon |\n| Rex | Dr Moss |",
    "a table with aligned columns": "| Name | Lives in |\n|:--|--:|\n| Anna | Rome |\n| me | Oslo |",
    "a table without outer bars": "Name | City\n--- | ---\nBob | Lyon\nI live in Rome | yes",
    "rows without a rule": "Bob | Lyon | 34\nAnna | Rome | 41",
    "one row": "| Rex | Dr Moss |",
    "a drawn table": "+------+------+\n| Bob  | Lyon |\n+------+------+",
    "a table of a terminal": "┌──────┬──────┐\n│ Bob  │ Lyon │\n└──────┴──────┘",
    "cells between tabs": "name\tcity\nBob\tLyon\nAnna\tRome",
    "a diff": "--- a/bio.txt\n+++ b/bio.txt\n@@ -1,2 +1,2 @@\n- I live in Rome\n+ I live in Oslo\n I have a dog",
    "a diff of git": "diff --git a/bio b/bio\nindex 83db48f..bf2a1e0 100644\n@@ -1 +1 @@\n-I live in Rome\n+I live in Oslo",
    "a hunk": "@@ -3 +3 @@\n- I live in Rome\n+ I work at Acme",
    "removed and added lines": "- I live in Rome\n+ I live in Oslo",
    "a fenced diff": "```diff\n- I live in Rome\n+ I live in Oslo\n```",
    "code between tildes": "~~~python\nI live in Rome\n~~~",
    "code that holds a shorter fence": "````\n```\nI live in Rome\n```\nI work at Acme\n````",
    "a line of code": "`I live in Rome`",
    "values": "name,city\nBob,Lyon\nI live in Rome,yes",
    "quoted values": '"Bob","I live in Lyon"\n"Anna","I live in Rome"',
    "values between semicolons": "name;city\nBob;Lyon\nmy brother lives here;Rome",
    "a log": "2025-03-02T01:04:55Z INFO Bob moved to Lyon\n10:42:07 Bob moved to Lyon",
    "a log of a system": "Nov 26 10:12:01 web sshd: Bob moved to Lyon",
    "a log of requests": '10.0.0.7 - - [10/Oct/2024:13:55:36] "GET / HTTP/1.1" 200',
    "a log in pairs": "level=info user=bob msg=moved",
}


@pytest.mark.parametrize("pasted", PASTED.values(), ids=PASTED)
def test_pasted_machine_text_is_not_heard_and_what_stands_around_it_is(pasted: str) -> None:
    assert heard(pasted) == []
    assert heard(f"I work at Siemens.\n\n{pasted}\n\nMy sister lives in Leeds.") == [
        "User works at Siemens",
        "User's sister lives in Leeds",
    ]


@pytest.mark.parametrize("line", ["- I live in Rome", "-I live in Rome", "+ I live in Rome"])
def test_a_message_that_is_one_line_of_a_diff_is_not_heard(line: str) -> None:
    assert heard(line) == []


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("About me:\n- I live in Rome", ["User lives in Rome"]),
        ("About me:\n- I live in Rome\n- I work at Siemens", ["User lives in Rome", "User works at Siemens"]),
        ("I live in Leeds, Rome and Oslo bore me.\nI work at Siemens, as you know.", 2),
        ("I live in Leeds | I work at Siemens", 1),
        ("---\nI live in Leeds\n---", ["User lives in Leeds"]),
        ("| who | shift |\n|---|---|\n| me | nights |", ["User has nights"]),
    ],
)
def test_lists_and_sentences_are_heard(text: str, facts: list[str] | int) -> None:
    found = heard(text)
    assert (len(found) >= facts) if isinstance(facts, int) else (found == facts)
