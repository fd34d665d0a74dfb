"""What must not become a memory, because it would steer whoever reads it: instructions, rules, addresses, calls, false frames.

A memory is put into the prompt of a later turn. What stands in it is to be something that was said of the world, not something
that was said to the assistant. One module for each shape; `suspicion` puts them together.
"""

from pipeline.safety.suspicion import REASONS, guarded, instructs, steers, suspicion_of, texts_in

__all__ = ["REASONS", "guarded", "instructs", "steers", "suspicion_of", "texts_in"]
