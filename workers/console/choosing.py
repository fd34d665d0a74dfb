"""The first page: which namespace to look into."""

from functools import partial

from mosshead import Memory, NotFound
from mosshead.paths import NamespacePath
from workers.console.handling import Handler
from workers.console.places import named, place_of


class Choosing(Handler):
    """A field for the name of a namespace; and those of a tenant, where one is named.

    The console logs in as an app does, and such a login sees one tenant at a time: it cannot list them all.
    """

    async def get(self) -> None:
        """Show the field, or go to the namespace that was named."""
        name = self.given("namespace").strip().strip("/")
        if "/" in name:
            self.redirect(place_of(named(name)), status=303)
            return
        found = await self.in_thread(partial(_of_tenant, self.memory, name)) if name else []
        await self.render("choosing.html", name=name, found=[(str(path), place_of(path)) for path in found])


def _of_tenant(memory: Memory, tenant: str) -> list[NamespacePath]:
    found = memory.under(tenant).namespaces()
    if not found:
        raise NotFound(
            f"tenant: nothing was published for {tenant}; give the name as the app does, such as acme/sarah_123"
        )
    return found
