"""Commands beside training and evaluation."""
