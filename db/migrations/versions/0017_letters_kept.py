"""Names are compared with the marks that make other letters: パリ is Paris, and バリ is Bali."""

from pathlib import Path

from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None

_FOLDER = Path(__file__).parent / "0017_letters_kept"


def upgrade() -> None:
    """Writes anew how the names in kana, and in the scripts of India and further east, are compared."""
    _run("kept")


def downgrade() -> None:
    """Back to the sixteenth version's way, which told some of them from nobody."""
    _run("dropped")


def _run(part: str) -> None:
    # A cursor of the driver's own: a backslash or a % in the scripts is no placeholder.
    op.get_bind().connection.cursor().execute((_FOLDER / f"{part}.sql").read_text(encoding="utf-8"))
