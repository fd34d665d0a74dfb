"""``python -m recollect``: the command, where its script is not on the PATH."""

from recollect.cli.app import main

main()
