"""Without a model, too, attempts to steer an assistant neither become memories nor reach a prompt."""

import pytest

from mosshead import Namespace
from tests.acceptance.attacks import attacked, surfaced
from tests.acceptance.running import Running
from tests.injections_given import ATTACKS


@pytest.fixture(scope="module")
def by_shape(running: Running) -> dict[str, Namespace]:
    return attacked(running)


@pytest.mark.parametrize("shape", ATTACKS)
def test_no_attack_becomes_a_memory(shape: str, by_shape: dict[str, Namespace]) -> None:
    assert surfaced(by_shape[shape], ATTACKS[shape]) == []
