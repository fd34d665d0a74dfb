"""Short numbers for memories: whatever was shown, and however often, each number keeps one meaning."""

from uuid import UUID, uuid5

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mosshead.contrib import agent_tools
from mosshead.contrib.agent_tools import Numbers, ToolRefused

_ALIKE = st.builds(lambda place, times: UUID(int=place + 9_000 * times), st.integers(0, 3), st.integers(0, 5))


@given(shown=st.lists(_ALIKE | st.uuids(), max_size=40))
def test_number_means_the_memory_it_was_shown_for(shown: list[UUID]) -> None:
    found = Numbers()
    given_to = {memory_id: found.show(memory_id) for memory_id in shown}
    assert [found.show(memory_id) for memory_id in given_to] == list(given_to.values())
    assert {number: found.of(number) for number in given_to.values()} == {n: key for key, n in given_to.items()}
    assert all(1_000 <= number <= 9_999 for number in given_to.values())


def test_latest_memories_are_remembered_however_many_there_were(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agent_tools, "_MOST", 50)
    found = Numbers()
    ids = [uuid5(UUID(int=0), str(number)) for number in range(12_000)]
    first = found.show(ids[0])
    shown = [found.show(one) for one in ids]
    assert [found.of(number) for number in shown[-50:]] == ids[-50:]
    with pytest.raises(ToolRefused, match=f"no memory with the number {first}; search"):
        found.of(first)
