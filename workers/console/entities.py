"""The entities: whom and what memories are about, how they stand to each other, and making one of two or two of one."""

from uuid import UUID

from mosshead import EntityType
from workers.console.contents import waiting_of
from workers.console.drawing import HEIGHT, WIDTH, draw
from workers.console.handling import Editing, Page, Reading

_SHOWN = 200
_FAN_OUT = 12


class Entities(Reading):
    """The list, those with the most memories first."""

    section = "entities"

    def show(self, *_ids: str) -> Page:
        """What the filters leave."""
        said, kind = self.given("q").strip(), self.given("type")
        found = [
            one
            for one in self.namespace.entities()
            if kind in {"", one.entity_type}
            and any(said.casefold() in name.casefold() for name in (one.name, *one.aliases, one.description or ""))
        ]
        return Page("entities.html", {"entities": found, "said": said, "kind": kind, "types": list(EntityType)})


class OneEntity(Reading):
    """An entity: its profile, its memories, its neighbours; merge and split."""

    section = "entities"

    def show(self, *ids: str) -> Page:
        """Raises NotFound."""
        profile = self.namespace.profile(UUID(ids[0]))
        own = profile.entity
        others = [one for one in self.namespace.entities() if one.id != own.id]
        near = self.namespace.neighbours(own.id, depth=2, fan_out=_FAN_OUT)
        names = {one.id: one.name for one in (own, *others)}
        part = self.part(lambda most: self.namespace.memories(about=own, limit=most), _SHOWN)
        waiting = waiting_of(self.namespace.questions(), own.id)
        return Page(
            "entity.html",
            {
                "profile": profile,
                "entity": own,
                "others": sorted(others, key=lambda one: (one.entity_type != own.entity_type, one.name.casefold())),
                "part": part,
                "known": [one for one in part.shown if one.content not in waiting],
                "perhaps": [one for one in part.shown if one.content in waiting],
                "edges": [one for one in near if one.distance == 1],
                "names": names,
                "drawing": draw(near, own.id),
                "width": WIDTH,
                "height": HEIGHT,
            },
        )


class Merge(Editing):
    """Makes one entity a part of another."""

    def publish(self, *ids: str) -> UUID:
        """Raises NotFound, and InvalidEvent where both are the same, or the first is the user."""
        return self.namespace.merge(ids[0], self.given("into"))

    def back(self, *_ids: str) -> str:
        """The one that is left."""
        return f"{self.place}/entities/{UUID(self.given('into'))}"


class EraseEntity(Editing):
    """Deletes an entity for good, with all that was ever linked to it."""

    def publish(self, *ids: str) -> UUID:
        """Raises NotFound, and InvalidEvent where it is the user."""
        return self.namespace.erase(entity=ids[0])

    def back(self, *_ids: str) -> str:
        """The list: the entity has no page any more."""
        return f"{self.place}/entities"


class Split(Editing):
    """Makes another entity of some memories."""

    def publish(self, *ids: str) -> UUID:
        """Raises NotFound, and InvalidEvent where none of the memories is about the entity."""
        chosen = self.get_arguments("memory")
        if not chosen:
            raise ValueError("memory: choose those that are about somebody else")
        return self.namespace.split(
            ids[0], chosen, name=self.given("name") or None, description=self.given("description") or None
        )

    def back(self, *ids: str) -> str:
        """The one that was split."""
        return f"{self.place}/entities/{ids[0]}"
