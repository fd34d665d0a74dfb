"""Memories contain hostile text: none of it may reach a page unescaped."""

import re
from pathlib import Path

import workers.console

TEMPLATES = sorted((Path(workers.console.__file__).parent / "templates").glob("*.html"))


def test_only_the_token_of_a_form_is_written_unescaped() -> None:
    assert len(TEMPLATES) > 10
    for template in TEMPLATES:
        text = template.read_text(encoding="utf-8")
        assert set(re.findall(r"{%\s*(?:raw|autoescape|module)\b[^%]*%}", text)) <= {"{% raw xsrf_form_html() %}"}


def test_each_form_that_edits_has_a_token() -> None:
    forms = [form for template in TEMPLATES for form in re.findall(r"<form[^>]*>[^<]*", template.read_text("utf-8"))]
    posting = [form for form in forms if 'method="post"' in form]
    assert len(posting) >= 4
    assert all("{% raw xsrf_form_html() %}" in form for form in posting)


def test_no_page_runs_a_script_or_fetches_from_elsewhere() -> None:
    for template in TEMPLATES:
        assert not re.search(r"<script|javascript:|\bon\w+=|style=|https?://", template.read_text("utf-8"))
