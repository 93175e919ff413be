"""Data sets of questions with texts that answer them."""
