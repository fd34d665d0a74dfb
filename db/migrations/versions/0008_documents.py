"""Documents with their versions, what a namespace wants formed beside its memories, and decisions about documents."""

from pathlib import Path

from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

_VERSIONS = Path(__file__).parent


def upgrade() -> None:
    """A row of a document becomes a version of it."""
    _run("0008_documents/documents")
    _run("0003_true_memories/regrant")


def downgrade() -> None:
    """Back to the seventh version's shape. Earlier versions of documents are lost, and what was decided about them."""
    _run("0008_documents/drop_documents")
    _run("0003_true_memories/regrant")


def _run(part: str) -> None:
    # A cursor of the driver's own: the scripts hold many statements, and a % in them is no placeholder.
    op.get_bind().connection.cursor().execute((_VERSIONS / f"{part}.sql").read_text(encoding="utf-8"))
