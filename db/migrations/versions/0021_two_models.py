"""Another embedding model for a database in use: a second lives beside the first until it has what there is, and takes over."""

from pathlib import Path

from alembic import op

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None

_SQL = Path(__file__).parent / "0021_two_models"


def upgrade() -> None:
    """Says of each model whether apps may read with it, and of each worker with which it embeds."""
    _run("two")


def downgrade() -> None:
    """Back to a database with one model. What a second has stays where it is, and nobody reads with it."""
    _run("one")


def _run(part: str) -> None:
    # A cursor of the driver's own: the scripts hold many statements.
    op.get_bind().connection.cursor().execute((_SQL / f"{part}.sql").read_text(encoding="utf-8"))
