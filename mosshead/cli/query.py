"""Commands that read memories: query, context, recall and profile."""

from typing import Annotated, Any

import typer
from rich.markup import escape

from mosshead.cli.options import AsOf, Conversation, In
from mosshead.cli.output import Json, print_answer, table


def query(  # noqa: PLR0917 - typer's options are its parameters
    namespace: In,
    text: Annotated[str, typer.Argument(help="What to look for.")],
    limit: int = 10,
    threshold: Annotated[float | None, typer.Option(help="Minimum cosine similarity, exclusive.")] = None,
    as_of: AsOf = None,
    json_output: Json = False,
) -> None:
    """Find the memories most similar to a text."""
    hits = namespace.query(text, limit=limit, threshold=threshold, as_of=as_of, on_timeout="raise")
    rows = ((f"{hit.similarity:.2f}", f"{hit.salience:.1f}", hit.kind, hit.content) for hit in hits)
    shown = table(("similarity", "salience", "kind", "memory"), rows)
    print_answer(json_output, {"hits": list(hits), "partial": hits.partial}, shown)


def context(  # noqa: PLR0917 - typer's options are its parameters
    namespace: In,
    message: Annotated[str, typer.Argument(help="The user's message.")],
    conversation: Conversation = None,
    budget: Annotated[int, typer.Option(help="Maximum number of tokens.")] = 800,
    include_pending: Annotated[
        int, typer.Option(help="How many recent messages to include before they are consolidated.")
    ] = 0,
    explain: Annotated[bool, typer.Option(help="Show how each memory and message was found.")] = False,
    json_output: Json = False,
) -> None:
    """Show what a model should know to answer a message."""
    found = namespace.context(
        message, conversation=conversation, budget=budget, include_pending=include_pending, on_timeout="raise"
    )
    rows = ((f"{one.score:.2f}", ", ".join(one.paths), one.content) for one in found.explain())
    shown: Any = table(("score", "paths", "memory or message"), rows) if explain else escape(found.text)
    answer = {
        "text": found.text,
        "tokens": found.tokens,
        "partial": found.partial,
        "questions": found.questions,
        "memories": [one for one in found.explain() if one.memory],
        "messages": [one for one in found.explain() if one.message],
    }
    print_answer(json_output, answer, shown, *(f"[yellow]{escape(question.text)}[/]" for question in found.questions))


def recall(  # noqa: PLR0917 - typer's options are its parameters
    namespace: In,
    text: Annotated[str, typer.Argument(help="What to look for.")],
    conversation: Annotated[str | None, typer.Option("--conversation", "-c", help="The current conversation.")] = None,
    conversation_only: Annotated[bool, typer.Option(help="Search only this conversation.")] = False,
    limit: Annotated[int, typer.Option(help="Maximum number of messages.")] = 4,
    around: Annotated[int, typer.Option(help="How many messages to show before and after each.")] = 1,
    json_output: Json = False,
) -> None:
    """Find stored messages relevant to a text."""
    found = namespace.messages.search(
        text,
        conversation=conversation,
        conversation_only=conversation_only,
        limit=limit,
        around=around,
        on_timeout="raise",
    )
    answer = {"hits": found.hits, "excerpts": found.excerpts, "partial": found.partial}
    print_answer(json_output, answer, escape(found.text))


def profile(
    namespace: In, entity: Annotated[str, typer.Argument(help="A name, an alias or an id.")], json_output: Json = False
) -> None:
    """Show an entity's profile."""
    found = namespace.entities.profile(entity)
    print_answer(json_output, {"profile": found}, escape(found.summary))
