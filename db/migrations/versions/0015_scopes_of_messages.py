"""A namespace with many messages and few memories gets indexes for those."""

from pathlib import Path

from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None

_FOLDER = Path(__file__).parent / "0015_scopes_of_messages"


def upgrade() -> None:
    """Messages are counted beside memories, and have indexes or not by themselves."""
    _run("apart")


def downgrade() -> None:
    """Back to the fourteenth version's shape, in which a scope has all indexes or none: those of messages alone are dropped."""
    _run("together")


def _run(part: str) -> None:
    # A cursor of the driver's own: the scripts hold many statements.
    op.get_bind().connection.cursor().execute((_FOLDER / f"{part}.sql").read_text(encoding="utf-8"))
