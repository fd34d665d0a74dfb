"""The command `mosshead`, and ``python -m mosshead`` where its script is not on the PATH."""

import sys


def main() -> None:
    """Run the command line, or say which extra brings what it needs."""
    try:
        from mosshead.cli.main import main as run
    except ModuleNotFoundError as error:
        if error.name not in {"rich", "typer"}:
            raise
        sys.exit(
            "error: The library is installed without what its command needs. Run: pip install 'mosshead[service]' to run the "
            "service on this machine, or pip install 'mosshead[cli]' for the command alone"
        )
    run()


if __name__ == "__main__":
    main()
