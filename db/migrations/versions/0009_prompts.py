"""Prompts in versions, and the feedback that improves them."""

from pathlib import Path

from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

_SQL = Path(__file__).parent / "0009_prompts"


def upgrade() -> None:
    """The tables, their policies, views and grants."""
    _run("prompts")


def downgrade() -> None:
    """Back to the shape before. Prompts, their feedback and what was decided about them are lost."""
    _run("drop_prompts")


def _run(part: str) -> None:
    # A cursor of the driver's own: the scripts hold many statements, and a % in them is no placeholder.
    op.get_bind().connection.cursor().execute((_SQL / f"{part}.sql").read_text(encoding="utf-8"))
