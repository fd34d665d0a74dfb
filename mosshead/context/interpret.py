"""What was fetched for a message, as it is understood: who is meant, and what that makes of the memories and messages. Pure."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from uuid import UUID

from mosshead.context.fetch import Fetched, Heard
from mosshead.context.parse import Parsed
from mosshead.context.paths import Path, oldest, paths
from mosshead.embeddings.local.files import MODEL
from mosshead.entities.lookup import NameMatch
from mosshead.entities.questions import question
from mosshead.entities.resolution import offered
from mosshead.language.times import periods, where_asked
from mosshead.models.questions import Question
from mosshead.patterns import lazy_pattern
from mosshead.search.memories import RankedMemory, not_ruled_out, other_of_two, rank_memories
from mosshead.search.messages import RankedMessage, asked_by, rank_messages


@dataclass(frozen=True, slots=True, kw_only=True)
class Understood:
    """A message with whom it means.

    meant: each with the name that it has in the message. besides: likewise, who may be meant, and of two who share a name the
    other. ranked: the memories, best first, without those of namesakes who are ruled out; of the other of two only what has
    longest been so. now: when it was asked.
    """

    heard: Heard
    fetched: Fetched
    meant: Mapping[UUID, str]
    besides: Mapping[UUID, str]
    ranked: Sequence[RankedMemory]
    now: datetime

    def paths(self) -> tuple[Path, ...]:
        """The paths to its memories."""
        return paths(self.ranked, self.meant, self.besides)

    def messages(self, limit: int) -> list[RankedMessage]:
        """The messages that answer it, best first, so many at most.

        Memories are shown beside them, so that nothing is lent: a memory that fits tells it itself, in fewer tokens, and would
        only bring the message up to say it once more.
        """
        scanned = self.fetched.messages
        return rank_messages(
            scanned.found,
            with_before=scanned.with_before,
            words=scanned.words,
            asked=asked_by(self.heard.parsed.text, names_of(self.heard.found, self.meant), self.now),
            lent={},
            limit=limit,
        )

    def questions(self) -> Iterator[Question]:
        """What must be asked back."""
        for name, one in self.fetched.meant.items():
            if one.decision.status == "ambiguous":
                yield question(name, offered(one.decision, one.bearers), self.heard.parsed.text)


def names_of(found: Iterable[NameMatch], meant: Collection[UUID]) -> set[str]:
    """All that some of those are called whom a message names."""
    entities = [one.entity for one in found if one.entity.entity_id in meant]
    return {name for entity in entities for name in (entity.name, *entity.aliases)}


def understood(heard: Heard, fetched: Fetched, now: datetime) -> Understood:
    """Say whom a message means, and rank the memories by that."""
    memories, messages = fetched.memories.memories, fetched.messages.found
    said_at = (*(one.memory.said_at for one in memories), *(one.message.said_at for one in messages))
    now = where_asked(now, said_at)
    meant = _meant(heard, fetched)
    contests = fetched.meant.items()
    plausible = {key: name for name, one in contests for key in not_ruled_out(one.decision) if key not in meant}
    others = {
        key: name for name, one in contests if (key := other_of_two(one.decision)) and key not in {*meant, *plausible}
    }
    settled = (one for _, one in contests if one.decision.entity_id is not None)
    bearers = frozenset(bearer for one in settled for bearer in one.bearers)
    ranked = rank_memories(
        fetched.memories.memories,
        cosine=fetched.memories.cosine,
        words=fetched.memories.words,
        bearings=fetched.memories.bearings,
        named=meant,
        plausible={*plausible, *others},
        left_out=bearers - {*meant, *plausible, *others},
        periods=periods(heard.parsed.text, now.date()),
    )
    return Understood(
        heard=heard,
        fetched=fetched,
        meant=meant,
        besides={**plausible, **others},
        ranked=_told_in_one_line(ranked, others, meant),
        now=now,
    )


def _told_in_one_line(
    ranked: Sequence[RankedMemory], others: Collection[UUID], meant: Collection[UUID]
) -> list[RankedMemory]:
    """Without what is about the others alone, but for what has longest been so of each."""
    kept = {
        first.id
        for other in others
        if (first := oldest([one for one in ranked if other in one.found.entities])) is not None
    }
    return [
        one
        for one in ranked
        if one.id in kept or one.found.entities.isdisjoint(others) or not one.found.entities.isdisjoint(meant)
    ]


def _meant(heard: Heard, fetched: Fetched) -> dict[UUID, str]:
    meant = dict.fromkeys(heard.parsed.implied, "")
    for name, bearers in heard.parsed.named.items():
        contest = fetched.meant.get(name)
        if contest is not None and contest.decision.entity_id is not None:
            meant[contest.decision.entity_id] = name
        elif len(bearers) == 1:
            meant |= dict.fromkeys(bearers, name)
    return meant


NEAR = {MODEL: 0.25}
"""By embedding model the cosine that what is nearest to a message has at least, if the message has to do with it.

Of 385 questions about conversations of LoCoMo, with "you" for the names, none lies below; of 20 requests that have to do with
none of them, 45 % (docs/reading.md). Of other models it is not known: to them all that is asked has to do with what is known.
"""

FEW = 20
"""Of so few things all may be shown: what stands out among them is not told by standard deviations. Where more are known, more
are found."""

_SMALL_TALK = frozenset(
    """
    a ah all alright and awesome bye cheers cool excellent fine good goodbye goodnight great haha hello hey hi hiya hm hmm lol
    lovely morning much nice night no nope oh ok okay perfect please right so sounds super sure thank thanks that thats the then
    there thx very well wonderful wow yeah yep yes you
    """.split()
)

_WORD = lazy_pattern(r"[^\W\d_]+")
_APOSTROPHES = str.maketrans("", "", "'’")


def relates(message: Parsed, cosines: Sequence[float], *, model: str, day: date) -> bool:
    """Whether a message has to do with what is known.

    cosines: of the memories and messages that were found for it. model: that embeds. day: on which it is asked. Whoever names
    somebody who is known, or a time, asks for something; and where a pronoun means somebody, too.
    """
    if len(cosines) <= FEW or message.named or message.implied or periods(message.text, day):
        return True
    words = _WORD.findall(message.text.casefold().translate(_APOSTROPHES))
    small_talk = bool(words) and _SMALL_TALK.issuperset(words)
    return not small_talk and max(cosines) >= NEAR.get(model, -1.0)
