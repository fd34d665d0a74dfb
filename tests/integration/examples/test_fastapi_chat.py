"""The FastAPI example streams its answers, uses only what it remembers of that user, and is shown on the web-apps page."""

from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from fastapi.testclient import TestClient

from db.keys import LaneRef
from mosshead.paths import NamespacePath
from tests.fake_openai import FakeOpenAI
from tests.given import MINILM, Remembering
from workers.local import Addresses

ROOT = Path(__file__).parents[3]
QUESTION = {"messages": [{"role": "user", "content": "What is my dog called?"}]}


@pytest.fixture
def app(addresses: Addresses, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[TestClient]:
    monkeypatch.setenv("MOSSHEAD_DATABASE_URL", addresses.database_url)
    monkeypatch.setenv("MOSSHEAD_BROKER_URL", addresses.broker_url)
    monkeypatch.setenv("MOSSHEAD_SPOOL_DIR", str(tmp_path))
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    with FakeOpenAI() as fake:
        monkeypatch.setenv("OPENAI_BASE_URL", fake.base_url)
        from examples.fastapi_chat import app

        with TestClient(app) as client:
            yield client


def test_each_user_gets_only_their_own_memories(app: TestClient, remembering: Remembering) -> None:
    user = uuid4().hex
    path = NamespacePath.of(("acme", user))
    known = "User's dog is called Biscuit"
    Remembering(remembering._engine, LaneRef(path.tenant_id, path.namespace_id)).memory(known, MINILM.embed([known])[0])

    def told(whom: str) -> str:
        answer = app.post(f"/chat/{whom}/c1", json=QUESTION)
        assert answer.status_code == 200
        return answer.text

    # On a busy machine the first notes may come too late for their answer, and are used for the next.
    assert any(told(user) == f"You told me: {known}." for _ in range(20))
    assert told("nobody") == "You have not told me."


def test_web_apps_page_shows_the_example() -> None:
    source = (ROOT / "examples" / "fastapi_chat.py").read_text(encoding="utf-8")
    shown = source[source.index("@asynccontextmanager") : source.index("@app.post")].strip()
    assert shown in (ROOT / "docs" / "how-to" / "publish.md").read_text(encoding="utf-8")
