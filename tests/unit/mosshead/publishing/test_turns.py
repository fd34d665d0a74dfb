"""Turns: a namespace waits at most until each of the others has had one turn."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from mosshead.publishing.queue import Turns

waiting = st.lists(st.tuples(st.sampled_from("abcd"), st.integers(1, 4)), min_size=1, max_size=12, unique=True)


def key(tenant: str, number: int) -> int:
    return ord(tenant) * 10 + number


def served(namespaces: list[tuple[str, int]], turns: int) -> list[int]:
    """Return the order of turns while every namespace keeps waiting."""
    line = Turns()
    tenants = {key(*one): one[0] for one in namespaces}
    for one, tenant in tenants.items():
        line.add(tenant, one)
    found = []
    for _ in range(turns):
        taken = line.take()
        assert taken is not None
        line.add(tenants[taken], taken)
        found.append(taken)
    return found


@given(waiting)
def test_each_tenant_has_a_turn_before_any_has_two(namespaces: list[tuple[str, int]]) -> None:
    tenants = {tenant for tenant, _ in namespaces}
    order = [chr(one // 10) for one in served(namespaces, 3 * len(tenants))]
    rounds = [order[start : start + len(tenants)] for start in range(0, len(order), len(tenants))]
    assert all(set(one) == tenants for one in rounds)


@given(waiting)
def test_within_a_tenant_each_namespace_has_a_turn_before_any_has_two(namespaces: list[tuple[str, int]]) -> None:
    order = served(namespaces, 60)
    for tenant in {tenant for tenant, _ in namespaces}:
        own = {key(*one) for one in namespaces if one[0] == tenant}
        turns = [one for one in order if one in own]
        assert all(
            set(turns[start : start + len(own)]) == own for start in range(0, len(turns) - len(own) + 1, len(own))
        )


@given(waiting)
def test_waiting_namespace_is_served_once(namespaces: list[tuple[str, int]]) -> None:
    line = Turns()
    for tenant, number in namespaces * 2:  # adding it twice has no effect
        line.add(tenant, key(tenant, number))
    found = list(iter(line.take, None))
    assert Counter(found) == Counter(key(*one) for one in namespaces)


def test_new_tenant_waits_for_one_turn_of_each_other_tenant() -> None:
    line = Turns()
    line.add("importer", 1)
    line.add("importer", 2)
    assert line.take() == 1
    line.add("importer", 1)
    line.add("chat", 9)
    assert [line.take(), line.take()] == [2, 9]
