"""The command `mosshead`: what an app can do, for a shell. One module for each group of its commands."""
