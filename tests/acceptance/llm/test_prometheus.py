"""A real Prometheus scrapes the service with the shipped configuration, and the shipped dashboard's queries return data.

This needs Prometheus (`apt-get install prometheus`, or PROMETHEUS with its command), and is skipped without it.
"""

import json
import os
import re
import shutil
import subprocess
import urllib.request
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.parse import urlencode

import pytest

from tests.acceptance.running import Running
from workers.local import wait_until
from workers.local.ports import LOOPBACK, free_port

DEPLOY = Path(__file__).resolve().parents[3] / "deploy"
PROMETHEUS = os.environ.get("PROMETHEUS") or shutil.which("prometheus")
SOON_SECONDS = 90

pytestmark = pytest.mark.skipif(
    PROMETHEUS is None, reason="there is no Prometheus: apt-get install prometheus, or set PROMETHEUS to its command"
)


class Prometheus:
    """A running Prometheus."""

    def __init__(self, port: int) -> None:
        self._url = f"http://{LOOPBACK}:{port}/api/v1"

    def ask(self, path: str, **given: str) -> Any:
        """Return the data of an API answer."""
        with urllib.request.urlopen(f"{self._url}/{path}?{urlencode(given)}", timeout=10) as answer:
            return json.load(answer)["data"]

    def values(self, query: str) -> list[float]:
        """Return the current result of a query."""
        return [float(one["value"][1]) for one in self.ask("query", query=query)["result"]]

    def has_data(self, query: str) -> bool:
        """Whether a query returns data."""
        return self.values(query) != []

    def scrapes(self) -> bool:
        """Whether it has scraped the service."""
        try:
            return self.values('up{job="mosshead"}') == [1.0]
        except (URLError, OSError):
            return False


@pytest.fixture(scope="module")
def prometheus(running: Running, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Prometheus]:
    """Run Prometheus with the shipped files, except for the scheduler's address and the scrape interval."""
    assert PROMETHEUS is not None
    folder = tmp_path_factory.mktemp("prometheus")
    shipped = (DEPLOY / "prometheus.yml").read_text(encoding="utf-8")
    own = re.sub(r"(scrape_\w+: )\d+s", r"\g<1>1s", shipped.replace(":9471", f":{running.addresses.probe_port + 1}"))
    (folder / "prometheus.yml").write_text(own, encoding="utf-8")
    shutil.copy(DEPLOY / "prometheus-alerts.yml", folder)
    port = free_port()
    log = folder / "log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            [
                *(PROMETHEUS, f"--config.file={folder}/prometheus.yml", f"--storage.tsdb.path={folder}/data"),
                f"--web.listen-address={LOOPBACK}:{port}",
            ],
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    try:
        started = Prometheus(port)
        wait_until(lambda: process.poll() is not None or started.scrapes(), SOON_SECONDS, "Prometheus")
        assert process.poll() is None, log.read_text(errors="replace")
        yield started
    finally:
        process.terminate()
        process.wait(30)


def queries() -> list[str]:
    """Return the dashboard's queries, with its variables' initial values."""
    dashboard = json.loads((DEPLOY / "grafana-dashboard.json").read_text(encoding="utf-8"))
    variables = {one["name"]: one["query"] for one in dashboard["templating"]["list"] if one["type"] == "textbox"}
    asked = [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]
    return [re.sub(r"\$(\w+)", lambda found: variables[found[1]], one) for one in asked]


def test_every_dashboard_query_returns_data(running: Running, prometheus: Prometheus) -> None:
    nora = running.memory.namespace("acme", "nora")
    nora.publish("I collect stamps")
    nora.wait(timeout=90)

    for query in queries():
        wait_until(partial(prometheus.has_data, query), SOON_SECONDS, query)

    assert prometheus.values("max(mosshead_memories)")[0] >= 1
    assert prometheus.values('max(mosshead_lag_seconds{quantile="0.5"})')[0] > 0
    assert prometheus.values('sum(mosshead_batches_ended_last_5m{outcome="done"})')[0] >= 1
    assert prometheus.values("sum(mosshead_llm_prompt_tokens_last_5m)")[0] > 0


def test_dashboard_and_alerts_use_exactly_the_service_metrics(
    prometheus: Prometheus,
) -> None:
    names = {one for one in prometheus.ask("label/__name__/values") if one.startswith("mosshead_")}
    text = "\n".join(one.read_text(encoding="utf-8") for one in DEPLOY.iterdir() if one.is_file())

    assert set(re.findall(r"\bmosshead_\w+", text)) - {"mosshead_worker", "mosshead_reader", "mosshead_ingest"} == names


def test_idle_service_raises_no_alert(running: Running, prometheus: Prometheus) -> None:
    rules = prometheus.ask("rules")["groups"][0]["rules"]

    assert len(rules) >= 9
    assert {one["name"]: one["health"] for one in rules if one["health"] == "err"} == {}
    assert {one["name"] for one in rules if one["state"] == "firing"} <= {
        "MossheadDeadLetters"
    }  # other tests cause some
