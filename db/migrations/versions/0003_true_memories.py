"""Decisions that can be undone and read as of a time, contradictions and edges, what the app wants of a namespace, budgets."""

from pathlib import Path

from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

_VERSIONS = Path(__file__).parent


def upgrade() -> None:
    """Run the parts in the order in which they build on each other."""
    for part in ("tables", "security", "read", "grants"):
        _run(f"0003_true_memories/{part}")


def downgrade() -> None:
    """Back to the second version's shape. What only this version knows is lost: what was undone, history of links, edges."""
    _run("0003_true_memories/drop")
    for part in ("0001_first/read", "0002_nothing_lost/read"):
        _run(part)
    _run("0003_true_memories/regrant")


def _run(part: str) -> None:
    # A cursor of the driver's own: the scripts hold many statements, and a % in them is no placeholder.
    op.get_bind().connection.cursor().execute((_VERSIONS / f"{part}.sql").read_text(encoding="utf-8"))
