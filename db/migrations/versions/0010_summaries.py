"""What was said in a conversation, summed up: made on request, kept up as it goes on."""

from pathlib import Path

from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

_SQL = Path(__file__).parent / "0010_summaries"


def upgrade() -> None:
    """The table, and the view on it."""
    _run("summaries")


def downgrade() -> None:
    """Back to the shape before. The summaries are lost: they come again when an app asks for them."""
    _run("drop_summaries")


def _run(part: str) -> None:
    # A cursor of the driver's own: the scripts hold many statements, and a % in them is no placeholder.
    op.get_bind().connection.cursor().execute((_SQL / f"{part}.sql").read_text(encoding="utf-8"))
