"""Extract facts from a batch by rules alone, as the service does without an LLM.

Messages are processed once, in order. Each conversation keeps a short history for pronouns, "we" and corrections.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from mosshead.language import retractions
from mosshead.language.verbs import expand
from mosshead.models.kinds import EntityType, MemoryKind, Role
from pipeline.consolidation.comparison import ALL_OF_IT, akin
from pipeline.models import USER, Background, Fact, FactMention, KnownEntity, Message
from pipeline.rules_en import corrections, fiction
from pipeline.rules_en.compose import FactSource
from pipeline.rules_en.corrections import Correction
from pipeline.rules_en.english import is_english
from pipeline.rules_en.evidence import with_evidence
from pipeline.rules_en.grammar import to_third_person
from pipeline.rules_en.interpret import tell
from pipeline.rules_en.names import Discourse, Gazetteer, find_names
from pipeline.rules_en.processes import compose_process, find_process
from pipeline.rules_en.renamings import in_full
from pipeline.rules_en.requests import split_mark, stated_part
from pipeline.rules_en.sentences import Sentence, sentences, whole
from pipeline.rules_en.speech_acts import Act, classify, holds_secret, introduces_payload, without_opener
from pipeline.statements import differ_in_a_value, telling

_MEANT = re.compile(r"(?:i|we) (?:actually )?meant\b", re.IGNORECASE)
_OF_ONESELF = re.compile(r"(?:i|i'm|im|we|we're)\b", re.IGNORECASE)
_REMEMBERED = 8
"""How many sentences back a correction may refer."""


def extract_offline(messages: Sequence[Message], background: Background) -> list[Fact]:
    """Return the facts stated in the messages, in order.

    Only English messages by users count. Facts are about "User", or by name about the speaker if a message names one.
    """
    said = (message.speaker for message in (*background.earlier, *messages) if message.role is Role.USER)
    listener = _Listener(frozenset(speaker for speaker in said if speaker and speaker.strip()), background)
    for message in background.earlier:
        listener.hear(message, in_batch=False)
    for message in messages:
        listener.hear(message, in_batch=True)
    return with_evidence([*listener.forgotten, *listener.facts.values()], messages, background, listener.speakers)


@dataclass(frozen=True, slots=True)
class StatedSentence:
    """A sentence that stated something, kept for corrections: its text as seen by the rules, and its facts.

    message: its message; None if before the batch, so that no fact of the batch can cite it.
    """

    text: str
    me: str
    message: Message | None
    facts: tuple[Fact, ...]
    discourse: Discourse


@dataclass(slots=True)
class Conversation:
    """The state of one conversation.

    asked: the assistant spoke last.
    heard: the last user who spoke; None at first.
    interrupted: another user spoke in between.
    marked: who asked to remember the next statement.
    withdrawn: the last statement was retracted, so the next may replace it.
    fiction: when a story or game was last continued; None if statements are meant.
    lately: each speaker's statements in the previous message and in the latest.
    """

    discourses: dict[str, Discourse] = field(default_factory=dict)
    said: list[StatedSentence] = field(default_factory=list)
    asked: bool = False
    heard: str | None = None
    interrupted: bool = False
    marked: str | None = None
    withdrawn: bool = False
    lately: dict[str, tuple[list[StatedSentence], list[StatedSentence]]] = field(default_factory=dict)
    fiction: datetime | None = None

    def enter(self, me: str, you: str | None) -> None:
        """Start a speaker's message: forget things, mark people as not fresh, and age the firm."""
        before = self.discourses.get(me, Discourse(me, you))
        people = tuple(replace(person, fresh=False) for person in before.people)
        self.interrupted = self.heard not in {None, me}
        self.heard = me
        self.lately[me] = self.lately.get(me, ([], []))[1], []
        unnamed = before.unnamed if before.unnamed_fresh else ()
        self.discourses[me] = replace(
            before, thing=None, firm_age=before.firm_age + 1, people=people, unnamed=unnamed, unnamed_fresh=False
        )

    def keep(self, said: StatedSentence) -> None:
        """Keep a sentence for later corrections."""
        self.said = [*self.said, said][-_REMEMBERED:]
        self.lately[said.me][1].append(said)

    def said_by(self, me: str) -> list[StatedSentence]:
        """Return a speaker's recent statements, oldest first."""
        return [said for said in self.said if said.me == me and said.text]

    def just_said_by(self, me: str) -> StatedSentence | None:
        """Return a speaker's last statement, in this message or the one before."""
        before, now = self.lately[me]
        return next((one for one in reversed(before + now) if one.text), None)


