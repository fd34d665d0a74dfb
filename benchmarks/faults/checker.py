"""Holds what took effect against what was sent. Pure; it knows nothing of how either came about."""

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import astuple, dataclass

from benchmarks.faults.history import Effect, Sent


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a history shows.

    lost: sent, and without effect. doubled: effects beyond the first of their event. foreign: effects of what nobody sent.
    out_of_order: took effect after a later event of the same publisher and namespace.
    late: took effect after an event of another source in the same namespace that was begun only after this one was sent.
    """

    sent: int = 0
    lost: int = 0
    doubled: int = 0
    foreign: int = 0
    out_of_order: int = 0
    late: int = 0

    @property
    def sound(self) -> bool:
        """Whether each event took effect once, in its publisher's order. Lateness across publishers is no fault."""
        return not (self.lost or self.doubled or self.foreign or self.out_of_order)

    def __add__(self, other: "Verdict") -> "Verdict":
        return Verdict(*(mine + its for mine, its in zip(astuple(self), astuple(other), strict=True)))


def check(sent: Sequence[Sent], effects: Sequence[Effect]) -> Verdict:
    """Compare a history with the effects, which stand in the order in which they took place."""
    by_id = {one.event_id: one for one in sent}
    known = [effect for effect in effects if effect.event_id in by_id]
    times = Counter(effect.event_id for effect in known)
    firsts = list({effect.event_id: effect for effect in reversed(known)}.values())[::-1]
    taken = [(by_id[effect.event_id], effect) for effect in firsts]
    returned = [one for one in sent if one.done is not None]
    return Verdict(
        sent=len(returned),
        lost=sum(one.event_id not in times for one in returned),
        doubled=sum(count - 1 for count in times.values()),
        foreign=len(effects) - len(known),
        out_of_order=len(_behind(taken, _by_source) | _behind(taken, _by_publisher)),
        late=_late([one for one, _ in taken]),
    )


_Taken = tuple[Sent, Effect]


def _by_source(taken: _Taken) -> tuple[Hashable, int]:
    """The app's own count: it does not rely on the numbers that the service keeps."""
    return (taken[0].source, taken[0].namespace), taken[0].number


def _by_publisher(taken: _Taken) -> tuple[Hashable, int]:
    """The spool's count, which also orders the processes that share a spool."""
    return (taken[1].publisher, taken[0].namespace), taken[1].sequence


def _behind(taken: Iterable[_Taken], place: Callable[[_Taken], tuple[Hashable, int]]) -> set[Hashable]:
    """The events that a later one of the same line overtook."""
    newest: dict[Hashable, int] = {}
    behind: set[Hashable] = set()
    for one in taken:
        line, number = place(one)
        if number < newest.get(line, 0):
            behind.add(one[0].event_id)
        newest[line] = max(number, newest.get(line, 0))
    return behind


def _late(taken: Iterable[Sent]) -> int:
    newest: defaultdict[str, dict[str, float]] = defaultdict(dict)
    late = 0
    for one in taken:
        begun = newest[one.namespace]
        late += any(at > _returned(one) for source, at in begun.items() if source != one.source)
        begun[one.source] = max(one.begun, begun.get(one.source, one.begun))
    return late


def _returned(one: Sent) -> float:
    return one.done if one.done is not None else float("inf")
