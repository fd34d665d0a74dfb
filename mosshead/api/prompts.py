"""`Prompting`: the part of a `Namespace` that keeps an app's prompts in versions, and what came of them."""

from collections.abc import Mapping, Sequence
from difflib import unified_diff
from typing import Any
from uuid import UUID

from mosshead.api.session import Freshness
from mosshead.errors import InvalidEvent, NotFound, PromptConflict
from mosshead.events.commands import MAX_TURNS
from mosshead.models.memories import Decision
from mosshead.models.prompts import OptimizerOrOff, StoredPrompt, Syntax
from mosshead.publishing.publishers import AppSession
from mosshead.store import prompts as views
from mosshead.store.connection import tenant_transaction
from mosshead.text import readable


class Prompting(Freshness):
    """The part of a `Namespace` that keeps an app's prompts."""

    def prompts(self) -> list[StoredPrompt]:
        """Every prompt as it is now, by name."""
        with tenant_transaction(self._engine, self.path.tenant_id) as connection:
            return views.latest(connection, self.path)

    def prompt(self, name: str, *, version: int | None = None) -> StoredPrompt:
        """A prompt as it is now, or as it was in a version. Raises NotFound, also where its first text is still on its way."""
        if version is not None:
            return self._version(self.prompt_versions(name), name, version)
        with tenant_transaction(self._engine, self.path.tenant_id) as connection:
            found = views.latest(connection, self.path, name=readable("name", name))
        if not found:
            raise NotFound(f"name: there is no prompt {name!r} in {self.path}; set_prompt gives it its first text")
        return found[0]

    def prompt_versions(self, name: str) -> list[StoredPrompt]:
        """Every version of a prompt, the first in front; empty where there is no such prompt."""
        with tenant_transaction(self._engine, self.path.tenant_id) as connection:
            return views.versions(connection, self.path, readable("name", name))

    def prompt_decisions(self, name: str) -> list[Decision]:
        """What was decided about a prompt, in order, and why: texts that were set, brought back, improved, or refused."""
        with tenant_transaction(self._engine, self.path.tenant_id) as connection:
            return views.decisions(connection, self.path, readable("name", name))

    def diff_prompt(self, name: str, old: int, new: int) -> str:
        """What changed in a prompt from one version to another, as a unified diff; empty where nothing did. Raises NotFound."""
        versions = self.prompt_versions(name)
        first, second = (self._version(versions, name, number) for number in (old, new))
        before, after = (f"{name} version {one.version} ({one.made_by})" for one in (first, second))
        lines = first.text.splitlines(), second.text.splitlines()
        return "\n".join(unified_diff(*lines, fromfile=before, tofile=after, lineterm=""))

    def set_prompt(
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
        """Give a prompt a text; an event, which returns its id at once, and makes a version in its turn.

        text: with variables in the syntax "format" (``{name}``, as `str.format`), "mustache" (``{{name}}``) or "none". It is kept
        as it is: put no secret into it.
        optimizer: what improves it by `feedback`: "metaprompt", "gradient", "prompt_memory", or "off". instructions: how it may
        be improved, when_to_update: when, in your words. What is None of these stays as it was.
        version: the version that you have read, 0 for none: where another is there by now, PromptConflict, and nothing changes.
        What changes before the event takes effect still has it refused: `prompt_decisions` says so then.
        reason: for those who look at the versions. session: as for `publish`. Raises InvalidEvent, and otherwise as `publish`.
        """
        with tenant_transaction(self._engine, self.path.tenant_id) as connection:
            found = views.latest(connection, self.path, name=readable("name", name))
        if version is not None:
            self._check_follows(name, version, found[0].version if found else 0)
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
        return self._publish([event], session=session)[0]

    def roll_back_prompt(self, name: str, *, to: int, session: AppSession | None = None) -> UUID:
        """Bring an earlier text of a prompt back, as a new version; an event, which returns its id at once.

        session: as for `publish`. Raises NotFound where there is no such version.
        """
        versions = self.prompt_versions(name)
        if not self.progress().partial:
            self._version(versions, name, to)
        return self._publish([{"type": "roll_back_prompt", "name": name, "to": to}], session=session)[0]

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
        """Say what came of a prompt; an event, which returns its id at once. Nothing is read, so that a busy store keeps nobody.

        prompt: its name; what comes before its first text waits for that. messages: the conversation, as a transcript or a list
        of ``{role, content}``, of which the last 200 are kept. feedback: what was said of it. score: from 0 (bad) to 1 (good).
        The service improves the prompt by it after a quiet time, and makes a version of its own. session: as for `publish`.
        Raises InvalidEvent, and otherwise as `publish`.
        """
        from mosshead.contrib.prompt_optimizers.trajectories import trajectory_of  # few apps have prompts improved

        try:
            turns = trajectory_of(messages).turns[-MAX_TURNS:]
        except InvalidEvent:
            raise
        except ValueError as error:
            fault = str(error)
            raise InvalidEvent(f"messages: {fault}") from None
        event = {
            "type": "feedback",
            "prompt": prompt,
            "messages": [{"role": role, "content": content} for role, content in turns],
            "feedback": feedback,
            "score": score,
            "conversation": conversation,
        }
        return self._publish([event], session=session)[0]

    def _check_follows(self, name: str, version: int, latest: int) -> None:
        # What is not yet in effect may still bring the version that is to be followed; one that is past never comes again.
        if version < latest or (version > latest and not self.progress().partial):
            now = f"is at version {latest}" if latest else "is not there yet"
            raise PromptConflict(
                f"version: the text was to follow version {version} of {name!r}, which {now}; read it, and decide again"
            )

    def _version(self, versions: Sequence[StoredPrompt], name: str, version: int) -> StoredPrompt:
        for one in versions:
            if one.version == version:
                return one
        known = f"its versions are 1 to {len(versions)}" if versions else "there is no such prompt"
        raise NotFound(f"version: there is no version {version} of {name!r} in {self.path}; {known}")
