"""Nothing of one tenant shows to another by the way, and what an LLM proposed in vain is told of."""

from pathlib import Path

from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None

_FOLDER = Path(__file__).parent / "0013_kept_apart"


def upgrade() -> None:
    """Views that no function of a reader's looks behind, no words in statistics, and a log of what was refused."""
    for part in ("views", "statistics", "refused"):
        _run(part)


def downgrade() -> None:
    """Back to the twelfth version's shape. Lost is the log of what was refused."""
    for part in ("drop_refused", "drop_statistics", "drop_views"):
        _run(part)


def _run(part: str) -> None:
    # A cursor of the driver's own: the scripts hold many statements, and a % in them is no placeholder.
    op.get_bind().connection.cursor().execute((_FOLDER / f"{part}.sql").read_text(encoding="utf-8"))
