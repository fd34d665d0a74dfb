"""What a memory costs a chat app that many talk to at once: the same app of FastAPI without it and with it."""
