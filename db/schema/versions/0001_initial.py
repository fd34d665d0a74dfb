"""The whole schema, from the files of `db/schema/sql`. Each says at its top what it is about; read them in this order."""

from pathlib import Path
from typing import Final

from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

_SQL: Final = Path(__file__).parents[1] / "sql"
_FILES: Final = (
    *("namespaces", "lanes", "inbox", "messages", "stages"),
    *("memories", "entities", "decisions", "documents"),
    *("embeddings", "vocabulary", "identity"),
    *("erasure", "replay", "operation"),
    *("write_functions", "claims", "read_views"),
    *("policies", "statistics", "grants"),
)


def upgrade() -> None:
    """Run the files in the order in which they build on each other."""
    # The driver's own cursor: the files hold many statements, and a % in them is not a placeholder.
    cursor = op.get_bind().connection.cursor()
    for name in _FILES:
        cursor.execute((_SQL / f"{name}.sql").read_text(encoding="utf-8"))
