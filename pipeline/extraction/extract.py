"""Extract facts from messages with an LLM, or with the offline rules.

The LLM only proposes. A fact must cite an existing user message, and its names and numbers must occur in its sources or
background; otherwise it is refused with a reason. If its quote is not found in the user's words, it stays a hypothesis.
`pipeline.extraction.dates` resolves its time. A record that does not fit its schema is dropped, and the fact stays.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cache
from types import MappingProxyType
from typing import Any, Final

from mosshead.language.lexicon import every_lexicon, key_of
from mosshead.language.names import MARKS
from mosshead.llm.protocol import AnswerRefused, AnswerTruncated, AnswerUnusable, LanguageModel
from mosshead.models.kinds import SPEAKING, EntityType, MemoryKind, Role
from mosshead.safety import judge, suspicion_of, texts_in
from pipeline.extraction.alignment import QuotePlace, place_of, run_together
from pipeline.extraction.claims import Utterances, missing_claims
from pipeline.extraction.dates import Dated, date_fact, occurrence_of, words_for
from pipeline.extraction.doubts import Doubt, Grounding, known_words
from pipeline.extraction.mentions import (
    EntityRefusal,
    Grounds,
    SourceVocabulary,
    mentions_of,
    names_in_play,
)
from pipeline.extraction.prompt import (
    ExtractedFact,
    ExtractedRecord,
    ExtractedRelation,
    ExtractionAnswer,
    Portion,
    RecordedFact,
    bearing,
    extraction_prompt,
    halves,
    latest,
    portions,
)
from pipeline.extraction.records import read_record
from pipeline.models import USER, Background, Fact, FactMention, Message, Relation
from pipeline.rules_en import extract_offline
from pipeline.rules_en.sentences import sentences

_A_PHRASE = 4
"""From this many words on, a detail of a fact is more than a name."""

_TOKEN = re.compile(rf"[\w{MARKS}]+")


class Refusal(StrEnum):
    """Why a proposed fact was refused."""

    EMPTY = "empty"
    TOO_LONG = "too_long"
    UNREADABLE = "unreadable"
    NO_SOURCE = "no_source"
    NOT_FROM_USER = "not_from_user"
    UNGROUNDED = "ungrounded"
    REPEATED = "repeated"
    OVER_LIMIT = "over_limit"
    RECORD = "record"
    CUT_OFF = "cut_off"


@dataclass(frozen=True, slots=True)
class RefusedFact:
    """A refused proposal, as far as the decision log keeps it."""

    why: Refusal
    kind: MemoryKind
    content: str
    quote: str
    looked_for: tuple[str, ...] = ()

    @classmethod
    def of(cls, why: Refusal, proposed: ExtractedFact | Fact, looked_for: Sequence[str] = ()) -> "RefusedFact":
        """Convert a proposal, or a fact dropped beside the others. looked_for: the unsaid claims."""
        content, quote = proposed.content[:CONTENT_CHARACTERS], proposed.quote[:CONTENT_CHARACTERS]
        return cls(why, proposed.kind, content, quote, tuple(one[:_LOOKED_FOR] for one in looked_for[:_LOOKED_FOR]))

    def as_json(self) -> dict[str, Any]:
        """Return the JSON for the decision log."""
        sought = {"looked_for": list(self.looked_for)} if self.looked_for else {}
        return {"kind": str(self.kind), "content": self.content, "quote": self.quote, **sought}


@dataclass(frozen=True, slots=True)
class Extraction:
    """The accepted facts, in the order found, and what was refused.

    turned_down: the first refused proposals. refused: the number refused by reason; for RECORD, facts that lost their record.
    refused_entities: the number of entities, or names of them, refused by reason.
    """

    facts: tuple[Fact, ...]
    turned_down: tuple[RefusedFact, ...] = ()
    refused: Mapping[Refusal, int] = field(default_factory=Counter)
    refused_entities: Mapping[EntityRefusal, int] = field(default_factory=Counter)


def extract(messages: Sequence[Message], background: Background, model: LanguageModel | None) -> Extraction:
    """Extract what is worth remembering from a batch of messages.

    This is one model call if the batch fits, and none if no user spoke. A batch that is too long to answer, or gets no usable
    answer, is retried once in halves. Raises what the model raises; AnswerRefused is final.
    """
    found = _found(messages, background, model)
    return replace(found, facts=guarded(found.facts, messages))


def guarded(facts: Sequence[Fact], messages: Sequence[Message]) -> tuple[Fact, ...]:
    """Return the facts, each with its suspicion. Names and descriptions in a fact are judged like its text.

    Retractions are exempt: they become no memory, and anybody may order their own words to be forgotten.
    """
    said = {message.number: message for message in messages}
    judged = cache(judge)

    def marked(fact: Fact) -> Fact:
        if fact.retracts:
            return fact
        sources = [said[number] for number in fact.sources if number in said]
        details = tuple(_details(fact))
        suspicion = suspicion_of(fact.content, fact.quote, sources, details=details, judged=judged)
        return fact.model_copy(update={"suspicion": suspicion})

    return tuple(map(marked, facts))


def _details(fact: Fact) -> Iterator[str]:
    mentioned = (
        text for one in fact.mentions for text in (one.name, *one.aliases, one.parent or "", one.description or "")
    )
    recorded = texts_in(fact.record.data) if fact.record else ()
    return (text for text in (*mentioned, fact.value or "", *recorded) if len(text.split()) >= _A_PHRASE)


def _found(messages: Sequence[Message], background: Background, model: LanguageModel | None) -> Extraction:
    if not Portion(tuple(messages)).is_spoken:
        return Extraction(())
    if model is None:
        return within_limits(extract_offline(messages, background))
    earlier = bearing(background.earlier, messages)
    asked = [portion for portion in portions(messages, earlier) if portion.is_spoken]
    question = _Question(messages, background, model)
    return joined(answer for portion in asked for answer in question.ask(portion))


@dataclass(frozen=True, slots=True)
class _Question:
    """What all calls of a batch share. messages: whole, because a fact from a part of one is checked against all of it."""

    messages: Sequence[Message]
    background: Background
    model: LanguageModel

    def ask(self, portion: Portion) -> list[Extraction]:
        """Return the answer to one call, or those to its halves. Of a truncated answer, the complete part counts."""
        whole = self._said(portion)
        smaller = halves(portion) if whole.refused else None
        if smaller is None:
            return whole.kept()
        if len(self.messages) > 1:  # if one fails, each message goes alone
            return [one for half in smaller for one in self._said(half).kept()]
        parts = [self._said(half) for half in smaller]
        lost = next((part.refused for part in parts if part.found is None), None)
        if lost is None:
            return [one for part in parts for one in part.kept()]
        found = [part.found for part in (*parts, whole) if part.found is not None]
        if isinstance(lost, AnswerTruncated) and any(one.facts or one.turned_down for one in found):
            return [*found, _REST]
        raise lost

    def _said(self, portion: Portion) -> "_Said":
        try:
            return _Said(self._facts(self._answer(portion), portion))
        except AnswerTruncated as error:
            said, error.before_cut = error.before_cut, None
            whole = isinstance(said, ExtractionAnswer) and self._facts(said, portion)
            return _Said(whole or None, error)
        except AnswerUnusable as error:
            return _Said(None, error)

    def _answer(self, portion: Portion) -> ExtractionAnswer:
        shown = replace(self.background, earlier=latest(portion.earlier))
        labels = {number: f"part {part} of {count}" for number, (part, count) in portion.parts.items()}
        return self.model.answer(extraction_prompt(portion.messages, shown, labels))

    def _facts(self, answer: ExtractionAnswer, portion: Portion) -> Extraction:
        numbers = {message.number for message in portion.messages}
        whole = [message for message in self.messages if message.number in numbers]
        return facts_of(answer, whole, replace(self.background, earlier=portion.earlier))


@dataclass(frozen=True, slots=True)
class _Said:
    """The result of a call, and why it is incomplete. found: None if the model completed no fact."""

    found: Extraction | None
    refused: AnswerRefused | None = None

    def kept(self) -> list[Extraction]:
        """Return what is accepted. Raises the reason if there is nothing."""
        if self.found is not None:
            return [self.found, _REST] if self.refused else [self.found]
        raise self.refused or AssertionError


_REST: Final = Extraction(
    (), (RefusedFact(Refusal.CUT_OFF, MemoryKind.FACT, "", ""),), MappingProxyType({Refusal.CUT_OFF: 1})
)
"""Marks that the rest of an answer was cut off."""


def facts_of(answer: ExtractionAnswer, messages: Sequence[Message], background: Background) -> Extraction:
    """Accept the grounded facts of the answer to ``extraction_prompt(messages, background)``.

    Whatever the answer is, the sources of a returned fact are user or assistant messages of this batch, at least one of them a
    user's, and its quote is empty or verbatim in a user's message.
    """
    said = {message.number: message for message in messages if message.role in SPEAKING}
    looked_at, beyond = answer.facts[:MAX_PROPOSED], answer.facts[MAX_PROPOSED:]
    names = names_in_play(looked_at, background.entities)
    grounding = Grounding(said, known_words(background), background.schemas, names)
    results: list[Fact | RefusedFact] = [_fact(proposed, grounding) for proposed in looked_at]
    results += [RefusedFact.of(Refusal.OVER_LIMIT, proposed) for proposed in beyond]
    unread = [
        RefusedFact(
            Refusal.UNREADABLE, MemoryKind.FACT, one.content[:CONTENT_CHARACTERS], one.quote[:CONTENT_CHARACTERS]
        )
        for one in answer.unread
    ]
    turned_down = (*(result for result in results if isinstance(result, RefusedFact)), *unread)
    lost = sum(
        _recorded(proposed) is not None and isinstance(result, Fact) and result.record is None
        for proposed, result in zip(answer.facts, results, strict=True)
    )
    refused = Counter(one.why for one in turned_down) + Counter({Refusal.RECORD: lost})
    facts = tuple(result for result in results if isinstance(result, Fact))
    return joined([Extraction(facts, turned_down, refused, grounding.refused)])


def joined(answers: Iterable[Extraction]) -> Extraction:
    """Join several answers without repeated texts, up to the limit of a batch."""
    facts: dict[str, Fact] = {}
    turned_down: list[RefusedFact] = []
    refused: Counter[Refusal] = Counter()
    refused_entities: Counter[EntityRefusal] = Counter()
    for answer in answers:
        turned_down += answer.turned_down
        refused.update(answer.refused)
        refused_entities.update(answer.refused_entities)
        for fact in answer.facts:
            repeated = fact.content.casefold() in facts
            if repeated or len(facts) == MAX_FACTS:
                why = Refusal.REPEATED if repeated else Refusal.OVER_LIMIT
                turned_down.append(RefusedFact.of(why, fact))
                refused[why] += 1
            else:
                facts[fact.content.casefold()] = fact
    return Extraction(tuple(facts.values()), tuple(turned_down[:MAX_REFUSED]), refused, refused_entities)


def within_limits(found: Sequence[Fact]) -> Extraction:
    """Limit the facts found by rules, per message and per batch, keeping the first."""
    facts: list[Fact] = []
    over: list[Fact] = []
    of_messages: Counter[int] = Counter()
    for fact in found:
        said_in = max(fact.sources)
        full = len(facts) == MAX_FACTS_BY_RULES or of_messages[said_in] == MAX_FACTS_OF_A_MESSAGE
        of_messages[said_in] += not full
        (over if full else facts).append(fact)
    turned_down = tuple(RefusedFact.of(Refusal.OVER_LIMIT, fact) for fact in over[:MAX_REFUSED])
    return Extraction(tuple(facts), turned_down, {Refusal.OVER_LIMIT: len(over)} if over else {})


def _fact(proposed: ExtractedFact, held: Grounding) -> Fact | RefusedFact:
    sources = [held.said[number] for number in dict.fromkeys(proposed.sources) if number in held.said]
    from_user = [message for message in sources if message.role is Role.USER]
    refusal = _refusal(proposed, sources, from_user)
    if refusal:
        return RefusedFact.of(refusal, proposed)
    place = place_of(proposed.quote, from_user)
    if proposed.retracts and not _is_own(place.text if place else "", from_user):
        return RefusedFact.of(Refusal.NOT_FROM_USER, proposed)
    place = place or held.confirmation(proposed.quote, sources)
    dated = _dated(proposed, sources, place)
    said = held.grounds(sources)
    times = words_for(dated.occurred if _may_tell_its_time(dated, said) else None)
    missing = missing_claims(proposed.content, proposed.mentions, said, times)
    for neighbour in held.neighbours(sources) if missing else ():
        with_it = held.grounds([*sources, neighbour])
        fewer = missing_claims(proposed.content, proposed.mentions, with_it, times)
        if fewer.total < missing.total:
            sources, said, missing = sorted([*sources, neighbour], key=lambda one: one.number), with_it, fewer
    if missing.claims or (missing and not place):
        return RefusedFact.of(Refusal.UNGROUNDED, proposed, [one for part in missing for one in part])
    doubts = [Doubt.NAME] * bool(missing.capitals) + [Doubt.FIGURE] * bool(missing.figures)
    doubts += held.doubts(proposed, sources, place)
    return _grounded(proposed, held, said, dated=dated, doubts=doubts, place=place)


def _grounded(
    proposed: ExtractedFact,
    held: Grounding,
    said: Utterances,
    *,
    dated: Dated,
    doubts: Sequence[Doubt],
    place: QuotePlace | None,
) -> Fact:
    """Build the fact of a proposal whose claims were all said, with any remaining doubts."""
    grounds = Grounds(tuple(one.content for one in said.messages), said.vocabulary, said.holds_name)
    told = said.vocabulary | words_for(dated.occurred)
    named = mentions_of(proposed.mentions, grounds, held.names, held.refused)
    user = _mention_of_user(proposed, [mention.role for mention in named.values()])
    mentions = (*([user] if user else []), *named.values())
    attribute, value = _single_valued(proposed, said, told)
    given = _recorded(proposed)
    return Fact(
        kind=proposed.kind,
        content=proposed.content,
        sources=tuple(message.number for message in said.messages),
        quote=place.text if place else "",
        quoted=(place.message.number, place.start, place.end) if place else None,
        covered=place.covered if place else 1.0,
        occurred=dated.occurred,
        mentions=mentions,
        relations=_relations(proposed.relations, mentions),
        attribute=attribute,
        value=value,
        stated=proposed.stated and not doubts,
        doubts=tuple(map(str, doubts)),
        marked=proposed.marked,
        corrects=proposed.corrects,
        retracts=proposed.retracts,
        dated_by=dated.by,
        record=read_record(given.name, given.data, held.schemas, told) if given else None,
    )


def _dated(proposed: ExtractedFact, sources: Sequence[Message], place: QuotePlace | None) -> Dated:
    first = next(message for message in sources if message.role is Role.USER)
    zone = (place.message if place else first).occurred_at.tzinfo
    return date_fact(
        proposed.kind,
        proposed.content,
        quote=place.text if place else "",
        quoted=place.message if place else None,
        sources=sources,
        proposed=occurrence_of(proposed.occurred, zone),
    )


def _may_tell_its_time(dated: Dated, said: Utterances) -> bool:
    """Whether the text may state the resolved time; in languages other than English, the days must agree."""
    english = not said.lexicons or said.lexicons[0].language == "en"
    return dated.occurred is not None and (dated.by != "model" or english or dated.occurred.start.date() in said.days)


def _recorded(proposed: ExtractedFact) -> ExtractedRecord | None:
    return proposed.record if isinstance(proposed, RecordedFact) else None


def _refusal(proposed: ExtractedFact, sources: Sequence[Message], from_user: Sequence[Message]) -> Refusal | None:
    if not _TOKEN.search(proposed.content):
        return Refusal.EMPTY
    if len(proposed.content) > CONTENT_CHARACTERS:
        return Refusal.TOO_LONG
    if not sources:
        return Refusal.NO_SOURCE
    return None if from_user else Refusal.NOT_FROM_USER


def _is_own(quote: str, messages: Sequence[Message]) -> bool:
    """Whether a user says these words in their own name rather than quoting or pasting them."""
    own = (
        " ".join(one.text for one in sentences(message.content) if not one.foreign)
        for message in messages
        if quote in message.content
    )
    return bool(quote) and any(run_together(quote) in run_together(text) for text in own)


def _mention_of_user(proposed: ExtractedFact, roles: Sequence[str]) -> FactMention | None:
    """Return the user's mention as the model gives it, or as the text implies if it was omitted."""
    given = (mention.role for mention in proposed.mentions if mention.name.casefold() == USER.casefold())
    role = next(given, None)
    if role is None and not re.search(rf"\b{USER}\b", proposed.content):
        return None
    opens = re.match(rf"{USER}\b(?!['’]s\b)", proposed.content)
    describes = opens or (proposed.attribute and "subject" not in roles)
    return FactMention(name=USER, entity_type=EntityType.PERSON, role=role or ("subject" if describes else "about"))


