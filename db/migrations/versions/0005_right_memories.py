"""What reading scans: words beside the vectors of memories, a row for each message, and which scopes have outgrown a scan."""

from pathlib import Path

from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

_VERSIONS = Path(__file__).parent
_PARTS = ("words", "turns", "scopes", "ahead")


def upgrade() -> None:
    """Each part brings its tables, policies, views and grants, in an order in which they build on each other."""
    for part in _PARTS:
        _run(f"0005_right_memories/{part}")
    _run("0003_true_memories/regrant")


def downgrade() -> None:
    """Back to the fourth version's shape. Vectors of messages are lost, and so are the indexes of large scopes."""
    for part in reversed(_PARTS):
        _run(f"0005_right_memories/drop_{part}")
    _run("0003_true_memories/regrant")


def _run(part: str) -> None:
    # A cursor of the driver's own: the scripts hold many statements, and a % in them is no placeholder.
    op.get_bind().connection.cursor().execute((_VERSIONS / f"{part}.sql").read_text(encoding="utf-8"))
