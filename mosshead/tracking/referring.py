"""Whom the words of a message mean: names, pronouns and descriptions, settled in the order in which they end."""

from collections.abc import Sequence
from dataclasses import replace
from uuid import UUID

from mosshead.genders import PRONOUNS
from mosshead.kinds import EntityType
from mosshead.tracking import vocabulary as english
from mosshead.tracking.choosing import Choice, OnPair
from mosshead.tracking.descriptions import implied, meant_by_description
from mosshead.tracking.discourse import Discourse, Mention
from mosshead.tracking.known import Known, Named
from mosshead.tracking.phrases import Form, Phrase, phrases
from mosshead.tracking.places import Layout, Part
from mosshead.tracking.pronouns import meant_by_pronoun
from mosshead.tracking.state import Referred, State

_LEAD = 0.05


def refer(text: str, state: State, known: Known, on_pair: OnPair | None = None) -> Discourse:
    """The message, read: whom it mentions, and what its words refer to."""
    discourse = Discourse(layout=Layout(text), state=state, known=known, on_pair=on_pair)
    unspoken = implied(discourse)
    if unspoken:
        asked = discourse.asks_how and discourse.type_of(unspoken[0]) is EntityType.PROCESS
        how = "asked" if asked else "implied"
        discourse.mentions.append(Mention(entity_id=unspoken[0], how=how, fit=_surely(unspoken[1])))
    said = phrases(discourse.layout)
    words: list[Named | Phrase] = [*known.names, *said]
    for word in sorted(words, key=_order):
        if isinstance(word, Named):
            _name(word, said, discourse)
        else:
            _phrase(word, discourse)
    return discourse


def _order(word: Named | Phrase) -> tuple[int, int]:
    """By where a word ends: "Kit" before "my own Kit", and "her" before "her husband"."""
    return (word.place.end, 1) if isinstance(word, Phrase) else (word.end, 0)


def _name(name: Named, said: Sequence[Phrase], discourse: Discourse) -> None:
    mine = next((one.sought for one in said if one.place.end == name.end and one.whose in english.MINE), None)
    bearer = _bearer(name, mine, discourse)
    if bearer:
        place = discourse.layout.place(name.start, name.end)
        discourse.mentions.append(Mention(entity_id=bearer, how="name", fit=1.0, place=place))


def _bearer(name: Named, mine: str | None, discourse: Discourse) -> UUID | None:
    """Who of the bearers: the user's own where it says so, else the one spoken of before, the only one at the scene, the one that
    the message fits best; None where none of these tells."""
    bearers = [key for key in name.entity_ids if key in discourse.known.entities]
    if len(bearers) < 2:
        return next(iter(bearers), None)
    if mine is not None:
        fits = discourse.known.described.get(mine, {})
        return max(bearers, key=lambda key: (fits.get(key, 0.0), str(key)))
    spoken = next((key for key in discourse.spoken_of() if key in bearers), None)
    if spoken:
        return spoken
    at_home = [key for key in bearers if discourse.at_home(key)]
    if len(at_home) == 1:
        return at_home[0]
    fits = discourse.known.bearers
    ranked = sorted(at_home or bearers, key=lambda key: (-fits.get(key, 0.0), key))
    return ranked[0] if fits.get(ranked[0], 0.0) - fits.get(ranked[1], 0.0) >= _LEAD else None


def _phrase(phrase: Phrase, discourse: Discourse) -> None:
    pronoun = phrase.form is Form.PRONOUN
    found = meant_by_pronoun(phrase, discourse) if pronoun else meant_by_description(phrase, discourse)
    if not found:
        return
    discourse.references.append(
        Referred(text=phrase.text, start=phrase.place.start, entity_ids=tuple(key for key, _ in found))
    )
    if phrase.form is Form.PERSON:
        discourse.mentions = [_whose(one, phrase) for one in discourse.mentions]
    named = {one.entity_id for one in discourse.mentions if one.place and one.place.end == phrase.place.end}
    discourse.mentions += [_mention(phrase, one) for one in found if one[0] not in named]


def _whose(one: Mention, phrase: Phrase) -> Mention:
    """The owner in "her husband" says who is meant, and is not what the talk is about."""
    owner = one.how == "owner" and one.place is not None and one.place.start == phrase.place.start
    return replace(one, how="whose") if owner else one


def _mention(phrase: Phrase, found: Choice) -> Mention:
    how = "description"
    if phrase.form is Form.PRONOUN:
        how = "owner" if phrase.place.part is Part.OWNER else "pronoun"
    elif phrase.form in {Form.THING, Form.THAT_ONE, Form.BEFORE, Form.USUAL}:
        how = "thing"
    gender = PRONOUNS.get(phrase.text)
    return Mention(entity_id=found[0], how=how, fit=_surely(found[1]), place=phrase.place, gender=gender)


def _surely(score: float) -> float:
    return max(0.0, min(score, 1.0))