def _relations(proposed: Sequence[ExtractedRelation], mentions: Sequence[FactMention]) -> tuple[Relation, ...]:
    names = {alias.casefold(): mention.name for mention in mentions for alias in mention.aliases}
    names |= {mention.name.casefold(): mention.name for mention in mentions}
    relations = [
        Relation(subject=subject, predicate=predicate, object=target)
        for edge in proposed
        if (subject := names.get(edge.subject.casefold()))
        and (target := names.get(edge.object.casefold()))
        and (predicate := _snake_case(edge.predicate))
        and subject != target
    ]
    return tuple(dict.fromkeys(relations))


def _single_valued(proposed: ExtractedFact, said: Utterances, told: SourceVocabulary) -> tuple[str | None, str | None]:
    attribute, value = _snake_case(proposed.attribute or ""), proposed.value or ""
    in_other_form = bool(value) and said.holds_name(value, strictly=False) and not told.missing_numbers(value)
    was_said = not told.lacks_part_of(value) or in_other_form
    of_user = value.casefold() == USER.casefold() or any(one.has("user", key_of(value)) for one in every_lexicon())
    usable = attribute and _TOKEN.search(value) and was_said and not of_user
    return (attribute, value) if usable else (None, None)


def _snake_case(text: str) -> str:
    return "_".join(_TOKEN.findall(text.casefold()))[:200]


