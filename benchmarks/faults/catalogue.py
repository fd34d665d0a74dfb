"""Every fault that is done to the service, in the order in which a run does them: how often in a quick run, and in a full one."""

from dataclasses import dataclass

from benchmarks.faults.cluster import LEASE_SECONDS
from benchmarks.faults.failpoints import How
from benchmarks.faults.of_messages import disorder, garbage, hints_doubled, poison, unknown_tasks
from benchmarks.faults.of_senders import (
    attacked,
    broker_filled,
    costly_bodies,
    costly_messages,
    hostile_senders,
    lanes_that_fail,
    malformed_tasks,
    numbers_at_the_edge,
)
from benchmarks.faults.of_servers import (
    commit_cut_off,
    connections_reset,
    connections_swallowed,
    llm_failing,
    postgres_crowded,
    postgres_hung,
    postgres_killed,
    postgres_promoted,
    postgres_slow,
    redis_down,
    redis_full,
    redis_hung,
    redis_killed,
)
from benchmarks.faults.of_workers import (
    app_killed,
    child_killed,
    hints_between_stages_lost,
    intake_killed,
    killed_at,
    scheduler_killed,
    worker_frozen,
    worker_killed,
    worker_stopped,
    zombie,
)
from benchmarks.faults.runs import Inject
from tests.fake_openai import Fault as Misbehaviour

