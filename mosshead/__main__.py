"""``python -m mosshead``: the command, where its script is not on the PATH."""

from mosshead.cli.main import main

main()
