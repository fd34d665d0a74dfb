"""A time is kept with the zone in which it was said: its day, and its time of day, are those of whoever said it."""

from pathlib import Path

from alembic import op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None

_SQL = Path(__file__).parent / "0020_where_it_was_said"


def upgrade() -> None:
    """Offsets from UTC beside the times of messages and memories, taken for those that are there from their events."""
    _run("offsets")


def downgrade() -> None:
    """Back to moments alone, which are shown in UTC."""
    _run("drop_offsets")


def _run(part: str) -> None:
    # A cursor of the driver's own: the scripts hold many statements, and a % in them is no placeholder.
    op.get_bind().connection.cursor().execute((_SQL / f"{part}.sql").read_text(encoding="utf-8"))
