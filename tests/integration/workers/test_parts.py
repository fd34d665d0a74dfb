"""The parts of a process, and of a process forked from it."""

import os
import subprocess
import sys

from config.settings import Settings
from workers.local.processes import ROOT

# In its own interpreter: a fork of this one would copy locks held by its threads.
FORK = """
import os
from celery import signals
from sqlalchemy import text
import workers.worker
from workers.dependencies import parts

def backend():
    with parts().engine.begin() as connection:
        return connection.execute(text("select pg_backend_pid()")).scalar_one()

of_parent = backend()
ours, theirs = os.pipe()
if not os.fork():
    signals.worker_process_init.send(sender=None)
    os.write(theirs, str(backend()).encode())
    os._exit(0)
os.wait()
print(of_parent, os.read(ours, 100).decode(), backend())
"""


def test_parent_and_child_share_no_connection_and_the_parent_keeps_its_own(service: Settings) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", FORK],
        cwd=ROOT,
        env=dict(os.environ),
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    before, of_child, after = ended.stdout.split()
    assert of_child != before
    assert after == before
