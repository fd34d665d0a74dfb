"""What a message would retrieve, and why; and what was said, word for word."""

from workers.console.handlers import Page, Reading

_BUDGET = 800
_MOST_BUDGET = 20_000
_LIMIT = 6
_MOST_LIMIT = 100


class Retrieval(Reading):
    """The context of a message as a model gets it, and how each part of it came to be there."""

    section = "retrieval"

    def show(self, *_ids: str) -> Page:
        """The form, and the answer where something was asked."""
        message, conversation = self.given("message"), self.given("conversation")
        budget = self.number("budget", _BUDGET, most=_MOST_BUDGET)
        context = None
        if message.strip():
            context = self.namespace.context(message, conversation=conversation or None, budget=budget)
        best = max((one.score for one in context.explain()), default=0.0) if context else 0.0
        return Page(
            "retrieval.html",
            message=message,
            conversation=conversation,
            budget=budget,
            context=context,
            best=max(best, 0.001),
        )


class Messages(Reading):
    """Messages that answer to a text, with those around them."""

    section = "messages"

    def show(self, *_ids: str) -> Page:
        """The form, and the answer where something was asked."""
        said, conversation = self.given("q"), self.given("conversation")
        limit = self.number("limit", _LIMIT, most=_MOST_LIMIT)
        recalled = None
        if said.strip():
            recalled = self.namespace.messages.search(
                said,
                conversation=conversation or None,
                conversation_only=bool(conversation),
                limit=limit,
            )
        hits = {one.message.id: one for one in recalled.hits} if recalled else {}
        return Page("messages.html", said=said, conversation=conversation, limit=limit, recalled=recalled, hits=hits)
