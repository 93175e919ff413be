"""Networks that translate: from tokens of one sentence to those of another."""
