"""``python -m workers``."""

from workers.cli.app import main

main()
