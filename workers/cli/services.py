"""`mosshead service intake` and `sweep`: run the intake and the scheduler. Each command loads only its own code."""

from config.logging import configure_logging
from config.settings import settings
from workers.cli.output import until_asked_to_stop
from workers.probes import probed


def intake() -> None:
    """Take events from the queue into the inbox, until stopped."""
    from workers.intake import run_intake

    configure_logging(settings())
    with probed(settings(), "intake", until_asked_to_stop()) as stopped:
        run_intake(settings(), stopped)


def sweep() -> None:
    """Claim what is due and tell the workers, until stopped."""
    from workers.scheduler import run_scheduler

    configure_logging(settings())
    with probed(settings(), "scheduler", until_asked_to_stop()) as stopped:
        run_scheduler(settings(), stopped)
