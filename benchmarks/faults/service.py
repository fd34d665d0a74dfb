"""The service's intake and scheduler as the runs start them: with failpoints.

python -m benchmarks.faults.service intake | sweep
"""

from benchmarks.faults.failpoints import install
from workers.cli.main import main

if __name__ == "__main__":
    install()
    main()
