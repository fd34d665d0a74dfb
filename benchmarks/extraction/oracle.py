"""An LLM that answers from the gold: what Mosshead does when its model is never wrong.

It is an endpoint over real HTTP and knows no more of a case than a model does: it recognises the session by the messages in the
prompt, and answers decisions by the local numbers that the prompt shows.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from benchmarks.extraction.cases import Case, GoldFact, Session, store_before
from tests.fake_answers import Json, fact_like
from tests.fake_openai import FakeOpenAI, Request
from tests.fake_openai import Scripted as Answer

_BLOCK = r"^BEGIN MESSAGES\n(?P<body>.*?)^END MESSAGES$"
_MESSAGE = re.compile(r"^\[(?P<number>\d+)\] (?P<header>[^\n]*)\n(?P<text>(?:^\|[^\n]*\n)+)", re.MULTILINE)
_FACT = re.compile(r"^F(?P<number>\d+)(?P<header>[^\n]*)\n(?P<text>(?:^\|[^\n]*\n?)+)", re.MULTILINE)
_MEMORY = re.compile(r"^M(?P<number>\d+)(?P<header>[^\n]*)\n(?P<text>(?:^\|[^\n]*\n?)+)", re.MULTILINE)
_BAR = re.compile(r"^\| ?", re.MULTILINE)
_NEAR = re.compile(r"\bM(\d+)\b")
_AS_MEMORY = re.compile(r" \(M(\d+)\)")
_WHOLE_TIME = re.compile(r", \w+ (\d{4}-\d\d-\d\d)T(\d\d:\d\d)([+-][\d:]+)")
_CLOCK = re.compile(r", (\d\d:\d\d)(?:,|$)")
_HALF = 0.5
_A_HINT = 0.01


class Oracle(FakeOpenAI):
    """The endpoint. It answers profiles, which no gold says, as the fake does."""

    def __init__(self, cases: Sequence[Case], *, port: int = 0) -> None:
        super().__init__(port)
        self.learn(cases)

    def learn(self, cases: Sequence[Case]) -> None:
        """Answer from these cases, and from no others."""
        self._sessions = [_Gold.of(case, session) for case in cases for session in case.sessions]

    def take(self, request: Request) -> Answer:
        """What to answer."""
        usual = super().take(request)
        self.requests.clear()  # hundreds of prompts are kept by nobody
        if request.schema == "ExtractionAnswer":
            block = re.search(_BLOCK, request.prompt, re.MULTILINE | re.DOTALL)
            return {"facts": list(self._facts(_in_full(_shown(_MESSAGE, block["body"] if block else ""))))}
        if request.schema == "ConsolidationAnswer":
            facts = _shown(_FACT, request.prompt)
            memories = [*_shown(_MEMORY, request.prompt), *_as_memories(facts)]
            return {"decisions": list(self._decisions(facts, memories))}
        return usual

    def _facts(self, shown: Sequence["_Shown"]) -> Iterator[Json]:
        gold = max(self._sessions, key=lambda one: sum(max(one.likeness(message)) for message in shown))
        numbers = {place: message.number for message in shown if (place := gold.place(message)) is not None}
        for fact in gold.session.facts:
            sources = [numbers[source] for source in fact.sources if source in numbers]
            if sources:
                yield _proposed(fact, sources)

    def _decisions(self, facts: Sequence["_Shown"], memories: Sequence["_Shown"]) -> Iterator[Json]:
        gold = max(self._sessions, key=lambda one: one.knows(facts) + one.remembers(memories) * _A_HINT)
        for fact in facts:
            yield _decision(gold, fact, memories)


@dataclass(frozen=True, slots=True)
class _Shown:
    """A message, a fact or a memory of a prompt; text: folded."""

    number: int
    header: str
    text: str


@dataclass(frozen=True, slots=True)
class _Gold:
    """A session, and what it is recognised by: all texts folded."""

    case: Case
    session: Session
    texts: tuple[str, ...]
    facts: Mapping[str, GoldFact]
    remembered: frozenset[str]

    @classmethod
    def of(cls, case: Case, session: Session) -> "_Gold":
        texts = tuple(_folded(message.content) for message in session.messages)
        facts = {_folded(fact.content): fact for fact in session.facts}
        return cls(case, session, texts, facts, frozenset(_folded(f.merged or f.content) for f in case.facts))

    def place(self, shown: _Shown) -> int | None:
        """The number that a shown message has in the session; None where it is no message of it."""
        likeness = self.likeness(shown)
        best = max(range(1, len(likeness) + 1), key=lambda place: (likeness[place - 1], place == shown.number))
        return best if likeness[best - 1] else None

    def likeness(self, shown: _Shown) -> list[float]:
        """To each message of the session: 2 for the same text, 3 where the time is the same too.

        A message that is shown in part, or with something hidden, is known by its time and half of its words.
        """
        found = []
        for message, text in zip(self.session.messages, self.texts, strict=True):
            then = message.at.isoformat(timespec="minutes") in shown.header
            if not shown.header.startswith(message.role.value):
                found.append(0.0)
            elif text == shown.text:
                found.append(2.0 + then)
            else:
                common = _common(shown.text, text) if then else 0.0
                found.append(common if common >= _HALF else 0.0)
        return found

    def knows(self, facts: Sequence[_Shown]) -> int:
        """How many of the shown facts are the session's, and how many of those name the day on which it said them."""
        known = [(fact, gold) for fact in facts if (gold := self.facts.get(fact.text))]
        return len(known) + sum(self._said_on(gold) in fact.header for fact, gold in known)

    def remembers(self, memories: Sequence[_Shown]) -> int:
        """How many of the shown memories are the case's."""
        return sum(memory.text in self.remembered for memory in memories)

    def _said_on(self, fact: GoldFact) -> str:
        return self.session.messages[max(fact.sources) - 1].at.date().isoformat()


