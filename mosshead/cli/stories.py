"""The command that tells a story."""

from typing import Annotated

import typer
from rich.markup import escape

from mosshead.cli.shell import In, Json, new_table, open_namespace, print_answer

story_cli = typer.Typer()


@story_cli.command()
def story(  # noqa: PLR0917 - typer's options are its parameters
    namespace: In,
    request: Annotated[str, typer.Argument(help='What to tell, such as "what happened with WOBS in 2023?".')],
    conversation: Annotated[str | None, typer.Option("--conversation", "-c")] = None,
    budget: Annotated[int, typer.Option(help="Tokens of evidence at most.")] = 2000,
    explain: Annotated[bool, typer.Option(help="Show the evidence with its ids, and how it was found.")] = False,
    json_output: Json = False,
) -> None:
    """What is known of somebody or something, in the order of time: a chronicle, without an LLM."""
    with open_namespace(namespace) as opened:
        told = opened.story(request, conversation=conversation, budget=budget, strict=True)
    table = new_table("number", "when", "found by", "id", "memory or message")
    for one in told.evidence:
        table.add_row(str(one.number), one.when, ", ".join(one.found_by), str(one.id), escape(one.shown))
    sentences = [{"text": one.text, "evidence": one.numbers} for one in told.sentences]
    answer = {
        "intent": told.intent,
        "text": told.text,
        "sentences": sentences,
        "evidence": told.evidence,
        "tokens": told.tokens,
        "questions": told.questions,
        "partial": told.partial,
        "reason": told.reason,
    }
    remarks = [one.text for one in told.questions] or ([told.reason] if told.reason else [])
    shown = [table if explain else escape(told.text)] if told.sentences else []
    print_answer(json_output, answer, *shown, *(f"[yellow]{escape(one)}[/]" for one in remarks))
