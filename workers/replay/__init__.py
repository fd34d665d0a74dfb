"""What was said, replayed beside the memories that apps read: with another LLM, other instructions, or by a later version."""
