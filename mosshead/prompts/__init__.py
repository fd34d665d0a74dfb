"""Prompts that an app keeps with Mosshead: each a template with its variables, in versions of which none is ever overwritten."""
