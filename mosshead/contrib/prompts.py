"""The prompts of an app, kept in versions by a namespace, and the feedback that improves them."""

from collections.abc import Mapping, Sequence
from difflib import unified_diff
from typing import TYPE_CHECKING, Any
from uuid import UUID

from mosshead.contrib.prompt_optimizers.trajectories import trajectory_of
from mosshead.errors import InvalidEvent, NotFound, PromptConflict
from mosshead.events.commands import MAX_TURNS
from mosshead.models.memories import Decision
from mosshead.models.prompts import OptimizerOrOff, StoredPrompt, Syntax
from mosshead.publishing.publishers import AppSession
from mosshead.store import prompts as reads
from mosshead.text import readable

if TYPE_CHECKING:
    from mosshead.api.namespace import Namespace


class Prompts:
    """The prompts that a namespace keeps. A version never changes; the latest one counts."""

    def __init__(self, namespace: "Namespace") -> None:
        """Open the prompts of a namespace. Nothing is read yet."""
        self._session = namespace.session

    def all(self) -> list[StoredPrompt]:
        """List every prompt in its latest version, by name."""
        return self._session.fetch(reads.latest)

    def get(self, name: str, *, version: int | None = None) -> StoredPrompt:
        """Read a prompt in its latest version, or in the given one.

        Raises:
            NotFound: there is no such prompt or version, or the prompt's first text has not taken effect yet.
        """
        if version is not None:
            return self._version(self.versions(name), name, version)
        found = self._session.fetch(reads.latest, name=readable("name", name))
        if not found:
            raise NotFound(f"name: there is no prompt {name!r} in {self._session.path}; set() gives it its first text")
        return found[0]

    def versions(self, name: str) -> list[StoredPrompt]:
        """List the versions of a prompt, oldest first. Empty if there is no such prompt."""
        return self._session.fetch(reads.versions, readable("name", name))

    def decisions(self, name: str) -> list[Decision]:
        """List the decisions about a prompt in order, with their reasons: texts set, rolled back, improved or refused."""
        return self._session.fetch(reads.decisions, readable("name", name))

    def diff(self, name: str, old: int, new: int) -> str:
        """Compare two versions of a prompt as a unified diff. Empty if they are equal.

        Raises:
            NotFound: there is no such version.
        """
        versions = self.versions(name)
        first, second = (self._version(versions, name, number) for number in (old, new))
        before, after = (f"{name} version {one.version} ({one.made_by})" for one in (first, second))
        lines = first.text.splitlines(), second.text.splitlines()
        return "\n".join(unified_diff(*lines, fromfile=before, tofile=after, lineterm=""))

    def set(
        self,
        name: str,
        text: str,
        *,
        syntax: Syntax | None = None,
        optimizer: OptimizerOrOff | None = None,
        instructions: str | None = None,
        when_to_update: str | None = None,
        reason: str = "",
        version: int | None = None,
        session: AppSession | None = None,
    ) -> UUID:
        """Publish a new text for a prompt and return the event's id at once. The version is made when the event takes effect.

        Args:
            name: the prompt.
            text: the new text, stored as it is. Put no secret into it.
            syntax: how the text writes variables: "format" (``{name}``, as `str.format`), "mustache" (``{{name}}``) or "none".
            optimizer: what improves the prompt from feedback: "metaprompt", "gradient", "prompt_memory" or "off".
            instructions: how the prompt may be improved, in your words.
            when_to_update: when it may be improved, in your words. Of these four, those that are None stay as they were.
            reason: a note for readers of the history.
            version: the version that you read; 0 if there was none.
            session: as for `Namespace.publish`.

        Raises:
            PromptConflict: there is a newer version. If it appears between this call and the event's turn, the event is refused
            instead, which `decisions` shows.
            InvalidEvent: a field does not fit. Otherwise as `Namespace.publish`.
        """
        found = self._session.fetch(reads.latest, name=readable("name", name))
        latest = found[0].version if found else 0
        # Waiting events may still create the version to follow; a past version never comes again.
        if version is not None and (version < latest or (version > latest and not self._session.progress().partial)):
            now = f"is at version {latest}" if latest else "is not there yet"
            raise PromptConflict(
                f"version: the text should follow version {version} of {name!r}, which {now}; read it, and decide again"
            )
        event = {
            "type": "set_prompt",
            "name": name,
            "template": text,
            "syntax": syntax or (found[0].syntax if found else "format"),
            "optimizer": optimizer,
            "instructions": instructions,
            "when_to_update": when_to_update,
            "reason": reason,
            "follows": version,
        }
        return self._session.publish(event, session=session)

    def roll_back(self, name: str, *, to: int, session: AppSession | None = None) -> UUID:
        """Publish an earlier text of a prompt as its next version, and return the event's id at once.

        Args:
            name: the prompt.
            to: the version that has the text.
            session: as for `Namespace.publish`.

        Raises:
            NotFound: there is no such version.
        """
        versions = self.versions(name)
        if not self._session.progress().partial:
            self._version(versions, name, to)
        return self._session.publish({"type": "roll_back_prompt", "name": name, "to": to}, session=session)

    def feedback(
        self,
        prompt: str,
        messages: str | Sequence[Mapping[str, Any]] = (),
        *,
        feedback: str = "",
        score: float | None = None,
        conversation: str | None = None,
        session: AppSession | None = None,
    ) -> UUID:
        """Publish feedback on a prompt and return the event's id at once. This reads nothing, so it never waits for Postgres.

        The service improves the prompt after a quiet time, in a new version.

        Args:
            prompt: its name. Feedback that precedes the first text waits for it.
            messages: the conversation, as a transcript or a list of ``{role, content}``. The last 200 messages are kept.
            feedback: a comment.
            score: from 0 (bad) to 1 (good).
            conversation: the conversation's id.
            session: as for `Namespace.publish`.

        Raises:
            InvalidEvent: a field does not fit. Otherwise as `Namespace.publish`.
        """
        try:
            turns = trajectory_of(messages).turns[-MAX_TURNS:]
        except InvalidEvent:
            raise
        except ValueError as error:
            raise InvalidEvent(f"messages: {error}") from None
        event = {
            "type": "feedback",
            "prompt": prompt,
            "messages": [{"role": role, "content": content} for role, content in turns],
            "feedback": feedback,
            "score": score,
            "conversation": conversation,
        }
        return self._session.publish(event, session=session)

    def _version(self, versions: Sequence[StoredPrompt], name: str, version: int) -> StoredPrompt:
        for one in versions:
            if one.version == version:
                return one
        known = f"its versions are 1 to {len(versions)}" if versions else "there is no such prompt"
        raise NotFound(f"version: there is no version {version} of {name!r} in {self._session.path}; {known}")
