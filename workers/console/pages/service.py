"""The pages about the whole service: tenants, namespaces and operations.

They read across tenants, like `mosshead status` and `mosshead service usage`, and so with the workers' login.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import NamedTuple

from sqlalchemy import Engine

from config.settings import settings
from db import activity
from db.activity import NamespaceActivity, NamespaceContent, TenantActivity
from db.namespaces import tenant_name
from mosshead.errors import MossheadError, NotFound
from mosshead.paths import NamespacePath
from workers.cli.output import duration, tenant_id_of
from workers.cli.rounds import each_tenant
from workers.cli.status import read_status, rows
from workers.cli.usage import costs
from workers.console.handlers import Handler, ListPart, Page, named, place_of
from workers.dependencies import logged_in

_SHOWN, _LATEST = 50, 10
_DAY = timedelta(days=1)


class NamespaceRow(NamedTuple):
    """A namespace in a list."""

    path: NamespacePath
    place: str
    content: NamespaceContent
    activity: NamespaceActivity


@dataclass(frozen=True, slots=True)
class Start:
    """The lists of the start page: the tenants and their latest namespaces, or the namespaces of one."""

    tenants: ListPart[tuple[str, TenantActivity]] | None
    namespaces: ListPart[NamespaceRow]


class StartPage(Handler):
    """The start page: tenants, their namespaces, and a field for a name."""

    async def get(self) -> None:
        name = self.given("namespace").strip().strip("/")
        if "/" in name:
            self.redirect(place_of(named(name)), status=303)
            return
        page = await self.in_thread(partial(self._shown, name))
        await self.render(page.template, **page.shown)

    def _shown(self, name: str) -> Page:
        found, unavailable = None, None
        try:
            with logged_in(settings()) as engine:
                found = self._of_tenant(engine, name) if name else self._of_all(engine)
        except NotFound:
            raise
        except MossheadError as error:  # the pages of a namespace need no such login
            unavailable = str(error)
        return Page("start.html", section="namespaces", name=name, found=found, unavailable=unavailable)

    def _of_all(self, engine: Engine) -> Start:
        with engine.begin() as connection:
            part = self.part(lambda most: activity.active_tenants(connection, limit=most), _SHOWN)
            latest = activity.active_namespaces(connection, limit=_LATEST)
        names = {
            one: tenant_name(connection, one)
            for one, connection in each_tenant(engine, [one.tenant_id for one in part.shown])
        }
        tenants = ListPart([(names[one.tenant_id], one) for one in part.shown], part.further)
        return Start(tenants, ListPart(_rows(engine, latest), None))

    def _of_tenant(self, engine: Engine, name: str) -> Start:
        tenant_id = tenant_id_of(name)
        with engine.begin() as connection:
            part = self.part(
                lambda most: activity.active_namespaces(connection, tenant_id=tenant_id, limit=most), _SHOWN
            )
        if not part.shown:
            raise NotFound(f"tenant: there is no {name}; it exists once an event is published for it")
        return Start(None, ListPart(_rows(engine, part.shown), part.further))


def _rows(engine: Engine, found: Sequence[NamespaceActivity]) -> list[NamespaceRow]:
    tenants = list(dict.fromkeys(one.lane.tenant_id for one in found))
    contents = {
        namespace_id: content
        for tenant_id, connection in each_tenant(engine, tenants)
        for namespace_id, content in activity.contents(
            connection, tenant_id, [one.lane.namespace_id for one in found if one.lane.tenant_id == tenant_id]
        ).items()
    }
    known = [(one, contents[one.lane.namespace_id]) for one in found if one.lane.namespace_id in contents]
    paths = [NamespacePath(content.path) for _, content in known]
    return [NamespaceRow(path, place_of(path), content, one) for path, (one, content) in zip(paths, known, strict=True)]


class OperationsPage(Handler):
    """The figures of `mosshead status` and `mosshead service usage`: waiting work, failures, and LLM costs."""

    async def get(self) -> None:
        page = await self.in_thread(self._shown)
        await self.render(page.template, **page.shown)

    def _shown(self) -> Page:
        chosen = settings()
        found = read_status(chosen)
        with logged_in(chosen) as engine:
            spent = costs(engine, by="stage", since=_DAY)
        return Page(
            "operations.html",
            section="operations",
            service=found,
            figures=found.figures,
            rows=[row for row in rows(found) if row[1] is not None],
            costs=spent,
            tokens=sum(one.prompt_tokens + one.completion_tokens for one in spent),
            duration=duration,
        )