MAX_FACTS: Final = 100
"""The most facts per batch, so that a looping model does not flood the memory."""

MAX_FACTS_BY_RULES: Final = 200
"""The most facts per batch by rules, which handle each sentence separately.

40 consecutive messages of the development sets in docs/benchmarks.md and of LoCoMo give at most 31.
"""

MAX_FACTS_OF_A_MESSAGE: Final = 100
"""The most facts by rules per message; the richest in those sets gives 6. A message of 1,500 statements is a data listing, and
each fact costs about 30 ms of safety checks, and more for linking."""

MAX_PROPOSED: Final = 300
"""The most proposals checked per answer. Each check reads the messages cited."""

MAX_REFUSED: Final = 100
"""The most refused facts per batch in the decision log; the log line counts all."""

CONTENT_CHARACTERS: Final = 2_000

_LOOKED_FOR: Final = 100
"""The most characters per unsaid claim, and claims per fact, in the decision log."""

SAID: Final[Mapping[Refusal, str]] = MappingProxyType(
    {
        Refusal.EMPTY: "it has no word",
        Refusal.TOO_LONG: f"it has more than {CONTENT_CHARACTERS:,} characters",
        Refusal.UNREADABLE: "a field without which it says nothing is missing, or is no such value",
        Refusal.NO_SOURCE: "it names no message of a user or the assistant as its source",
        Refusal.NOT_FROM_USER: "none of its sources is a user's message",
        Refusal.UNGROUNDED: "a name or number of it is neither in its sources nor known",
        Refusal.REPEATED: "another of the batch says the same",
        Refusal.OVER_LIMIT: "more came before it than one message, or one batch, may give",
        Refusal.RECORD: "its record does not stand",
        Refusal.CUT_OFF: "the model did not come to its end; what it said before is kept",
    }
)
"""Descriptions for people, without any conversation text."""
