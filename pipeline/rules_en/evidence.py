"""Which messages give each name that a fact mentions: a name that came by a pronoun brings the message that said it."""

from collections.abc import Iterator, Sequence

from mosshead.models.kinds import EntityType
from pipeline.models import USER, Background, Fact, FactMention, Message


def with_evidence(
    facts: Sequence[Fact], messages: Sequence[Message], background: Background, speakers: frozenset[str]
) -> list[Fact]:
    """The facts with sources for every name; a name that came by a pronoun brings the message that gave it."""
    said = {message.number: (message.conversation, _words(message)) for message in messages}
    known = {name.casefold() for entity in background.entities for name in (entity.name, *entity.aliases)}
    known |= {USER.casefold(), *(speaker.casefold() for speaker in speakers)}
    return [_proven(fact, said, known) for fact in facts]


def _proven(fact: Fact, said: dict[int, tuple[str | None, str]], known: set[str]) -> Fact:
    sources = fact.sources
    mentions = []
    for mention in fact.mentions:
        givers = tuple(_givers(mention, sources, said, known))
        if givers:
            mentions.append(mention)
            sources = tuple(sorted({*sources, *(g for g in givers if g > 0)}))
    named = {mention.name for mention in mentions}
    relations = tuple(r for r in fact.relations if {r.subject, r.object} <= named)
    return fact.model_copy(update={"sources": sources, "mentions": tuple(mentions), "relations": relations})


def _givers(
    mention: FactMention, sources: tuple[int, ...], said: dict[int, tuple[str | None, str]], known: set[str]
) -> Iterator[int]:
    """Numbers of the messages to be added for a name, or 0 when none is needed."""
    name = mention.name.casefold()
    if mention.entity_type is EntityType.PROCESS or name in known or any(name in said[n][1] for n in sources):
        yield 0
        return
    earlier = [n for n in said if n < max(sources) and name in said[n][1]]
    here = [n for n in earlier if said[n][0] == said[max(sources)][0]]
    yield from (here or earlier)[-1:]


def _words(message: Message) -> str:
    return " ".join(message.content.replace("’", "'").split()).casefold()
