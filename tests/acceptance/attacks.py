"""Messages that were said to steer an assistant, told to a service, and all that can be read of them."""

from collections.abc import Iterable

from mosshead import Namespace
from mosshead.fencing import NOTE
from tests.acceptance.running import Running
from tests.injections_given import ATTACKS

_PATIENCE_SECONDS = 120


def told(machine: Running, said: dict[str, Iterable[str]]) -> dict[str, Namespace]:
    """A namespace for each user, who said all this; what they say is worked on side by side."""
    namespaces = {user: machine.memory.namespace("attacked", user) for user in said}
    for user, contents in said.items():
        for content in contents:
            namespaces[user].publish(content, conversation="c1")
    for namespace in namespaces.values():
        namespace.wait(timeout=_PATIENCE_SECONDS)
    return namespaces


def attacked(machine: Running) -> dict[str, Namespace]:
    """A namespace for each shape of attack, in which nothing else was said."""
    return told(machine, dict(ATTACKS))


def prompt_lines(namespace: Namespace, message: str) -> list[str]:
    """The lines inside the fence of the prompt's part that is remembered, and its questions; the fence itself is whole."""
    context = namespace.context(message, budget=4000)
    shown = context.as_system_message()
    assert shown["role"] == "system"
    note, opens, *lines, closes = shown["content"].splitlines()
    assert (note, opens, closes) == (NOTE, "<memories>", "</memories>")
    assert all(line.startswith("- ") for line in lines)
    return [*lines, *(question.text for question in context.questions)]


def surfaced(namespace: Namespace, attacks: Iterable[str]) -> list[str]:
    """All that any read gives of a namespace in which nothing but attacks was said."""
    found = [memory.content for memory in namespace.memories()]
    found += [
        namespace.entities.profile(entity.id).summary for entity in namespace.entities.list() if not entity.is_user
    ]
    for attack in attacks:
        found += [hit.content for hit in namespace.query(attack, limit=50)]
        found += prompt_lines(namespace, attack)
    return found
