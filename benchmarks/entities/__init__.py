"""Who is meant, what a conversation has in focus, and what reaches a context, on a world in which many bear one name."""

import os

# As in `benchmarks.reading`, before numpy is imported: the model and the servers share the machine's cores.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
