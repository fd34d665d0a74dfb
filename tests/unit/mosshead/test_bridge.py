"""Reads share an event loop with everything else that runs in it."""

import asyncio

from mosshead.bridge import Bridge


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
