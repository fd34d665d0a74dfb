"""``python -m mosshead``: the command, where its script is not on the PATH."""

from mosshead.cli.app import main

main()
