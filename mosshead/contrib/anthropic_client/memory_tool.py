"""The back-end of Anthropic's memory tool: each of the model's files is a document of a namespace.

Answers are worded like those of the package's `BetaLocalFilesystemMemoryTool`, which models know.
"""

import json
import logging
from collections import Counter
from typing import Any

from anthropic.lib.tools import BetaAbstractMemoryTool, BetaAsyncAbstractMemoryTool, ToolError

from mosshead.api.namespace import Namespace
from mosshead.bridge import across, apart, run_across
from mosshead.contrib.anthropic_client.memory_files import (
    ROOT,
    check_free,
    files_within,
    lines_of,
    missing,
    normalised,
    numbered,
    shown_directory,
    shown_file,
)
from mosshead.contrib.kept_texts import HeldText, KeptTexts
from mosshead.contrib.openai_client.calls import Face
from mosshead.errors import InvalidEvent, MossheadError
from mosshead.models.memories import Decision
from mosshead.redaction.text import MARK

MAX_BYTES = 16_000
"""Maximum size of a file as JSON."""

MAX_FILES = 500
_UNAVAILABLE = "The memory cannot be reached at the moment. Go on without it."

_log = logging.getLogger("mosshead")


class AnthropicMemoryTool(BetaAbstractMemoryTool):
    """``memory_20250818`` over a namespace: add it to the ``tools`` of ``client.beta.messages.tool_runner``.

    Each file has a history, and each change a decision that `Namespace.undo` can undo.
    """

    def __init__(self, namespace: Namespace, **options: Any) -> None:
        """options: those of the package's class, such as ``cache_control``."""
        super().__init__(**options)
        self._texts = KeptTexts(namespace, "files", by="tool")

    def decisions(self, path: str) -> list[Decision]:
        """List the changes of a file, newest first, including those before its deletion; `Namespace.undo` undoes one."""
        return self._texts.decisions([normalised(path)])

    def held(self) -> dict[str, HeldText]:
        """Return the texts that the guard held, by path: the last one that the model wrote there."""
        return self._texts.held()

    def release(self, path: str) -> None:
        """Accept the held text of a file. Raises NotFound if there is none."""
        self._texts.release(normalised(path))

    def execute(self, command: Any) -> Any:
        """Carry out a command. Raises ToolError, which tells the model what to do instead."""
        try:
            return super().execute(command)
        except InvalidEvent as error:
            raise ToolError(f"Not done: {error}") from error
        except MossheadError as error:
            _log.warning("memory tool: %s", error)
            raise ToolError(_UNAVAILABLE) from error
        except (AttributeError, NotImplementedError, TypeError, ValueError) as error:
            # The model's arguments have not been checked before.
            raise ToolError(f"Not done: the arguments do not fit the command ({type(error).__name__}).") from error

    def view(self, command: Any) -> str:
        path, files = normalised(command.path), self._texts.read()
        if path in files:
            return shown_file(command.path, files[path].split("\n"), getattr(command, "view_range", None))
        if path != ROOT and not files_within(files, path):
            raise missing(command.path)
        return shown_directory(command.path, path, files_within(files, path))

    def create(self, command: Any) -> str:
        path, files = normalised(command.path), self._texts.read()
        check_free(files, path, f"File {command.path} already exists")
        if len(files) + len(self._texts.held()) >= MAX_FILES:
            raise ToolError(f"There are {MAX_FILES} files already; delete or join some first.")
        _, told = self._write(path, command.file_text)
        return f"File created successfully at: {command.path}{told}"

    def str_replace(self, command: Any) -> str:
        path, content = self._file(command.path)
        lines = lines_of(content, command.old_str)
        if not lines:
            wanted = f"old_str `{command.old_str}` did not appear verbatim in {command.path}"
            raise ToolError(f"No replacement was performed, {wanted}.")
        if len(lines) > 1:
            wanted = f"Multiple occurrences of old_str `{command.old_str}` in lines: {', '.join(map(str, lines))}"
            raise ToolError(f"No replacement was performed. {wanted}. Please ensure it is unique")
        kept, told = self._write(path, content.replace(command.old_str, command.new_str))
        first = max(1, lines[0] - 2)
        snippet = numbered(kept.split("\n")[first - 1 : lines[0] + 2], first)
        edited = "The memory file has been edited. Here is the snippet showing the change (with line numbers):"
        return f"{edited}\n{snippet}{told}"

    def insert(self, command: Any) -> str:
        path, content = self._file(command.path)
        lines = content.split("\n")
        if not lines[-1]:
            lines.pop()
        if not 0 <= command.insert_line <= len(lines):
            within = f"It should be within the range [0, {len(lines)}]"
            raise ToolError(f"Invalid `insert_line` parameter: {command.insert_line}. {within}.")
        lines.insert(command.insert_line, command.insert_text.rstrip("\n"))
        changed = "\n".join(lines)
        _, told = self._write(path, changed if changed.endswith("\n") else f"{changed}\n")
        return f"The file {command.path} has been edited.{told}"

    def delete(self, command: Any) -> str:
        path, files = normalised(command.path), self._texts.read()
        if path == ROOT:
            raise ToolError("Cannot delete the /memories directory itself")
        gone = [path] if path in files else [f"{path}{below}" for below in files_within(files, path)]
        if not gone:
            raise ToolError(f"The path {command.path} does not exist")
        self._texts.write(dict.fromkeys(gone))
        return f"Successfully deleted {command.path}"

    def rename(self, command: Any) -> str:
        old, new, files = normalised(command.old_path), normalised(command.new_path), self._texts.read()
        if old == ROOT:
            raise ToolError("Cannot rename the /memories directory itself")
        check_free(files, new, f"The destination {command.new_path} already exists")
        moved = [""] if old in files else list(files_within(files, old))
        if not moved:
            raise ToolError(f"The path {command.old_path} does not exist")
        if new.startswith(f"{old}/"):
            raise ToolError(f"Cannot move {command.old_path} into itself")
        self._texts.move({f"{old}{below}": f"{new}{below}" for below in moved})
        return f"Successfully renamed {command.old_path} to {command.new_path}"

    def clear_all_memory(self) -> str:
        """Delete all files; their histories are kept."""
        self._texts.write(dict.fromkeys(self._texts.read()))
        return "All memory cleared"

    def _file(self, given: str) -> tuple[str, str]:
        """Return a file's normalized path and its content. Raises ToolError if it is not a file."""
        path, files = normalised(given), self._texts.read()
        if path in files:
            return path, files[path]
        raise (
            ToolError(f"The path {given} is not a file.")
            if path == ROOT or files_within(files, path)
            else missing(given)
        )

    def _write(self, path: str, text: str) -> tuple[str, str]:
        """Store a file; return its content without secrets, and a note for the model about the replaced ones.

        Raises ToolError if it is too large, or held.
        """
        kept = apart(lambda: self._texts.redacted(text))
        if len(json.dumps(kept, ensure_ascii=False).encode()) > MAX_BYTES:
            raise ToolError(f"The file {path} would be above {MAX_BYTES:,} bytes; put the rest into another file.")
        if reason := self._texts.write({path: kept}).get(path):
            raise ToolError(
                f"Not done: {path} would hold text that {reason}. It is set aside for review, and the memory is as it was. "
                "Write down what is so, in plain words, and nobody's orders."
            )
        marks = (_marks(kept) - _marks(text)).elements()
        return kept, f"\nSecrets are not kept. The file has in their place: {', '.join(marks)}" if kept != text else ""


