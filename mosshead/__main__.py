"""The command `mosshead`, also ``python -m mosshead`` if the script is not on the PATH."""

import sys


def main() -> None:
    """Run the command line, or name the extra that provides its dependencies."""
    try:
        from mosshead.cli.main import main as run
    except ModuleNotFoundError as error:
        if error.name not in {"rich", "typer"}:
            raise
        sys.exit(
            "error: The dependencies of the command are not installed. Run: pip install 'mosshead[service]' to run the "
            "service on this machine, or pip install 'mosshead[cli]' for the command alone"
        )
    run()


if __name__ == "__main__":
    main()
