"""The Celery app's settings, where they depend on each other or on the environment."""

import os
import re
import subprocess
import sys
from pathlib import Path

from honcho.environ import parse_procfile

from config.settings import settings
from db.lanes import REFLECT, STAGES
from workers.celery_app import app
from workers.connections import TaskConnection
from workers.transport import QUEUES

ROOT = Path(__file__).resolve().parents[3]


def test_addresses_of_an_apps_own_celery_are_not_used() -> None:
    # Celery's command line turns BROKER_URL into the first before it loads an app.
    names = ("CELERY_BROKER_URL", "CELERY_BROKER_READ_URL", "CELERY_BROKER_WRITE_URL", "CELERY_RESULT_BACKEND")
    environment = dict.fromkeys(names, "redis://theirs") | {"MOSSHEAD_BROKER_URL": "redis://ours"}
    code = """
from workers.celery_app import app
from workers.connections import TaskConnection
print(app.conf.broker_url, app.conf.broker_read_url, app.conf.broker_write_url, app.conf.result_backend)
"""
    ended = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    assert ended.stdout.split() == ["redis://ours", "redis://ours", "redis://ours", "None"]


def test_a_worker_and_flower_name_what_is_wrong_with_the_broker_s_address() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", "from workers.celery_app import app; app.conf.broker_url"],
        cwd=ROOT,
        env={**os.environ, "MOSSHEAD_BROKER_URL": "amqp://:s3cret@one;amqp://:s3cret@two"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 1
    assert ended.stderr.startswith("mosshead: MOSSHEAD_BROKER_URL: separate several hosts by commas")
    assert "s3cret" not in ended.stderr


def test_rabbitmq_s_queues_of_tasks_outlive_a_node() -> None:
    assert {app.amqp.queues.new_missing(queue).queue_arguments["x-queue-type"] for queue in QUEUES.values()} == {
        "quorum"
    }


def test_a_pooled_connection_verifies_rabbitmq_as_any_other() -> None:
    with TaskConnection("amqps://one/memory?ssl_ca_certs=/ca.pem") as connection:  # type: ignore[no-untyped-call]
        pooled = connection.Pool(1).acquire()
        assert isinstance(pooled, TaskConnection)
        assert pooled.ssl == connection.ssl
        assert pooled.ssl["context"] == {"cafile": "/ca.pem", "check_hostname": True}


def test_task_is_killed_after_its_stage_timed_out_and_before_its_message_is_redelivered() -> None:
    limit = app.conf.task_time_limit
    assert settings().stage_seconds < limit < app.conf.broker_transport_options["visibility_timeout"]


def test_each_stage_has_a_queue_that_the_worker_consumes() -> None:
    command = parse_procfile((ROOT / "Procfile").read_text()).processes["worker"]
    compose = (ROOT / "docker-compose.yml").read_text()
    kubernetes = (ROOT / "deploy" / "kubernetes" / "mosshead.yaml").read_text()
    for line in (command, compose, kubernetes):
        (queues,) = set(re.findall(r"--queues=(\S+)", line))
        assert set(queues.split(",")) == {QUEUES[stage] for stage in (*STAGES, REFLECT)}
