"""The wheel in an empty environment, beside an app that has modules called `db` and `config` of its own."""

import os
import re
import shutil
import subprocess
import sys
import zipfile
from email import message_from_bytes
from importlib import metadata
from importlib.metadata import Distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.acceptance.running import Running
from tests.unit.mosshead.embeddings.test_install import WHEEL, build_wheel

ROOT = Path(__file__).resolve().parents[2]
OF_THE_SERVICE = {"alembic", "celery", "flower", "honcho", "structlog", "torch"}
APP = """\
import config, db
assert config.NAME == db.NAME == "the app's own"
import chat
chat.main()
"""


def run(*command: str | Path, **options: object) -> str:
    result = subprocess.run(
        list(map(str, command)), capture_output=True, text=True, check=False, timeout=300, **options
    )  # type: ignore[call-overload]
    assert result.returncode == 0, result.stdout + result.stderr
    return str(result.stdout)


def pip(environment: Path, *command: str | Path) -> str:
    return run(sys.executable, "-m", "pip", "--python", environment / "bin" / "python", *command)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    run(
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "--quiet",
        "--no-deps",
        "--no-build-isolation",
        "--wheel-dir",
        folder,
        ROOT,
    )
    (built,) = folder.glob("mosshead-*.whl")
    return built


@pytest.fixture(scope="module")
def environment(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment that holds the wheel and what it depends on, taken from the environment of the tests."""
    folder = tmp_path_factory.mktemp("app-environment")
    run(sys.executable, "-m", "venv", "--without-pip", folder)
    (packages,) = folder.glob("lib/python*/site-packages")
    for distribution in needed("pip", *requirements(wheel)):
        for top in {file.parts[0] for file in distribution.files or ()} - {"..", "__pycache__"}:
            (packages / top).symlink_to(Path(str(distribution.locate_file(top))))
    # Without an index: whatever the wheel requires beyond that would be missing.
    pip(folder, "install", "--quiet", "--no-compile", "--no-index", wheel)
    return folder


def requirements(wheel: Path) -> list[str]:
    """What a wheel requires, by its metadata."""
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        return message_from_bytes(archive.read(name)).get_all("Requires-Dist", [])


def needed(*requirements: str) -> list[Distribution]:
    """What meets some requirements, and theirs in turn, as it is installed here."""
    found: dict[tuple[str, str], Distribution] = {}
    waiting = [(Requirement(one), "") for one in requirements]
    while waiting:
        required, extra = waiting.pop()
        if required.marker is None or required.marker.evaluate({"extra": extra}):
            name = canonicalize_name(required.name)
            for wanted in {extra for extra in ("", *required.extras) if (name, extra) not in found}:
                found[name, wanted] = distribution = metadata.distribution(name)
                waiting += [(Requirement(one), wanted) for one in distribution.requires or ()]
    return [distribution for (_, extra), distribution in found.items() if not extra]


def test_the_wheel_holds_mosshead_alone(wheel: Path) -> None:
    tops = {name.split("/")[0] for name in zipfile.ZipFile(wheel).namelist()}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"mosshead"}
    assert any(name == "mosshead/py.typed" for name in zipfile.ZipFile(wheel).namelist())


def test_it_brings_nothing_of_the_service(environment: Path) -> None:
    installed = pip(environment, "list", "--format=freeze").casefold()
    names = {line.split("==")[0] for line in installed.splitlines()}
    assert "mosshead" in names
    assert not names & OF_THE_SERVICE
    pip(environment, "check")


@pytest.mark.thorough
def test_an_index_brings_nothing_more(wheel: Path, tmp_path: Path) -> None:
    """All that it depends on comes from the index, at the versions of the lock file."""
    run(sys.executable, "-m", "venv", "--without-pip", tmp_path)
    constraints = tmp_path / "constraints.txt"
    pins = re.findall(r"^\S+==[^\\\n]*", (ROOT / "requirements.lock").read_text(), re.MULTILINE)
    constraints.write_text("\n".join(pins))
    pip(tmp_path, "install", "--quiet", "--no-compile", "--constraint", constraints, wheel)
    installed = {line.split("==")[0] for line in pip(tmp_path, "list", "--format=freeze").casefold().splitlines()}
    assert installed == {canonicalize_name(one.name) for one in needed(*requirements(wheel))} | {"mosshead"}


def test_without_the_model_it_says_what_to_do(environment: Path, running: Running, tmp_path: Path) -> None:
    variables = {**os.environ, **running.addresses.environment(), "MOSSHEAD_MODEL_DIR": str(tmp_path)}
    command = [str(environment / "bin" / "mosshead"), "query", "-n", "acme/anybody", "bread"]
    result = subprocess.run(
        command, env=variables, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60
    )
    assert result.returncode == 1
    assert "mosshead model install" in result.stderr
    assert "Traceback" not in result.stderr


def test_the_example_app_runs_beside_modules_of_the_same_names(
    environment: Path, running: Running, tmp_path: Path
) -> None:
    shutil.copy(ROOT / "examples" / "by_hand.py", tmp_path / "chat.py")
    (tmp_path / "db").mkdir()
    (tmp_path / "db" / "__init__.py").write_text('NAME = "the app\'s own"\n')
    (tmp_path / "config.py").write_text('NAME = "the app\'s own"\n')
    (tmp_path / "app.py").write_text(APP)
    variables = {name: value for name, value in os.environ.items() if not name.startswith(("OPENAI_", "MOSSHEAD_"))}
    variables |= {
        name: running.addresses.environment()[name] for name in ("MOSSHEAD_DATABASE_URL", "MOSSHEAD_BROKER_URL")
    }
    variables["MOSSHEAD_MODEL_DIR"] = str(tmp_path / "models")
    python = environment / "bin" / "python"
    model = build_wheel(tmp_path / WHEEL)
    run(environment / "bin" / "mosshead", "model", "install", "--wheel", model, env=variables, cwd=tmp_path)

    said = "I keep bees behind the house\nquit\n"
    run(python, "app.py", input=said, env=variables, cwd=tmp_path)
    sarah = running.memory.namespace("acme", "sarah_123")
    running.eventually(
        lambda: any("bees" in memory.content for memory in sarah.memories()), "the app's turn is remembered"
    )
    answer = run(python, "app.py", input="Where are my bees?\nquit\n", env=variables, cwd=tmp_path)

    assert "bees behind the house" in answer
