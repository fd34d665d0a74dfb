"""Attacks by one sender, who may write to Redis: another tenant's chat must go on, and no process of the service may die.

Each measures the chat twice in the same run, by itself and beside the attack (`benchmarks.faults.chat`).
"""

import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from itertools import count, cycle
from typing import Any
from uuid import UUID

import redis

from benchmarks.faults.chat import MOST_TIMES, Chat, median_seconds
from benchmarks.faults.cluster import QUEUES
from benchmarks.faults.history import Sent
from benchmarks.faults.hostile import TENANT, Hostile, an_event, as_element, hostile_events, hostile_tasks
from benchmarks.faults.runs import CHAT, Inject, Run
from benchmarks.faults.supervisor import eventually
from mosshead.errors import WaitTimeout
from mosshead.paths import NamespacePath
from mosshead.publishing.broker import QUEUE

TASKS_REFUSED = "refused_tasks"
"""The field of `mosshead status --json` with the task messages that workers refused."""

EVENTS_KEY = f"mosshead:events:{QUEUE.name}"
TASKS_KEY = "mosshead:tasks:"
_EVENTS_IN_HAND = f"{EVENTS_KEY.removesuffix(QUEUE.name)}unacked"

_ATTACKER = NamespacePath((TENANT, "any")).tenant_id
_TASK_QUEUES = [TASKS_KEY + name for name in QUEUES.split(",")]
_SAID_SECONDS = 20.0
_TAKE_EFFECT_SECONDS = 30.0
_REST_SECONDS = 300.0
_COUNTED_SECONDS = 20.0
_DEBOUNCE_SECONDS = 3.0
_WARM = 6
_LANES = 3
_MEBIBYTE = 2**20
_CONTENT_BYTES = 250_000
_IN_HAND = ("no JSON", "{}", '[{}, "exchange"]', '["text", "", "extract"]')
"""Nothing that kombu could put back into a list."""

_EDGES = (2**63 - 1, 2**63 - 2, 2**62, 2**53)

Attack = Callable[[Run], AbstractContextManager[None]]
"""Goes on inside the block; what it sent may still be under way afterwards."""


def attacked(attack: Attack, *, messages: int) -> Inject:
    """Measure so many messages of the chat, then as many while the attack goes on; see to it that no process was restarted."""

    def inject(run: Run) -> None:
        control, before = _control_seconds(run, messages), run.processes()
        with attack(run):
            _compare(run, control, messages)
        run.note_restarts(before)
        _wait_for_rest(run)

    return inject


def broker_filled(seconds: float, *, mebibytes: int, messages: int) -> Inject:
    """Redis is filled up to its limit, and whatever room there is again, for a while. The chat counts from when that stops.

    The queue must then be empty in the end; what the attacker's own events would still need is set aside.
    """

    def inject(run: Run) -> None:
        control = _control_seconds(run, messages)
        with redis.Redis.from_url(run.cluster.broker_url) as broker:
            broker.config_set("maxmemory", str(broker.info("memory")["used_memory"] + mebibytes * _MEBIBYTE))
            try:
                run.refused["pushes"] += _fill(broker, seconds)
                _compare(run, control, messages)
                run.wait_for(lambda: not _waits(run, EVENTS_KEY), within=_REST_SECONDS, what="an empty queue of events")
                _set_aside(run)
            finally:
                broker.config_set("maxmemory", "0")
        if not run.refused["pushes"]:
            run.broken.append("Redis was never full")

    return inject


def hostile_senders(*, messages: int) -> Inject:
    """All kinds of `benchmarks.faults.hostile` at once: none stops anything, and an operator sees what was refused."""

    def inject(run: Run) -> None:
        control, before, since = _control_seconds(run, messages), run.processes(), time.time()
        counted, events, tasks = tasks_refused(status(run)), hostile_events(), hostile_tasks()
        for one in events:
            _push(run, EVENTS_KEY, one.element)
        for queue, one in zip(cycle(_TASK_QUEUES), tasks, strict=False):
            _push(run, queue, one.element)
        _compare(run, control, messages)
        run.note_restarts(before)
        _account_for_events(run, events, since)
        _account_for_tasks(run, tasks, counted)

    return inject


@contextmanager
def numbers_at_the_edge(run: Run) -> Iterator[None]:
    """Valid events whose numbers lie at the type's edge, behind gaps that have been waited out."""
    _publish(run, [an_event(publisher_sequence=number) for number in _EDGES])
    with suppress(WaitTimeout):  # the chat's time will tell
        eventually(lambda: not _waits(run, EVENTS_KEY), within=_SAID_SECONDS, what="the intake")
    time.sleep(0.5)  # what was taken from the list is in the inbox then
    _let_gaps_pass(run)
    yield


