"""What pg_dump reads besides the tables' rows is there for the role that is made for it."""

from alembic import op

from db.roles import BACKUP

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None

_READ = ("mosshead.alembic_version", "all sequences in schema mosshead")


def upgrade() -> None:
    """Grants the backup where the sequences stand, and which version the tables have."""
    for one in _READ:
        op.execute(f"grant select on {one} to {BACKUP}")


def downgrade() -> None:
    """Takes both away again."""
    for one in _READ:
        op.execute(f"revoke select on {one} from {BACKUP}")
