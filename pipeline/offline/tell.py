"""One sentence told: its clauses read, the rules asked, facts composed, and what later words may point back to."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from mosshead.genders import PRONOUNS
from mosshead.kinds import EntityType, Granularity, MemoryKind
from pipeline.facts import Fact, KnownEntity, Mention, Occurrence
from pipeline.offline import events, identity, jobs, organisations, people, places, preferences
from pipeline.offline.clauses import Clause, clauses
from pipeline.offline.compose import Source, compose
from pipeline.offline.discourse import Discourse, Sort, Subject, spoken_of
from pipeline.offline.following import after, described
from pipeline.offline.grammar import expand, to_third_person
from pipeline.offline.introductions import by_trade, introductions, with_unnamed
from pipeline.offline.names import Gazetteer
from pipeline.offline.notable import notable
from pipeline.offline.organisations import Alias, Nickname
from pipeline.offline.passing import on_the_desk
from pipeline.offline.rewrites import set_before
from pipeline.offline.rule import Finding, Rule, first_finding
from pipeline.offline.speaking import speaks_for
from pipeline.offline.standing import stands_alone
from pipeline.offline.statements import Statement, read_statement
from pipeline.offline.tenses import tense_at
from pipeline.times import resolve_time, times_in
from pipeline.times.words import RECURRING, WEEKDAY

RULES: tuple[Rule, ...] = (
    *identity.IDENTITY_RULES,
    *people.PEOPLE_RULES,
    *organisations.ORGANISATION_RULES,
    *events.EVENT_RULES,
    *places.PLACE_RULES,
    *jobs.RULES,
    *preferences.PREFERENCE_RULES,
)
"""Every family, in the order in which they are asked."""

_NO_ONE_DAY = re.compile(RECURRING, re.IGNORECASE)
_RELATIVE = re.compile(r"tomorrow|tonight|today|next", re.IGNORECASE)
_A_WEEKDAY = re.compile(WEEKDAY, re.IGNORECASE)
_YEARLY = ("birthday", "anniversary")
_LAPSING = re.compile(
    r"(?<! is)(?<! are)(?<! was)(?<! on)(?<! for)(?<! since)(?<! until)(?<! by)(?<! of)(?<! from)(?<! to)(?<! in)"
    r" (?:yesterday|(?:just |earlier )?last (?:week|weekend|month|year|night|morning|"
    r"afternoon|evening|spring|summer|autumn|winter|(?:mon|tues|wednes|thurs|fri|satur|sun)day)|(?:an?|two|three|\d+"
    r"|a few|half a) "
    r"(?:day|week|month|year)s? ago(?: today)?)$"
)
_THIS_ONE = re.compile(r"\b(?:the|this|that|your) ")
_TIMELESS = frozenset({"birthday", "age", "name"})
_OF_ITS_DAY = re.compile(r"(?:just )?turn(?:s|ed)\b|will be\b")
"""An age is of no time, but the day on which somebody reaches it is."""

_DATABLE = frozenset({MemoryKind.FACT, MemoryKind.EVENT, MemoryKind.RELATIONSHIP})
_TIMES_ACTION = re.compile(r"^(?:is|are|has|have|lives?|works?|speaks?|runs?|manages?|owns?|leads?)\b(?! \w+ing\b)")


@dataclass(frozen=True, slots=True)
class Told:
    """What a sentence amounted to."""

    facts: tuple[Fact, ...]
    discourse: Discourse
    learnt: tuple[KnownEntity, ...] = ()


def tell(text: str, source: Source, discourse: Discourse, gazetteer: Gazetteer) -> Told:
    """The facts of a sentence that states something, and the discourse after it."""
    plain = expand(text)
    third = to_third_person(plain, discourse.me, speaks_for(text, discourse))
    aliases = tuple(alias for alias in organisations.aliases(third) if alias.name != discourse.me)
    nickname = organisations.nickname(plain)
    if nickname:
        return _tell_nickname(nickname, source, discourse, gazetteer)
    facts: list[Fact] = []
    for clause in _all_clauses(organisations.without_aliases(text) if aliases else text, discourse):
        text, discourse = by_trade(clause.text, discourse)
        for introduction in introductions(text, discourse):
            unmarked = replace(source, marked=False, corrects=False)
            fact, discourse = _tell_clause(Clause(introduction.sentence), unmarked, discourse, gazetteer, ())
            facts += [fact] if fact else []
        fact, discourse = _tell_clause(replace(clause, text=text), source, discourse, gazetteer, aliases)
        facts += [fact] if fact else []
        discourse = with_unnamed(text, discourse)
    return Told(tuple(facts), discourse, tuple(_learnt(facts)))


def _all_clauses(text: str, discourse: Discourse) -> Iterator[Clause]:
    """The clauses; a name set before its sentence, "Acme, they sell tea", is that of a newcomer who had none yet."""
    found = clauses(text)
    name = set_before(text)
    if name and discourse.expected and found:
        yield Clause(f"{name} is our {discourse.expected}")
    yield from found


def _tell_nickname(nickname: Nickname, source: Source, discourse: Discourse, gazetteer: Gazetteer) -> Told:
    """ "We call it WOBS", "everyone calls Peter 'mosshead'": a fact of its own."""
    bearer = discourse.meant_by(nickname.bearer) if nickname.bearer in PRONOUNS else None
    known = nickname.bearer
    if nickname.bearer in PRONOUNS:
        known = (bearer.subject.name or "") if bearer else ""
    elif nickname.bearer in {"it", "them"}:
        known = discourse.firm or (discourse.thing.name if discourse.thing else None) or ""
    if not known or known == nickname.alias:
        return Told((), discourse)
    if nickname.bearer not in {"it", "them"}:
        discourse = discourse.with_person(spoken_of(Subject(known, Sort.PERSON, known), discourse))
    fact = _alias_fact(known, nickname.alias, source, gazetteer, person=nickname.bearer not in {"it", "them"})
    return Told((described(fact, discourse),), discourse)


def _tell_clause(
    clause: Clause, source: Source, discourse: Discourse, gazetteer: Gazetteer, aliases: tuple[Alias, ...]
) -> tuple[Fact | None, Discourse]:
    timed = f"{clause.text} {clause.lead}"
    heard = replace(discourse, firm=speaks_for(clause.text, discourse))
    dated = resolve_time(timed, source.said_at) is not None
    statement = read_statement(clause.text, heard, gazetteer, dated=dated)
    if statement is None:
        return None, discourse
    finding = first_finding(statement, RULES)
    occurred = _when(statement, timed, source) if dated else None
    kind = _kind(statement, finding, occurred, source) or (MemoryKind.FACT if aliases else None)
    if kind is None:
        return None, after(statement, None, None, discourse, clause.text)
    timeless = kind not in _DATABLE or (
        finding is not None and finding.rule.attribute in _TIMELESS and not _OF_ITS_DAY.match(statement.core)
    )
    fact = compose(
        statement, finding, kind, source, gazetteer, occurred=None if timeless else occurred, aliases=aliases
    )
    fact = _without_its_time(_naming_aliases(_dated_value(fact, occurred), aliases))
    if not (source.marked or stands_alone(fact, statement)):
        return None, after(statement, None, None, discourse, clause.text)
    following = after(statement, finding, fact, discourse, clause.text)
    return described(fact, following), following


def _when(statement: Statement, text: str, source: Source) -> Occurrence | None:
    if _NO_ONE_DAY.search(text):
        return None
    # The words around the time tell its direction better than those that the sentence opens with.
    first = next(iter(times_in(text, source.said_at)), None)
    around = tense_at(text, first.start, first.end) if first else None
    return resolve_time(text, source.said_at, past=statement.past if around is None else around)


def _kind(
    statement: Statement, finding: Finding | None, occurred: Occurrence | None, source: Source
) -> MemoryKind | None:
    if finding is None:
        return notable(statement, dated=occurred is not None, marked=source.marked)
    kind = finding.rule.kind
    if (
        kind is MemoryKind.PREFERENCE
        and occurred is None
        and not source.marked
        and _THIS_ONE.search(statement.core)
        and on_the_desk(statement.core)
    ):
        return None
    if (
        kind is MemoryKind.FACT
        and occurred is not None
        and finding.rule.attribute not in _TIMELESS
        and not _TIMES_ACTION.match(statement.core)
    ):
        return MemoryKind.EVENT
    return kind


def _dated_value(fact: Fact, occurred: Occurrence | None) -> Fact:
    """ "Tomorrow" says nothing later on, nor "Friday" of what has no time; the date does."""
    attribute, value = fact.attribute or "", fact.value or ""
    lapsing = _RELATIVE.match(value) or (fact.occurred is None and _A_WEEKDAY.fullmatch(value))
    if occurred is None or not lapsing:
        return fact
    if attribute.endswith(_YEARLY) and occurred.granularity is Granularity.DAY:
        day = f"{occurred.start.day} {occurred.start:%B}"
        content = re.sub(rf"(?:\bon )?\b{re.escape(value)}\b", f"on {day}", fact.content, count=1)
        return fact.model_copy(update={"value": day, "content": content, "occurred": None})
    if fact.occurred is None or not attribute.endswith(" day"):
        return fact
    return fact.model_copy(update={"value": occurred.start.date().isoformat()})


def _without_its_time(fact: Fact) -> Fact:
    """ "Yesterday" at the end of a sentence misleads whoever reads it later; the resolved time says it better."""
    lapsing = _LAPSING.search(fact.content) if fact.occurred else None
    if (
        lapsing is None
        or (fact.attribute or "").endswith((" day", " time"))
        or len(fact.content[: lapsing.start()].split()) < 3
    ):
        return fact
    return fact.model_copy(update={"content": fact.content[: lapsing.start()]})


def _naming_aliases(fact: Fact, aliases: tuple[Alias, ...]) -> Fact:
    """The words that gave the aliases were set aside for the rules; the content says them again."""
    named = {mention.name for mention in fact.mentions}
    others = [alias.alias for alias in aliases if alias.name in named and alias.alias not in fact.content]
    return (
        fact.model_copy(update={"content": f"{fact.content}, also known as {' and '.join(others)}"}) if others else fact
    )


def _alias_fact(name: str, alias: str, source: Source, gazetteer: Gazetteer, *, person: bool) -> Fact:
    assumed = EntityType.PERSON if person else EntityType.CONCEPT
    entity_type = gazetteer.types.get(name.casefold(), assumed)
    mention = Mention(name=name, entity_type=entity_type, role="subject", aliases=(alias,))
    return Fact(
        kind=MemoryKind.FACT,
        content=f"{name} is also known as {alias}",
        sources=source.numbers,
        quote=source.quote,
        mentions=(mention,),
        marked=source.marked,
    )


def _learnt(facts: list[Fact]) -> Iterator[KnownEntity]:
    for fact in facts:
        for mention in fact.mentions:
            if mention.entity_type is not EntityType.CONCEPT:
                yield KnownEntity(mention.name, mention.entity_type, mention.aliases, mention.parent)
