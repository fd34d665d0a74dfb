"""Whatever a new text is, it is accepted only if it can be filled in with the old template's values."""

from string import Formatter
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mosshead.models.prompts import (
    MAX_CHARACTERS,
    NotATemplate,
    PromptTemplate,
    Syntax,
    fault_in,
    template_of,
    variables_of,
)

NAMES = ("user", "topic", "user.name", "items[0]", "n!r", "n:>4", "n:{width}", "")
TEXTS = st.text(st.characters(exclude_characters="{}", codec="utf-8"), max_size=12) | st.sampled_from(
    ("{{", "}}", "\n")
)
ANYTHING = st.text(st.sampled_from("{}!:.[]#^/ab \n"), max_size=14)


class _Any:
    """Stands for any value: it has every attribute, item and format."""

    def __getattr__(self, name: str) -> "_Any":
        return self

    def __getitem__(self, key: object) -> "_Any":
        return self

    def __format__(self, layout: str) -> str:
        return "x"


class _Filling(Formatter):
    """`str.format` that records which values were requested."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: set[int | str] = set()

    def get_value(self, key: int | str, *_: Any) -> Any:
        self.asked.add(key)
        return _Any()


@st.composite
def templates(draw: st.DrawFn) -> str:
    """A `str.format` template with some variables in any order, some twice."""
    fields = draw(st.lists(st.sampled_from(NAMES), max_size=5))
    parts = [draw(TEXTS) + f"{{{field}}}" for field in fields]
    return "".join([*parts, draw(TEXTS)])


@given(old=templates(), new=templates() | ANYTHING)
def test_accepted_text_uses_the_same_values_and_no_others(old: str, new: str) -> None:
    fault = fault_in(new, variables_of(old, "format"), "format")
    if fault is not None:
        return
    asked_before, asked_now = _Filling(), _Filling()
    asked_before.format(old)
    asked_now.format(new)
    assert asked_now.asked == asked_before.asked


@given(order=st.permutations(["{user}", "{topic}", "{n!r:>4}", "Be brief."]), more=st.sampled_from(["", "{user}"]))
def test_same_variables_in_other_places_are_accepted(order: list[str], more: str) -> None:
    wanted = variables_of("{user} {n!r:>4} {topic}", "format")
    assert fault_in(" ".join([*order, more]), wanted, "format") is None


@given(old=templates(), syntax=st.sampled_from(get_args(Syntax)))
def test_template_is_always_accepted_in_place_of_itself(old: str, syntax: Syntax) -> None:
    try:
        wanted = variables_of(old, syntax)
    except NotATemplate:
        return
    assert fault_in(old, wanted, syntax) is None


@given(old=templates(), lost=st.sampled_from(NAMES[:-1]))
def test_lost_or_invented_variable_is_named(old: str, lost: str) -> None:
    wanted = variables_of(old, "format")
    more = variables_of(f"{old}{{{lost}}}", "format")
    if more == wanted:
        return
    assert fault_in(old, more, "format") == f"it lost variables of the template: {{{lost}}}"
    invented = fault_in(f"{old}{{{lost}}}", wanted, "format")
    assert invented == f"it has variables that the template had not: {{{lost}}}"


@pytest.mark.parametrize(
    ("old", "new", "syntax", "fault"),
    [
        ("Hi {name}", "Hello {name}, {name}!", "format", None),
        ("Hi {name}", "Hello {{name}}", "format", "it lost variables of the template: {name}"),
        ("Hi {{name}}", "Hi {name}", "format", "it has variables that the template had not: {name}"),
        ('As {{"a": 1}}', 'As {"a": 1}', "format", 'it has variables that the template had not: {"a": 1}'),
        ("Hi {user.name}", "Hi {user.email}", "format", "it lost variables of the template: {user.name}"),
        ("{price:.2f}", "{price}", "format", "it lost variables of the template: {price:.2f}"),
        ("{} and {}", "{}", "format", "it lost variables of the template: {}"),
        ("{}", "{} and {}", "format", "it has variables that the template had not: {}"),
        ("{}", "{0}", "format", "it lost variables of the template: {}"),
        ("Hi", "Hi {", "format", "it has a brace that opens or closes no variable; a brace of the text is doubled"),
        ("Hi {{name}}", "Hello {{ name }}", "mustache", None),
        ("Hi {{name}}", "Hello {name}", "mustache", "it lost variables of the template: {{name}}"),
        ("Hi {{name}}", "Hi {{{name}}}", "mustache", "it lost variables of the template: {{name}}"),
        ("Hi {{&name}}", "Hi {{{name}}}", "mustache", None),
        ("{{#a}}x{{/a}}", "{{#a}}y{{! why }}{{/a}}", "mustache", None),
        ("{{#a}}x{{/a}}", "{{/a}}x{{#a}}", "mustache", "its sections are not those of the template, in their order"),
        ("{{#a}}{{x}}{{/a}}", "{{x}}", "mustache", "its sections are not those of the template, in their order"),
        ("{{a}}", "{{a}} {{", "mustache", "it has double braces that make no tag"),
        ("{{a}}", "{{a}} {{ }}", "mustache", "it has double braces that make no tag"),
        ("{{a}}", "{{a}} {{{ }}}", "mustache", "it has double braces that make no tag"),
        ("{{#a}}{{/a}}", "{{ # a }}{{ /a }}", "mustache", None),
        ("{{a}}", "{{a}} {{" + " " * 20_000, "mustache", "it has double braces that make no tag"),
        ("{{a}}", "{{=<% %>=}}", "mustache", "it changes the marks of its tags, which is not supported"),
        ('{"a": 1}', '{"b": {}', "none", None),
    ],
)
def test_variables_of_each_syntax_are_found(old: str, new: str, syntax: Syntax, fault: str | None) -> None:
    assert fault_in(new, variables_of(old, syntax), syntax) == fault


def test_variables_are_shown_as_they_are_written() -> None:
    assert PromptTemplate(text="{b} {a!r:>3} {}").written_variables == ["{}", "{a!r:>3}", "{b}"]
    mustache = PromptTemplate(text="{{b}} {{#a}}{{/a}}", syntax="mustache")
    assert mustache.written_variables == ["{{b}}", "{{#a}}", "{{/a}}"]
    assert PromptTemplate(text="no {variable}", syntax="none").written_variables == []


def test_many_faults_are_listed_briefly() -> None:
    wanted = variables_of("".join(f"{{v{number}}}" for number in range(9)), "format")
    assert fault_in("x", wanted, "format") == ("it lost variables of the template: {v0}, {v1}, {v2}, {v3}, {v4}, …")


@pytest.mark.parametrize(
    ("prompt", "message"),
    [
        ("", "prompt: the prompt is empty"),
        ('Answer as {"a": 1', r'prompt: not a template of syntax "format": .*pass PromptTemplate\(syntax=…\)'),
        (PromptTemplate(text="{{a", name="sales", syntax="mustache"), 'sales: not a template of syntax "mustache"'),
        (PromptTemplate(text="a", syntax="jinja"), "syntax: one of format, mustache, none, got 'jinja'"),  # type: ignore[arg-type]
        ("x" * (MAX_CHARACTERS + 1), "20,001 characters, at most 20,000"),
    ],
    ids=["empty", "no format", "no mustache", "syntax", "long"],
)
def test_prompt_that_cannot_be_improved_is_refused_with_the_fix(prompt: str | PromptTemplate, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        template_of(prompt)


def test_new_text_is_not_empty_and_not_much_longer() -> None:
    template = PromptTemplate(text="x" * 100)
    assert template.fault_of(" \n") == "it is empty"
    assert template.fault_of("y" * 2_200) is None
    assert template.fault_of("y" * 2_201) == "it has 2,201 characters, at most 2,200"
    assert PromptTemplate(text="x" * MAX_CHARACTERS).most_characters == MAX_CHARACTERS
