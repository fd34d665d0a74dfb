"""A model's files as the memory tool shows them: paths, directory lists, numbered lines. Pure."""

import posixpath
from urllib.parse import unquote

from anthropic.lib.tools import ToolError

ROOT = "/memories"

_LONGEST_PATH = 300
_DEPTH = 2


def normalised(path: str) -> str:
    """Normalize a path below the root: no "." or double slashes. Raises ToolError if it leads elsewhere, in any spelling."""
    plain = path
    while (once := unquote(plain)) != plain:
        plain = once
    if ".." in plain.replace("\\", "/").split("/"):
        raise ToolError(f"Path {path} would escape {ROOT} directory")
    normal = posixpath.normpath(f"/{path.lstrip('/')}") if path.startswith("/") else path
    if normal != ROOT and not normal.startswith(f"{ROOT}/"):
        raise ToolError(f"Path must start with {ROOT}, got: {path}")
    if not path.isprintable() or len(path) > _LONGEST_PATH:
        raise ToolError(f"Path must be at most {_LONGEST_PATH} characters that can be printed")
    return normal


def files_within(files: dict[str, str], path: str) -> dict[str, str]:
    """Return the files of a directory, by their paths below it, with a leading slash."""
    return {one.removeprefix(path): text for one, text in files.items() if one.startswith(f"{path}/")}


def check_free(files: dict[str, str], path: str, taken: str) -> None:
    """Raise ToolError if a path is taken or leads through a file."""
    if path == ROOT or path in files or files_within(files, path):
        raise ToolError(taken)
    if above := next((one for one in files if path.startswith(f"{one}/")), None):
        raise ToolError(f"The path {above} is not a directory.")


def shown_directory(given: str, path: str, within: dict[str, str]) -> str:
    """Format the contents of a directory, up to two levels deep, with sizes. given: the path as the model wrote it."""
    told = f"Here're the files and directories up to {_DEPTH} levels deep in {given}, excluding hidden items:"
    return "\n".join([told, *(f"{_size(size)}\t{path}{below}" for below, size in _listed(within))])


def shown_file(given: str, lines: list[str], view_range: list[int] | None) -> str:
    """Format a file or some of its lines. given: its path as the model wrote it."""
    first, last = 1, len(lines)
    if view_range and len(view_range) == 2:
        first = max(1, view_range[0])
        last = last if view_range[1] == -1 else view_range[1]
    return f"Here's the content of {given} with line numbers:\n{numbered(lines[first - 1 : last], first)}"


def numbered(lines: list[str], first: int) -> str:
    """Format lines with line numbers."""
    return "\n".join(f"{number:>6}\t{line}" for number, line in enumerate(lines, first))


def lines_of(content: str, sought: str) -> list[int]:
    """Return the line numbers where a text occurs, including overlapping occurrences."""
    places = (place for place in range(len(content)) if content.startswith(sought, place)) if sought else iter(())
    return [content.count("\n", 0, place) + 1 for place in places]


def missing(path: str) -> ToolError:
    """Return the answer for a path without a file."""
    return ToolError(f"The path {path} does not exist. Please provide a valid path.")


def _listed(within: dict[str, str]) -> list[tuple[str, int]]:
    """Yield a directory and its contents up to two levels deep, with sizes."""
    sizes = {"": 0}
    for below, text in within.items():
        names = below.split("/")[1:]
        if any(name.startswith(".") or name == "node_modules" for name in names):
            continue
        size = len(text.encode())
        sizes[""] += size
        for depth in range(1, min(_DEPTH, len(names)) + 1):
            shown = "/".join(["", *names[:depth]]) + ("/" if depth < len(names) else "")
            sizes[shown] = sizes.get(shown, 0) + size
    return sorted(sizes.items(), key=lambda one: one[0].split("/"))


def _size(size: int) -> str:
    """Format a size like ``du -h``."""
    units = "BKMG"
    unit = 0 if size == 0 else min((size.bit_length() - 1) // 10, len(units) - 1)
    scaled = size / 1024**unit
    return f"{scaled:.0f}{units[unit]}" if scaled == int(scaled) else f"{scaled:.1f}{units[unit]}"
