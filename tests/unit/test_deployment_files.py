"""Files for Docker and Kubernetes, neither of which is available here: they are parsed, and what they name must exist."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]

from config.settings import Settings
from tests.unit.test_commands import parse_mosshead

ROOT = Path(__file__).parents[2]
KUBERNETES = ROOT / "deploy" / "kubernetes"
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text(encoding="utf-8"))
MANIFESTS: list[dict[str, Any]] = [
    manifest for file in sorted(KUBERNETES.glob("*.yaml")) for manifest in yaml.safe_load_all(file.read_text("utf-8"))
]
PODS = [manifest for manifest in MANIFESTS if "template" in manifest["spec" if "spec" in manifest else "data"]]
OF_COMPOSE = {
    *("image", "build", "command", "environment", "restart", "healthcheck", "depends_on", "ports", "volumes", "tmpfs"),
    *("profiles", "shm_size", "stop_grace_period", "init", "cap_drop", "security_opt", "extra_hosts"),
}


def check_command(words: list[str]) -> None:
    """Check that the image's command is one of ours with all its options, or starts Celery on an app of ours."""
    program, *arguments = words
    if program == "mosshead":
        parse_mosshead([re.sub(r"\$\{\w+:-(\w+)\}", r"\1", word) for word in arguments])
    else:
        (app,) = (word.removeprefix("--app=") for word in arguments if word.startswith("--app="))
        assert program == "celery"
        assert (ROOT / f"{app.replace('.', '/')}.py").is_file()


@pytest.mark.parametrize("name", COMPOSE["services"])
def test_compose_service_starts_what_exists_and_waits_for_existing_services(name: str) -> None:
    service = COMPOSE["services"][name]
    assert set(service) <= OF_COMPOSE
    assert {"image", "build"} & set(service)
    assert set(service.get("depends_on", ())) <= set(COMPOSE["services"])
    for volume in service.get("volumes", ()):
        source = volume.partition(":")[0]
        assert (ROOT / source).exists() if source.startswith(".") else source in COMPOSE["volumes"]
    if name not in {"postgres", "redis"}:
        check_command(service["command"])


@pytest.mark.parametrize("manifest", PODS, ids=lambda manifest: manifest["metadata"]["name"])
def test_pod_starts_what_exists_and_its_probes_use_a_port_it_has(manifest: dict[str, Any]) -> None:
    labels = manifest["spec"]["template"].get("metadata", {}).get("labels")
    assert manifest["spec"].get("selector", {"matchLabels": labels})["matchLabels"] == labels
    (container,) = manifest["spec"]["template"]["spec"]["containers"]
    check_command([word.replace("$(MOSSHEAD_CONCURRENCY)", "2") for word in container["args"]])
    ports = {port["name"]: port["containerPort"] for port in container.get("ports", ())}
    probed = {container[probe]["httpGet"]["port"] for probe in container if probe.endswith("Probe")}
    assert probed == set(ports)
    first = Settings().probe_port
    assert set(ports.values()) <= {first, first + 1, first + 2}


def test_everything_a_manifest_refers_to_exists_or_is_created_as_its_file_says() -> None:
    made = {(one["kind"], one["metadata"]["name"]) for one in MANIFESTS}
    text = (KUBERNETES / "mosshead.yaml").read_text(encoding="utf-8")
    made |= {("Secret", name) for name in re.findall(r"kubectl create secret generic (\S+)", text)}
    for manifest in PODS:
        (container,) = manifest["spec"]["template"]["spec"]["containers"]
        for source in container["envFrom"]:
            ((kind, reference),) = source.items()
            assert ({"configMapRef": "ConfigMap", "secretRef": "Secret"}[kind], reference["name"]) in made
    for scaler in (one for one in MANIFESTS if "scaleTargetRef" in one.get("spec", {})):
        target = scaler["spec"]["scaleTargetRef"]
        assert (target.get("kind", "Deployment"), target["name"]) in made


def test_invalid_command_would_be_detected() -> None:
    with pytest.raises(KeyError, match="quarry"):
        check_command(["mosshead", "quarry"])
