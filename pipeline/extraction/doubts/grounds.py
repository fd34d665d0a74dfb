"""Check an answer's proposals against the messages, and prepare a fact and its sources for doubts."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from mosshead.language.lexicon import first_names, key_of, lexicons_of, words_of
from mosshead.language.passage import Passage
from mosshead.models.kinds import SPEAKING, EntityType, Role
from pipeline.extraction.alignment import QuotePlace, place_of
from pipeline.extraction.claims import Utterances
from pipeline.extraction.doubts.doubt import confirms, doubts_of
from pipeline.extraction.doubts.interpretation import Doubt, Interpretation
from pipeline.extraction.mentions import EntityRefusal, NamesInPlay, SourceVocabulary
from pipeline.extraction.prompt import ExtractedFact
from pipeline.models import USER, Background, Message, RecordSchema


@dataclass(frozen=True, slots=True)
class Grounding:
    """What proposals are checked against.

    said: the messages that may be cited, whole. known: names that need not be repeated. names: all names in the answer. refused:
    counts of refused entities.
    """

    said: Mapping[int, Message]
    known: SourceVocabulary
    schemas: tuple[RecordSchema, ...]
    names: NamesInPlay
    refused: Counter[EntityRefusal] = field(default_factory=Counter)
    _grounds: dict[tuple[int, ...], Utterances] = field(default_factory=dict)

    def grounds(self, sources: Sequence[Message]) -> Utterances:
        """Return what facts of these sources are checked against; computed once per set of sources."""
        numbers = tuple(sorted(source.number for source in sources))
        if numbers not in self._grounds:
            vocabulary = SourceVocabulary.of(_words_of(sources)) | self.known
            self._grounds[numbers] = Utterances(
                tuple(self.said[number] for number in numbers), vocabulary, self.known.text
            )
        return self._grounds[numbers]

    def neighbours(self, sources: Sequence[Message]) -> list[Message]:
        """Return other messages of the same conversations, nearest first: a name in them need not be repeated."""
        cited, talks = {one.number for one in sources}, {one.conversation for one in sources}
        others = [one for one in self.said.values() if one.number not in cited and one.conversation in talks]
        return sorted(others, key=lambda one: min(abs(one.number - number) for number in cited))[:_NEIGHBOURS]

    def confirmation(self, quote: str, sources: Sequence[Message]) -> QuotePlace | None:
        """Find the user's yes to quoted words of the assistant."""
        asked = place_of(quote, [one for one in sources if one.role is Role.ASSISTANT])
        reply = self._reply(asked.message) if asked else None
        if asked is None or reply is None or reply not in sources or not confirms(reply.content):
            return None
        return QuotePlace(reply, 0, len(reply.content), asked.covered)

    def doubts(self, proposed: ExtractedFact, sources: Sequence[Message], place: QuotePlace | None) -> list[Doubt]:
        """Return why a fact must stay a hypothesis; empty if it need not."""
        users = [one for one in sources if one.role is Role.USER]
        heard = [one for one in sources if one.role is not Role.USER]
        beside = [one for number in (source.number - 1 for source in users) if (one := self.said.get(number))]
        heard += [one for one in beside if one not in sources and one.role is not Role.USER]
        replies = [reply for one in heard if (reply := self._reply(one)) in users]
        span = (place.start, place.end) if place else (0, 0)
        talk = "\n".join(one.content for one in sources)
        talk = talk if len(lexicons_of(talk)) == 1 else f"{talk}\n{proposed.content}"
        people = [one for one in proposed.mentions if one.entity_type is EntityType.PERSON]
        names = frozenset(word.key for one in people for word in words_of(one.name))
        things = frozenset(word.key for one in proposed.mentions for word in words_of(one.name)) - names - first_names()
        compared = Interpretation(
            content=Passage.of(proposed.content, talk),
            said=[
                Passage.of(one.content, talk, span if place and place.message is one else (0, 0), one.speaker)
                for one in users
            ],
            heard=[Passage.of(one.content) for one in heard],
            known=Passage.of(self.known.text),
            confirmed=any(confirms(reply.content) for reply in replies),
            corrects=proposed.corrects,
            cited=len(set(proposed.sources)),
            names=names,
            things=things,
            speakers=frozenset(
                key_of(one.speaker) for one in self.said.values() if one.speaker and one.role is Role.USER
            ),
            after=[
                Passage.of(one.content, talk)
                for one in self.said.values()
                if users and one.role is Role.USER and one.number > users[0].number
            ],
        )
        return [*([] if place else [Doubt.NO_QUOTE]), *doubts_of(compared)]

    def _reply(self, message: Message) -> Message | None:
        after = self.said.get(message.number + 1)
        return after if after and after.role is Role.USER and after.conversation == message.conversation else None


_NEIGHBOURS: Final = 20
"""How many nearby messages are searched for a name or number."""


def known_words(background: Background) -> SourceVocabulary:
    """Return the vocabulary of earlier messages and known names."""
    earlier = [message for message in background.earlier if message.role in SPEAKING]
    names = (name for entity in background.entities for name in (entity.name, *entity.aliases, entity.parent or ""))
    return SourceVocabulary.of((USER, *names, *_words_of(earlier)))


def _words_of(messages: Iterable[Message]) -> list[str]:
    return [text for message in messages for text in (message.speaker or "", message.content)]
