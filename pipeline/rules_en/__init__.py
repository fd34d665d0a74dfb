"""Extract facts by rules alone, for a service without an LLM."""

from pipeline.rules_en.extract import extract_offline

__all__ = ["extract_offline"]