@contextmanager
def lanes_that_fail(run: Run) -> Iterator[None]:
    """Lanes that no claim can take, for whatever reason: a trigger of ours refuses it. An operator must see them."""
    before = status(run)["quarantined_lanes"]
    run.cluster.execute(f"""
        create or replace function benchmark.refuse() returns trigger language plpgsql security definer as $$
        begin
            if new.tenant_id = '{_ATTACKER}' then raise exception 'no claim takes this' using errcode = '22003'; end if;
            return new;
        end $$;
        create trigger refuse before update of batch_id on mosshead.events
        for each row execute function benchmark.refuse()
    """)
    try:
        _publish(run, [an_event() for _ in range(_LANES)])
        time.sleep(_DEBOUNCE_SECONDS)
        yield
        run.wait_for(
            lambda: status(run)["quarantined_lanes"] >= before + _LANES,
            within=_COUNTED_SECONDS,
            what=f"{_LANES} quarantined lanes in the status",
        )
    finally:
        run.cluster.execute("drop trigger refuse on mosshead.events")


@contextmanager
def malformed_tasks(run: Run) -> Iterator[None]:
    """What is no task, pushed into each queue of tasks by turns, and among what consumers seem to have in hand."""
    queues, elements = cycle(_TASK_QUEUES), cycle([one.element for one in hostile_tasks()])
    entries = {f"of {TENANT} {number}": entry for number, entry in enumerate(_IN_HAND)}
    with redis.Redis.from_url(run.cluster.broker_url) as broker:
        for key in (_EVENTS_IN_HAND, f"{TASKS_KEY}unacked"):
            broker.hset(key, mapping=entries)
            broker.zadd(f"{key}_index", dict.fromkeys(entries, 0))
        with _again_and_again(lambda: _push(run, next(queues), next(elements)), every=0.1):
            yield
        broker.hdel(_EVENTS_IN_HAND, *entries)  # or they would pass for work of the intake


@contextmanager
def costly_messages(run: Run) -> Iterator[None]:
    """Messages that cost the most by the offline rules; each kind comes again once it was worked on."""
    latest = [an_event(content) for content in expensive_contents().values()]
    _publish(run, latest)

    def publish() -> None:
        worked_on = _worked_on(run, [event["event_id"] for event in latest])
        for place, event in enumerate(latest):
            if UUID(event["event_id"]) in worked_on:
                latest[place] = _again(event)
                _publish(run, [latest[place]])

    with _again_and_again(publish, every=1.0):
        time.sleep(_DEBOUNCE_SECONDS)
        yield


def costly_bodies(pieces: Sequence[str], *, every: float) -> Attack:
    """Bodies that cost an intake the most, one at a time by turns: a valid event full of a piece of text, and junk full of it."""

    @contextmanager
    def attack(run: Run) -> Iterator[None]:
        elements = _costly_elements(pieces)
        with _again_and_again(lambda: _push(run, EVENTS_KEY, next(elements)), every=every):
            yield

    return attack


def expensive_contents() -> Mapping[str, str]:
    """What costs the most to understand without an LLM, by name."""
    return {
        "sentences": " ".join(f"My friend Ann{place}a Berg{place} lives in Rome{place}." for place in range(1_500)),
        "names": "My friends are " + ", ".join(f"Ann{place}a Berg{place}" for place in range(5_500)) + ".",
        "list": "I need:\n" + "\n".join(f"- tea number {place}" for place in range(5_000)),
        "one word": "a" * _CONTENT_BYTES,
        "deep JSON": '{"a": [' * 20_000 + "1" + "]}" * 20_000,
        "changes of mind": " ".join(f"I moved from Rome{place} to Oslo{place}." for place in range(2_000)),
    }


def status(run: Run) -> dict[str, Any]:
    """What an operator sees. Raises WaitTimeout where the command shows nothing."""
    printed = run.cluster.command("workers", "status", "--json", check=False)
    try:
        shown: dict[str, Any] = json.loads(printed)
    except ValueError:
        raise WaitTimeout("'mosshead status --json' shows nothing") from None
    return shown


def tasks_refused(shown: Mapping[str, Any]) -> int | None:
    """How many task messages the workers refused by then; None where the status does not say."""
    counted = shown.get(TASKS_REFUSED)
    return sum(counted.values()) if isinstance(counted, Mapping) else counted


def _control_seconds(run: Run, messages: int) -> float:
    """What the chat waits for by itself, once each process of the pool has had something to do."""
    eventually(
        lambda: _effects_of_chat(run) >= _WARM, within=_REST_SECONDS, what="the chat's first messages", every=0.1
    )
    return _chat_seconds(run, messages, within=_TAKE_EFFECT_SECONDS)