class AsyncAnthropicMemoryTool(BetaAsyncAbstractMemoryTool):
    """The same for an ``AsyncAnthropic``. A command runs in a thread, or in the event loop with an `AsyncNamespace`."""

    def __init__(self, namespace: Face, **options: Any) -> None:
        """As `AnthropicMemoryTool`."""
        super().__init__(**options)
        straight, self._bridge = across(namespace)
        self._straight = AnthropicMemoryTool(straight)

    async def execute(self, command: Any) -> Any:
        """As `AnthropicMemoryTool.execute`."""
        return await run_across(self._bridge, lambda: self._straight.execute(command))

    view = create = str_replace = insert = delete = rename = execute

    async def clear_all_memory(self) -> str:
        """As `AnthropicMemoryTool.clear_all_memory`."""
        return await run_across(self._bridge, self._straight.clear_all_memory)

    async def decisions(self, path: str) -> list[Decision]:
        """As `AnthropicMemoryTool.decisions`."""
        return await run_across(self._bridge, lambda: self._straight.decisions(path))

    async def held(self) -> dict[str, HeldText]:
        """As `AnthropicMemoryTool.held`."""
        return await run_across(self._bridge, self._straight.held)

    async def release(self, path: str) -> None:
        """As `AnthropicMemoryTool.release`."""
        await run_across(self._bridge, lambda: self._straight.release(path))


def _marks(text: str) -> Counter[str]:
    """Return the marks that replace secrets."""
    return Counter(mark[0] for mark in MARK.finditer(text))