@dataclass(frozen=True, slots=True)
class UserTurn:
    """A user's message during processing: speaker, sentences, and these without openers and marks.

    said_in: the message as a source; None if before the batch.
    """

    message: Message
    here: Conversation
    me: str
    sentences: Sequence[Sentence] = ()
    texts: Sequence[str] = ()
    said_in: Message | None = None

    @property
    def discourse(self) -> Discourse:
        return self.here.discourses[self.me]


class _Listener:
    """Processes messages one by one.

    facts: those of the batch so far, without duplicates and with corrections applied.
    forgotten: facts to be forgotten.
    speakers: those called by name: everyone, if several users speak now or spoke before; a single user is "User".
    """

    def __init__(self, present: frozenset[str], background: Background) -> None:
        self.facts: dict[tuple[MemoryKind, str], Fact] = {}
        self.forgotten: list[Fact] = []
        heard = present | background.speakers
        self.speakers = heard if len(heard) > 1 else frozenset()
        self._present = present
        self._gazetteer = Gazetteer(background.entities)
        self._own_firm: str | None = None
        self._conversations: dict[str | None, Conversation] = {}
        self._contents: dict[int, str] = {}

    def hear(self, message: Message, *, in_batch: bool) -> None:
        """Process a message; those before the batch only provide context."""
        here = self._conversations.setdefault(message.conversation, Conversation())
        if here.fiction is not None:
            lapsed = message.occurred_at - here.fiction > fiction.FICTION_LASTS
            here.fiction = None if lapsed else message.occurred_at
        said_in = message if in_batch else None
        if in_batch:
            self._contents[message.number] = message.content
        if message.role is Role.ASSISTANT:
            here.asked = bool(message.content.strip())
        if message.role is Role.USER:
            self._hear_user(message, here, said_in)

    def _hear_user(self, message: Message, here: Conversation, said_in: Message | None) -> None:
        me = message.speaker if message.speaker in self.speakers and message.speaker else USER
        others = (self._present & self.speakers) - {me}
        here.enter(me, next(iter(others)) if len(others) == 1 else None)
        if is_english(message.content) or retractions.asks_to_forget(message.content):
            self._read(message, here, me, said_in)
        here.asked = False

    def _read(self, message: Message, here: Conversation, me: str, said_in: Message | None) -> None:
        found = [piece for sentence in sentences(message.content) for piece in _pieces(sentence)]
        opened = [split_mark(without_opener(sentence.text)) for sentence in found]
        texts = [whole(without_opener(text), listed=one.listed) for one, (_, text) in zip(found, opened, strict=True)]
        if texts and fiction.poses_a_puzzle(texts):
            return
        turn = UserTurn(message, here, me, found, texts, said_in)
        at = 0
        while at < len(found):
            at = self._sentence(turn, at, marked=opened[at][0] or here.marked == me)

    def _sentence(self, turn: UserTurn, at: int, *, marked: bool) -> int:
        """Process the sentence at a position, and return the next position."""
        text, here = turn.texts[at], turn.here
        if not text:
            here.marked = turn.me if marked else here.marked
            return at + 1
        if fiction.ends_fiction(text):
            over, here.fiction = here.fiction is not None, None
            if over and not fiction.FIRST_PERSON.search(text):
                return at + 1
        elif fiction.opens_fiction(text):
            here.fiction = turn.message.occurred_at
        if fiction.STORY_BEGINS.match(text):
            return len(turn.sentences)
        made_up = here.fiction is not None or fiction.OF_A_FIGURE.search(text)
        if made_up or turn.sentences[at].foreign or holds_secret(turn.sentences[at].text):
            return at + 1
        here.marked = None
        return self._process(turn, at, marked=marked) or self._plain(turn, at, marked=marked)

    def _process(self, turn: UserTurn, at: int, *, marked: bool) -> int | None:
        taught = find_process(turn.sentences, turn.texts, at, marked=marked)
        if taught is None or any(holds_secret(sentence.text) for sentence in turn.sentences[at : taught.end]):
            return None
        fact = compose_process(taught, turn.message, turn.sentences, turn.discourse, marked=marked)
        self._keep(StatedSentence("", turn.me, turn.said_in, (fact,), turn.discourse), turn)
        return taught.end

    def _plain(self, turn: UserTurn, at: int, *, marked: bool) -> int:
        text = turn.texts[at]
        source = FactSource((turn.message.number,), turn.sentences[at].quote, turn.message.occurred_at, marked)
        if self._put_right(turn, at, source):
            return at + 1
        act = classify(text)
        if act in {Act.QUESTION, Act.COMMAND}:
            return self._asked_for(turn, at, act, source)
        if act is Act.STATEMENT:
            self._state(stated_part(text), turn, source)
        rests_on_it = fiction.SUPPOSES.match(text) or (act is Act.STATEMENT and introduces_payload(text, act))
        return len(turn.sentences) if rests_on_it else at + 1

    def _asked_for(self, turn: UserTurn, at: int, act: Act, source: FactSource) -> int:
        """Process a request: a question may begin with a statement; a text to work on, after a request, is skipped."""
        text = turn.texts[at]
        if introduces_payload(text, act):
            return len(turn.sentences)
        part = stated_part(text)
        if part != text and classify(part) is Act.STATEMENT:
            self._state(part, turn, source)
        return at + 1

    def _state(self, text: str, turn: UserTurn, source: FactSource) -> None:
        before = replace(turn.discourse, own_firm=self._own_firm or turn.discourse.own_firm)
        facts, discourse = tell(text, source, before, self._gazetteer)
        self.facts = dict(zip(self.facts, in_full(self.facts.values(), facts), strict=True))
        facts = tuple(in_full(facts, facts))
        turn.here.discourses[turn.me] = discourse
        mentioned = (one for fact in facts for one in fact.mentions if one.entity_type is not EntityType.CONCEPT)
        new = [one for one in mentioned if one.name.casefold() not in self._gazetteer.types or one.aliases]
        if new:
            learnt = (KnownEntity(one.name, one.entity_type, one.aliases, one.parent) for one in new)
            self._gazetteer = Gazetteer((*self._gazetteer.entities, *learnt))
        firm = discourse.own_firm
        self._own_firm = self._gazetteer.canonical(firm) if firm and turn.me == USER else self._own_firm
        self._keep(StatedSentence(text, turn.me, turn.said_in, facts, before), turn)

    def _keep(self, said: StatedSentence, turn: UserTurn) -> None:
        turn.here.keep(said)
        if turn.said_in is not None:
            for fact in said.facts:
                self.facts.setdefault((fact.kind, fact.content), fact)

    def _put_right(self, turn: UserTurn, at: int, source: FactSource) -> bool:
        """Apply a correction; return whether the sentence was one."""
        text, here = turn.texts[at], turn.here
        act = classify(text)
        if act is Act.RETRACTION:
            self._take_back(turn, at, source)
            return True
        own = here.said_by(turn.me)
        if _is_second_half(turn, at):
            own = [said for said in own[-1:] if said.text == stated_part(turn.texts[at - 1])]
        unwanted = retractions.to_be_forgotten(text)
        if unwanted is not None and classify(unwanted) is Act.STATEMENT:
            self._forget(_claimed(tell(unwanted, source, turn.discourse, self._gazetteer)[0]), turn, source)
            return True
        matter = (
            retractions.matter_to_forget(text)
            or retractions.matter_to_forget(turn.sentences[at].text)
            or self._known_person(retractions.somebody_to_forget(text))
        )
        if matter is not None:
            self._forget([self._matter(matter, turn, source)], turn, source)
            return True
        words = f"scratch that, {text}" if here.withdrawn else turn.sentences[at].text
        here.withdrawn = False
        correction = None if act is Act.QUESTION else corrections.read_correction(words)
        if correction is None:
            return False
        replaced = self._substitute(correction, own, turn, at, source) or self._restate(correction, own, turn, source)
        return replaced or _MEANT.match(correction.rest) is not None

    def _take_back(self, turn: UserTurn, at: int, source: FactSource) -> None:
        """Retract the speaker's last statement; if it preceded the batch, it may already be a memory.

        This requires plain words: "not really" may answer somebody whose messages the app does not publish.
        """
        said = turn.here.just_said_by(turn.me)
        if said is None:
            return
        answering = (turn.here.asked or turn.here.interrupted) and at == 0
        if not retractions.takes_back(turn.texts[at], answering=answering or said.message is None):
            return
        turn.here.withdrawn = True
        if said.message is None:
            self._forget(said.facts, turn, source)
        self._withdraw(said.facts)

    def _known_person(self, name: str | None) -> str | None:
        return name if name and self._gazetteer.types.get(name.casefold()) is EntityType.PERSON else None

    def _matter(self, matter: str, turn: UserTurn, source: FactSource) -> Fact:
        """Return what to forget as a fact for consolidation to match: "User's phone number"."""
        content = to_third_person(expand(matter), turn.me, None)
        named = [one.name for one in find_names(content, self._gazetteer, first_counts=True) if one.name != turn.me]
        me = FactMention(name=turn.me, entity_type=EntityType.PERSON, role="subject" if turn.me in content else "about")
        others = (FactMention(name=one, entity_type=EntityType.PERSON, role="about") for one in named)
        return Fact(
            kind=MemoryKind.FACT, content=content, sources=source.numbers, quote=source.quote, mentions=(me, *others)
        )

    def _forget(self, facts: Sequence[Fact], turn: UserTurn, source: FactSource) -> None:
        """Withdraw facts to be forgotten, whether in this batch or already remembered."""
        gone = [one for one in self.facts.values() if any(_is_meant(fact.content, one.content) for fact in facts)]
        if len(gone) > 1 and not ALL_OF_IT.search(source.quote):
            gone = [one for one in gone if any(fact.content in one.content for fact in facts)]
        self._withdraw(gone)
        if turn.said_in is not None:
            numbers = (*self._saying_no_more(gone), *source.numbers)
            here = {"sources": numbers, "quote": source.quote, "marked": False, "corrects": False}
            self.forgotten += [fact.model_copy(update={**here, "retracts": True}) for fact in facts]

    def _saying_no_more(self, gone: Sequence[Fact]) -> Iterator[int]:
        """Yield the batch's messages that contain nothing but what is to be forgotten."""
        left = {number for fact in self.facts.values() for number in fact.sources}
        for number in sorted({number for fact in gone for number in fact.sources} - left):
            quotes = [fact.quote for fact in gone if number in fact.sources]
            if retractions.says_no_more(self._contents.get(number, ""), quotes):
                yield number

    def _substitute(
        self, correction: Correction, own: Sequence[StatedSentence], turn: UserTurn, at: int, source: FactSource
    ) -> bool:
        """Apply a correction that names only the wrong part: restate the earlier sentence with the right value."""
        for said in reversed(own):
            text = corrections.corrected(said.text, correction)
            if text is None and said is own[-1] and said.facts and _may_mean_the_end(correction, said, turn, at):
                end = said.facts[-1].value or said.text.rstrip(" .!").split()[-1]
                text = corrections.with_other_end(said.text, end, correction)
            if text is None or text == said.text:
                continue
            again = replace(source, corrects=True)
            if said.message:
                numbers = tuple(dict.fromkeys((said.message.number, *source.numbers)))
                again = replace(again, numbers=numbers, said_at=said.message.occurred_at)
            if self._swap(said, tell(text, again, said.discourse, self._gazetteer)[0], text, turn):
                return True
        return False

    def _swap(self, said: StatedSentence, told: tuple[Fact, ...], text: str, turn: UserTurn) -> bool:
        """Replace contradicted facts by new ones; facts in both sentences stay."""
        old, new = {fact.content for fact in said.facts}, {fact.content for fact in told}
        right = tuple(fact for fact in told if fact.content not in old)
        if right:
            self._withdraw(fact for fact in said.facts if fact.content not in new)
            self._keep(StatedSentence(text, turn.me, turn.said_in, right, said.discourse), turn)
        return bool(right)

    def _restate(
        self, correction: Correction, own: Sequence[StatedSentence], turn: UserTurn, source: FactSource
    ) -> bool:
        """Apply a correction that is a sentence of its own, and replaces what was said about the same subject."""
        if correction.withdraws and own:
            self._withdraw(own[-1].facts)
        told, discourse = tell(correction.rest, source, turn.discourse, self._gazetteer)
        if not told or classify(correction.rest) is not Act.STATEMENT:
            return correction.withdraws
        slots = {_slot(fact) for fact in told if fact.attribute}
        wrong = [fact for fact in (own[-1].facts if own else ()) if _is_other_value(fact, told)]
        taken_back = correction.withdraws or bool(wrong)
        wrongly = own[-1].facts if correction.withdraws and own else wrong
        puts_right = tuple(dict.fromkeys(number for fact in wrongly for number in fact.sources))
        facts = tuple(
            one.model_copy(update={"corrects": taken_back or one.attribute is not None, "puts_right": puts_right})
            for one in told
        )
        wrong += [fact for said in own for fact in said.facts if fact.attribute and _slot(fact) in slots]
        self._withdraw(wrong)
        turn.here.discourses[turn.me] = discourse
        self._keep(StatedSentence(correction.rest, turn.me, turn.said_in, facts, turn.discourse), turn)
        return True

    def _withdraw(self, facts: Iterable[Fact]) -> None:
        gone = {id(fact) for fact in facts}
        self.facts = {key: fact for key, fact in self.facts.items() if id(fact) not in gone}


