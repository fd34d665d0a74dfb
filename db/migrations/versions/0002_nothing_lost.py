"""Order across publishers, leases that know their owner, crashes counted, dead letters, breakers and heartbeats of workers."""

from pathlib import Path

from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

_SQL = Path(__file__).parent / "0002_nothing_lost"


def upgrade() -> None:
    """Run the parts in the order in which they build on each other."""
    for part in ("tables", "security", "write", "read", "grants"):
        _run(part)


def downgrade() -> None:
    """Back to the first version's shape. What only this version knows is lost: dead letters, breakers, split batches."""
    _run("drop")
    for part in ("write", "read", "grants"):
        op.get_bind().connection.cursor().execute(_first(part))


def _run(part: str) -> None:
    # A cursor of the driver's own: the scripts hold many statements, and a % in them is no placeholder.
    op.get_bind().connection.cursor().execute((_SQL / f"{part}.sql").read_text(encoding="utf-8"))


def _first(part: str) -> str:
    return (Path(__file__).parent / "0001_first" / f"{part}.sql").read_text(encoding="utf-8")
