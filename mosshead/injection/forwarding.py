"""Standing for another object: whatever is not replaced is the other's."""

from typing import Any


class Forwarding:
    """Stands for an object. Attributes are read and set there, and it passes for one of the same class."""

    __slots__ = ("__weakref__", "_inner")

    def __init__(self, inner: Any) -> None:
        self._keep(_inner=inner)

    def _keep(self, **own: Any) -> None:
        """Set attributes of its own."""
        for name, value in own.items():
            object.__setattr__(self, name, value)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self._inner, name, value)

    @property  # type: ignore[misc]  # an ordinary attribute of every other object
    def __class__(self) -> Any:
        """For ``isinstance``."""
        return type(self._inner)

    def __repr__(self) -> str:
        return f"<{self._inner!r}, with memory>"

    def __dir__(self) -> list[str]:
        return dir(self._inner)
