"""Who talks to the app, and what is known of each before."""

from benchmarks.sentences import sentences

MEMORIES = 20
"""Memories of each beside the dog's name."""


def user_of(number: int) -> str:
    """One of those who talk."""
    return f"user_{number}"


def dog_of(number: int) -> str:
    """The name of their dog, which no other dog has."""
    first, second = divmod(number, 20)
    return "BKDFGLMNPRST"[first] + "aeiou"[second % 5] + ("sco", "lli", "nto", "rra")[second // 5]


def known_of(number: int) -> list[str]:
    """The texts of all their memories."""
    told = sentences(f"known {number}")
    return [f"User's dog is called {dog_of(number)}", *(next(told) for _ in range(MEMORIES))]
