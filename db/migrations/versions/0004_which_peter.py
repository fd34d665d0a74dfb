"""Entities that are asked about, merged, split and brought from elsewhere; what tells namesakes apart; profiles with a timer."""

from pathlib import Path

from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

_VERSIONS = Path(__file__).parent
_PARTS = ("imports", "identity", "evidence", "profiles")


def upgrade() -> None:
    """Each part brings its tables, policies, views and grants, in an order in which they build on each other."""
    for part in _PARTS:
        _run(f"0004_which_peter/{part}")
    _run("0003_true_memories/regrant")


def downgrade() -> None:
    """Back to the third version's shape. What only this version knows is lost: keys, questions with their answers, merges."""
    _run("0004_which_peter/drop_views")
    for part in reversed(_PARTS):
        _run(f"0004_which_peter/drop_{part}")
    for part in ("0001_first/read", "0002_nothing_lost/read", "0003_true_memories/read"):
        _run(part)
    _run("0003_true_memories/grants")


def _run(part: str) -> None:
    # A cursor of the driver's own: the scripts hold many statements, and a % in them is no placeholder.
    op.get_bind().connection.cursor().execute((_VERSIONS / f"{part}.sql").read_text(encoding="utf-8"))
