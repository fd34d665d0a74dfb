"""The `mosshead` command line. One module per group of commands."""
