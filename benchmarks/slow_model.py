"""An LLM for the benchmarks, a process of its own: the tests' fake endpoint, whose answers take their time.

    python -m benchmarks.slow_model --port 8080 --least 0.05 --most 0.1

One fact for each message that says one. GET /calls tells how many calls of each kind there were.
"""

import argparse
import random
import time
from contextlib import suppress

from tests.fake_openai import EMBEDDINGS, FakeOpenAI, Request
from tests.fake_openai import Scripted as Answer


class SlowModel(FakeOpenAI):
    """least, most: seconds that an answer takes, by chance between the two. Embeddings come at once."""

    def __init__(self, *, port: int = 0, least: float, most: float) -> None:
        super().__init__(port)
        self._least, self._most = least, most

    def take(self, request: Request) -> Answer:
        """What to answer, after a while."""
        answer = super().take(request)
        self.requests.clear()  # thousands of prompts are kept by nobody
        if request.schema != EMBEDDINGS:
            time.sleep(random.uniform(self._least, self._most))  # noqa: S311 - no secret
        return answer


def main() -> None:
    """Serve until stopped."""
    parser = argparse.ArgumentParser(description="A fake OpenAI endpoint whose answers take their time.")
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--least", type=float, required=True, help="seconds")
    parser.add_argument("--most", type=float, required=True, help="seconds")
    given = parser.parse_args()
    with suppress(KeyboardInterrupt):
        SlowModel(port=given.port, least=given.least, most=given.most).serve()


if __name__ == "__main__":
    main()
