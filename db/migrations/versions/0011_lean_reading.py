"""What reading scans lies side by side, and scores words with one product: a context takes a third of the time."""

from pathlib import Path

from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None

_VERSIONS = Path(__file__).parent
_PARTS = ("terms", "vocabulary")


def upgrade() -> None:
    """Both scanned tables are written anew once, with a column of weighted words; indexes repeat most of them."""
    for part in _PARTS:
        _run(f"0011_lean_reading/{part}")
    _run("0003_true_memories/regrant")


def downgrade() -> None:
    """Back to the tenth version's shape. Nothing is lost that does not follow from the words."""
    for part in reversed(_PARTS):
        _run(f"0011_lean_reading/drop_{part}")
    _run("0003_true_memories/regrant")


def _run(part: str) -> None:
    # A cursor of the driver's own: the scripts hold many statements, and a % in them is no placeholder.
    op.get_bind().connection.cursor().execute((_VERSIONS / f"{part}.sql").read_text(encoding="utf-8"))
