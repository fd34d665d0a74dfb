"""The numbers and times of events are bounded: none is too large to compute with, and none lies more than a day ahead."""

from pathlib import Path

from alembic import op

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None

_SQL = Path(__file__).parent / "0023_within_bounds"


def upgrade() -> None:
    """Bounds for events that come, new numbers for those beyond, and times of arrival for those that lie ahead."""
    _run("bounded")


def downgrade() -> None:
    """Back to any number and any time."""
    _run("unbounded")


def _run(part: str) -> None:
    # A cursor of the driver's own: the scripts hold many statements.
    op.get_bind().connection.cursor().execute((_SQL / f"{part}.sql").read_text(encoding="utf-8"))