def _is_other_value(fact: Fact, told: Sequence[Fact]) -> bool:
    return any(differ_in_a_value(one.content, fact.content) for one in told)


def _is_meant(matter: str, content: str) -> bool:
    """Whether a fact is what to forget, or concerns it: "User's allergies" covers everything User is allergic to."""
    named, said = telling(matter), telling(content)
    return matter in content or (bool(named) and all(any(akin(one, other) for other in said) for one in named))


def _slot(fact: Fact) -> tuple[str | None, str | None]:
    """Return the subject and attribute of which a fact gives the single value."""
    return next((mention.name for mention in fact.mentions if mention.role == "subject"), None), fact.attribute


def _is_second_half(turn: UserTurn, at: int) -> bool:
    """Whether a sentence corrects or retracts the first half of its own quote."""
    return at > 0 and turn.sentences[at].quote == turn.sentences[at - 1].quote


def _may_mean_the_end(correction: Correction, said: StatedSentence, turn: UserTurn, at: int) -> bool:
    """Whether a correction can mean the last words of a statement: in the same sentence, or about a thing in this message."""
    if _is_second_half(turn, at) or _MEANT.match(correction.rest):
        return True
    return correction.of_a_thing and said.message is turn.said_in and _OF_ONESELF.match(said.text) is None


def _pieces(sentence: Sentence) -> tuple[Sentence, ...]:
    """Split a sentence that corrects or retracts itself into two with one quote; return others unchanged."""
    pieces = retractions.taken_back_within(sentence.text) or corrections.put_right_within(sentence.text)
    return tuple(replace(sentence, text=text) for text in pieces) if pieces else (sentence,)


def _claimed(facts: Sequence[Fact]) -> list[Fact]:
    """Return what a sentence asserts, without presuppositions: "my sister Anna lives in Leeds" does not assert the relation."""
    called = {(mention.description, mention.name) for fact in facts for mention in fact.mentions if mention.description}
    taken = {f"{name} is {tie}" for tie, name in called if any(f"{tie} {name}" in fact.content for fact in facts)}
    return [fact for fact in facts if fact.content not in taken]
