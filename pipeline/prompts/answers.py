"""What the answer models of all prompts share, as the library's own prompts do."""

from recollect.language_model.answers import Answer, JsonText, Text, storable

__all__ = ["Answer", "JsonText", "Text", "storable"]