def _effects_of_chat(run: Run) -> int:
    tenants = [*(CHAT.tenants or ())]
    return int(run.cluster.rows("select count(*) from benchmark.effects where tenant_id = any(%s)", tenants)[0][0])


def _chat_seconds(run: Run, messages: int, *, within: float) -> float:
    """The median wait of some messages of the chat. What takes too long counts as what it took until nobody waited.

    Then it holds still: on a slow machine it would else wait for itself, and the second time for longer than the first.
    """
    since = time.time()
    run.traffic.go_on()
    eventually(
        lambda: len(_said(run, since)) >= messages,
        within=_SAID_SECONDS,
        what=f"{messages} more messages that the chat could publish",
        every=0.1,
    )
    run.traffic.hold_still()
    said = _said(run, since)
    ids = [one.event_id for one in said]
    with suppress(WaitTimeout):
        eventually(lambda: not run.without_effect(ids), within=within, what="the chat", every=0.1)
    effects = run.cluster.rows(
        "select event_id, extract(epoch from min(at))::float8 from benchmark.effects where event_id = any(%s) group by event_id",
        ids,
    )
    return median_seconds(said, dict(effects), time.time())


def _said(run: Run, since: float) -> list[Sent]:
    said = [one for one in run.traffic.sent(since) if one.done is not None]
    return sorted(said, key=lambda one: one.begun)


def _compare(run: Run, control: float, messages: int) -> None:
    """Measure the chat beside the attack, for long enough that what takes too long shows."""
    beside = _chat_seconds(run, messages, within=max(_TAKE_EFFECT_SECONDS, (MOST_TIMES + 1) * control))
    chat = Chat(control, beside)
    run.chats.append(chat)
    if not chat.served:
        run.broken.append(f"the chat took {beside:.1f} s, {chat.ratio:.1f} x its control; at most {MOST_TIMES:g} x")


def _account_for_events(run: Run, events: Sequence[Hostile], since: float) -> None:
    """Each is a dead letter that an operator can count, or in the inbox by right."""
    letters: set[Any] = set()
    taken: set[str] = set()

    def all_there() -> bool:
        letters.update(_letters(run, since))
        stored = _stored(run, [one.event_id for one in events if one.event_id])
        taken.update(one.name for one in events if one.event_id in stored - letters)
        return len(letters) + len(taken) >= len(events)

    run.wait_for(all_there, within=_COUNTED_SECONDS, what=f"{len(events)} hostile events refused, or taken by right")
    run.refused["events"] += len(letters)
    if len(letters) + len(taken) < len(events):
        named = {one.name for one in events if one.by_right} - taken
        run.broken.append(f"neither stored nor refused, most likely: {', '.join(sorted(named)) or 'one of the others'}")
    by_right = {one.name for one in events if one.by_right}
    if wrongly := sorted(taken - by_right):
        run.broken.append(f"hostile events were taken: {', '.join(wrongly)}")
    shown = status(run)
    least = sum(not one.by_right for one in events)
    if shown["refused_last_hour"] < least or shown["dead_letters"] < len(letters) or not shown["dead_by_reason"]:
        run.broken.append(f"the status shows {shown['refused_last_hour']} refused, of {least}")


def _account_for_tasks(run: Run, tasks: Sequence[Hostile], before: int | None) -> None:
    """Each was refused and counted, and none is left in a list."""
    least = sum(not one.by_right for one in tasks)
    run.wait_for(
        lambda: not any(_waits(run, queue) for queue in _TASK_QUEUES),
        within=_COUNTED_SECONDS,
        what="an end of the hostile task messages in the queues",
    )
    if before is None:
        run.broken.append(f"the status has no {TASKS_REFUSED}: nobody sees the task messages that were refused")
        return
    counted = 0

    def all_counted() -> bool:
        nonlocal counted
        counted = (tasks_refused(status(run)) or 0) - before
        return counted >= least

    run.wait_for(all_counted, within=_COUNTED_SECONDS, what=f"{least} refused task messages in the status")
    run.refused["tasks"] += counted


def _letters(run: Run, since: float) -> set[Any]:
    """Of the intake, and of a stage that could not do anything with what the intake took."""
    statement = "select letter_id from mosshead.dead_letters where died_at >= to_timestamp(%s)"
    return {letter for (letter,) in run.cluster.rows(statement, since)}


def _stored(run: Run, ids: Sequence[Any]) -> set[Any]:
    rows = run.cluster.rows("select event_id from mosshead.events where event_id = any(%s) and state <> 'dead'", [*ids])
    return {event_id for (event_id,) in rows}


