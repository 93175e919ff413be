"""The layers of core.incubate.nn, one kind to a file."""
