"""Prompts that an app keeps with Recollect: each a template with its variables, in versions of which none is ever overwritten."""
