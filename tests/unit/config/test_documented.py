"""Every setting is documented, and everything documented is a setting."""

import re
from pathlib import Path

import pytest

from config.settings import Settings, unknown_settings

ROOT = Path(__file__).resolve().parents[3]
NAMES = {str(field.validation_alias or f"MOSSHEAD_{name}".upper()) for name, field in Settings.model_fields.items()}
OF_THE_APP = {
    f"MOSSHEAD_{name}"
    for name in ("SPOOL_DIR", "SPOOL_BYTES", "SPOOL_KEEP_SECONDS", "SIGNING_KEY", "CONNECTIONS", "EMBEDDER_PROCESS")
}
PAGES = sorted(page.relative_to(ROOT).as_posix() for page in (ROOT / "docs").rglob("*.md"))
OF_OTHERS = {"MOSSHEAD_NAMESPACE", "MOSSHEAD_MODEL_DIR", "MOSSHEAD_CONCURRENCY", "MOSSHEAD_PASSWORD"}


@pytest.mark.parametrize("document", ["docs/reference/settings.md", ".env.example"])
def test_every_setting_is_documented(document: str) -> None:
    text = (ROOT / document).read_text(encoding="utf-8")
    assert {name for name in NAMES | OF_THE_APP if name not in text} == set()


@pytest.mark.parametrize("document", [*PAGES, ".env.example", "README.md", "docker-compose.yml"])
def test_everything_documented_is_a_setting(document: str) -> None:
    text = (ROOT / document).read_text(encoding="utf-8")
    assert set(re.findall(r"\bMOSSHEAD_[A-Z_]+[A-Z]\b", text)) <= NAMES | OF_THE_APP | OF_OTHERS


def test_no_setting_is_unknown() -> None:
    assert unknown_settings(dict.fromkeys(NAMES | OF_THE_APP | OF_OTHERS, "x")) == {}


def test_settings_allowed_under_compose_reach_the_containers() -> None:
    under_compose, _, _ = (
        (ROOT / ".env.example").read_text(encoding="utf-8").partition("Only where you run the service without")
    )
    of_the_service = {name for name in NAMES if re.search(rf"^#?{name}=", under_compose, re.MULTILINE)}
    compose = (ROOT / "docker-compose.yml").read_text(encoding="utf-8")
    assert {name for name in of_the_service if name not in compose} == set()
