"""Find a source message for each name in a fact: a name that replaced a pronoun adds the message that gave it."""

from collections.abc import Mapping, Sequence

from mosshead.models.kinds import EntityType
from pipeline.models import USER, Background, Fact, Message


def with_evidence(
    facts: Sequence[Fact], messages: Sequence[Message], background: Background, speakers: frozenset[str]
) -> list[Fact]:
    """Return the facts with sources for every name; a name that replaced a pronoun adds its message."""
    said = {one.number: " ".join(one.content.replace("’", "'").split()).casefold() for one in messages}
    spoken_in = {one.number: one.conversation for one in messages}
    known = {name.casefold() for entity in background.entities for name in (entity.name, *entity.aliases)}
    known |= {USER.casefold(), *(speaker.casefold() for speaker in speakers)}
    return [_proven(fact, said, spoken_in, known) for fact in facts]


def _proven(fact: Fact, said: Mapping[int, str], spoken_in: Mapping[int, str | None], known: set[str]) -> Fact:
    sources: Sequence[int] = fact.sources
    mentions = []
    for mention in fact.mentions:
        name = mention.name.casefold()
        is_known = mention.entity_type is EntityType.PROCESS or name in known
        givers = sources if is_known else _givers(name, sources, said, spoken_in)
        if givers:
            mentions.append(mention)
            sources = sorted({*sources, *givers})
    named = {mention.name for mention in mentions}
    relations = tuple(r for r in fact.relations if {r.subject, r.object} <= named)
    return fact.model_copy(update={"sources": tuple(sources), "mentions": tuple(mentions), "relations": relations})


def _givers(
    name: str, sources: Sequence[int], said: Mapping[int, str], spoken_in: Mapping[int, str | None]
) -> Sequence[int]:
    """Return the messages that contain a name: the sources, else the latest before them, else none."""
    if any(name in said[number] for number in sources):
        return sources
    latest = max(sources)
    earlier = [number for number in said if number < latest and name in said[number]]
    return ([number for number in earlier if spoken_in[number] == spoken_in[latest]] or earlier)[-1:]
