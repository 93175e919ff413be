"""Scripts for the people who work on this repository."""
