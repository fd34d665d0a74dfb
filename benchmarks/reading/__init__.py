"""How long `Namespace.query` and `Namespace.context` take in a large table, beside the least that they could take."""

import os

# Before numpy is imported: one core for an embedding, as in the service. Where cores are shared, the threads of a matrix product
# wait for each other, and what is measured is that.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