_WORKER_LIMIT = LEASE_SECONDS + 2
_SERVER_LIMIT = 10.0
_PROMOTION_LIMIT = 15.0
_DEAD_LIMIT = 30.0
_BOTH: tuple[How, ...] = ("worker", "child")
_ONE: tuple[How, ...] = ("child",)


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault by name.

    quick, full: what is done in such a run; None leaves it out. limit: seconds that recovery should take.
    of_sender: done to a service of two slots without an LLM, beside a chat.
    """

    name: str
    quick: Inject | None
    full: Inject | None
    limit: float | None = None
    of_sender: bool = False


def _of_sender(name: str, quick: Inject | None, full: Inject) -> Fault:
    return Fault(name, quick, full, of_sender=True)


_QUICK_CHAT, _FULL_CHAT = 5, 9
"""How many messages of the chat the median is taken of."""

_PIECES = ("DE89my ", "eyJhbGciOi.", "4111-", "password is ", "a@b.", "-----BEGIN PRIVATE KEY-----")
"""What a pattern for secrets may begin to match again and again."""

FAULTS = (
    Fault("worker killed", worker_killed(2), worker_killed(8), _WORKER_LIMIT),
    Fault("child killed", child_killed(1), child_killed(5), _WORKER_LIMIT),
    Fault("killed before_claim", None, killed_at("before_claim", _ONE)),
    Fault("killed after_claim", killed_at("after_claim", _ONE), killed_at("after_claim", _ONE)),
    Fault("killed before_lease", None, killed_at("before_lease", _BOTH), _WORKER_LIMIT),
    Fault("killed after_lease", None, killed_at("after_lease", _BOTH), _WORKER_LIMIT),
    Fault("killed after_answer", None, killed_at("after_answer", _BOTH), _WORKER_LIMIT),
    Fault(
        "killed after_step_result",
        killed_at("after_step_result", _ONE),
        killed_at("after_step_result", _BOTH),
        _WORKER_LIMIT,
    ),
    Fault("killed before_apply", None, killed_at("before_apply", _BOTH), _WORKER_LIMIT),
    Fault("killed in_apply", killed_at("in_apply", _ONE), killed_at("in_apply", _BOTH), _WORKER_LIMIT),
    Fault("killed before_commit", None, killed_at("before_commit", _BOTH), _WORKER_LIMIT),
    Fault(
        "killed after_commit", killed_at("after_commit", ("worker",)), killed_at("after_commit", _BOTH), _WORKER_LIMIT
    ),
    Fault("killed between_stages", None, killed_at("between_stages", _BOTH), _WORKER_LIMIT),
    Fault("killed intake_before_commit", None, killed_at("intake_before_commit", _ONE)),
    Fault("killed intake_after_commit", killed_at("intake_after_commit", _ONE), killed_at("intake_after_commit", _ONE)),
    Fault("zombie", zombie("before_apply"), zombie("after_answer", "before_apply"), _WORKER_LIMIT),
    Fault("worker frozen", None, worker_frozen(1), _WORKER_LIMIT),
    Fault("worker stopped", None, worker_stopped(1)),
    Fault("redis killed", redis_killed(2), redis_killed(10), _SERVER_LIMIT),
    Fault("redis down", None, redis_down(15.0), _SERVER_LIMIT),
    Fault("redis hung", None, redis_hung(6.0), _SERVER_LIMIT),
    Fault("redis full", None, redis_full(4.0), _SERVER_LIMIT),
    Fault("connections reset", None, connections_reset(5.0), _SERVER_LIMIT),
    Fault("connections swallowed", None, connections_swallowed(4.0)),
    Fault("postgres killed", postgres_killed(2), postgres_killed(7), _SERVER_LIMIT),
    Fault("postgres promoted", postgres_promoted(4.0), postgres_promoted(4.0), _PROMOTION_LIMIT),
    Fault("postgres hung", None, postgres_hung(4.0)),
    Fault("postgres slow", None, postgres_slow(4.0)),
    Fault("postgres crowded", None, postgres_crowded(3.0), _SERVER_LIMIT),
    Fault("commit cut off", commit_cut_off(2), commit_cut_off(6)),
    Fault("app killed", app_killed(2), app_killed(7)),
    Fault("intake killed", None, intake_killed(2)),
    Fault("scheduler killed", None, scheduler_killed(1)),
    Fault("hints between stages lost", None, hints_between_stages_lost(3.0)),
    Fault("hints doubled", hints_doubled(20, 1), hints_doubled(100, 2)),
    Fault("garbage", garbage(1), garbage(2)),
    Fault("unknown tasks", None, unknown_tasks(20)),
    Fault("events in disorder", disorder(20), disorder(60)),
    Fault("poison", poison(6), poison(6), _DEAD_LIMIT),
    Fault(
        "llm failing",
        llm_failing((Misbehaviour.status(429, retry_after="1"),)),
        llm_failing(
            (
                Misbehaviour.status(429, retry_after="3"),
                Misbehaviour.status(503),
                Misbehaviour("reset"),
                Misbehaviour("truncated"),
                Misbehaviour("invalid_json"),
                Misbehaviour.hang(6.0),
            )
        ),
    ),
    _of_sender(
        "numbers at the edge",
        attacked(numbers_at_the_edge, messages=_QUICK_CHAT),
        attacked(numbers_at_the_edge, messages=_FULL_CHAT),
    ),
    _of_sender("lanes that fail", None, attacked(lanes_that_fail, messages=_FULL_CHAT)),
    _of_sender(
        "malformed tasks",
        attacked(malformed_tasks, messages=_QUICK_CHAT),
        attacked(malformed_tasks, messages=_FULL_CHAT),
    ),
    _of_sender(
        "broker filled",
        broker_filled(3.0, mebibytes=8, messages=_QUICK_CHAT),
        broker_filled(8.0, mebibytes=16, messages=_FULL_CHAT),
    ),
    _of_sender(
        "costly messages",
        attacked(costly_messages, messages=_QUICK_CHAT),
        attacked(costly_messages, messages=_FULL_CHAT),
    ),
    _of_sender(
        "costly bodies",
        attacked(costly_bodies(_PIECES[:1], every=1.0), messages=_QUICK_CHAT),
        attacked(costly_bodies(_PIECES, every=1.0), messages=_FULL_CHAT),
    ),
    _of_sender("hostile senders", hostile_senders(messages=_QUICK_CHAT), hostile_senders(messages=_FULL_CHAT)),
)
