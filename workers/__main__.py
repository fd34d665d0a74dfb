"""``python -m workers``."""

from workers.cli.main import main

main()
