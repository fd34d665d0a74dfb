"""The messages: searched, and each with what was taken from it; and what a message would retrieve."""

from workers.console.handlers import OfNamespace, Page


def message(request: OfNamespace, message_id: str) -> Page:
    """A message with those around it, and what was taken from it. Raises NotFound."""
    excerpt = request.namespace.messages.get(message_id, around=(4, 2))
    taken = request.namespace.messages.memories(message_id)
    return Page("message.html", excerpt=excerpt, taken=taken, message_id=message_id)


def messages(request: OfNamespace) -> Page:
    """The messages that answer to a text, with those around them."""
    said, conversation = request.given("q"), request.given("conversation")
    limit = request.number("limit", 6, most=100)
    recalled = None
    if said.strip():
        recalled = request.namespace.messages.search(
            said,
            conversation=conversation or None,
            conversation_only=bool(conversation),
            limit=limit,
        )
    hits = {one.message.id: one for one in recalled.hits} if recalled else {}
    return Page("messages.html", said=said, conversation=conversation, limit=limit, recalled=recalled, hits=hits)


def retrieval(request: OfNamespace) -> Page:
    """The context of a message as a model gets it, and how each part of it came to be there."""
    said, conversation = request.given("message"), request.given("conversation")
    budget = request.number("budget", 800, most=20_000)
    context = None
    if said.strip():
        context = request.namespace.context(said, conversation=conversation or None, budget=budget)
    best = max((one.score for one in context.explain()), default=0.0) if context else 0.0
    return Page(
        "retrieval.html",
        message=said,
        conversation=conversation,
        budget=budget,
        context=context,
        best=max(best, 0.001),
    )
