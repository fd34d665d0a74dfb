"""Replay a namespace next to the memories that apps read: with another LLM, other instructions, or a later version."""
