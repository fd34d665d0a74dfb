"""Import chats of other apps through the real queue and workers; repeating an import changes nothing."""

import json
import os
import subprocess
import sys
from pathlib import Path
from uuid import UUID

from tests.acceptance.running import Running

SAMPLES = Path(__file__).parents[1] / "data" / "history"
TABLES = ("events", "messages", "conversations", "memories", "memory_sources", "entities", "decisions")


def test_importing_every_sample_twice_adds_no_events_messages_or_memories(running: Running) -> None:
    for sample in sorted(SAMPLES.iterdir()):
        sarah = running.memory.namespace("history", sample.name)
        mosshead(running, "import", sample, "--namespace", str(sarah.path), "--wait", "90")
        first = rows_of(running, sarah.path.namespace_id)
        mosshead(running, "import", sample, "--namespace", str(sarah.path), "--wait", "90")

        assert first["events"], sample.name
        if sample.name == "mem0.json":  # memory lines are sent as an event per import, which finds them known
            first["events"] += 1
        assert rows_of(running, sarah.path.namespace_id) == first, sample.name
    assert {"User lives in Leeds"} <= {
        one.content for one in running.memory.namespace("history", "chatgpt.json").memories()
    }


def test_export_in_many_portions_takes_effect_in_chronological_order(running: Running, tmp_path: Path) -> None:
    lines = [
        {
            "role": "user",
            "content": f"My lucky number {number} is {number * 7}",
            "conversation": f"c{number // 10}",
            "occurred_at": f"2024-05-01T{number // 60:02}:{number % 60:02}:00Z",
        }
        for number in range(120)
    ]
    file = tmp_path / "said.jsonl"
    file.write_text("\n".join(json.dumps(line) for line in reversed(lines)), encoding="utf-8")
    tom = running.memory.namespace("history", "tom")

    mosshead(running, "import", file, "--namespace", str(tom.path))
    left = mosshead(running, "progress", "--follow", "--namespace", str(tom.path))

    assert left == "0 events to be received, 0 received and to take effect\n"
    stored = running.rows(
        "select payload ->> 'content' from mosshead.events "
        f"where namespace_id = '{tom.path.namespace_id}' and state = 'done' order by effective_at"
    )
    assert [int(content.split()[3]) for (content,) in stored] == list(range(120))


def mosshead(running: Running, *arguments: object) -> str:
    """Run a command in a separate process; return its output."""
    addresses = {
        "MOSSHEAD_DATABASE_URL": running.addresses.database_url,
        "MOSSHEAD_BROKER_URL": running.addresses.broker_url,
    }
    command = [sys.executable, "-c", "from mosshead.cli.main import main; main()", *map(str, arguments)]
    done = subprocess.run(command, env={**os.environ, **addresses}, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def rows_of(running: Running, namespace_id: UUID) -> dict[str, int]:
    """Return the number of a namespace's rows in each table."""
    counts = (f"(select count(*) from mosshead.{table} where namespace_id = '{namespace_id}')" for table in TABLES)
    (found,) = running.rows(f"select {', '.join(counts)}")
    return dict(zip(TABLES, found, strict=True))
