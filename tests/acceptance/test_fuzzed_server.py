"""schemathesis on the OpenAPI document of a running server: no valid or nearly valid request makes the server fail.

This needs schemathesis in a separate environment (CONTRIBUTING.md), and is skipped without one.
"""

import os
import subprocess
from pathlib import Path

import pytest

from tests.acceptance.running import Running
from tests.acceptance.serving import served

SCHEMATHESIS = Path(os.environ.get("SCHEMATHESIS", ".venv-fuzz/bin/schemathesis"))
CHECKS = """
    not_a_server_error status_code_conformance content_type_conformance response_schema_conformance ignored_auth
    unsupported_method
""".split()

pytestmark = [
    pytest.mark.thorough,
    pytest.mark.skipif(not SCHEMATHESIS.exists(), reason="schemathesis is not installed"),
]


@pytest.mark.parametrize(
    ("phases", "config"),
    [("coverage,fuzzing", ""), ("fuzzing,stateful", '[parameters]\n"query.namespace" = "acme/sarah"\n')],
    ids=["any namespace", "a namespace that the token opens"],
)
def test_no_request_makes_the_server_fail(running: Running, tmp_path: Path, phases: str, config: str) -> None:
    (tmp_path / "schemathesis.toml").write_text(config)
    with served(running.addresses, tmp_path, "--rate", "100000", "--burst", "100000") as server:
        token = server.token("acme/sarah", "read,write,erase")
        command = [
            *(
                str(SCHEMATHESIS.absolute()),
                "--config-file",
                "schemathesis.toml",
                "run",
                f"{server.address}/openapi.json",
                "--checks",
                ",".join(CHECKS),
            ),
            *("--header", f"Authorization: Bearer {token}", "--continue-on-failure", "--seed", "1"),
            *("--phases", phases, "--no-color"),
        ]
        found = subprocess.run(command, cwd=tmp_path, check=False, capture_output=True, text=True, timeout=3_000)
        print(found.stdout)
        print(server.log()[-20_000:])
    assert found.returncode == 0, found.stdout[-20_000:]
