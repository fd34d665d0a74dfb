"""The status as a person reads it."""

from collections.abc import Iterator, Mapping

from rich.markup import escape
from rich.table import Table

from db.providers import Breaker
from db.status import Backlog
from workers.cli.output import console, duration, printable
from workers.operations.status import BROKER_ALARM, STUCK_SECONDS, Status

_BAD = "red"
_REASONS = 5
_TENANTS = 5


def print_status(found: Status) -> None:
    """Print a status on the terminal; what needs somebody is red."""
    table = Table(show_header=False, box=None, pad_edge=False)
    for name, value, bad in _rows(found):
        table.add_row(name, escape(printable(value)), style=_BAD if bad else None)
    console.print(table)


def _rows(found: Status) -> Iterator[tuple[str, str, bool]]:
    backlog, dead, force = found.backlog, found.dead_letters, found.workforce
    yield "state", _state(found), found.stuck
    yield "workers", f"{force.workers} alive, {force.slots} slots", force.workers == 0
    yield from _queue(found)
    yield "in the inbox", f"{backlog.backlog:,} events", False
    oldest = f", the first for {duration(backlog.oldest_waiting)}" if backlog.waiting_lanes else ""
    yield "waiting lanes", f"{backlog.waiting_lanes:,}{oldest}", backlog.oldest_waiting > STUCK_SECONDS
    yield "at work", _counts(backlog.at_work) or "nothing", False
    yield "lag", _lag(found), False
    if backlog.failing:
        yield "failing", _counts(backlog.failing), True
    for breaker in found.breakers:
        yield "provider away", _breaker(breaker), True
    yield from _quarantined(backlog)
    if dead.dead_letters:
        age = duration(dead.newest_dead_letter)
        yield "dead letters", f"{dead.dead_letters:,}, the newest {age} ago; see 'python -m workers dead list'", True
        for reason, count in list(dead.dead_by_reason.items())[:_REASONS]:
            yield "", f"{count:,} {reason}", False
    if dead.refused_last_hour:
        yield "refused", f"{dead.refused_last_hour:,} in the last hour", True
    if backlog.clocks_ahead:
        yield (
            "clocks ahead",
            f"{backlog.clocks_ahead:,} publishers in the last day; their events bear the time of arrival",
            True,
        )
    yield from _refused_tasks(found)
    if found.indexes_due:
        yield "indexes due", f"{found.indexes_due:,} namespaces; run 'python -m workers index'", True
    yield from _models(found)
    yield "facts by", "the offline rules" if found.offline_rules else "the LLM", False
    if found.over_budget:
        count = len(found.over_budget)
        whose = "1 tenant" if count == 1 else f"{count:,} tenants"
        yield "over budget", f"{whose}: the offline rules find the facts; see 'python -m workers budget list'", True
        for one in found.over_budget[:_TENANTS]:
            stands = one.standing
            yield "", f"{one.tenant}: {stands.spent:,} tokens in 24 h of {stands.tokens_per_day:,}", False


def _quarantined(backlog: Backlog) -> Iterator[tuple[str, str, bool]]:
    if backlog.quarantined_lanes:
        yield "quarantined lanes", f"{backlog.quarantined_lanes:,}; see 'python -m workers lanes'", True
        for reason, count in list(backlog.quarantined_by_reason.items())[:_REASONS]:
            yield "", f"{count:,} {reason}", False


def _queue(found: Status) -> Iterator[tuple[str, str, bool]]:
    yield "in the queue", f"{found.queued_events:,} events", False
    if found.broker_memory is not None:
        yield "Redis's memory", f"{found.broker_memory:.0%} used", found.broker_memory >= BROKER_ALARM


def _refused_tasks(found: Status) -> Iterator[tuple[str, str, bool]]:
    if found.refused_tasks:
        count = sum(found.refused_tasks.values())
        yield "refused tasks", f"{count:,} in the last day; somebody else writes to this Redis", True
    for reason, times in list(found.refused_tasks.items())[:_REASONS]:
        yield "", f"{times:,} {reason}", False


def _models(found: Status) -> Iterator[tuple[str, str, bool]]:
    if len(found.models) > 1:
        names = ", ".join(f"{one.name} ({one.state})" for one in found.models)
        yield "embedding models", f"{names}; see 'python -m workers models'", False


def _state(found: Status) -> str:
    if not found.stuck:
        return "working"
    if found.broker_full:
        return "stuck: Redis is full"
    return "stuck: no worker is alive" if found.workforce.workers == 0 else "stuck: something is due and nothing moves"


def _lag(found: Status) -> str:
    lag = found.lag
    if lag.lag_p50 is None:
        return "nothing took effect in the last 10 minutes"
    return f"{duration(lag.lag_p50)} median, {duration(lag.lag_p95)} p95, {duration(lag.lag_max)} at most"


def _breaker(breaker: Breaker) -> str:
    until = f"tried again in {duration(breaker.seconds)}" if breaker.seconds else "to be tried again now"
    return f"{breaker.provider}: {breaker.reason}; {breaker.failures} failures in a row, {until}"


def _counts(counts: Mapping[str, int]) -> str:
    return "; ".join(f"{name} {count:,}" for name, count in counts.items())