def _shown(pattern: re.Pattern[str], prompt: str) -> list[_Shown]:
    return [
        _Shown(int(one["number"]), one["header"], _folded(_BAR.sub("", one["text"])))
        for one in pattern.finditer(prompt)
    ]


def _in_full(messages: Sequence[_Shown]) -> list[_Shown]:
    """The messages with their whole times in their headers, which leave out what they share with the one before."""
    full: list[_Shown] = []
    day, time, zone = "", "", ""
    for message in messages:
        if whole := _WHOLE_TIME.search(message.header):
            day, time, zone = whole.groups()
        elif clock := _CLOCK.search(message.header):
            time = clock[1]
        full.append(replace(message, header=f"{message.header}, {day}T{time}{zone}"))
    return full


def _as_memories(facts: Sequence[_Shown]) -> list[_Shown]:
    """The facts that later ones may name as memories, under those numbers."""
    return [replace(fact, number=int(known[1])) for fact in facts if (known := _AS_MEMORY.match(fact.header))]


def _common(shown: str, text: str) -> float:
    words = set(shown.split())
    return len(words & set(text.split())) / (len(words) or 1)


def _proposed(fact: GoldFact, sources: Sequence[int]) -> Json:
    occurred = None
    if fact.occurred:
        start, end, granularity = fact.occurred
        occurred = {"start": start.isoformat(), "end": end.isoformat(), "granularity": granularity}
    plain = fact.model_dump(mode="json", include={"kind", "content", "quote", "attribute", "value"})
    marks = fact.model_dump(mode="json", include={"mentions", "stated", "marked", "corrects"}) | {"retracts": False}
    relations = [{"subject": one, "predicate": predicate, "object": other} for one, predicate, other in fact.relations]
    return fact_like(**plain, **marks, sources=list(sources), occurred=occurred, relations=relations)


def _decision(gold: _Gold, shown: _Shown, memories: Sequence[_Shown]) -> Json:
    fact = gold.facts.get(shown.text)
    if fact is None or fact.target is None:
        return _decided(shown, "add")
    near = {int(number) for number in _NEAR.findall(shown.header.rpartition(", near ")[2])}
    by_text = {one.text: one.number for one in memories if one.number in near}
    meant = (by_text[text] for text in _texts_of_target(gold.case, fact) if text in by_text)
    target = next(meant, None)
    if target is None:
        return _decided(shown, "add", reason="what the gold names is not shown")
    return _decided(shown, fact.action, memory=target, content=fact.merged)


def _texts_of_target(case: Case, fact: GoldFact) -> list[str]:
    """What the memory that a fact is about says, and what it said before: a fact of the same batch may just have changed it."""
    store = store_before(case, fact.id)
    memory = store.same_memory(fact.target or "")
    before = [one.merged or one.content for one in case.facts if one.id in memory]
    return [_folded(one) for one in (store.contents[store.memory_of[fact.target or ""]], *reversed(before))]


def _decided(
    fact: _Shown, action: str, *, memory: int | None = None, content: str | None = None, reason: str = "by the gold"
) -> Json:
    return {"fact": fact.number, "action": action, "memory": memory, "content": content, "reason": reason}


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())
