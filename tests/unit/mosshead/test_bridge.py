"""Reads share an event loop with everything else that runs in it."""

import asyncio

from mosshead.bridge import Bridge
from mosshead.safety import sense


def test_reads_that_had_their_share_let_other_tasks_run_first() -> None:
    seen: list[str] = []

    async def read(bridge: Bridge, name: str) -> None:
        await bridge.turn()
        seen.append(name)
        while not bridge._share_is_used():
            pass

    async def other() -> None:
        seen.append("other")

    async def go() -> None:
        bridge = Bridge()
        await asyncio.gather(read(bridge, "first"), read(bridge, "second"), other())

    asyncio.run(go())
    assert seen == ["first", "other", "second"]


def test_loop_goes_on_while_a_passage_is_judged() -> None:
    sense.log_odds_by_meaning("")  # loads the model
    passage = "a passage that nobody has judged before"
    rounds = 0

    async def others() -> None:
        nonlocal rounds
        while True:
            rounds += 1
            await asyncio.sleep(0)

    async def go() -> None:
        task = asyncio.create_task(others())
        await Bridge().run(lambda: sense.log_odds_by_meaning(passage))
        task.cancel()

    asyncio.run(go())
    assert rounds > 2
