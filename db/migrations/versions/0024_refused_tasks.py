"""Counts of what workers refuse from Celery's queues."""

from pathlib import Path

from alembic import op

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None

_SQL = Path(__file__).parent / "0024_refused_tasks"


def upgrade() -> None:
    """Makes the table of counts; it begins empty."""
    _run("counts")


def downgrade() -> None:
    """Back to refusals that only the logs tell of."""
    _run("no_counts")


def _run(part: str) -> None:
    # A cursor of the driver's own: the scripts hold many statements.
    op.get_bind().connection.cursor().execute((_SQL / f"{part}.sql").read_text(encoding="utf-8"))
