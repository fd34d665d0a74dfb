"""What a message would retrieve, and why; and what was said, word for word."""

from workers.console.handlers import Page, Reading

_BUDGET = 800
_MOST_BUDGET = 20_000
_TOP_K = 6
_MOST_TOP_K = 100


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
        top_k = self.number("top_k", _TOP_K, most=_MOST_TOP_K)
        recalled = None
        if said.strip():
            recalled = self.namespace.recall_messages(
                said,
                conversation=conversation or None,
                scope="thread" if conversation else "resource",
                top_k=top_k,
            )
        hits = {one.message.id: one for one in recalled.hits} if recalled else {}
        return Page("messages.html", said=said, conversation=conversation, top_k=top_k, recalled=recalled, hits=hits)
