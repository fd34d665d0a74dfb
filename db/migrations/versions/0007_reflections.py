"""What is to be thought over once a conversation rests: reflections, due by a timer of their lane."""

from pathlib import Path

from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

_SQL = Path(__file__).parent / "0007_reflections"


def upgrade() -> None:
    """The tables, the lane's timer, and what progress says of them."""
    _run("reflections")


def downgrade() -> None:
    """Back to the sixth version's shape. What was dirty is lost: its reflections come with what is said next."""
    _run("drop_reflections")


def _run(part: str) -> None:
    # A cursor of the driver's own: the scripts hold many statements, and a % in them is no placeholder.
    op.get_bind().connection.cursor().execute((_SQL / f"{part}.sql").read_text(encoding="utf-8"))
