"""Which messages give each name that a fact mentions: a name that came by a pronoun brings the message that said it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from mosshead.models.kinds import EntityType
from pipeline.models import USER, Background, Fact, FactMention, Message


@dataclass(frozen=True, slots=True)
class _SearchedMessage:
    """A message as names are looked up in it."""

    conversation: str | None
    words: str


def with_evidence(
    facts: Sequence[Fact], messages: Sequence[Message], background: Background, speakers: frozenset[str]
) -> list[Fact]:
    """The facts with sources for every name; a name that came by a pronoun brings the message that gave it."""
    searched = {message.number: _SearchedMessage(message.conversation, _words(message)) for message in messages}
    known = {name.casefold() for entity in background.entities for name in (entity.name, *entity.aliases)}
    known |= {USER.casefold(), *(speaker.casefold() for speaker in speakers)}
    return [_proven(fact, searched, known) for fact in facts]


def _proven(fact: Fact, messages: Mapping[int, _SearchedMessage], known: set[str]) -> Fact:
    sources = fact.sources
    mentions = []
    for mention in fact.mentions:
        givers = tuple(_givers(mention, sources, messages, known))
        if givers:
            mentions.append(mention)
            sources = tuple(sorted({*sources, *(g for g in givers if g > 0)}))
    named = {mention.name for mention in mentions}
    relations = tuple(r for r in fact.relations if {r.subject, r.object} <= named)
    return fact.model_copy(update={"sources": sources, "mentions": tuple(mentions), "relations": relations})


def _givers(
    mention: FactMention, sources: tuple[int, ...], messages: Mapping[int, _SearchedMessage], known: set[str]
) -> Iterator[int]:
    """Numbers of the messages to be added for a name, or 0 when none is needed."""
    name = mention.name.casefold()
    if mention.entity_type is EntityType.PROCESS or name in known or any(name in messages[n].words for n in sources):
        yield 0
        return
    latest = max(sources)
    earlier = [n for n in messages if n < latest and name in messages[n].words]
    here = [n for n in earlier if messages[n].conversation == messages[latest].conversation]
    yield from (here or earlier)[-1:]


def _words(message: Message) -> str:
    return " ".join(message.content.replace("’", "'").split()).casefold()
