"""How much of each call's prompt a provider can take from its cache: the words that it has in common with the call before.

    python -m benchmarks.prefix [--turns N] [--json]

Replays a conversation of 30 turns through `with_memory`, before a Postgres of its own with a memory for each turn and a few of
the user. Each message asks about something else, so that the notes change each turn. The app sends its whole history with each
call. Counted are the words from a call's beginning that are those of the call before, as a share of all words of all calls but
the first: with and without a system prompt, in either placement, with answers of 24 words and of 68. Prints lines, and one JSON
object last.
"""

import json
import os
import sys
from itertools import pairwise, product, starmap
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any, NamedTuple, get_args

import openai
import typer

from benchmarks.sentences import sentences
from config.logging import configure_logging
from config.settings import Settings
from db import embedding_models
from db.engine import open_engine
from db.keys import LaneRef
from db.schema.migrate import migrate
from mosshead import Memory
from mosshead.contrib.openai_client import with_memory
from mosshead.contrib.openai_client.calls import Placement
from mosshead.embeddings import MiniLM
from mosshead.paths import NamespacePath
from tests.fake_openai import FakeOpenAI, Request
from tests.given import Remembering
from workers.local import Addresses, servers

_WHOSE = ("acme", "sarah")
_SYSTEM = "You are a friendly assistant. Where it helps, use what you know of the user."
_SHORT_ANSWER = (
    "Let me think about that with you, step by step: first what you know already, then what is still open. "
    "Where shall we begin?"
)
"""24 words."""
_LONG_ANSWER = (
    "I see. Let me think about that with you, step by step: first what you know already, then what is still open. You could "
    "write down both, and look at the list again tomorrow, since much looks different after a night. If something is urgent, "
    "begin with that, however small it is. Tell me which of them worries you most, and we will look at it more closely."
)
"""68 words, as short as models answer at length."""
_OF_THE_USER = ("User lives in Leeds", "User is a nurse", "User has a son called Tom", "User is allergic to nuts")


def main(
    turns: Annotated[int, typer.Option(help="Turns of the conversation.")] = 30,
    json_only: Annotated[bool, typer.Option("--json", help="Print nothing but the JSON object.")] = False,
) -> None:
    """Replay a conversation and compare each call with the one before."""
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    configure_logging(Settings(log_level="error"))
    told = sentences("known")
    facts = [next(told) for _ in range(turns)]
    with (
        TemporaryDirectory(prefix="rb-") as folder,
        servers(Settings(data_dir=Path(folder), flower_port=0)) as addresses,
        FakeOpenAI() as fake,
    ):
        migrate(addresses.admin_url or "", {})
        _fill(addresses, facts)
        with Memory.connect(
            database_url=addresses.database_url, broker_url=addresses.broker_url, spool_dir=Path(folder) / "spool"
        ) as memory:
            found = {
                one.label: _share(memory, fake, facts, one)
                for one in starmap(_Setup, product(get_args(Placement), (True, False), (_SHORT_ANSWER, _LONG_ANSWER)))
            }
    if not json_only:
        for name, share in found.items():
            print(f"{name}: {share:.2f} of the words are those of the call before", file=sys.stderr)
    print(json.dumps(found))


class _Setup(NamedTuple):
    placement: Placement
    system: bool
    answer: str

    @property
    def label(self) -> str:
        prompt = f"{'with' if self.system else 'without'} a system prompt"
        return f"{self.placement}, {prompt}, answers of {len(self.answer.split())} words"


def _share(memory: Memory, fake: FakeOpenAI, facts: list[str], setup: _Setup) -> float:
    client = with_memory(
        openai.OpenAI(api_key="none", base_url=fake.base_url),
        memory.namespace(*_WHOSE),
        placement=setup.placement,
        timeout=60,  # late notes would measure something else
    )
    fake.requests.clear()
    talk: list[Any] = [{"role": "system", "content": _SYSTEM}] if setup.system else []
    for fact in facts:
        talk.append({"role": "user", "content": f"Tell me once more what it was about this, please: {fact}?"})
        client.chat.completions.create(model="any", messages=talk)
        talk.append({"role": "assistant", "content": setup.answer})
    prompts = [_words(request) for request in fake.requests]
    common = [_common(one, other) for one, other in pairwise(prompts)]
    return round(sum(common) / sum(map(len, prompts[1:])), 3)


def _words(request: Request) -> list[str]:
    return [word for one in request.messages for word in (one["role"], *str(one["content"]).split())]


def _common(before: list[str], now: list[str]) -> int:
    pairs = enumerate(zip(before, now, strict=False))
    return next((place for place, (one, other) in pairs if one != other), min(len(before), len(now)))


def _fill(addresses: Addresses, facts: list[str]) -> None:
    path = NamespacePath.of(_WHOSE)
    engine, embedder = open_engine(addresses.worker_url, setting="X"), MiniLM()
    with engine.begin() as connection:
        embedding_models.set_active_model(connection, embedder.name, embedder.dimensions)
    remembering = Remembering(engine, LaneRef(path.tenant_id, path.namespace_id))
    user = remembering.entity("User", is_user=True)
    for fact in facts:
        remembering.memory(fact, embedder.embed([fact])[0])
    for fact in _OF_THE_USER:
        remembering.memory(fact, embedder.embed([fact])[0], about={user: ("subject", "sure")})
    engine.dispose()


if __name__ == "__main__":
    cli = typer.Typer(pretty_exceptions_enable=False, add_completion=False)
    cli.command()(main)
    cli()
