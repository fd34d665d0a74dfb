"""Requests that have to do with nothing of a conversation: what a context shows for them is of no use, and costs."""

UNRELATED = (
    "hi",
    "Thanks, that's great!",
    "ok",
    "lol",
    "yes please",
    "Sounds good, go on",
    "Tell me a joke",
    "What's the capital of Peru?",
    "What time is it in Tokyo?",
    "What is 17 times 23?",
    "How tall is Mount Everest?",
    "Who won the world cup in 1998?",
    "Can you convert 5 miles to km?",
    "How do I boil an egg?",
    "Explain how a hash map works",
    "Translate 'good evening' into Italian",
    "Fix this Python error: list index out of range",
    "Rewrite this sentence to be more formal",
    "Summarise the plot of Hamlet",
    "Write me a haiku about autumn leaves",
)
