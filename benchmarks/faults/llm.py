"""The LLM of the runs: the tests' fake endpoint over real HTTP, in the process that no fault kills, and what it was paid for."""

import re
import time
from collections import Counter

from tests.fake_openai import FakeOpenAI, Fault, Request
from tests.fake_openai import Scripted as Answer

EXTRACTION = "ExtractionAnswer"

_MESSAGES = re.compile(r"^BEGIN MESSAGES$(.*)^END MESSAGES$", re.MULTILINE | re.DOTALL)
_MESSAGE = re.compile(r"^\| (I need .*)$", re.MULTILINE)


class PaidModel(FakeOpenAI):
    """Answers with one fact for each message, after a pause, and counts how often each message was paid for.

    pause: seconds that an extraction takes, so that faults find calls under way.
    """

    def __init__(self, pause: float) -> None:
        super().__init__()
        self.pause = pause
        self._paid: Counter[str] = Counter()

    def take(self, request: Request) -> Answer:
        """What to answer."""
        answer = super().take(request)
        if request.schema == EXTRACTION:
            self.requests.clear()  # thousands of prompts that nobody reads
            if not isinstance(answer, Fault):
                self._paid.update(said_in(request.prompt))
            time.sleep(self.pause)
        return answer

    def paid_again(self) -> int:
        """How often a message was paid for beyond the first time."""
        return sum(count - 1 for count in list(self._paid.values()))


def said_in(prompt: str) -> list[str]:
    """The messages of which an extraction's prompt asks for facts."""
    asked = _MESSAGES.search(prompt)
    return _MESSAGE.findall(asked[1]) if asked else []
