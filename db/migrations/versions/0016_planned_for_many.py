"""Statements are planned for namespaces of some thousand rows, however small most of them are."""

from pathlib import Path

from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None

_FOLDER = Path(__file__).parent / "0016_planned_for_many"


def upgrade() -> None:
    """What Postgres takes a namespace for (docs/decisions/0024-planned-for-thousands.md), and an index of conversations."""
    _run("thousands")


def downgrade() -> None:
    """Back to the fifteenth version's shape."""
    _run("average")


def _run(part: str) -> None:
    # A cursor of the driver's own: the scripts hold many statements.
    op.get_bind().connection.cursor().execute((_FOLDER / f"{part}.sql").read_text(encoding="utf-8"))
