"""The wheel in an empty environment, beside an app with its own modules `db` and `config`."""

import json
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
from tests.acceptance.test_readme import python_with_output
from tests.unit.mosshead.embeddings.test_install import WHEEL, build_wheel

ROOT = Path(__file__).resolve().parents[2]
OF_THE_SERVICE = {"alembic", "celery", "flower", "honcho", "structlog", "torch"}
FOLDERS = ("config", "db", "pipeline", "workers")
SHADOWS = {name: f"raise SystemExit('the app has a {name} of its own')\n" for name in ("config", "db", "workers")}
APP = """\
import config, db
assert config.NAME == db.NAME == "the app's own"
import chat
chat.main()
"""


FIRST_MEMORY, REMEMBERED = python_with_output(ROOT / "README.md")[0]


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
    return install(wheel, tmp_path_factory.mktemp("app-environment"), extra="cli")


@pytest.fixture(scope="module")
def bare_environment(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return install(wheel, tmp_path_factory.mktemp("bare-environment"))


@pytest.fixture(scope="module")
def service_environment(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return install(wheel, tmp_path_factory.mktemp("service-environment"), extra="service")


def install(wheel: Path, folder: Path, extra: str = "") -> Path:
    """Install the wheel and its dependencies, taken from the test environment."""
    run(sys.executable, "-m", "venv", "--without-pip", folder)
    (packages,) = folder.glob("lib/python*/site-packages")
    for distribution in needed("pip", *requirements(wheel), extra=extra):
        for top in {file.parts[0] for file in distribution.files or ()} - {"..", "__pycache__"}:
            (packages / top).symlink_to(Path(str(distribution.locate_file(top))))
    # Without an index, so that any further requirement would be missing.
    wanted = f"{wheel}[{extra}]" if extra else wheel
    pip(folder, "install", "--quiet", "--no-compile", "--no-index", wanted)
    return folder


def requirements(wheel: Path) -> list[str]:
    """Return a wheel's requirements from its metadata."""
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        return message_from_bytes(archive.read(name)).get_all("Requires-Dist", [])


def needed(*requirements: str, extra: str = "") -> list[Distribution]:
    """Return the installed distributions that satisfy requirements, including extras, transitively."""
    found: dict[tuple[str, str], Distribution] = {}
    waiting = [(Requirement(one), extra) for one in requirements]
    while waiting:
        required, of = waiting.pop()
        if required.marker is None or required.marker.evaluate({"extra": of}):
            name = canonicalize_name(required.name)
            for wanted in {one for one in ("", *required.extras) if (name, one) not in found}:
                found[name, wanted] = distribution = metadata.distribution(name)
                waiting += [(Requirement(one), wanted) for one in distribution.requires or ()]
    return [distribution for (_, of), distribution in found.items() if not of]


def test_wheel_contains_only_mosshead(wheel: Path) -> None:
    tops = {name.split("/")[0] for name in zipfile.ZipFile(wheel).namelist()}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"mosshead"}
    assert any(name == "mosshead/py.typed" for name in zipfile.ZipFile(wheel).namelist())


def test_wheel_contains_the_service_as_data(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    carried = {name.removeprefix("mosshead/_service/") for name in names if name.startswith("mosshead/_service/")}
    files = (file for folder in FOLDERS for file in (ROOT / folder).rglob("*") if file.is_file())
    ours = {str(file.relative_to(ROOT)) for file in files if "__pycache__" not in file.parts}
    assert carried == {*ours, "Procfile", "examples/sample.jsonl"}


def test_plain_install_contains_no_service_or_command_dependencies(bare_environment: Path) -> None:
    installed = pip(bare_environment, "list", "--format=freeze").casefold()
    names = {line.split("==")[0] for line in installed.splitlines()}
    assert "mosshead" in names
    assert not names & (OF_THE_SERVICE | {"rich", "typer"})
    pip(bare_environment, "check")


def test_command_without_its_extra_names_the_extra(bare_environment: Path) -> None:
    run(bare_environment / "bin" / "python", "-P", "-c", "from mosshead import Memory")
    result = subprocess.run(
        [bare_environment / "bin" / "mosshead", "up"], capture_output=True, text=True, check=False, timeout=60
    )
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr.startswith("error: ")
    assert "pip install 'mosshead[service]'" in result.stderr
    assert "pip install 'mosshead[cli]'" in result.stderr


@pytest.mark.thorough
def test_index_install_adds_no_further_packages(wheel: Path, tmp_path: Path) -> None:
    """All dependencies come from the index, in the lock file's versions."""
    run(sys.executable, "-m", "venv", "--without-pip", tmp_path)
    constraints = tmp_path / "constraints.txt"
    pins = re.findall(r"^\S+==[^\\\n]*", (ROOT / "requirements.lock").read_text(), re.MULTILINE)
    constraints.write_text("\n".join(pins))
    pip(tmp_path, "install", "--quiet", "--no-compile", "--constraint", constraints, wheel)
    listed = pip(tmp_path, "list", "--format=freeze").splitlines()
    installed = {canonicalize_name(line.partition("==")[0]) for line in listed}
    assert installed == {canonicalize_name(one.name) for one in needed(*requirements(wheel))} | {"mosshead"}


def test_missing_model_error_says_what_to_do(environment: Path, running: Running, tmp_path: Path) -> None:
    variables = {**os.environ, **running.addresses.environment(), "MOSSHEAD_MODEL_DIR": str(tmp_path)}
    command = [str(environment / "bin" / "mosshead"), "query", "-n", "acme/anybody", "bread"]
    result = subprocess.run(
        command, env=variables, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60
    )
    assert result.returncode == 1
    assert "mosshead model install" in result.stderr
    assert "Traceback" not in result.stderr


def test_example_app_runs_beside_modules_with_the_same_names(
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


class App:
    """The folder of an app with modules named like the service's, where a user types commands."""

    def __init__(self, environment: Path, folder: Path) -> None:
        self.folder = folder / "app"
        self.folder.mkdir()
        for name, code in SHADOWS.items():
            (self.folder / f"{name}.py").write_text(code)
        kept = {
            name: value for name, value in os.environ.items() if not name.startswith(("OPENAI_", "MOSSHEAD_", "PYTHON"))
        }
        own = {
            "XDG_STATE_HOME": str(folder / "state"),
            "MOSSHEAD_MODEL_DIR": str(folder / "models"),
            "TMPDIR": str(folder),
        }
        self.variables = {**kept, **own, "MOSSHEAD_DEBOUNCE_SECONDS": "0.2"}
        self._binaries = environment / "bin"
        model = build_wheel(folder / WHEEL)
        self.types("mosshead", "model", "install", "--wheel", str(model))

    def types(self, command: str, *arguments: str) -> str:
        """Return a command's output."""
        return run(self._binaries / command, *arguments, env=self.variables, cwd=self.folder)


@pytest.fixture(scope="module")
def app(service_environment: Path, tmp_path_factory: pytest.TempPathFactory) -> App:
    return App(service_environment, tmp_path_factory.mktemp("a"))


def test_service_modules_are_not_importable_at_top_level(app: App) -> None:
    code = f"from importlib.util import find_spec; print([name for name in {FOLDERS} if find_spec(name)])"
    assert app.types("python", "-P", "-c", code) == "[]\n"


@pytest.mark.thorough
def test_demo_runs_from_the_wheel(app: App) -> None:
    assert json.loads(app.types("mosshead", "demo", "--json"))["answers"]


def test_service_from_the_wheel_starts_reports_status_and_stops(app: App) -> None:
    assert "Mosshead is up" in app.types("mosshead", "up", "--detach")
    try:
        assert json.loads(app.types("mosshead", "status", "--json"))["stuck"] is False
        assert "logs/up.log" in app.types("mosshead", "logs")
        assert app.types("python", "-P", "-c", FIRST_MEMORY) == REMEMBERED != ""
        assert "Nothing waits." in app.types("mosshead", "service", "lanes")
    finally:
        said = app.types("mosshead", "down")
    assert said == f"Mosshead is down; the data stays in {app.folder / '.mosshead'}\n"
    with pytest.raises(AssertionError, match="No service of this user runs on this machine"):
        app.types("mosshead", "down")
