"""Keep text that would steer a model out of memories: instructions, rules, addresses, calls of tools, false frames.

A memory enters the prompt of a later turn, so it may speak of the world, and not to the assistant. Each shape has a module;
`suspicion` puts them together.
"""

from mosshead.safety.suspicion import REASONS, instructs, judge, steers, suspicion_of, texts_in

__all__ = ["REASONS", "instructs", "judge", "steers", "suspicion_of", "texts_in"]
