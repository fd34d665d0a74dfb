"""Facts from messages: by an LLM, or, without one, by the offline rules.

The LLM proposes, this code disposes. A fact must name a message of the user that exists, and its names and numbers must occur in
its sources or in what is known already; otherwise it is refused, and its reason told. One whose quote is not found among the
user's words stays a hypothesis. When it happened, `pipeline.extraction.dates` settles. A record that does not fit its schema
costs the fact only that record.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cache, lru_cache
from types import MappingProxyType
from typing import Any, Final

from mosshead.language.names import MARKS
from mosshead.llm.protocol import AnswerTruncated, AnswerUnusable, LanguageModel
from mosshead.models.kinds import SPEAKING, EntityType, MemoryKind, Role
from mosshead.safety import judge, suspicion_of, texts_in
from pipeline.extraction.dates import date_fact, occurrence_of, words_for
from pipeline.extraction.mentions import (
    EntityRefusal,
    Grounds,
    NamesInPlay,
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
from pipeline.models import USER, Background, Fact, FactMention, Message, RecordSchema, Relation
from pipeline.rules_en import extract_offline
from pipeline.rules_en.sentences import sentences

_A_PHRASE = 4
"""Words from which a detail of a fact is more than a name."""

_NO_WORD = re.compile(r"\W+")
_DOTTED_I = "i\u0307"  # what "İ" is in lower case; a pattern takes it for "i"
_KEPT = 64
_TOKEN = re.compile(rf"[\w{MARKS}]+")


class Refusal(StrEnum):
    """Why a proposed fact was not taken."""

    EMPTY = "empty"
    TOO_LONG = "too_long"
    UNREADABLE = "unreadable"
    NO_SOURCE = "no_source"
    NOT_FROM_USER = "not_from_user"
    UNGROUNDED = "ungrounded"
    REPEATED = "repeated"
    OVER_LIMIT = "over_limit"
    RECORD = "record"


@dataclass(frozen=True, slots=True)
class RefusedFact:
    """What was proposed and not taken, as far as the decision log keeps it."""

    why: Refusal
    kind: MemoryKind
    content: str
    quote: str

    @classmethod
    def of(cls, why: Refusal, proposed: ExtractedFact | Fact) -> "RefusedFact":
        """Of a proposal, or of a fact that stood by itself and not beside the others."""
        return cls(why, proposed.kind, proposed.content[:CONTENT_CHARACTERS], proposed.quote[:CONTENT_CHARACTERS])

    def as_json(self) -> dict[str, Any]:
        """The fact of its decision."""
        return {"kind": str(self.kind), "content": self.content, "quote": self.quote}


@dataclass(frozen=True, slots=True)
class Extraction:
    """The facts that stand, in the order in which they were found, and what was found in vain.

    turned_down: as facts, the first of them. refused: how many do not stand, by reason; for RECORD, how many stand without one.
    refused_entities: how many entities, or names of them, the facts were to be about and are not, by reason.
    """

    facts: tuple[Fact, ...]
    turned_down: tuple[RefusedFact, ...] = ()
    refused: Mapping[Refusal, int] = field(default_factory=Counter)
    refused_entities: Mapping[EntityRefusal, int] = field(default_factory=Counter)


def extract(messages: Sequence[Message], background: Background, model: LanguageModel | None) -> Extraction:
    """What is worth remembering of a batch of messages.

    One call to the model for a batch that fits into one, and none where no user spoke. What the model cannot answer for its
    length, or gives no usable answer to, is asked once more in halves. Raises what the model raises; AnswerRefused is final.
    """
    found = _found(messages, background, model)
    return replace(found, facts=guarded(found.facts, messages))


def guarded(facts: Sequence[Fact], messages: Sequence[Message]) -> tuple[Fact, ...]:
    """Return the facts, each with its suspicion. Names and descriptions in a fact are judged as its content is."""
    said = {message.number: message for message in messages}
    judged = cache(judge)

    def marked(fact: Fact) -> Fact:
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
    """What every call of a batch shares. messages: whole, for what a part of one says is held against all of it."""

    messages: Sequence[Message]
    background: Background
    model: LanguageModel

    def ask(self, portion: Portion) -> list[Extraction]:
        """The answer to one call; where that is none, those to its halves."""
        try:
            return [self._answer(portion)]
        except (AnswerTruncated, AnswerUnusable):
            smaller = halves(portion)
            if smaller is None:
                raise
        return [self._answer(half) for half in smaller]

    def _answer(self, portion: Portion) -> Extraction:
        shown = replace(self.background, earlier=latest(portion.earlier))
        labels = {number: f"part {part} of {count}" for number, (part, count) in portion.parts.items()}
        answer = self.model.answer(extraction_prompt(portion.messages, shown, labels))
        numbers = {message.number for message in portion.messages}
        whole = [message for message in self.messages if message.number in numbers]
        return facts_of(answer, whole, replace(self.background, earlier=portion.earlier))


def facts_of(answer: ExtractionAnswer, messages: Sequence[Message], background: Background) -> Extraction:
    """Take what is grounded from the answer to ``extraction_prompt(messages, background)``.

    Whatever the answer is, the sources of a returned fact are messages of this batch by the user or the assistant, at least one
    is the user's, and its quote is empty or stands in one of the user's messages as it is.
    """
    said = {message.number: message for message in messages if message.role in SPEAKING}
    looked_at, beyond = answer.facts[:MAX_PROPOSED], answer.facts[MAX_PROPOSED:]
    names = names_in_play(looked_at, background.entities)
    grounding = _Grounding(said, _known(background), background.schemas, names)
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
    """The facts of several answers, each content once, and no more of them than a batch may give."""
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
    """As many of the facts of the rules as their messages and the batch may give, the first of them."""
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


@dataclass(frozen=True, slots=True)
class _Grounding:
    """What proposals are held against. said: the messages that may be cited, whole. known: names that need not be said again.

    names: of all that the answer speaks of. refused: counts the entities that are not taken.
    """

    said: Mapping[int, Message]
    known: SourceVocabulary
    schemas: tuple[RecordSchema, ...]
    names: NamesInPlay
    refused: Counter[EntityRefusal] = field(default_factory=Counter)
    _grounds: dict[tuple[int, ...], SourceVocabulary] = field(default_factory=dict)

    def grounds(self, sources: Sequence[Message]) -> SourceVocabulary:
        """The words that a fact of these sources may be made of; read once, however many proposals cite them."""
        numbers = tuple(sorted(source.number for source in sources))
        if numbers not in self._grounds:
            self._grounds[numbers] = SourceVocabulary.of(_words_of(sources)) | self.known
        return self._grounds[numbers]


def _known(background: Background) -> SourceVocabulary:
    earlier = [message for message in background.earlier if message.role in SPEAKING]
    names = (name for entity in background.entities for name in (entity.name, *entity.aliases, entity.parent or ""))
    return SourceVocabulary.of((USER, *names, *_words_of(earlier)))


def _words_of(messages: Iterable[Message]) -> list[str]:
    return [text for message in messages for text in (message.speaker or "", message.content)]


def _fact(proposed: ExtractedFact, held: _Grounding) -> Fact | RefusedFact:
    sources = [held.said[number] for number in dict.fromkeys(proposed.sources) if number in held.said]
    from_user = [message for message in sources if message.role is Role.USER]
    refusal = _refusal(proposed, sources, from_user)
    if refusal:
        return RefusedFact.of(refusal, proposed)
    grounds = held.grounds(sources)
    quoted, quote = _verbatim(proposed.quote, from_user)
    said_by_model = occurrence_of(proposed.occurred, (quoted or from_user[0]).occurred_at.tzinfo)
    dated = date_fact(
        proposed.kind, proposed.content, quote=quote, quoted=quoted, sources=sources, proposed=said_by_model
    )
    times = words_for(dated.occurred)
    said = Grounds(tuple(message.content for message in sources), grounds)
    if proposed.retracts and not _is_own(quote, from_user):
        return RefusedFact.of(Refusal.NOT_FROM_USER, proposed)
    named = mentions_of(proposed.mentions, said, held.names, held.refused)
    user = _mention_of_user(proposed, [mention.role for mention in named.values()])
    mentions = (*([user] if user else []), *named.values())
    if (grounds | times).lacks_name_or_number_of(proposed.content) or _names_a_stranger(proposed, grounds):
        return RefusedFact.of(Refusal.UNGROUNDED, proposed)
    attribute, value = _single_valued(proposed, grounds | times)
    given = _recorded(proposed)
    return Fact(
        kind=proposed.kind,
        content=proposed.content,
        sources=tuple(message.number for message in sources),
        quote=quote,
        occurred=dated.occurred,
        mentions=mentions,
        relations=_relations(proposed.relations, mentions),
        attribute=attribute,
        value=value,
        stated=proposed.stated and bool(quote) and not grounds.doubts_an_opening_of(proposed.content),
        marked=proposed.marked,
        corrects=proposed.corrects,
        retracts=proposed.retracts,
        dated_by=dated.by,
        record=read_record(given.name, given.data, held.schemas, grounds | times) if given else None,
    )


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


def _names_a_stranger(proposed: ExtractedFact, grounds: SourceVocabulary) -> bool:
    """A name that opens the content escapes the check of capitals; the mention gives it away."""
    content = proposed.content.casefold()
    return any(
        grounds.lacks_name(mention.name) for mention in proposed.mentions if content.startswith(mention.name.casefold())
    )


def _verbatim(quote: str, messages: Sequence[Message]) -> tuple[Message | None, str]:
    """The user's own words that the quote gives, as they were typed, and where; empty where nobody said them."""
    tokens = _TOKEN.findall(quote)
    if not tokens:
        return None, ""
    words = _run_together(" ".join(tokens))
    if not any(words in _run_together(message.content) for message in messages):
        return None, ""
    pattern = re.compile(r"\W+".join(map(re.escape, tokens)), re.IGNORECASE)
    found = ((message, pattern.search(message.content)) for message in messages)
    return next(((message, match.group()) for message, match in found if match), (None, ""))


