"""The evidence for a story: the results of a context's reads, related memories, and replaced ones.

Two round trips are those of `mosshead.context.pipeline`, which also resolve the entities meant; a third follows their relations,
and reads their current and past memories.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from typing import Any
from uuid import UUID

from mosshead.context.pipeline import Understood, fetch_candidates, look_up_names, settle
from mosshead.contrib.stories.prompt import noted
from mosshead.contrib.stories.requests import StoryIntent, StoryRequest, times_in
from mosshead.contrib.stories.story import StoryEvidence
from mosshead.language.name_spans import Name, places, words_of
from mosshead.language.names import normalise
from mosshead.models.kinds import Role
from mosshead.models.memories import Progress, StoredMemory
from mosshead.models.questions import Question
from mosshead.search.memories import WEIGHTS, RankedMemory, base
from mosshead.search.messages import Among
from mosshead.search.weights import ContextWeights
from mosshead.store.connection import ReadStore, Sql, of_namespace, tenant_transaction
from mosshead.store.entities import MAX_DEPTH, Neighbour, neighbours
from mosshead.store.memories import NAMES_IN_ORDER, OWN_COLUMNS, memory_fields
from mosshead.text import as_compared
from mosshead.timestamps import in_zone

_SUBJECTS = 3
"""How many meant entities' relations are followed."""

