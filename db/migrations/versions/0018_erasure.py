"""Erasure: what is to be gone is gone from the tables, and what still travels does not bring it back."""

from pathlib import Path

from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None

_SQL = Path(__file__).parent / "0018_erasure"


def upgrade() -> None:
    """The table of erasures with its view, and the fence at the inbox."""
    _run("erasures")


def downgrade() -> None:
    """Back to the shape before. Receipts are lost, and with them the fence; what waits to be erased becomes a dead letter."""
    _run("drop_erasures")


def _run(part: str) -> None:
    # A cursor of the driver's own: the scripts hold many statements, and a % in them is no placeholder.
    op.get_bind().connection.cursor().execute((_SQL / f"{part}.sql").read_text(encoding="utf-8"))
