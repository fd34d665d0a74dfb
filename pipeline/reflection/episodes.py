"""From what was said in one conversation to episodes: what was gone about, how and why, and how it turned out."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from mosshead.contrib.managers.memories import episode_manager
from mosshead.llm.protocol import LanguageModel
from mosshead.models.documents import Episode
from mosshead.models.kinds import MemoryKind
from mosshead.schemas import as_json
from pipeline.extraction.chunks import portions
from pipeline.extraction.mentions import SourceVocabulary
from pipeline.models import Fact, FactRecord, Message
from pipeline.reflection.documents import talk_of
from pipeline.safety import suspicion_of

NAME = Episode.__name__


@dataclass(frozen=True, slots=True)
class FormedEpisode:
    """An episode as a fact, whose record it is; a guess by its nature, for a model says what mattered. said_at: when it ended.

    sources: the messages that it was taken from, with what of each speaks for it.
    """

    fact: Fact
    sources: tuple[Message, ...]
    said_at: datetime


@dataclass(frozen=True, slots=True)
class FormedEpisodes:
    """What comes of some messages. refused: how many of the LLM's proposals were not taken, by reason."""

    episodes: tuple[FormedEpisode, ...]
    refused: Mapping[str, int] = field(default_factory=dict)


def form_episodes(messages: Sequence[Message], model: LanguageModel, *, instructions: str = "") -> FormedEpisodes:
    """The episodes of some messages of one conversation; one call for as many as fit into one, none where no user spoke.

    One that names what was not said, or reads as an instruction, is refused. Raises what the model raises.
    """
    manager = episode_manager(model, instructions=instructions)
    found: list[FormedEpisode] = []
    refused: Counter[str] = Counter()
    for portion in portions(messages, ()):
        if not portion.is_spoken:
            continue
        managed = manager.after(talk_of(portion.messages))
        refused.update(one.why for one in managed.refused)
        for one in managed.changed:
            sources = tuple(portion.messages[number - 1] for number in sorted(set(one.sources)))
            episode = _episode(Episode.model_validate(one.value), sources)
            why = _refusal(episode.fact, portion.messages)
            if why is None:
                found.append(episode)
            else:
                refused[why] += 1
    return FormedEpisodes(tuple(found), dict(refused))


def _episode(episode: Episode, sources: tuple[Message, ...]) -> FormedEpisode:
    fact = Fact(
        kind=MemoryKind.EVENT,
        content=" ".join(_sentence(text) for text in (episode.observation, episode.action, episode.result)),
        sources=tuple(message.number for message in sources),
        quote="",
        stated=False,
        record=FactRecord(name=NAME, data=as_json(episode)),
    )
    return FormedEpisode(fact, sources, max(message.occurred_at for message in sources))


def _refusal(fact: Fact, messages: Sequence[Message]) -> str | None:
    said = (text for message in messages for text in (message.content, message.speaker or ""))
    data = fact.record.data if fact.record else {}
    grounds = SourceVocabulary.of(["User", "Assistant", *said])
    # How a sentence of a summary opens says nothing; within one, a name that nobody said is made up.
    if any(grounds.lacks_name_or_number_of(str(text)) for text in data.values()):
        return "data: names what nobody said"
    suspect = any(suspicion_of(text, "", ()) for text in (fact.content, *map(str, data.values())))
    return "data: looks like an instruction" if suspect else None


def _sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?", "…")) else f"{text}."
