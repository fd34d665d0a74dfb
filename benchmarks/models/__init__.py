"""What a real LLM makes of the data of other benchmarks: how well it does, what is refused of it, and what it costs."""
