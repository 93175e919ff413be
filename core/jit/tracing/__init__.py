"""Running Python code once under a trace, and whether a trace still fits what it read."""
