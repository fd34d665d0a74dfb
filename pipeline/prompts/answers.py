"""What the answer models of all prompts share, as the library's own prompts do."""

from mosshead.language_model.answers import Answer, JsonText, Text, storable

__all__ = ["Answer", "JsonText", "Text", "storable"]
