"""What tells namesakes apart is compared in the order of the entities, whatever order it came in."""

from pathlib import Path

from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

_VERSIONS = Path(__file__).parent


def upgrade() -> None:
    """The table stays as it is, but for a column; the index holds most of it a second time."""
    _run("0006_side_by_side/evidence")


def downgrade() -> None:
    """Back to the fifth version's shape. Nothing is lost."""
    _run("0006_side_by_side/drop_evidence")
    _run("0003_true_memories/regrant")


def _run(part: str) -> None:
    # A cursor of the driver's own: the scripts hold many statements, and a % in them is no placeholder.
    op.get_bind().connection.cursor().execute((_VERSIONS / f"{part}.sql").read_text(encoding="utf-8"))
