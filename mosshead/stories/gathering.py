"""The evidence for a story: what the reading of a context finds, what hangs together with it, and what it replaced.

Two trips are those of `mosshead.reading.rounds`, which also settle who is meant; a third follows the relations of who is, and
fetches what is known of them and was.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from uuid import UUID

from mosshead.asking import Question
from mosshead.contents import as_compared
from mosshead.graph import MAX_DEPTH, neighbours
from mosshead.reading import histories_sql
from mosshead.reading.answering import settled
from mosshead.reading.histories_sql import Remembered
from mosshead.reading.messages_sql import Among, Told
from mosshead.reading.rounds import Store, first, second
from mosshead.resolving import TURNS
from mosshead.results import Progress
from mosshead.stories.about import MESSAGES, fitting, memories_of, on_the_way, said_of, stated
from mosshead.stories.choosing import Piece
from mosshead.stories.intents import Asked, StoryIntent
from mosshead.stories.times import Days, times_in
from mosshead.tenancy import rows_within, tenant_transaction

_SUBJECTS = 3
"""Of so many who are meant the relations are followed."""

_FAN_OUT = 20
_NEAR = 1
_FIRST_DAY, _LAST_DAY = date.min.toordinal() + 2, date.max.toordinal() - 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Gathered:
    """What was found for a story: pieces, or the questions that come first.

    days: those that it tells of, by the calendar of where it is asked.
    """

    pieces: tuple[Piece, ...]
    questions: tuple[Question, ...]
    progress: Progress
    days: tuple[Days, ...] = ()


def gathered(
    store: Store,
    asked: Asked,
    request: str,
    *,
    history: Sequence[str],
    conversation: str | None,
    now: datetime,
    closed: frozenset[UUID] = frozenset(),
) -> Gathered:
    """Find the evidence.

    history, conversation: the turns before, as for a context. closed: memories that are not told, nor what they replaced.
    """
    heard = first(store, asked.topic, history, conversation=None if history else conversation, turns=TURNS)
    told = {as_compared(one) for one in (*history, request)}
    among = _among(asked, request, now)
    fetched = second(store, heard, shown=MESSAGES + len(told), told=Told(contents=told), among=among)
    read, _ = settled(store, heard, fetched, now)
    if questions := tuple(read.questions()):
        return Gathered(pieces=(), questions=questions, progress=heard.progress)
    topical = fitting(read, asked)
    meant = list(read.meant)[:_SUBJECTS]
    edges, rows = _hanging_together(store, asked, meant, [one.id for one in topical], among)
    memories = memories_of(read, asked, edges, (row for row in rows if closed.isdisjoint(row.rests_on)), topical)
    return Gathered(
        pieces=(*memories, *said_of(read, asked)),
        questions=(),
        progress=heard.progress,
        days=times_in(request, read.now.date()) if asked.days else (),
    )


def _among(asked: Asked, request: str, now: datetime) -> Among:
    """From when to when to look; a day more on each side, for days begin at other times elsewhere.

    What day it is where it is asked may be told by what is found alone (`mosshead.reading.periods.where_asked`).
    """
    if not asked.days:
        return Among()
    days = [one for later in (-1, 0, 1) for one in times_in(request, _midnight(now.date(), later, now).date())]
    begins, ends = min(one for one, _ in days), max(one for _, one in days)
    return Among(since=_midnight(begins, -1, now), until=_midnight(ends, 2, now))


def _midnight(day: date, later: int, now: datetime) -> datetime:
    """The one at which a day begins, so many days later, as far as there are dates."""
    ordinal = min(max(day.toordinal() + later, _FIRST_DAY), _LAST_DAY)
    return datetime.combine(date.fromordinal(ordinal), time(), now.tzinfo)


def _hanging_together(
    store: Store, asked: Asked, meant: Sequence[UUID], topical: Sequence[UUID], among: Among
) -> tuple[set[UUID], list[Remembered]]:
    """The memories that state the relations of those who are meant; and what is known of them, and was."""
    depth = MAX_DEPTH if asked.intent is StoryIntent.CONNECTION and len(meant) > 1 else _NEAR
    of_nobody = asked.bare and not meant
    in_time = of_nobody and among.since is not None
    with tenant_transaction(store.engine, store.path.tenant_id) as connection:
        edges: set[UUID] = set()
        for one in meant[:1] if depth > _NEAR else meant:
            near = neighbours(connection, store.path, one, depth=depth, fan_out=_FAN_OUT, as_of=None)
            edges.update(on_the_way(near, meant[1:]) if depth > _NEAR else stated(near))
        statement = histories_sql.statement_for(
            store.path,
            entities=meant,
            memories={*topical, *edges},
            of_user=of_nobody and not in_time,
            anything=in_time,
            since=among.since,
            until=among.until,
        )
        return edges, histories_sql.remembered(rows_within(connection, statement))
