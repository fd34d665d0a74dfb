"""Entity resolution: find names in a text, their candidate entities, and the one that a message means."""
