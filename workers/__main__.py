"""``python -m workers``."""

from workers.cli import main

main()