_FAN_OUT = 20
_NEAR = 1
_FIRST_DAY, _LAST_DAY = date.min.toordinal() + 2, date.max.toordinal() - 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A piece of evidence without a number yet.

    score: its relevance to the request. sources: a memory's source messages.
    """

    told: StoryEvidence
    score: float
    sources: tuple[UUID, ...] = ()


def gathered(
    store: ReadStore,
    asked: StoryRequest,
    request: str,
    *,
    history: Sequence[str],
    conversation: str | None,
    now: datetime,
    closed: frozenset[UUID] = frozenset(),
) -> tuple[list[Piece], tuple[Question, ...], Progress]:
    """Find the pieces that the story tells, or the questions to answer first.

    history, conversation: the turns before, as for a context. closed: memories to omit, with those they replaced.
    """
    heard = look_up_names(store, asked.topic, history, conversation=conversation)
    told = {as_compared(one) for one in (*history, request)}
    among = _among(asked, request, now)
    fetched = fetch_candidates(store, heard, shown=MESSAGES + len(told), told=told, among=among)
    read, _ = settle(store, heard, fetched, now)
    if questions := tuple(read.questions()):
        return [], questions, heard.progress
    topical = fitting(read, asked)
    meant = list(read.meant)[:_SUBJECTS]
    edges, rows = _hanging_together(store, asked, meant, [one.id for one in topical], among)
    standing = (row for row in rows if closed.isdisjoint({row.memory_id, row.holding}))
    memories = memories_of(read, asked, edges, standing, topical)
    days = times_in(request, read.now.date()) if asked.days else ()  # by the calendar of the asker's time zone
    return belonging([*memories, *said_of(read, asked)], asked.intent, days), (), heard.progress


def _among(asked: StoryRequest, request: str, now: datetime) -> Among:
    """Return the period to search, with an extra day on each side, because days begin at different times elsewhere.

    Today's date for the asker may depend on what is found (`mosshead.language.dates.where_asked`).
    """
    if not asked.days:
        return Among()
    days = [one for later in (-1, 0, 1) for one in times_in(request, _midnight(now.date(), later, now).date())]
    begins, ends = min(one for one, _ in days), max(one for _, one in days)
    return Among(since=_midnight(begins, -1, now), until=_midnight(ends, 2, now))


def _midnight(day: date, later: int, now: datetime) -> datetime:
    """Return the midnight at which a day begins, a number of days later, within the range of dates."""
    ordinal = min(max(day.toordinal() + later, _FIRST_DAY), _LAST_DAY)
    return datetime.combine(date.fromordinal(ordinal), time(), now.tzinfo)


def _hanging_together(
    store: ReadStore, asked: StoryRequest, meant: Sequence[UUID], topical: Sequence[UUID], among: Among
) -> tuple[set[UUID], list[Any]]:
    """Return the memories that state relations of the meant entities, and rows of their current and past memories."""
    depth = MAX_DEPTH if asked.intent is StoryIntent.CONNECTION and len(meant) > 1 else _NEAR
    of_nobody = asked.bare and not meant
    in_time = of_nobody and among.since is not None
    with tenant_transaction(store.engine, store.path.tenant_id) as connection:
        edges: set[UUID] = set()
        for one in meant[:1] if depth > _NEAR else meant:
            near = neighbours(connection, store.path, one, depth=depth, fan_out=_FAN_OUT, as_of=None)
            edges.update(on_the_way(near, meant[1:]) if depth > _NEAR else stated(near))
        # Everything below is limited to what happened, or else was said, in the named time.
        parameters = {
            **store.path.ids,
            "entities": list(meant),  # memories surely about them
            "memories": list({*topical, *edges}),  # these, and transitively what they replaced
            "of_user": of_nobody and not in_time,  # memories about the user
            "anything": in_time,  # all memories of that time
            "since": among.since,
            "until": among.until,
        }
        return edges, Sql(_HISTORIES).rows(connection, parameters)


MOST = 300
"""Maximum number of rows: named memories first, then the most salient. A story tells fewer."""

_IN_TIME = """(%(since)s::timestamptz is null or (
              coalesce(memory.occurred_to, memory.valid_from) >= %(since)s::timestamptz
              and coalesce(memory.occurred_from, memory.valid_from) < %(until)s::timestamptz))"""

_HISTORIES = f"""
    with recursive replaced as (
        select unnest(%(memories)s::uuid[]) as memory_id
        union
        select edge.to_id from replaced
        join mosshead_read_v1.edges as edge
          on {of_namespace("edge")} and edge.from_id = replaced.memory_id and edge.kind = 'replaces'
    ),
    subjects as materialized (
        select unnest(%(entities)s::uuid[]) as entity_id
        union
        select entity.entity_id from mosshead_read_v1.entities as entity
        where {of_namespace("entity")} and entity.is_user and %(of_user)s::boolean
    ),
    wanted as materialized (
        select memory_id from replaced
        union
        select link.memory_id from mosshead_read_v1.memory_entities as link
        where {of_namespace("link")} and link.certainty = 'sure' and link.entity_id = any(array(select entity_id from subjects))
        union
        select memory.memory_id from mosshead_read_v1.memories as memory
        where {of_namespace("memory")} and memory.known_to is null and %(anything)s::boolean and {_IN_TIME}
    ),
    onwards as (
        select memory.memory_id, memory.superseded_by as next_id from mosshead_read_v1.memories as memory
        where {of_namespace("memory")} and memory.known_to is null and memory.state = 'superseded'
          and memory.memory_id = any(array(select memory_id from wanted))
        union
        select onwards.memory_id, memory.superseded_by from onwards
        join mosshead_read_v1.memories as memory
          on {of_namespace("memory")} and memory.known_to is null and memory.state = 'superseded'
         and memory.memory_id = onwards.next_id
    ),
    held as materialized (
        select onwards.memory_id, onwards.next_id as holding from onwards
        join mosshead_read_v1.memories as memory
          on {of_namespace("memory")} and memory.known_to is null and memory.state = 'active'
         and memory.memory_id = onwards.next_id
    ),
    found as materialized (
        select {OWN_COLUMNS}, memory.valid_to
        from mosshead_read_v1.memories as memory
        where {of_namespace("memory")} and memory.known_to is null and memory.memory_id = any(array(select memory_id from wanted))
          and (memory.state = 'active' or memory.memory_id = any(array(select memory_id from held))) and {_IN_TIME}
        order by memory.memory_id = any(%(memories)s::uuid[]) desc, memory.salience desc, memory.memory_id limit {MOST}
    ),
    whom as materialized (
        select link.memory_id,
               {NAMES_IN_ORDER} as about,
               array_agg(link.entity_id) filter (where link.certainty = 'sure') as entities,
               array_agg(link.entity_id) filter (where link.certainty <> 'sure') as open,
               bool_or(entity.is_user) filter (where link.certainty = 'sure') as of_user
        from mosshead_read_v1.memory_entities as link
        join mosshead_read_v1.entities as entity on {of_namespace("entity")} and entity.entity_id = link.entity_id
        where {of_namespace("link")} and link.memory_id = any(array(select memory_id from found)) group by link.memory_id
    ),
    origins as materialized (
        select source.memory_id, array_agg(source.message_id order by source.message_id) as sources
        from mosshead_read_v1.provenance as source
        where {of_namespace("source")} and source.stance = 'for' and source.memory_id = any(array(select memory_id from found))
        group by source.memory_id
    )
    select found.*, whom.about, coalesce(whom.entities, '{{}}') as entities, coalesce(whom.open, '{{}}') as open,
           coalesce(whom.of_user, false) as of_user, coalesce(origins.sources, '{{}}') as sources, standing.holding
    from found
    full join whom on whom.memory_id = found.memory_id
    full join origins on origins.memory_id = found.memory_id
    full join (select memory_id, holding from held where memory_id = any(array(select memory_id from found))) as standing
      on standing.memory_id = found.memory_id
    order by found.memory_id