def _is_own(quote: str, messages: Sequence[Message]) -> bool:
    """Whether a user says the words in their own name, and does not quote or paste them."""
    own = (
        " ".join(one.text for one in sentences(message.content) if not one.foreign)
        for message in messages
        if quote in message.content
    )
    return bool(quote) and any(_run_together(quote) in _run_together(text) for text in own)


@lru_cache(_KEPT)
def _run_together(text: str) -> str:
    """A text without case, spaces and punctuation. One that does not hold a quote so does not hold it at all, and tells so at
    once; the pattern would try each place of a text that says one word again and again."""
    return _NO_WORD.sub("", text.lower().replace(_DOTTED_I, "i"))


def _mention_of_user(proposed: ExtractedFact, roles: Sequence[str]) -> FactMention | None:
    """The user as the model mentions them, or, where it forgot to, as the content shows."""
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


def _single_valued(proposed: ExtractedFact, grounds: SourceVocabulary) -> tuple[str | None, str | None]:
    attribute, value = _snake_case(proposed.attribute or ""), proposed.value or ""
    usable = attribute and _TOKEN.search(value) and not grounds.lacks_part_of(value)
    return (attribute, value) if usable else (None, None)


def _snake_case(text: str) -> str:
    return "_".join(_TOKEN.findall(text.casefold()))[:200]


MAX_FACTS: Final = 100
"""Facts that one batch may give; a model that goes round in circles does not fill the memory."""

MAX_FACTS_BY_RULES: Final = 200
"""Facts that one batch may give to the rules, which take each sentence by itself. 40 messages in a row of the development sets
of docs/extraction-figures.md and of LoCoMo give 31 at most."""

MAX_FACTS_OF_A_MESSAGE: Final = 100
"""Facts that the rules take from one message; the richest of those sets gives 6. A message of 1,500 statements is a list of data,
and each fact costs the guard some 30 ms, and the linking more."""

MAX_PROPOSED: Final = 300
"""Proposals of one answer that are looked at. The check of each reads the messages that it cites."""

MAX_REFUSED: Final = 100
"""Refused facts of one batch that the decision log keeps; the log line counts all of them."""

CONTENT_CHARACTERS: Final = 2_000

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
    }
)
"""For people, and without a word of the conversation."""
