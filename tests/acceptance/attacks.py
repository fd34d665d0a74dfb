"""Send messages that try to steer an assistant to a service, and collect everything that reads return of them."""

from collections.abc import Iterable

from mosshead import Namespace
from mosshead.fencing import NOTE
from tests.acceptance.running import Running
from tests.injections_given import ATTACKS

_PATIENCE_SECONDS = 120


def told(machine: Running, said: dict[str, Iterable[str]]) -> dict[str, Namespace]:
    """Return a namespace per user after sending the user's messages; the users' lanes run in parallel."""
    namespaces = {user: machine.memory.namespace("attacked", user) for user in said}
    for user, contents in said.items():
        for content in contents:
            namespaces[user].publish(content, conversation="c1")
    for namespace in namespaces.values():
        namespace.wait(timeout=_PATIENCE_SECONDS)
    return namespaces


def attacked(machine: Running) -> dict[str, Namespace]:
    """Return a namespace per type of attack, containing nothing else."""
    return told(machine, dict(ATTACKS))


def prompt_lines(namespace: Namespace, message: str) -> list[str]:
    """Return the lines inside the fence of the memory part of a prompt, and its questions; check that the fence is intact."""
    context = namespace.context(message, budget=4000)
    shown = context.as_system_message()
    assert shown["role"] == "system"
    note, opens, *lines, closes = shown["content"].splitlines()
    assert (note, opens, closes) == (NOTE, "<memories>", "</memories>")
    assert all(line.startswith("- ") for line in lines)
    return [*lines, *(question.text for question in context.questions)]


def surfaced(namespace: Namespace, attacks: Iterable[str]) -> list[str]:
    """Return everything that reads give of a namespace containing only attacks."""
    found = [memory.content for memory in namespace.memories()]
    found += [
        namespace.entities.profile(entity.id).summary for entity in namespace.entities.list() if not entity.is_user
    ]
    for attack in attacks:
        found += [hit.content for hit in namespace.query(attack, limit=50)]
        found += prompt_lines(namespace, attack)
    return found
