"""Read other apps' exports as messages: one module per format, and one that detects the format. Pure and streaming."""
