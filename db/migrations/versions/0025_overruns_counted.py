"""How often a stage of a batch ran for longer than it may is counted, so that it is not tried for ever."""

from pathlib import Path

from alembic import op

revision = "0025"
down_revision = "0024"
branch_labels = None
depends_on = None

_SQL = Path(__file__).parent / "0025_overruns_counted"


def upgrade() -> None:
    """A count beside those of the failures and of the crashes."""
    _run("counted")


def downgrade() -> None:
    """Back to counting an overrun as a crash."""
    _run("not_counted")


def _run(part: str) -> None:
    op.get_bind().connection.cursor().execute((_SQL / f"{part}.sql").read_text(encoding="utf-8"))
