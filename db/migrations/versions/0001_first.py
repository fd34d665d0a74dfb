"""The tables, their row-level security, the read views (version 1) and the one write function (version 1)."""

from pathlib import Path

from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

_SQL = Path(__file__).parent / "0001_first"


def upgrade() -> None:
    """Run the parts in the order in which they build on each other."""
    for part in ("tables", "security", "write", "read", "grants"):
        _run(part)


def downgrade() -> None:
    """Take everything away again, memories included."""
    op.get_bind().exec_driver_sql("drop schema mosshead_read_v1, mosshead_write_v1 cascade")
    _run("drop")


def _run(part: str) -> None:
    # A cursor of the driver's own: the scripts hold many statements, and a % in them is no placeholder.
    op.get_bind().connection.cursor().execute((_SQL / f"{part}.sql").read_text(encoding="utf-8"))
