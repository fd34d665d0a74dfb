"""Whether a context reads as a reader would write it: what stands first, what is outdated, and what is of no use."""