"""
"""As in `mosshead.search.memories`, it uses full joins: in a generic plan a left join would be a loop."""

MESSAGES = 12
"""Maximum number of messages: memories state their facts more briefly."""

_FITS = 2.0
"""Standard deviations from which a memory that shares a word with the topic counts as relevant."""

_FITS_ALONE = 3.5
"""The same for a memory that shares none."""

_FITS_SAID = 3.0
"""The same for messages, where each word counts less."""

_WEIGHTS = ContextWeights()
_FIRST = 1.0
"""Score of the most important pieces: links of a requested connection, and replaced memories of a requested change."""


def fitting(read: Understood, asked: StoryRequest) -> list[RankedMemory]:
    """Return the memories about the meant entities, and those about the topic.

    Facts about a namesake do not belong to the story.
    """
    others = [] if asked.bare else [one for one in read.ranked if one.found.entities.isdisjoint(read.besides)]
    least = _least((one.relevance.fit for one in others if one.found.words > 0), _FITS)
    topical = {
        one.id
        for one in others
        if one.relevance.dense >= _FITS_ALONE or (one.found.words > 0 and one.relevance.fit >= least)
    }
    return [one for one in read.ranked if one.id in topical or not one.found.entities.isdisjoint(read.meant)]


def stated(near: Iterable[Neighbour]) -> Iterator[UUID]:
    """Return the memories that state edges; no memory states a "part_of" edge."""
    yield from (one.memory_id for one in near if one.memory_id is not None)


def on_the_way(near: Sequence[Neighbour], others: Iterable[UUID]) -> set[UUID]:
    """Return the memories that state the edges of the shortest paths to other entities."""
    found: set[UUID] = set()
    ahead, gone = list(others), set[UUID]()
    while ahead:
        one = ahead.pop()
        if one not in gone:
            gone.add(one)
            edges = [edge for edge in near if edge.id == one]
            found.update(stated(edges))
            ahead.extend(edge.via for edge in edges)
    return found


def memories_of(
    read: Understood,
    asked: StoryRequest,
    edges: Collection[UUID],
    rows: Iterable[Any],
    topical: Iterable[RankedMemory],
) -> Iterator[Piece]:
    """Convert rows of `_HISTORIES` to pieces. edges: memories that state relations of the meant entities; topical: from
    `fitting`.
    """
    ranked = {one.id: one for one in read.ranked}
    fit = {one.id for one in topical}
    meant = frozenset(read.meant)
    joined = asked.intent is StoryIntent.CONNECTION and (len(meant) > 1 or asked.own)
    bearers = _contested(read)
    for row in rows:
        one, about = StoredMemory(**memory_fields(row)), frozenset(row.entities)
        # If a connection names only one entity, the user is the other.
        together = len(about & meant) + (row.of_user and len(meant) == 1) > 1
        joins = joined and ((len(meant) > 1 and one.id in edges) or together)
        if joined and len(meant) > 1 and not joins:
            continue
        if about.isdisjoint(meant) and not bearers.isdisjoint(about.union(row.open)):
            continue  # a namesake's, or ambiguous
        replaced = one.state == "superseded" and row.valid_to is not None
        found_by = (
            ("connection", joins),
            ("subject", not meant.isdisjoint(about) or (row.of_user and not meant and asked.bare)),
            ("topic", one.id in fit and meant.isdisjoint(about)),
            ("replaced", replaced),
            ("period", bool(asked.days)),
        )
        relevance = ranked[one.id].relevance.total if one.id in ranked else WEIGHTS.entity
        ahead = joins or (replaced and asked.intent is StoryIntent.CHANGE)
        told = StoryEvidence(
            memory=one,
            found_by=tuple(name for name, holds in found_by if holds),
            until=in_zone(row.valid_to, row.valid_from_offset) if replaced else None,
        )
        score = base(relevance, one.salience, one.confidence) + _FIRST * ahead
        yield Piece(told=told, score=score, sources=tuple(row.sources))


def said_of(read: Understood, asked: StoryRequest) -> Iterator[Piece]:
    """Return people's messages about it.

    With an ambiguous name, only memories tell whom a message means; such messages are omitted.
    """
    if (asked.bare and not read.meant) or _contested(read):
        return
    names = [read.heard.names_of([one]) for one in read.meant]
    said = [one for one in read.messages(MESSAGES) if one.message.role is Role.USER and one.found.words > 0]
    least = _least((one.score for one in said), _FITS_SAID)
    for ranked in said:
        one = ranked.message
        if ranked.score < least:
            continue
        if asked.intent is StoryIntent.CONNECTION and not all(_names(one.content, some) for some in names):
            continue
        yield Piece(told=StoryEvidence(message=one, found_by=("said",)), score=_WEIGHTS.message * ranked.score)


def _least(fits: Iterable[float], usual: float) -> float:
    """Return the threshold for items with a word of the topic: in a small namespace nothing stands out, and the best suffices."""
    best = max(fits, default=usual)
    return min(usual, best - abs(best) / 2)


def _names(content: str, names: Iterable[str]) -> bool:
    """Whether a text contains one of the names as whole words."""
    found = places(words_of(content), [Name(normalised=normalise(one), is_person=False) for one in names])
    return any(one.whole for one in found)


def _contested(read: Understood) -> frozenset[UUID]:
    """Return the entities of ambiguous names in the request."""
    parsed = read.heard.parsed
    return frozenset[UUID]().union(*(parsed.named[name] for name in parsed.contested))


_A_MOMENT = timedelta(microseconds=1)


def belonging(pieces: Iterable[Piece], intent: StoryIntent, days: Sequence[tuple[date, date]] = ()) -> list[Piece]:
    """Return the pieces that belong to a story of this kind.

    days: the first and last day of each time; empty for all times. A memory corrected on the day it was said is told only in a
    story of change, because it was never true.
    """
    return [
        one
        for one in pieces
        if (not days or any(_within(one.told, *between) for between in days))
        and (intent is StoryIntent.CHANGE or not one.told.until or one.told.until.date() > one.told.said_at.date())
    ]


def chosen(
    pieces: Iterable[Piece], *, budget: int, count_tokens: Callable[[str], int]
) -> tuple[tuple[StoryEvidence, ...], int]:
    """Return the best pieces within a token budget, numbered in order of time, and their tokens.

    It omits duplicates: equal texts, and messages of chosen memories. Pieces that are too long are skipped.
    """
    taken: list[StoryEvidence] = []
    contents: set[str] = set()
    covered: set[UUID] = set()
    used = 0
    # Memories before messages, because they are attributed to entities.
    for one in sorted(pieces, key=lambda one: (one.told.memory is None, -one.score, one.told.id)):
        content = as_compared(one.told.content)
        cost = count_tokens(f"{noted(replace(one.told, number=_WIDEST))}\n")
        if content in contents or one.told.id in covered or used + cost > budget:
            continue
        used += cost
        taken.append(one.told)
        contents.add(content)
        covered.update(one.sources)
    ordered = sorted(taken, key=lambda one: (one.at, one.said_at, one.id))
    return tuple(replace(one, number=number) for number, one in enumerate(ordered, 1)), used


_WIDEST = 999
"""A number with the maximum number of digits, for counting tokens."""


def _within(one: StoryEvidence, first: date, last: date) -> bool:
    """Whether it happened in a time, or was said then if the time of the event is unknown."""
    occurred = one.memory.occurred if one.memory else None
    if occurred:
        ends = (occurred.end - _A_MOMENT).date()
        return occurred.day <= last and max(ends, occurred.day) >= first
    return first <= one.said_at.date() <= last
