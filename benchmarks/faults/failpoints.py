"""Points at which a process of the service can be made to die, hang or fail, without a hook in the service itself.

The processes of a run are started through wrappers that wrap the functions named below (`install`). A point does nothing until it
is armed, by a file in the folder that BENCHMARK_FAILPOINTS names; it then fires once, in the first process that comes by.
"""

import importlib
import json
import os
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any, Literal, NamedTuple

How = Literal["child", "worker", "stop", "raise", "skip"]
"""SIGKILL to this process alone, to all of its session (a worker with its children), SIGSTOP, or an exception; once each.

skip: the function is not called, by anybody, as long as the point is armed.
"""


@dataclass(frozen=True, slots=True)
class Point:
    """A place before or after a function. stage: only where the function is about a lease of this stage."""

    name: str
    function: str
    after: bool = False
    stage: str | None = None


APPLYING = "consolidate"
POISON = "venom"
"""A message that holds this word kills the worker that reads it, while the word is armed as a point is."""

POINTS = (
    Point("before_claim", "workers.scheduler:claim"),
    Point("after_claim", "workers.scheduler:hint"),
    Point("before_lease", "workers.tasks:_take_lease"),
    Point("after_lease", "workers.tasks:_work_and_store"),
    Point("after_answer", "mosshead.llm.openai:OpenAILanguageModel.answer", after=True),
    Point("after_step_result", "workers.stages.load:KeptModel.answer", after=True),
    Point("before_apply", "workers.stages.consolidate.plan:decide", after=True),
    Point("in_apply", "db.decisions:log", after=True),
    Point("before_commit", "db.leases:advance", after=True, stage=APPLYING),
    Point("after_commit", "workers.tasks:_work_and_store", after=True, stage=APPLYING),
    Point("between_stages", "workers.tasks:hint"),
    Point("intake_before_commit", "db.inbox:publish", after=True),
    Point("intake_after_commit", "kombu.message:Message.ack"),
)


class Fired(NamedTuple):
    """Which process of the run came by an armed point, and when, in seconds of the machine's clock."""

    process: str
    pid: int
    at: float


class FailpointReached(RuntimeError):
    """What an armed point raises where it is to raise."""


def arm(folder: Path, point: str, how: How) -> Path:
    """Arm a point; returns the file that is there when it has fired."""
    assert point in {POISON, *(one.name for one in POINTS)}
    told = folder / f"{point}.fired"
    told.unlink(missing_ok=True)
    draft = folder / f"{point}.draft"
    draft.write_text(how)
    draft.rename(folder / point)
    return told


def disarm(folder: Path, point: str) -> None:
    """Let a point do nothing again."""
    (folder / point).unlink(missing_ok=True)


def is_armed(point: str) -> bool:
    """Whether a point is armed, in the folder of this process."""
    folder = os.environ.get("BENCHMARK_FAILPOINTS")
    return folder is not None and (Path(folder) / point).exists()


def fired(file: Path) -> Fired:
    """Who came by, once the file is there."""
    return Fired(**json.loads(file.read_text()))


def install() -> None:
    """Wrap the functions of all points in this process. Without BENCHMARK_FAILPOINTS it does nothing."""
    folder = os.environ.get("BENCHMARK_FAILPOINTS")
    if folder is None:
        return
    for point in POINTS:
        module, _, path = point.function.partition(":")
        *holders, name = path.split(".")
        holder: Any = importlib.import_module(module)
        for one in holders:
            holder = getattr(holder, one)
        setattr(holder, name, wrapped(getattr(holder, name), point, Path(folder)))


def wrapped(function: Callable[..., Any], point: Point, folder: Path) -> Callable[..., Any]:
    """A function with a point before or after it."""

    @wraps(function)
    def passing(*args: Any, **keywords: Any) -> Any:
        meant = point.stage is None or any(getattr(one, "stage", None) == point.stage for one in args)
        if meant and not point.after and _pass(folder / point.name) == "skip":
            return None
        result = function(*args, **keywords)
        if meant and point.after:
            _pass(folder / point.name)
        return result

    return passing


def _pass(armed: Path) -> str | None:
    """What is armed here, where it left us alive; None where nothing is."""
    try:
        how = armed.read_text()
    except FileNotFoundError:
        return None
    if how == "skip":
        return how
    taken = armed.with_suffix(f".{os.getpid()}")
    try:
        armed.rename(taken)
    except FileNotFoundError:
        return None  # another process came by first
    came = Fired(os.environ.get("BENCHMARK_PROCESS", ""), os.getpid(), time.time())
    taken.write_text(json.dumps(came._asdict()))
    taken.rename(armed.with_suffix(".fired"))
    _fail(how)
    return how


def _fail(how: str) -> None:
    match how:
        case "child":
            os.kill(os.getpid(), signal.SIGKILL)
        case "worker":
            os.killpg(os.getpgrp(), signal.SIGKILL)
        case "stop":
            os.kill(os.getpid(), signal.SIGSTOP)
        case _:
            raise FailpointReached
