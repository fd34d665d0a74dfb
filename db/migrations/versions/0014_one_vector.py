"""A scan of messages compares one vector of each: what it reads is half as wide."""

from pathlib import Path

from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None

_FOLDER = Path(__file__).parent / "0014_one_vector"


def upgrade() -> None:
    """The table of turns is written anew, and its indexes with it."""
    _run("one")


def downgrade() -> None:
    """Back to the thirteenth version's shape. Nothing is lost but indexes."""
    _run("both")


def _run(part: str) -> None:
    # A cursor of the driver's own: the scripts hold many statements.
    op.get_bind().connection.cursor().execute((_FOLDER / f"{part}.sql").read_text(encoding="utf-8"))
