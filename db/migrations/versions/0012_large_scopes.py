"""Words of large namespaces are looked up, and no longer scanned for."""

from pathlib import Path

from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None

_FOLDER = Path(__file__).parent / "0012_large_scopes"


def upgrade() -> None:
    """A function that looks, and a role for it. Large scopes count as not indexed until they have all of their indexes."""
    _run("words")


def downgrade() -> None:
    """Back to the eleventh version's shape. Nothing is lost but indexes."""
    _run("drop_words")


def _run(part: str) -> None:
    # A cursor of the driver's own: the scripts hold many statements, and a % in them is no placeholder.
    op.get_bind().connection.cursor().execute((_FOLDER / f"{part}.sql").read_text(encoding="utf-8"))
