"""`mosshead service intake` and `sweep`: the processes that take events in and hand work out. Each loads its own code alone."""

from config.logging import configure_logging
from config.settings import settings
from workers.cli.output import until_asked_to_stop


def intake() -> None:
    """Take events from the queue into the inbox, until stopped."""
    from workers.intake import run_intake

    configure_logging(settings())
    run_intake(settings(), until_asked_to_stop())


def sweep() -> None:
    """Claim what is due and tell the workers, until stopped."""
    from workers.scheduler import run_scheduler

    configure_logging(settings())
    run_scheduler(settings(), until_asked_to_stop())
