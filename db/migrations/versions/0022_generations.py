"""What was said, replayed into a generation of memories beside the one that apps read, and the two may change places."""

from pathlib import Path

from alembic import op

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None

_SQL = Path(__file__).parent / "0022_generations"


def upgrade() -> None:
    """Says of each event when it took effect, and keeps what is replayed out of what apps list."""
    _run("two")


def downgrade() -> None:
    """Back to one generation. Drop what is replayed before ('python -m workers replay drop'): it becomes a namespace."""
    _run("one")


def _run(part: str) -> None:
    # A cursor of the driver's own: the scripts hold many statements.
    op.get_bind().connection.cursor().execute((_SQL / f"{part}.sql").read_text(encoding="utf-8"))