def _let_gaps_pass(run: Run) -> None:
    """As if the time had passed for which a missing number is waited for."""
    run.cluster.execute(f"""
        update mosshead.events set received_at = received_at - interval '1 hour' where tenant_id = '{_ATTACKER}';
        update mosshead.lanes set ready_at = now()
        where tenant_id = '{_ATTACKER}' and pending > 0 and batch_id is null and quarantined_at is null
    """)  # noqa: S608 - the id is ours


def _wait_for_rest(run: Run) -> None:
    """The next fault's chat must not wait for this one's work. Where it broke something, a new service will take its place."""
    if not run.broken:
        run.wait_for(lambda: _rests(run), within=_REST_SECONDS, what="an end of the attacker's own work")


def _set_aside(run: Run) -> None:
    """Hundreds of large events are minutes of work, for which no chat waited; nor shall the chat of the next fault."""
    run.cluster.execute(f"""
        update mosshead.lanes set quarantined_at = now(), quarantined_for = 'the benchmark goes on'
        where tenant_id = '{_ATTACKER}' and quarantined_at is null
    """)  # noqa: S608 - the id is ours


def _rests(run: Run) -> bool:
    """Whether nothing of the attacker's is left to do, but for what is quarantined or waits for a gap."""
    found = run.cluster.rows(
        """
        select count(*) from mosshead.lanes
        where tenant_id = %s and quarantined_at is null
          and (batch_id is not null or (pending > 0 and ready_at <= now() + interval '5 seconds'))
        """,
        _ATTACKER,
    )
    return found == [(0,)] and not _waits(run, EVENTS_KEY) and not _intake_holds_any(run)


def _worked_on(run: Run, ids: Sequence[str]) -> set[UUID]:
    """The events among these that took effect or were given up. One that the intake holds has no row yet."""
    statement = "select event_id from mosshead.events where event_id = any(%s::uuid[]) and state <> 'received'"
    return {event_id for (event_id,) in run.cluster.rows(statement, [*ids])}


def _again(event: Mapping[str, Any]) -> dict[str, Any]:
    """The same once more, as its publisher's next."""
    place = {name: event[name] for name in ("namespace", "publisher", "content")}
    return an_event(**{**place, "publisher_sequence": event["publisher_sequence"] + 1})


def _costly_elements(pieces: Sequence[str]) -> Iterator[bytes]:
    for piece in cycle(pieces):
        text = piece * (_CONTENT_BYTES // len(piece))
        yield as_element(json.dumps(an_event(text)).encode())
        yield as_element(json.dumps({"neither": "this", "content": text * 4}).encode())
        yield as_element((text * 4).encode())


def _fill(broker: redis.Redis, seconds: float) -> int:
    """Push large events and junk, whenever there is room; returns how often there was none."""
    refusals, until, junk = 0, time.monotonic() + seconds, b"x" * _CONTENT_BYTES
    place = {name: an_event()[name] for name in ("namespace", "publisher")}
    for number in count(1):
        event = an_event("tea " * (_CONTENT_BYTES // 4), role="assistant", publisher_sequence=number, **place)
        for element in (as_element(json.dumps(event).encode()), junk, junk, junk):
            while time.monotonic() < until:
                try:
                    broker.lpush(EVENTS_KEY, element)
                    break
                except redis.exceptions.OutOfMemoryError:
                    refusals += 1
                    time.sleep(0.02)
        if time.monotonic() >= until:
            break
    return refusals


def _publish(run: Run, events: Sequence[Mapping[str, Any]]) -> None:
    for event in events:
        _push(run, EVENTS_KEY, as_element(json.dumps(event).encode()))


def _push(run: Run, key: str, element: bytes) -> None:
    with redis.Redis.from_url(run.cluster.broker_url) as broker:
        broker.lpush(key, element)


def _waits(run: Run, key: str) -> bool:
    with redis.Redis.from_url(run.cluster.broker_url) as broker:
        return bool(broker.llen(key))


def _intake_holds_any(run: Run) -> bool:
    """Whether the intake has taken events that it has not stored yet."""
    with redis.Redis.from_url(run.cluster.broker_url) as broker:
        return bool(broker.hlen(_EVENTS_IN_HAND))


@contextmanager
def _again_and_again(step: Callable[[], object], *, every: float) -> Iterator[None]:
    """Do a step now, and again and again in a thread while the block runs. An error in it ends the block's run."""
    over, failed = threading.Event(), list[Exception]()

    def repeat() -> None:
        try:
            while not over.wait(every):
                step()
        except Exception as error:  # noqa: BLE001 - raised below: an attack that ended early shows nothing
            failed.append(error)

    step()
    thread = threading.Thread(target=repeat, name="attack", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
    if failed:
        raise failed[0]
