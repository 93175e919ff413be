"""Where in texts answers to questions are."""
