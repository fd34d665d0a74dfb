"""Who is meant: names that stand in a text, whose they may be, and which of several bearers a message speaks of."""
