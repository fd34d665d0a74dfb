"""Divide items into lists small enough for one request or event."""

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

_T = TypeVar("_T")


def portions(
    items: Iterable[_T], size: Callable[[_T], int], *, most: int, most_items: int | None = None
) -> Iterator[list[_T]]:
    """Yield the items in lists, in order.

    Args:
        items: What to divide.
        size: Returns the size of an item.
        most: The maximum size of a list. A larger item is alone in its list.
        most_items: The maximum number of items in a list.
    """
    portion: list[_T] = []
    total = 0
    for item in items:
        more = size(item)
        if portion and (len(portion) == most_items or total + more > most):
            yield portion
            portion, total = [], 0
        portion.append(item)
        total += more
    if portion:
        yield portion
