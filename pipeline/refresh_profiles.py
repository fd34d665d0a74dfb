"""The living profiles of entities: a few sentences of what is known of each."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from pipeline.ports import LanguageModel
from pipeline.prompts.profile import profile_prompt
from recollect.registry import RegisteredEntity

_SENTENCES = 8
_CHARACTERS = 700


@dataclass(frozen=True, slots=True)
class StaleProfile:
    """An entity of which more is known than its summary says. memories: about it, most telling first."""

    entity: RegisteredEntity
    summary: str
    memories: tuple[str, ...]


def refresh_profiles(profiles: Sequence[StaleProfile], model: LanguageModel | None) -> dict[UUID, str]:
    """By entity, its new summary.

    model: sums up in its own words, one call for each profile; None, the default of the service, puts the memories together.
    """
    return {
        profile.entity.entity_id: _put_together(profile) if model is None else _sum_up(profile, model)
        for profile in profiles
    }


def _sum_up(profile: StaleProfile, model: LanguageModel) -> str:
    entity = profile.entity
    prompt = profile_prompt(entity.name, entity.entity_type, profile.summary or None, profile.memories)
    return model.answer(prompt).summary


def _put_together(profile: StaleProfile) -> str:
    sentences = [_introduction(profile.entity)]
    for memory in dict.fromkeys(memory.rstrip(". ") for memory in profile.memories[:_SENTENCES]):
        if len(sentences) > 1 and sum(map(len, sentences)) + len(memory) > _CHARACTERS:
            break
        sentences.append(memory)
    return " ".join(f"{sentence}." for sentence in sentences)


def _introduction(entity: RegisteredEntity) -> str:
    what = entity.description or ("the user" if entity.is_user else entity.entity_type.value)
    of = f" at {entity.parent}" if entity.parent and entity.parent not in what else ""
    names = [alias for alias in entity.aliases if alias != entity.name]
    known_as = f", also known as {' or '.join(names)}" if names else ""
    return f"{entity.name} ({what}{of}){known_as}"
